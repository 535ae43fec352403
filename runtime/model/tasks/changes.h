// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a change of the graph has made ready.
#pragma once

#include "runtime/engine/work.h"
#include "runtime/graph/task_graph.h"
#include "runtime/model/tasks/task.h"

namespace tutti::model::tasks {

class DeviceTasks;

/// Threading: confined to who changes the graph.
class Changes final : public graph::Sink {
public:
  /// `devices`: null where there are none.
  explicit Changes(DeviceTasks *devices) : devices_(devices) {}

  void ready(graph::Node &node) override;

  /// Before that, until no device uses what has been reduced. Cost: blocks.
  void combine(graph::ReductionGroup &group) override;

  /// In the order in which they have become ready; null if there is none left.
  Task *take();

private:
  DeviceTasks *devices_;
  engine::Work *first_ = nullptr;
  engine::Work *last_ = nullptr;
};

} // namespace tutti::model::tasks
