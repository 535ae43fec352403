// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether iterations of a loop keep apart: none touches what another one writes. Of what they
/// write at computed addresses only looking into memory can tell (`tutti_region::inspect`).
#pragma once

#include "base/range.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

namespace tutti::exec {

/// Told what one iteration after the other touches.
///
/// Cost: eight bytes of memory for each element that is touched of what some iteration writes.
class Apartness {
public:
  /// Bytes that it may take if all is touched; beyond, nothing is known.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

  /// `written`: objects of which some iteration may write something.
  ///
  /// Shape: they are disjoint.
  explicit Apartness(std::span<const Range> written);

  void begin(std::int64_t iteration);

  void add(std::uint64_t address, std::uint64_t bytes, bool isWritten);

  /// Whether all iterations so far have kept apart, as far as anybody can tell.
  bool holds() const { return holds_; }

private:
  /// Who has touched a piece of an object: an iteration's number, counted from one; 0: nobody.
  struct Touchers {
    std::uint32_t writer;
    std::uint32_t reader; ///< Or kMany.
  };

  static constexpr std::uint32_t kMany = ~std::uint32_t{0};

  struct Free {
    void operator()(Touchers *pieces) const { std::free(pieces); }
  };

  struct Object {
    Range range;
    std::uint64_t piece; ///< Bytes of one: what has been touched first; 0 as long as nothing has.
    std::unique_ptr<Touchers[], Free> pieces; ///< The system gives memory where it is touched.
  };

  Object *find(Range bytes);
  bool prepare(Object &object, std::uint64_t bytes);
  bool note(Touchers &touchers, bool isWritten) const;

  std::vector<Object> objects_; ///< By address.
  Object *last_ = nullptr;      ///< That was found.
  std::uint64_t taken_ = 0;     ///< Bytes of memory.
  std::uint32_t current_ = 0;
  bool holds_ = true;
};

} // namespace tutti::exec
