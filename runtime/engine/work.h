// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What workers run, as far as they have to know it.
#pragma once

#include <cstdint>

namespace tutti::engine {

class Worker;

/// Something that is ready to run. Who queues it keeps it alive until it has been run.
struct Work {
  Work *next = nullptr; ///< In whatever list it is.
  std::int32_t priority = 0;
};

/// Who knows how work is run.
class Client {
public:
  /// Runs the work on the calling worker. Returns what the worker should run next, because that has
  /// become ready by it; or null.
  virtual Work *run(Worker &worker, Work &work) = 0;

  /// Looks for what happens elsewhere and may make work ready: by workers before they take work,
  /// and by one of those that find none. True while there is something to look for.
  virtual bool poll() { return false; }

  /// What the calling worker runs is about to leave its stack.
  virtual void parks() {}

protected:
  ~Client() = default;
};

} // namespace tutti::engine
