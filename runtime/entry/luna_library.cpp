// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What procedures call: the members of ucenv.h, and the fragments that the runtime brings.
#include "base/format.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/luna.h"
#include "runtime/entry/luna_devices.h"
#include "runtime/model/fragments/handle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tutti::model::fragments;
using tutti::entry::luna::failInProcedure;
using tutti::entry::luna::Recording;

Handle &of(void *fragment) { return *static_cast<Handle *>(fragment); }

const Handle &of(const void *fragment) { return *static_cast<const Handle *>(fragment); }

std::string nameOf(const Handle &handle) {
  return handle.entry ? handle.state->nameOf(*handle.entry) : std::string();
}

[[noreturn]] void failAs(const Handle &handle, const char *wanted) {
  failInProcedure(fmt::format("the value of '{}' is {}, not {},", nameOf(handle),
                              tutti::model::fragments::nameOf(handle.value.kind()), wanted),
                  "E-TYPE");
}

Handle &handleOf(void *object) { return *static_cast<Object *>(object)->handle; }

const Handle &handleOf(const void *object) { return *static_cast<const Object *>(object)->handle; }

} // namespace

TUTTI_EXPORT void *tutti_luna_fragment_make() { return new Handle; }

TUTTI_EXPORT void *tutti_luna_fragment_copy(const void *fragment) {
  return new Handle(of(fragment));
}

TUTTI_EXPORT void tutti_luna_fragment_free(void *fragment) { delete &of(fragment); }

TUTTI_EXPORT void tutti_luna_fragment_assign(void *fragment, const void *from) {
  of(fragment).value = of(from).value;
}

TUTTI_EXPORT int tutti_luna_fragment_is_set(const void *fragment) {
  return of(fragment).value.isSet() ? 1 : 0;
}

TUTTI_EXPORT std::size_t tutti_luna_fragment_size(const void *fragment) {
  return of(fragment).value.size();
}

TUTTI_EXPORT void *tutti_luna_fragment_data(const void *fragment) {
  if (Recording *recording = Recording::here()) {
    return recording->data(of(fragment));
  }
  return const_cast<void *>(of(fragment).value.data());
}

TUTTI_EXPORT void *tutti_luna_fragment_create(void *fragment, std::size_t bytes) {
  if (Recording *recording = Recording::here()) {
    return recording->create(of(fragment), bytes);
  }
  Buffer *buffer = Buffer::make(bytes);
  if (!buffer) {
    failInProcedure(
        fmt::format("there is no memory for {} bytes of '{}'", bytes, nameOf(of(fragment))),
        "E-UCODE");
  }
  of(fragment).value = Value(Kind::Bytes, buffer);
  return buffer->data();
}

TUTTI_EXPORT void tutti_luna_fragment_keep(void *fragment, void (*destroy)(void *)) {
  of(fragment).value.buffer()->destroy = destroy;
}

TUTTI_EXPORT char tutti_luna_fragment_kind(const void *fragment) {
  switch (of(fragment).value.kind()) {
  case Kind::Int:
    return TUTTI_LUNA_TYPE_INT;
  case Kind::Real:
    return TUTTI_LUNA_TYPE_REAL;
  case Kind::String:
    return TUTTI_LUNA_TYPE_STRING;
  case Kind::Bytes:
    return TUTTI_LUNA_TYPE_VALUE;
  case Kind::Unset:
    break;
  }
  return '\0';
}

TUTTI_EXPORT void tutti_luna_fragment_set_int(void *fragment, std::int32_t value) {
  of(fragment).value = Value(value);
}

TUTTI_EXPORT void tutti_luna_fragment_set_real(void *fragment, double value) {
  of(fragment).value = Value(value);
}

/// Called by versions for devices alone: a kernel stores the number.
TUTTI_EXPORT void tutti_luna_fragment_number(void *fragment, char type) {
  Recording::here()->number(of(fragment), type == TUTTI_LUNA_TYPE_INT);
}

TUTTI_EXPORT void tutti_luna_fragment_set_text(void *fragment, const char *text,
                                               std::size_t bytes) {
  of(fragment).value = Value::ofText({text, bytes});
}

TUTTI_EXPORT std::int32_t tutti_luna_fragment_int(const void *fragment) {
  const Value &value = of(fragment).value;
  if (value.kind() != Kind::Int) {
    failAs(of(fragment), "int");
  }
  return value.integer();
}

TUTTI_EXPORT double tutti_luna_fragment_real(const void *fragment) {
  const Value &value = of(fragment).value;
  if (value.kind() == Kind::Int) {
    return value.integer();
  }
  if (value.kind() != Kind::Real) {
    failAs(of(fragment), "real");
  }
  return value.real();
}

TUTTI_EXPORT const char *tutti_luna_fragment_text(const void *fragment) {
  const Value &value = of(fragment).value;
  if (value.kind() != Kind::String) {
    failAs(of(fragment), "string");
  }
  return value.text();
}

TUTTI_EXPORT std::size_t tutti_luna_fragment_name(const void *fragment, char *name,
                                                  std::size_t room) {
  const std::string text = nameOf(of(fragment));
  std::memcpy(name, text.data(), std::min(room, text.size()));
  return text.size();
}

// A plan is the borders of its pieces: one more than there are.

TUTTI_EXPORT void luna_split1d(int total, void *plan) {
  if (total < 1) {
    failInProcedure(fmt::format("luna_split1d cannot divide {} cells", total), "E-UCODE");
  }
  const std::int64_t ranks = tutti::entry::luna::ranksHere();
  std::vector<std::int32_t> borders{0};
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    // The cells c of a rank have c * ranks / total == rank, as homes on a rope of that length.
    const std::int64_t first = (rank * total + ranks - 1) / ranks;
    const std::int64_t end = ((rank + 1) * total + ranks - 1) / ranks;
    for (const std::int64_t border : tutti::entry::luna::cutSegment(end - first)) {
      if (border > 0) {
        borders.push_back(static_cast<std::int32_t>(first + border));
      }
    }
  }
  const std::size_t bytes = borders.size() * sizeof(std::int32_t);
  std::memcpy(tutti_luna_fragment_create(&handleOf(plan), bytes), borders.data(), bytes);
}

TUTTI_EXPORT void luna_split_count(const void *plan, void *count) {
  handleOf(count).value =
      Value(static_cast<std::int32_t>(handleOf(plan).value.size() / sizeof(std::int32_t)) - 1);
}

TUTTI_EXPORT void luna_split_piece(const void *plan, int piece, void *first, void *size) {
  const Value &value = handleOf(plan).value;
  const auto count = static_cast<std::int32_t>(value.size() / sizeof(std::int32_t)) - 1;
  if (piece < 0 || piece >= count) {
    failInProcedure(fmt::format("luna_split_piece asks for piece {} of {}", piece, count),
                    "E-UCODE");
  }
  const auto *borders = static_cast<const std::int32_t *>(value.data());
  handleOf(first).value = Value(borders[piece]);
  handleOf(size).value = Value(borders[piece + 1] - borders[piece]);
}
