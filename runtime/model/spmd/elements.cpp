// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/elements.h"

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
