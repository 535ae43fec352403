// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/collective.h"
#include "runtime/model/spmd/directives.h"
#include "runtime/model/spmd/elements.h"
#include "runtime/model/spmd/refs.h"
#include "runtime/model/spmd/sections.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace tutti::model::spmd {

namespace {

using transport::Combination;
using transport::Element;

bool isMost(long operation) {
  return operation == TUTTI_XMP_MAX || operation == TUTTI_XMP_FIRSTMAX ||
         operation == TUTTI_XMP_LASTMAX;
}

/// Of truth values, in one byte, sums and products are what they are of truth.
Result<Combination> combinationOf(long operation, long type) {
  const bool isTruth = type == TUTTI_XMP_BOOL;
  switch (operation) {
  case TUTTI_XMP_ADD:
    return isTruth ? Combination::Or : Combination::Sum;
  case TUTTI_XMP_MULTIPLY:
    return isTruth ? Combination::And : Combination::Product;
  case TUTTI_XMP_BIT_AND:
    return Combination::BitAnd;
  case TUTTI_XMP_BIT_OR:
    return Combination::BitOr;
  case TUTTI_XMP_BIT_XOR:
    return Combination::BitXor;
  case TUTTI_XMP_AND:
    return Combination::And;
  case TUTTI_XMP_OR:
    return Combination::Or;
  case TUTTI_XMP_MAX:
  case TUTTI_XMP_FIRSTMAX:
  case TUTTI_XMP_LASTMAX:
    return Combination::Max;
  case TUTTI_XMP_MIN:
  case TUTTI_XMP_FIRSTMIN:
  case TUTTI_XMP_LASTMIN:
    return Combination::Min;
  default:
    return failure(ErrorCode::InvalidArgument, "a reduction that there is not: {}", operation);
  }
}

struct Kind {
  Element type;
  Combination operation;
};

Result<Kind> kindOf(const tutti_xmp_reduced &item) {
  const auto type = elementOf(item.value.array ? arrayOf(item.value.array).type : item.value.type);
  Combination operation{};
  TUTTI_ASSIGN(operation, combinationOf(item.operation, item.value.type));
  if (!type) {
    return failure(ErrorCode::InvalidArgument, "a reduction of a variable of this type");
  }
  const bool isLogical = operation == Combination::And || operation == Combination::Or;
  if (!isLogical && !canCombine(*type, operation)) {
    return failure(ErrorCode::InvalidArgument,
                   "a reduction that the variable's type does not have");
  }
  return Kind{*type, operation};
}

/// What does not change a result, in place of the variable's value.
Status neutralise(const tutti_xmp_reduced &item) {
  const long operation = item.operation;
  if (operation != TUTTI_XMP_ADD && operation != TUTTI_XMP_MULTIPLY &&
      operation != TUTTI_XMP_BIT_XOR) {
    return {};
  }
  auto section = localSectionOf(item.value);
  TUTTI_TRY(section);
  Kind kind{};
  TUTTI_ASSIGN(kind, kindOf(item));
  Bytes bytes(section->bytes());
  if (operation == TUTTI_XMP_MULTIPLY) {
    fillWithOnes(kind.type, bytes);
  }
  section->unpackFrom(bytes.data());
  return {};
}

/// Truth of floating point is not combined by transports: as integers.
Status reduceTruth(World &world, transport::Group &group, const LocalSection &section, Kind kind) {
  Bytes bytes(section.bytes());
  section.packTo(bytes.data());
  std::vector<std::int32_t> truth = truthOf(kind.type, bytes);
  transport::Request request{};
  TUTTI_ASSIGN(request, group.allReduce(Element::Int32, kind.operation,
                                        std::as_writable_bytes(std::span(truth))));
  TUTTI_TRY(world.wait(group, request));
  fromTruth(kind.type, truth, bytes);
  section.unpackFrom(bytes.data());
  return {};
}

Status reduceOne(World &world, transport::Group &group, const tutti_xmp_reduced &item,
                 Async async) {
  auto section = localSectionOf(item.value);
  TUTTI_TRY(section);
  Kind kind{};
  TUTTI_ASSIGN(kind, kindOf(item));
  ++world.counters().collectives;
  world.counters().collectiveBytes += section->bytes();
  if (!canCombine(kind.type, kind.operation)) {
    return reduceTruth(world, group, *section, kind);
  }
  auto collective = std::make_unique<Collective>(group);
  collective->add(*std::move(section));
  TUTTI_TRY(
      collective->begin(group.allReduce(kind.type, kind.operation, collective->bytes()), true));
  return world.complete(std::move(collective), async);
}

/// One node's value, and where in the loop it comes from.
struct Candidate {
  alignas(16) std::array<std::byte, 32> value{};
  std::int64_t position = -1;
};

/// Whether `a` stands in front of `b`, which has the same value.
bool isBefore(long operation, std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0) {
    return a >= 0;
  }
  return operation == TUTTI_XMP_LASTMAX || operation == TUTTI_XMP_LASTMIN ? a > b : a < b;
}

std::size_t winnerOf(const std::vector<Candidate> &all, const tutti_xmp_reduced &item,
                     Element type) {
  const bool hasPositions = item.operation != TUTTI_XMP_MAX && item.operation != TUTTI_XMP_MIN;
  std::size_t winner = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const int order = compare(type, all[i].value.data(), all[winner].value.data());
    const bool isBetter = isMost(item.operation) ? order > 0 : order < 0;
    if (isBetter || (order == 0 && hasPositions &&
                     isBefore(item.operation, all[i].position, all[winner].position))) {
      winner = i;
    }
  }
  return winner;
}

/// The value that wins, and the locations of its node, on all.
Status reduceWithLocations(World &world, transport::Group &group, std::size_t members,
                           const tutti_xmp_reduced &item) {
  auto value = localSectionOf(item.value);
  TUTTI_TRY(value);
  Kind kind{};
  TUTTI_ASSIGN(kind, kindOf(item));
  if (value->elements() != 1) {
    return failure(ErrorCode::InvalidArgument,
                   "a reduction with locations of {} elements; one is needed", value->elements());
  }
  Candidate own;
  value->packTo(own.value.data());
  own.position = item.position;
  std::vector<Candidate> all(members);
  transport::Request request{};
  TUTTI_ASSIGN(request, group.allGather(std::as_bytes(std::span(&own, 1)),
                                        std::as_writable_bytes(std::span(all))));
  TUTTI_TRY(world.wait(group, request));
  const std::size_t winner = winnerOf(all, item, kind.type);
  value->unpackFrom(all[winner].value.data());
  Collective locations(group);
  for (long i = 0; i < item.count; ++i) {
    auto location = localSectionOf(item.locations[i]);
    TUTTI_TRY(location);
    locations.add(*std::move(location));
  }
  world.counters().collectives += 2;
  world.counters().collectiveBytes += sizeof own + locations.bytes().size();
  TUTTI_TRY(locations.begin(
      group.broadcast(static_cast<transport::Rank>(winner), locations.bytes()), true));
  while (true) {
    const Result<bool> done = locations.advance();
    TUTTI_TRY(done);
    if (*done) {
      return {};
    }
  }
}

} // namespace

std::optional<Element> elementOf(long type) {
  switch (type) {
  case TUTTI_XMP_INT8:
    return Element::Int8;
  case TUTTI_XMP_UINT8:
  case TUTTI_XMP_BOOL:
    return Element::UInt8;
  case TUTTI_XMP_INT16:
    return Element::Int16;
  case TUTTI_XMP_UINT16:
    return Element::UInt16;
  case TUTTI_XMP_INT32:
    return Element::Int32;
  case TUTTI_XMP_UINT32:
    return Element::UInt32;
  case TUTTI_XMP_INT64:
    return Element::Int64;
  case TUTTI_XMP_UINT64:
    return Element::UInt64;
  case TUTTI_XMP_FLOAT:
    return Element::Float;
  case TUTTI_XMP_DOUBLE:
    return Element::Double;
  case TUTTI_XMP_LONG_DOUBLE:
    return Element::LongDouble;
  case TUTTI_XMP_COMPLEX_FLOAT:
    return Element::ComplexFloat;
  case TUTTI_XMP_COMPLEX_DOUBLE:
    return Element::ComplexDouble;
  case TUTTI_XMP_COMPLEX_LONG_DOUBLE:
    return Element::ComplexLongDouble;
  default:
    return std::nullopt;
  }
}

Status beginReduction(World &world, const tutti_xmp_ref *on,
                      std::span<const tutti_xmp_reduced> items) {
  NodeSet set;
  TUTTI_ASSIGN(set, executingOf(world, on));
  const auto position = world.positionIn(set);
  if (!position || *position == 0) {
    return {};
  }
  for (const tutti_xmp_reduced &item : items) {
    TUTTI_TRY(neutralise(item));
  }
  return {};
}

Status reduce(World &world, const tutti_xmp_ref *on, std::span<const tutti_xmp_reduced> items,
              Async async) {
  NodeSet set;
  TUTTI_ASSIGN(set, executingOf(world, on));
  if (!world.positionIn(set) || set.size() == 1) {
    return {};
  }
  transport::Group *group = nullptr;
  TUTTI_ASSIGN(group, world.group(set));
  for (const tutti_xmp_reduced &item : items) {
    TUTTI_TRY(requireReplicated(item.value, set));
    TUTTI_TRY(item.count > 0 ? reduceWithLocations(world, *group, set.size(), item)
                             : reduceOne(world, *group, item, async));
  }
  return {};
}

} // namespace tutti::model::spmd
