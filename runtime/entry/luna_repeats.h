// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What calls of LuNA's procedures on devices have made that read no data fragment.
///
/// A version for devices uses nothing but its arguments, so two calls with the same numbers make
/// the same. Programs call such procedures in each step, for walls, say: with the value of the
/// first one the others are done.
#pragma once

#include "abi/luna.h"
#include "base/mutex.h"
#include "runtime/model/fragments/value.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::entry::luna {

/// Threading: internally synchronised.
class Repeats {
public:
  static constexpr std::size_t kMostBytes = 4096; ///< Of one output that is kept.

  /// Whether calls of the procedure may be kept: they get numbers alone.
  static bool areOf(const tutti_luna_procedure &procedure);

  /// Sets the outputs of a call to what one with the same numbers has made. False if none is kept.
  /// `isLost(device)`: what a device has made is not to be had any more.
  template <typename IsLost>
  bool take(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
            IsLost &&isLost) {
    const ScopedLock lock(mutex_);
    const Made *made = find(procedure, arguments);
    if (!made || isLost(made->device)) {
      return false;
    }
    give(*made, arguments);
    return true;
  }

  /// Keeps what a call has made on a device, if that is little.
  void keep(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
            std::int32_t device);

  /// Whether a call that a core does has been there before, one of the last few: then a device
  /// would do it once for all.
  bool isAgain(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments);

  /// Keeps nothing any more.
  void clear();

private:
  struct Asked {
    const tutti_luna_procedure *procedure = nullptr;
    std::vector<std::uint64_t> numbers;
    friend bool operator==(const Asked &, const Asked &) = default;
  };

  struct Made : Asked {
    std::int32_t device = 0;
    std::vector<model::fragments::Value> outputs;
  };

  static Asked asked(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments);

  const Made *find(const tutti_luna_procedure &procedure,
                   const tutti_luna_argument *arguments) const TUTTI_REQUIRES(mutex_);
  static void give(const Made &made, const tutti_luna_argument *arguments);

  Mutex mutex_;
  std::vector<Made> made_ TUTTI_GUARDED_BY(mutex_);
  std::size_t next_ TUTTI_GUARDED_BY(mutex_) = 0; ///< That gives way, once there are many.
  std::vector<Asked> onCores_ TUTTI_GUARDED_BY(mutex_);
  std::size_t nextOnCores_ TUTTI_GUARDED_BY(mutex_) = 0;
};

} // namespace tutti::entry::luna
