// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// An open file.
#pragma once

#include <unistd.h>
#include <utility>

namespace tutti {

/// Ownership: closes it.
class Descriptor {
public:
  Descriptor() = default;

  explicit Descriptor(int number) : number_(number) {}

  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, kNone)) {}

  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  ~Descriptor() {
    if (number_ != kNone) {
      ::close(number_);
    }
  }

  int number() const { return number_; }

private:
  static constexpr int kNone = -1;
  int number_ = kNone;
};

} // namespace tutti
