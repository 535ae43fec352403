// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What C and C++ keep by thread, and programs take for their own while a function lasts.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cxxabi.h>

namespace tutti::engine {

/// Rounding, traps and the like.
struct FloatControl {
  std::uint64_t bits = 0;

  static FloatControl now() {
    FloatControl control;
#if defined(__x86_64__)
    std::uint16_t x87 = 0;
    asm volatile("fnstcw %0" : "=m"(x87));
    // The flags of what has happened are none of control.
    control.bits = (std::uint64_t{x87} << 32) | (__builtin_ia32_stmxcsr() & ~0x3fU);
#elif defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control.bits));
#endif
    return control;
  }

  void set() const {
#if defined(__x86_64__)
    const auto x87 = static_cast<std::uint16_t>(bits >> 32);
    asm volatile("fldcw %0" : : "m"(x87));
    __builtin_ia32_ldmxcsr(static_cast<std::uint32_t>(bits));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(bits));
#endif
  }

  friend bool operator==(const FloatControl &, const FloatControl &) = default;
};

/// From its construction to its destruction the thread is as `usual` to others; then as before.
///
/// Threading: confined to the thread that made it.
class ThreadState {
public:
  explicit ThreadState(const FloatControl &usual)
      : errno_(errno), exceptions_(*exceptions()), control_(FloatControl::now()) {
    *exceptions() = {};
    if (control_ != usual) {
      usual.set();
    }
  }

  ThreadState(const ThreadState &) = delete;
  ThreadState &operator=(const ThreadState &) = delete;

  ~ThreadState() {
    *exceptions() = exceptions_;
    if (FloatControl::now() != control_) {
      control_.set();
    }
    errno = errno_;
  }

private:
  /// Exceptions that have been caught and are not over, and how many are on their way.
  /// Source: Itanium C++ ABI: Exception Handling, 2.2.2.
  struct Exceptions {
    void *caught = nullptr;
    unsigned flying = 0;
  };

  static Exceptions *exceptions() {
    return reinterpret_cast<Exceptions *>(__cxxabiv1::__cxa_get_globals());
  }

  int errno_;
  Exceptions exceptions_;
  FloatControl control_;
};

} // namespace tutti::engine
