// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/luna_repeats.h"

#include "runtime/model/fragments/handle.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace tutti::entry::luna {

using model::fragments::Object;
using model::fragments::Value;

namespace {

constexpr std::size_t kMostCalls = 16;

std::uint64_t numberOf(char type, const tutti_luna_argument &argument) {
  return type == TUTTI_LUNA_TYPE_INT ? static_cast<std::uint32_t>(argument.integer)
                                     : std::bit_cast<std::uint64_t>(argument.real);
}

/// Calls `visit(type, argument)` for the parameters of a call.
template <typename Visit>
void forArguments(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
                  Visit &&visit) {
  for (std::size_t at = 0; procedure.types[at] != '\0'; ++at) {
    visit(procedure.types[at], arguments[at]);
  }
}

/// The oldest gives way, once there are many.
template <typename T> void addTo(std::vector<T> &calls, std::size_t &next, T call) {
  if (calls.size() < kMostCalls) {
    calls.push_back(std::move(call));
  } else {
    calls[next] = std::move(call);
    next = (next + 1) % kMostCalls;
  }
}

} // namespace

bool Repeats::areOf(const tutti_luna_procedure &procedure) {
  return std::ranges::all_of(std::string_view(procedure.types), [](char type) {
    return type == TUTTI_LUNA_TYPE_INT || type == TUTTI_LUNA_TYPE_REAL ||
           type == TUTTI_LUNA_TYPE_NAME;
  });
}

const Repeats::Made *Repeats::find(const tutti_luna_procedure &procedure,
                                   const tutti_luna_argument *arguments) const {
  const auto isSame = [&](const Made &made) {
    std::size_t number = 0;
    bool areSame = made.procedure == &procedure;
    for (std::size_t at = 0; areSame && procedure.types[at] != '\0'; ++at) {
      areSame = procedure.types[at] == TUTTI_LUNA_TYPE_NAME ||
                made.numbers[number++] == numberOf(procedure.types[at], arguments[at]);
    }
    return areSame;
  };
  const auto found = std::ranges::find_if(made_, isSame);
  return found == made_.end() ? nullptr : &*found;
}

Repeats::Asked Repeats::asked(const tutti_luna_procedure &procedure,
                              const tutti_luna_argument *arguments) {
  Asked call{&procedure, {}};
  forArguments(procedure, arguments, [&](char type, const tutti_luna_argument &argument) {
    if (type != TUTTI_LUNA_TYPE_NAME) {
      call.numbers.push_back(numberOf(type, argument));
    }
  });
  return call;
}

void Repeats::give(const Made &made, const tutti_luna_argument *arguments) {
  auto output = made.outputs.begin();
  forArguments(*made.procedure, arguments, [&](char type, const tutti_luna_argument &argument) {
    if (type == TUTTI_LUNA_TYPE_NAME) {
      static_cast<const Object *>(argument.fragment)->handle->value = *output++;
    }
  });
}

void Repeats::keep(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments,
                   std::int32_t device) {
  Made made{asked(procedure, arguments), device, {}};
  bool isLittle = true;
  forArguments(procedure, arguments, [&](char type, const tutti_luna_argument &argument) {
    if (type == TUTTI_LUNA_TYPE_NAME) {
      const Value &value = static_cast<const Object *>(argument.fragment)->handle->value;
      isLittle = isLittle && value.isSet() && value.size() <= kMostBytes;
      made.outputs.push_back(value);
    }
  });
  if (!isLittle) {
    return;
  }
  const ScopedLock lock(mutex_);
  if (const Made *lost = find(procedure, arguments)) {
    made_[static_cast<std::size_t>(lost - made_.data())] = std::move(made);
  } else {
    addTo(made_, next_, std::move(made));
  }
}

bool Repeats::isAgain(const tutti_luna_procedure &procedure, const tutti_luna_argument *arguments) {
  Asked call = asked(procedure, arguments);
  const ScopedLock lock(mutex_);
  if (std::ranges::find(onCores_, call) != onCores_.end()) {
    return true;
  }
  addTo(onCores_, nextOnCores_, std::move(call));
  return false;
}

void Repeats::clear() {
  std::vector<Made> left;
  const ScopedLock lock(mutex_);
  left.swap(made_);
}

} // namespace tutti::entry::luna
