// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What stands in front of a function of the C library that hands the program's memory to the
/// kernel. That gives an error, and no fault, where memory is protected, so it is made ready first.
///
/// Where nothing runs on several ranks or devices, this costs the look at a pointer; where memory
/// is outside of the window or not protected, some comparisons.
#pragma once

#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/runtime.h"

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tutti::entry {

/// For so many bytes that are written, possibly only in part.
inline void fill(const void *buffer, std::size_t bytes) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->open(buffer, bytes, true);
  }
}

/// For so many bytes that are read.
inline void drain(const void *buffer, std::size_t bytes) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->open(buffer, bytes, false);
  }
}

inline void drainText(const char *text) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->openText(text);
  }
}

/// `prepare` does for one argument what its type says: a text is read, an object that may not be
/// changed is read, any other object may be written. Buffers and arrays need more than their type.
template <typename Value>
  requires std::is_arithmetic_v<Value>
void prepare(Value) {}

inline void prepare(const char *text) { drainText(text); }

template <typename Object>
  requires(std::is_object_v<Object> && !std::same_as<std::remove_const_t<Object>, char>)
void prepare(Object *object) {
  if constexpr (std::is_const_v<Object>) {
    drain(object, sizeof(Object));
  } else {
    fill(object, sizeof(Object));
  }
}

/// Arguments of a program, or its environment. The list is ready once it has been looked through.
inline void prepare(char *const *texts) {
  if (Runtime::active() && texts) {
    for (char *const *text = texts; *text; ++text) {
      drainText(*text);
    }
  }
}

} // namespace tutti::entry

/// Defines `name` with `parameters`, which runs `before` and then goes on with `arguments`. Headers
/// declare `name` with attributes that are not ours, so it has another name here.
#define TUTTI_BEFORE(result, name, parameters, arguments, before)                                  \
  TUTTI_EXPORT result before_##name parameters __asm__(#name);                                     \
  result before_##name parameters {                                                                \
    static constinit tutti::entry::Next<result(*) parameters> next(#name);                         \
    before;                                                                                        \
    return next.get() arguments;                                                                   \
  }

/// The same for functions of one to six parameters of these types, if those say all (`prepare`).
#define TUTTI_READY1(result, name, A) TUTTI_BEFORE(result, name, (A a), (a), prepare(a))
#define TUTTI_READY2(result, name, A, B)                                                           \
  TUTTI_BEFORE(result, name, (A a, B b), (a, b), (prepare(a), prepare(b)))
#define TUTTI_READY3(result, name, A, B, C)                                                        \
  TUTTI_BEFORE(result, name, (A a, B b, C c), (a, b, c), (prepare(a), prepare(b), prepare(c)))
#define TUTTI_READY4(result, name, A, B, C, D)                                                     \
  TUTTI_BEFORE(result, name, (A a, B b, C c, D d), (a, b, c, d),                                   \
               (prepare(a), prepare(b), prepare(c), prepare(d)))
#define TUTTI_READY5(result, name, A, B, C, D, E)                                                  \
  TUTTI_BEFORE(result, name, (A a, B b, C c, D d, E e), (a, b, c, d, e),                           \
               (prepare(a), prepare(b), prepare(c), prepare(d), prepare(e)))
#define TUTTI_READY6(result, name, A, B, C, D, E, F)                                               \
  TUTTI_BEFORE(result, name, (A a, B b, C c, D d, E e, F f), (a, b, c, d, e, f),                   \
               (prepare(a), prepare(b), prepare(c), prepare(d), prepare(e), prepare(f)))
