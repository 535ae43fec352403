// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which indices of the name that a rule is about its value asks for.
#pragma once

#include "runtime/model/fragments/program.h"

#include <algorithm>
#include <cstdint>

namespace tutti::model::fragments {

/// Whether the expression `at` asks for a pattern, told by its slot, for which `isOne` holds.
template <typename IsOne>
bool asksForPattern(const Program &program, std::int32_t at, const IsOne &isOne) {
  if (at < 0) {
    return false;
  }
  const tutti_luna_node &node = program.node(at);
  switch (node.kind) {
  case TUTTI_LUNA_PATTERN:
    return isOne(node.slot);
  case TUTTI_LUNA_SLOT:
    return std::ranges::any_of(program.list(node.indices), [&](std::int32_t index) {
      return asksForPattern(program, index, isOne);
    });
  case TUTTI_LUNA_INT:
  case TUTTI_LUNA_REAL:
  case TUTTI_LUNA_STRING:
    return false;
  default:
    return asksForPattern(program, node.a, isOne) ||
           (node.kind >= TUTTI_LUNA_ADD && asksForPattern(program, node.b, isOne)) ||
           (node.kind == TUTTI_LUNA_CHOOSE && asksForPattern(program, node.c, isOne));
  }
}

} // namespace tutti::model::fragments
