// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/elements.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tutti::model::spmd {

namespace {

template <typename T> T loaded(const std::byte *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <typename T> void stored(T value, std::byte *bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

} // namespace

int compare(transport::Element type, const std::byte *a, const std::byte *b) {
  return transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_arithmetic_v<T>) {
      const T x = loaded<T>(a);
      const T y = loaded<T>(b);
      return x < y ? -1 : (y < x ? 1 : 0);
    } else {
      return 0;
    }
  });
}

void fillWithOnes(transport::Element type, std::span<std::byte> bytes) {
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      stored(T(1), bytes.data() + at);
    }
  });
}

std::vector<std::int32_t> truthOf(transport::Element type, std::span<const std::byte> bytes) {
  std::vector<std::int32_t> truth;
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      truth.push_back(loaded<T>(bytes.data() + at) != T(0) ? 1 : 0);
    }
  });
  return truth;
}

std::vector<std::int64_t> integersOf(transport::Element type, std::span<const std::byte> bytes) {
  std::vector<std::int64_t> numbers;
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
      const T value = loaded<T>(bytes.data() + at);
      if constexpr (std::is_integral_v<T>) {
        numbers.push_back(static_cast<std::int64_t>(value));
      } else {
        numbers.push_back(value != T(0) ? 1 : 0);
      }
    }
  });
  return numbers;
}

void sortElements(transport::Element type, std::span<std::byte> bytes, bool isDown) {
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_arithmetic_v<T>) {
      std::vector<T> values(bytes.size() / sizeof(T));
      std::memcpy(values.data(), bytes.data(), bytes.size());
      std::sort(values.begin(), values.end());
      if (isDown) {
        std::reverse(values.begin(), values.end());
      }
      std::memcpy(bytes.data(), values.data(), bytes.size());
    }
  });
}

void multiplyRows(transport::Element type, std::span<const std::byte> rows,
                  std::span<const std::byte> others, std::size_t inner, std::size_t columns,
                  std::span<std::byte *const> targets) {
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    std::vector<T> sums(columns);
    for (std::size_t i = 0; columns > 0 && i < targets.size() / columns; ++i) {
      std::fill(sums.begin(), sums.end(), T(0));
      for (std::size_t k = 0; k < inner; ++k) {
        const T factor = loaded<T>(rows.data() + (i * inner + k) * sizeof(T));
        for (std::size_t j = 0; j < columns; ++j) {
          const T other = loaded<T>(others.data() + (k * columns + j) * sizeof(T));
          sums[j] = static_cast<T>(sums[j] + factor * other);
        }
      }
      for (std::size_t j = 0; j < columns; ++j) {
        stored(sums[j], targets[i * columns + j]);
      }
    }
  });
}

void fromTruth(transport::Element type, std::span<const std::int32_t> truth,
               std::span<std::byte> bytes) {
  transport::visit(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      stored(truth[i] != 0 ? T(1) : T(0), bytes.data() + i * sizeof(T));
    }
  });
}

} // namespace tutti::model::spmd
