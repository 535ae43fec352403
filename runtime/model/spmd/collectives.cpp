// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/collective.h"
#include "runtime/model/spmd/directives.h"
#include "runtime/model/spmd/refs.h"
#include "runtime/model/spmd/sections.h"

#include <algorithm>
#include <memory>

namespace tutti::model::spmd {

namespace {

/// The position in `set` of the node that `from` names; its first one if it names none.
Result<transport::Rank> rootOf(const World &world, const tutti_xmp_ref *from, const NodeSet &set) {
  if (!from) {
    return transport::Rank{0};
  }
  NodeSet sources;
  TUTTI_ASSIGN(sources, membersOf(world, *from));
  if (sources.size() != 1) {
    return failure(ErrorCode::InvalidArgument, "bcast from {} nodes; one is needed",
                   sources.size());
  }
  const auto found = std::find(set.begin(), set.end(), sources.front());
  if (found == set.end()) {
    return failure(ErrorCode::InvalidArgument, "node {} that bcast comes from does not take part",
                   sources.front());
  }
  return static_cast<transport::Rank>(found - set.begin());
}

} // namespace

Result<bool> enter(World &world, const tutti_xmp_ref &on) {
  NodeSet set;
  TUTTI_ASSIGN(set, executingOf(world, &on));
  if (!world.positionIn(set)) {
    return false;
  }
  world.push(std::move(set));
  return true;
}

Status barrier(World &world, const tutti_xmp_ref *on) {
  NodeSet set;
  TUTTI_ASSIGN(set, executingOf(world, on));
  if (!world.positionIn(set) || set.size() == 1) {
    return {};
  }
  transport::Group *group = nullptr;
  TUTTI_ASSIGN(group, world.group(set));
  ++world.counters().collectives;
  transport::Request request{};
  TUTTI_ASSIGN(request, group->barrier());
  return world.wait(*group, request);
}

Result<std::uintptr_t> communicatorOf(World &world, const NodeSet &set) {
  transport::Group *group = nullptr;
  TUTTI_ASSIGN(group, world.group(set));
  const Progress::Waiting waiting(world.progress());
  return group->native();
}

Status broadcast(World &world, std::span<const tutti_xmp_section> items, const tutti_xmp_ref *from,
                 const tutti_xmp_ref *on, Async async) {
  NodeSet set;
  TUTTI_ASSIGN(set, executingOf(world, on));
  const auto position = world.positionIn(set);
  if (!position) {
    return {};
  }
  transport::Rank root = 0;
  TUTTI_ASSIGN(root, rootOf(world, from, set));
  if (set.size() == 1) {
    return {};
  }
  transport::Group *group = nullptr;
  TUTTI_ASSIGN(group, world.group(set));
  auto collective = std::make_unique<Collective>(*group);
  for (const tutti_xmp_section &item : items) {
    TUTTI_TRY(requireReplicated(item, set));
    auto section = localSectionOf(item);
    TUTTI_TRY(section);
    collective->add(*std::move(section));
  }
  ++world.counters().collectives;
  world.counters().collectiveBytes += collective->bytes().size();
  const bool isRoot = static_cast<transport::Rank>(*position) == root;
  TUTTI_TRY(collective->begin(group->broadcast(root, collective->bytes()), !isRoot));
  return world.complete(std::move(collective), async);
}

} // namespace tutti::model::spmd
