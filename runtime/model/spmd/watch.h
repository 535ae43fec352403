// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds nodes that wait for others which do not come.
#pragma once

#include "base/result.h"
#include "runtime/model/spmd/progress.h"
#include "runtime/transport/transport.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace tutti::model::spmd {

/// How long a node may wait in one directive.
struct Patience {
  std::chrono::seconds limit; ///< Zero: as long as it likes.
  bool endsAlways;            ///< The job ends even if a node that has not come runs its own code.
};

/// What a node says of itself.
struct Standing {
  Progress::State state = Progress::State::Runs;
  double seconds = 0; ///< For which it has waited.
  std::string source; ///< The directive that it began last; empty before the first.
};

/// What is to be done about nodes that stand so.
enum class Verdict : std::uint8_t { Fine, Suspicious, Stuck };

/// Suspicious: a node has waited too long, but one that runs its own code may still come.
Verdict verdictOf(std::span<const Standing> nodes, const Patience &patience);

/// Which nodes wait, run and have ended where; nodes that stand alike are named together.
std::string describe(std::span<const Standing> nodes);

/// A thread beside `main` that answers where the node is, whatever `main` does. A node that has
/// waited too long tells node 0, which then asks all, and ends the job with one line if nobody can
/// come any more.
///
/// Threading: the thread alone uses the endpoint.
class Watch {
public:
  /// Collective. `progress` outlives it.
  Watch(std::unique_ptr<transport::Endpoint> endpoint, const Progress &progress, Patience patience);
  Watch(const Watch &) = delete;
  Watch &operator=(const Watch &) = delete;

  /// Where it has not been stopped, the process ends.
  ~Watch();

  /// Collective, when all have ended.
  Status stop();

private:
  using Clock = std::chrono::steady_clock;

  void run();
  Status look();
  Standing own();
  Status take(const transport::Control &message);
  Status ask();
  void judge();

  std::unique_ptr<transport::Endpoint> endpoint_;
  const Progress &progress_;
  const Patience patience_;

  std::uint64_t waitsSeen_ = 0;
  Clock::time_point since_;                      ///< `waitsSeen_` has been seen since.
  Clock::time_point nextWord_;                   ///< Not before that it speaks of waiting again.
  std::vector<std::optional<Standing>> answers_; ///< Of node 0 while it asks; else empty.
  bool hasWarned_ = false;

  std::mutex mutex_;
  std::condition_variable stops_;
  bool isToStop_ = false;
  std::thread thread_;
};

} // namespace tutti::model::spmd
