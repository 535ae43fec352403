// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lines about what tasks touch and do not name.
#pragma once

#include "base/range.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/window.h"
#include "runtime/model/tasks/checked_task.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tutti::entry {

/// Threading: externally synchronised.
class StrayReport {
public:
  /// `variables`: of the program, sorted.
  StrayReport(const memory::Window &window, const memory::Heap &heap, std::vector<Range> variables)
      : window_(window), heap_(heap), variables_(std::move(variables)) {}

  /// Says that the task does something (`verb`) with the byte at `address`; once for each
  /// construct, object and verb. `instruction`: 0 if it is unknown.
  void tell(const model::tasks::CheckedTask &task, std::string_view verb, std::uint64_t address,
            std::uint64_t instruction);

  /// The allocation or variable that holds it; a page where none is known.
  Range objectAt(std::uint64_t address) const;

private:
  std::string placeOf(std::uint64_t address, Range object) const;

  const memory::Window &window_;
  const memory::Heap &heap_;
  const std::vector<Range> variables_;
  std::set<std::tuple<const char *, std::uint64_t, std::string>> told_;
};

} // namespace tutti::entry
