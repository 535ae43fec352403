// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/operation.h"

#include "abi/tasks.h"
#include "base/check.h"
#include "base/mutex.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <deque>
#include <limits>
#include <type_traits>

namespace tutti::model::tasks {

namespace {

/// Keys of the program's own functions lie above those of the language.
constexpr std::uint64_t kOwn = 1'000;

struct OwnOperations {
  Mutex mutex;
  std::deque<Operation> all TUTTI_GUARDED_BY(mutex);
};

/// As many as the program has declarations. Never destroyed: exit handlers may run tasks.
OwnOperations &ownOperations() {
  static auto *operations = new OwnOperations;
  return *operations;
}

template <typename T> constexpr bool kIsComplex = !std::is_arithmetic_v<T>;
template <typename T> constexpr bool kHasBits = std::is_integral_v<T>;

/// Whether elements of the type have the operation.
template <std::uint32_t Kind, typename T> constexpr bool exists() {
  switch (Kind) {
  case TUTTI_REDUCE_ADD:
  case TUTTI_REDUCE_SUBTRACT:
  case TUTTI_REDUCE_MULTIPLY:
  case TUTTI_REDUCE_AND:
  case TUTTI_REDUCE_OR:
    return true;
  case TUTTI_REDUCE_BIT_AND:
  case TUTTI_REDUCE_BIT_OR:
  case TUTTI_REDUCE_BIT_XOR:
    return kHasBits<T>;
  default:
    return !kIsComplex<T>;
  }
}

template <std::uint32_t Kind, typename T> T neutral() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Kind == TUTTI_REDUCE_MULTIPLY || Kind == TUTTI_REDUCE_AND) {
    return T(1);
  } else if constexpr (Kind == TUTTI_REDUCE_BIT_AND) {
    return static_cast<T>(std::is_same_v<T, bool> ? 1 : -1);
  } else if constexpr (Kind == TUTTI_REDUCE_MIN) {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else if constexpr (Kind == TUTTI_REDUCE_MAX) {
    return Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
  } else {
    return T(0);
  }
}

template <std::uint32_t Kind, typename T> T combined(T a, T b) {
  if constexpr (Kind == TUTTI_REDUCE_MULTIPLY) {
    return static_cast<T>(a * b);
  } else if constexpr (Kind == TUTTI_REDUCE_BIT_AND) {
    return static_cast<T>(a & b);
  } else if constexpr (Kind == TUTTI_REDUCE_BIT_OR) {
    return static_cast<T>(a | b);
  } else if constexpr (Kind == TUTTI_REDUCE_BIT_XOR) {
    return static_cast<T>(a ^ b);
  } else if constexpr (Kind == TUTTI_REDUCE_AND) {
    return T(a != T(0) && b != T(0));
  } else if constexpr (Kind == TUTTI_REDUCE_OR) {
    return T(a != T(0) || b != T(0));
  } else if constexpr (Kind == TUTTI_REDUCE_MIN) {
    return b < a ? b : a;
  } else if constexpr (Kind == TUTTI_REDUCE_MAX) {
    return a < b ? b : a;
  } else {
    return static_cast<T>(a + b);
  }
}

template <std::uint32_t Kind, typename T> Operation make() {
  Operation operation;
  operation.element = sizeof(T);
  if constexpr (exists<Kind, T>()) {
    operation.fill = [](void *copy, std::size_t count) {
      std::fill_n(static_cast<T *>(copy), count, neutral<Kind, T>());
    };
    operation.fold = [](void *original, const void *copy, std::size_t count) {
      auto *to = static_cast<T *>(original);
      const auto *from = static_cast<const T *>(copy);
      for (std::size_t index = 0; index < count; ++index) {
        to[index] = combined<Kind, T>(to[index], from[index]);
      }
    };
  }
  return operation;
}

template <typename T> Operation ofType(std::uint32_t kind) {
  switch (kind) {
  case TUTTI_REDUCE_ADD:
  case TUTTI_REDUCE_SUBTRACT:
    return make<TUTTI_REDUCE_ADD, T>();
  case TUTTI_REDUCE_MULTIPLY:
    return make<TUTTI_REDUCE_MULTIPLY, T>();
  case TUTTI_REDUCE_BIT_AND:
    return make<TUTTI_REDUCE_BIT_AND, T>();
  case TUTTI_REDUCE_BIT_OR:
    return make<TUTTI_REDUCE_BIT_OR, T>();
  case TUTTI_REDUCE_BIT_XOR:
    return make<TUTTI_REDUCE_BIT_XOR, T>();
  case TUTTI_REDUCE_AND:
    return make<TUTTI_REDUCE_AND, T>();
  case TUTTI_REDUCE_OR:
    return make<TUTTI_REDUCE_OR, T>();
  case TUTTI_REDUCE_MIN:
    return make<TUTTI_REDUCE_MIN, T>();
  case TUTTI_REDUCE_MAX:
    return make<TUTTI_REDUCE_MAX, T>();
  default:
    return {};
  }
}

Operation ofLanguage(std::uint32_t kind, std::uint32_t type) {
  switch (type) {
  case TUTTI_TYPE_INT8:
    return ofType<std::int8_t>(kind);
  case TUTTI_TYPE_UINT8:
    return ofType<std::uint8_t>(kind);
  case TUTTI_TYPE_INT16:
    return ofType<std::int16_t>(kind);
  case TUTTI_TYPE_UINT16:
    return ofType<std::uint16_t>(kind);
  case TUTTI_TYPE_INT32:
    return ofType<std::int32_t>(kind);
  case TUTTI_TYPE_UINT32:
    return ofType<std::uint32_t>(kind);
  case TUTTI_TYPE_INT64:
    return ofType<std::int64_t>(kind);
  case TUTTI_TYPE_UINT64:
    return ofType<std::uint64_t>(kind);
  case TUTTI_TYPE_FLOAT:
    return ofType<float>(kind);
  case TUTTI_TYPE_DOUBLE:
    return ofType<double>(kind);
  case TUTTI_TYPE_LONG_DOUBLE:
    return ofType<long double>(kind);
  case TUTTI_TYPE_COMPLEX_FLOAT:
    return ofType<std::complex<float>>(kind);
  case TUTTI_TYPE_COMPLEX_DOUBLE:
    return ofType<std::complex<double>>(kind);
  case TUTTI_TYPE_COMPLEX_LONG_DOUBLE:
    return ofType<std::complex<long double>>(kind);
  case TUTTI_TYPE_BOOL:
    return ofType<bool>(kind);
  default:
    return {};
  }
}

} // namespace

void Operation::initialize(std::byte *copy, std::byte *original, std::size_t bytes) const {
  if (fill) {
    fill(copy, bytes / element);
  } else if (!initializeOne) {
    std::memset(copy, 0, bytes);
  } else {
    for (std::size_t at = 0; at + element <= bytes; at += element) {
      initializeOne(copy + at, original + at);
    }
  }
}

void Operation::combine(std::byte *original, std::byte *copy, std::size_t bytes) const {
  if (fold) {
    fold(original, copy, bytes / element);
    return;
  }
  for (std::size_t at = 0; at + element <= bytes; at += element) {
    combineOne(original + at, copy + at);
  }
}

bool isOperation(std::uint32_t operation, std::uint32_t type) {
  return ofLanguage(operation, type).fill != nullptr;
}

graph::ReductionKey keyOf(std::uint32_t operation, std::uint32_t type) {
  // `-` adds up as `+` does: both may be in one reduction.
  return {operation == TUTTI_REDUCE_SUBTRACT ? std::uint32_t{TUTTI_REDUCE_ADD} : operation, type,
          false};
}

graph::ReductionKey keyOf(std::size_t element, void (*initialize)(void *, void *),
                          void (*combine)(void *, void *)) {
  OwnOperations &own = ownOperations();
  const ScopedLock lock(own.mutex);
  const auto isSame = [&](const Operation &each) {
    return each.element == element && each.initializeOne == initialize &&
           each.combineOne == combine;
  };
  auto found = std::ranges::find_if(own.all, isSame);
  if (found == own.all.end()) {
    Operation operation;
    operation.element = element;
    operation.initializeOne = initialize;
    operation.combineOne = combine;
    found = own.all.insert(found, operation);
  }
  // The program's functions may look at the original.
  return {kOwn + static_cast<std::uint64_t>(found - own.all.begin()), 0, true};
}

Operation operationOf(const graph::ReductionKey &key) {
  if (key.operation >= kOwn) {
    OwnOperations &own = ownOperations();
    const ScopedLock lock(own.mutex);
    return own.all[key.operation - kOwn];
  }
  return ofLanguage(static_cast<std::uint32_t>(key.operation),
                    static_cast<std::uint32_t>(key.type));
}

} // namespace tutti::model::tasks
