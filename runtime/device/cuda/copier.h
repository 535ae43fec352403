// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Copies inside host memory by several threads: one core does not keep up with PCIe.
#pragma once

#include "base/mutex.h"

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tutti::device::cuda {

/// Threading: externally synchronised; its helpers are its own.
class Copier {
public:
  /// Starts helpers at the first copy that is worth it, `threads` - 1.
  explicit Copier(unsigned threads) : threads_(threads) {}

  Copier(const Copier &) = delete;
  Copier &operator=(const Copier &) = delete;
  ~Copier();

  /// The threads that pay here: some of the cores that this process may use.
  static unsigned sensibleThreads();

  /// As memcpy. Returns when all is copied.
  void copy(std::byte *target, const std::byte *source, std::size_t bytes);

private:
  struct Work {
    std::byte *target = nullptr;
    const std::byte *source = nullptr;
    std::size_t bytes = 0;
  };

  void start();
  void help(unsigned number);
  void copyPart(const Work &work, unsigned number) const;

  const unsigned threads_;
  std::vector<std::thread> helpers_;
  Mutex mutex_;
  Condition given_;
  Condition done_;
  Work work_ TUTTI_GUARDED_BY(mutex_);
  std::uint64_t round_ TUTTI_GUARDED_BY(mutex_) = 0;
  unsigned busy_ TUTTI_GUARDED_BY(mutex_) = 0;
  bool ends_ TUTTI_GUARDED_BY(mutex_) = false;
};

} // namespace tutti::device::cuda
