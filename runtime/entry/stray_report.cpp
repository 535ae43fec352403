// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/stray_report.h"

#include "base/format.h"
#include "base/log.h"
#include "runtime/entry/program_symbols.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace tutti::entry {

Range StrayReport::objectAt(std::uint64_t address) const {
  const Range byte{address, address + 1};
  if (window_.heap().contains(byte)) {
    const Range allocation = heap_.allocationOf(address);
    return allocation.empty() ? memory::pagesAround(byte) : allocation;
  }
  const auto after = std::ranges::upper_bound(variables_, address, std::less<>(), &Range::begin);
  const bool isVariable = after != variables_.begin() && std::prev(after)->contains(byte);
  return isVariable ? *std::prev(after) : memory::pagesAround(byte);
}

/// Where `address` is, for a message.
std::string StrayReport::placeOf(std::uint64_t address, Range object) const {
  const Range byte{address, address + 1};
  if (window_.stack().contains(byte)) {
    return "of main's stack";
  }
  const std::uint64_t offset = address - object.begin;
  if (!window_.heap().contains(byte)) {
    const std::string name = variableNameAt(address);
    return fmt::format("byte {} of the variable {}", offset,
                       name.empty() ? fmt::format("at {:#x}", object.begin) : name);
  }
  return heap_.allocationOf(address).empty()
             ? "of no allocation"
             : fmt::format("byte {} of the allocation at {:#x}", offset, object.begin);
}

void StrayReport::tell(const model::tasks::CheckedTask &task, std::string_view verb,
                       std::uint64_t address, std::uint64_t instruction) {
  const Range object = objectAt(address);
  if (!told_.insert({task.source, object.begin, std::string(verb)}).second) {
    return;
  }
  const bool hasLabel = task.source && std::string_view(task.name) != task.source;
  log::warn(
      "task {}{} {} {:#x}, {}, which it does not name{}", task.name,
      hasLabel ? fmt::format(" ({})", task.source) : "", verb, address, placeOf(address, object),
      instruction == 0 ? ""
                       : fmt::format(" (addr2line -e PROGRAM {:#x} tells the line)", instruction));
}

} // namespace tutti::entry
