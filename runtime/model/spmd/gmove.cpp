// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/gmove.h"

#include "runtime/model/spmd/directives.h"
#include "runtime/model/spmd/one_sided.h"
#include "runtime/model/spmd/sections.h"

#include <memory>

namespace tutti::model::spmd {

namespace {

constexpr Index kGmove = 3;

/// Whether nothing of one can be part of the other.
bool areApart(const Operand &a, const Operand &b) {
  return !a.base || !b.base || a.base + a.bytes <= b.base || b.base + b.bytes <= a.base;
}

} // namespace

Status gmove(World &world, long mode, const tutti_xmp_section &left, const tutti_xmp_section &right,
             Async async) {
  const NodeSet &executing = world.executing();
  const auto nodes =
      std::make_shared<const distribution::Nodes>(distribution::Nodes::listOf(executing));
  std::unique_ptr<Operand> to;
  TUTTI_ASSIGN(to, operandOf(left, nodes));
  std::unique_ptr<Operand> from;
  TUTTI_ASSIGN(from, operandOf(right, nodes));
  if (to->elementBytes != from->elementBytes) {
    return failure(ErrorCode::InvalidArgument, "elements of {} bytes are assigned to some of {}",
                   from->elementBytes, to->elementBytes);
  }
  if (mode != TUTTI_XMP_COLLECTIVE) {
    std::unique_ptr<Operation> operation;
    if (mode == TUTTI_XMP_IN) {
      TUTTI_ASSIGN(operation, world.oneSided().get(*to, *from));
    } else {
      TUTTI_ASSIGN(operation, world.oneSided().put(*to, *from));
    }
    return world.complete(std::move(operation), async);
  }
  std::vector<Index> content{kGmove};
  content.insert(content.end(), executing.begin(), executing.end());
  to->describe(content);
  from->describe(content);
  Plan *plan = nullptr;
  TUTTI_ASSIGN(plan, world.plan(std::move(content), [&] {
    return distribution::gmove({to->side(), from->side(), executing, executing}, world.me());
  }));
  const Operands operands{from->base, to->base, to->elementBytes, areApart(*to, *from),
                          std::nullopt};
  trace::Counters &counters = world.counters();
  return world.complete(
      beginMove(world, *plan, operands, {counters.gmoveMessages, counters.gmoveBytes}), async);
}

} // namespace tutti::model::spmd
