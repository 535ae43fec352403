// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/changes.h"

#include "runtime/model/tasks/copies.h"
#include "runtime/model/tasks/device_tasks.h"

namespace tutti::model::tasks {

void Changes::ready(graph::Node &node) {
  engine::Work &work = Task::of(node).work;
  work.next = nullptr;
  (last_ ? last_->next : first_) = &work;
  last_ = &work;
}

void Changes::combine(graph::ReductionGroup &group) {
  if (auto *copies = static_cast<Copies *>(group.copies)) {
    if (devices_) {
      devices_->waitFor(group.begin, group.bytes);
    }
    copies->combine();
    delete copies;
    group.copies = nullptr;
  }
}

Task *Changes::take() {
  engine::Work *work = first_;
  if (!work) {
    return nullptr;
  }
  first_ = work->next;
  return &Task::of(*work);
}

} // namespace tutti::model::tasks
