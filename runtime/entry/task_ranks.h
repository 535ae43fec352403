// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks on other ranks, in terms of the engine: what they name is brought there and stays there.
#pragma once

#include "runtime/entry/cluster.h"
#include "runtime/entry/images.h"
#include "runtime/entry/stray_report.h"
#include "runtime/memory/protection.h"
#include "runtime/memory/window.h"
#include "runtime/model/forkjoin/rank_zero.h"
#include "runtime/model/forkjoin/worker.h"
#include "runtime/model/tasks/ranks.h"

#include <unordered_map>

namespace tutti::entry {

class Runtime;

/// As rank 0 sees them.
class TaskRanks final : public model::tasks::Ranks {
public:
  /// `report`: null unless tasks are checked.
  TaskRanks(Runtime &runtime, model::forkjoin::RankZero &zero, const memory::Window &window,
            const memory::PageTable &pages, StrayReport *report)
      : runtime_(runtime), zero_(zero), window_(window), pages_(pages), report_(report),
        variables_(executableVariables()) {}

  std::uint32_t count() const override { return static_cast<std::uint32_t>(zero_.ranks()); }

  bool haveCode(tutti_task_entry entry) const override;

  bool areShared(Range bytes) const override { return window_.contains(bytes); }

  bool areOfProgram(Range bytes) const override;
  bool areOfCluster(Range bytes) const override;

  Range arguments() const override { return programArguments(); }

  bool isDerived(tutti_task_entry entry) const override {
    return codes_.contains(reinterpret_cast<const void *>(entry));
  }

  model::tasks::Derived derive(tutti_task_block &block, std::span<const Range> own,
                               std::span<const graph::Access> accesses) override;
  std::vector<std::uint64_t> missing(std::span<const graph::Access> accesses,
                                     std::span<const Range> beside) override;
  void bring(std::span<const graph::Access> accesses) override;

  bool checks() const override { return report_ != nullptr; }

  void check(const model::tasks::CheckedTask &checked, std::span<const graph::Access> accesses,
             std::span<const Range> read, void (*body)(void *task), void *task) override;
  void stopCheck() override;
  Status start(std::uint32_t rank, std::span<const graph::Access> accesses,
               std::span<const Range> read, std::vector<std::byte> parcel,
               std::function<void(model::tasks::RemoteEnd end)> whenEnded) override;

private:
  Range objectAt(std::uint64_t address) const;

  Runtime &runtime_;
  model::forkjoin::RankZero &zero_;
  const memory::Window &window_;
  const memory::PageTable &pages_;
  StrayReport *report_;
  const std::vector<Range> variables_; ///< Of the program, sorted.
  const std::unordered_map<const void *, const tutti_region *> &codes_ = taskCodes();
};

/// Runs what rank 0 sends on the tasks of this process, which are made for the first of them.
class TaskHost final : public model::forkjoin::TaskHost {
public:
  void start(std::span<const std::byte> parcel,
             std::function<void(Ended ended)> whenEnded) override;
};

} // namespace tutti::entry
