// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Reductions of all types with all operations, and with operations of the program.
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "test/tasks/abi.h"

using namespace by_hand;

namespace {

constexpr int kTasks = 12;
constexpr std::size_t kElements = 5;

template <typename T> T one(std::uint32_t operation, T a, T b) {
  constexpr bool kIsReal = std::is_arithmetic_v<T>;
  switch (operation) {
  case TUTTI_REDUCE_ADD:
  case TUTTI_REDUCE_SUBTRACT:
    return static_cast<T>(a + b);
  case TUTTI_REDUCE_MULTIPLY:
    return static_cast<T>(a * b);
  case TUTTI_REDUCE_AND:
    return T(a != T(0) && b != T(0));
  case TUTTI_REDUCE_OR:
    return T(a != T(0) || b != T(0));
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
    case TUTTI_REDUCE_BIT_AND:
      return static_cast<T>(a & b);
    case TUTTI_REDUCE_BIT_OR:
      return static_cast<T>(a | b);
    case TUTTI_REDUCE_BIT_XOR:
      return static_cast<T>(a ^ b);
    default:
      break;
    }
  }
  if constexpr (kIsReal) {
    return operation == TUTTI_REDUCE_MIN ? std::min(a, b) : std::max(a, b);
  }
  return a;
}

template <typename T> bool has(std::uint32_t operation) {
  const bool isBits = operation >= TUTTI_REDUCE_BIT_AND && operation <= TUTTI_REDUCE_BIT_XOR;
  const bool isOrder = operation >= TUTTI_REDUCE_MIN;
  return (!isBits || std::is_integral_v<T>) && (!isOrder || std::is_arithmetic_v<T>);
}

template <typename T> void reduce(std::uint32_t type, const char *name) {
  for (std::uint32_t operation = TUTTI_REDUCE_ADD; operation <= TUTTI_REDUCE_MAX; ++operation) {
    if (!has<T>(operation)) {
      continue;
    }
    std::array<T, kElements> values;
    for (std::size_t at = 0; at < kElements; ++at) {
      values[at] = T(static_cast<int>(at % 3));
    }
    std::array<T, kElements> expected = values;
    for (int index = 0; index < kTasks; ++index) {
      const T value = T(1 + index % 2);
      for (T &each : expected) {
        each = one(operation, each, value);
      }
      auto making = task([&values, operation, value] {
        auto *own = static_cast<T *>(tutti_task_private(&values));
        expect(own != values.data(), "a task sees its own copy");
        for (std::size_t at = 0; at < kElements; ++at) {
          own[at] = one(operation, own[at], value);
        }
      });
      tutti_task_reduction(0, values.data(), sizeof values, operation, type);
      making.submit();
    }
    bool isSeen = false;
    task([&] { isSeen = values == expected; }).in(values).submit();
    wait();
    if (!isSeen) {
      std::fprintf(stderr, "%s, operation %u\n", name, operation);
    }
    expect(isSeen, "the first task that reads has all");
  }
}

/// The longest of all, with how many there were.
struct Longest {
  std::int64_t length;
  std::int64_t count;
};

void initialize(void *copy, void *original) {
  expect(static_cast<Longest *>(original)->length >= -5, "the original is given");
  *static_cast<Longest *>(copy) = {-1, 0};
}

void combine(void *original, void *copy) {
  auto &to = *static_cast<Longest *>(original);
  const auto &from = *static_cast<Longest *>(copy);
  to = {std::max(to.length, from.length), to.count + from.count};
}

void ownOperation() {
  std::array<Longest, 2> longest{{{-5, 0}, {3, 0}}};
  for (int index = 0; index < kTasks; ++index) {
    auto making = task([&longest, index] {
      auto *own = static_cast<Longest *>(tutti_task_private(&longest));
      auto *second = static_cast<Longest *>(tutti_task_private(&longest[1]));
      expect(second == own + 1, "copies are of the whole");
      own[0] = {std::max<std::int64_t>(own[0].length, index), own[0].count + 1};
      second->count += 2;
    });
    tutti_task_reduction_by(0, longest.data(), sizeof longest, sizeof(Longest), initialize,
                            combine);
    making.submit();
  }
  wait();
  expect(longest[0].length == kTasks - 1 && longest[0].count == kTasks, "the program's operation");
  expect(longest[1].length == 3 && longest[1].count == 2 * kTasks, "element by element");
}

} // namespace

int main() {
  reduce<std::int8_t>(TUTTI_TYPE_INT8, "int8");
  reduce<std::uint8_t>(TUTTI_TYPE_UINT8, "uint8");
  reduce<std::int16_t>(TUTTI_TYPE_INT16, "int16");
  reduce<std::uint16_t>(TUTTI_TYPE_UINT16, "uint16");
  reduce<std::int32_t>(TUTTI_TYPE_INT32, "int32");
  reduce<std::uint32_t>(TUTTI_TYPE_UINT32, "uint32");
  reduce<std::int64_t>(TUTTI_TYPE_INT64, "int64");
  reduce<std::uint64_t>(TUTTI_TYPE_UINT64, "uint64");
  reduce<float>(TUTTI_TYPE_FLOAT, "float");
  reduce<double>(TUTTI_TYPE_DOUBLE, "double");
  reduce<long double>(TUTTI_TYPE_LONG_DOUBLE, "long double");
  reduce<std::complex<float>>(TUTTI_TYPE_COMPLEX_FLOAT, "complex float");
  reduce<std::complex<double>>(TUTTI_TYPE_COMPLEX_DOUBLE, "complex double");
  reduce<std::complex<long double>>(TUTTI_TYPE_COMPLEX_LONG_DOUBLE, "complex long double");
  reduce<bool>(TUTTI_TYPE_BOOL, "bool");
  ownOperation();
  std::puts("passed");
}
