// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A 64-bit hash of values and bytes that is the same on every rank and in
/// every run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tutti {

/// Collects what is to be hashed; order matters.
///
/// Source: the finaliser of MurmurHash3 (public domain) over a running state.
class Hash {
public:
  Hash &add(std::uint64_t value) {
    state_ = mix(state_ ^ mix(value + 0x9e3779b97f4a7c15ULL));
    return *this;
  }

  Hash &add(std::span<const std::byte> bytes) {
    add(bytes.size());
    while (bytes.size() >= sizeof(std::uint64_t)) {
      add(load(bytes.first(sizeof(std::uint64_t))));
      bytes = bytes.subspan(sizeof(std::uint64_t));
    }
    return bytes.empty() ? *this : add(load(bytes));
  }

  std::uint64_t value() const { return state_; }

private:
  static std::uint64_t load(std::span<const std::byte> bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    return word;
  }

  static std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return std::rotl(x ^ (x >> 33), 17);
  }

  std::uint64_t state_ = 0;
};

} // namespace tutti
