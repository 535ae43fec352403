// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What procedures of LuNA programs see of data fragments: <ucenv.h>.
///
/// A `value` parameter is a `const InputDF &`, a `name` an `OutputDF &`; both are one class, which
/// refers to a value that the runtime keeps. A value never changes once the procedure has returned.
#pragma once

// Procedures use these without including them.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <queue>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

extern "C" {
void *tutti_luna_fragment_make(void);
void *tutti_luna_fragment_copy(const void *fragment); ///< Another one with the same value.
void tutti_luna_fragment_free(void *fragment);
void tutti_luna_fragment_assign(void *fragment, const void *from);
int tutti_luna_fragment_is_set(const void *fragment);
size_t tutti_luna_fragment_size(const void *fragment);
void *tutti_luna_fragment_data(const void *fragment);
void *tutti_luna_fragment_create(void *fragment, size_t bytes);
/// Says that what was created is an object, and how it ends. It stays on its rank.
void tutti_luna_fragment_keep(void *fragment, void (*destroy)(void *));
void tutti_luna_fragment_set_int(void *fragment, int32_t value);
void tutti_luna_fragment_set_real(void *fragment, double value);
void tutti_luna_fragment_set_text(void *fragment, const char *text, size_t bytes);
char tutti_luna_fragment_kind(const void *fragment); ///< 'i', 'r', 's'; 'v': bytes, 0: unset.
int32_t tutti_luna_fragment_int(const void *fragment);
double tutti_luna_fragment_real(const void *fragment);
const char *tutti_luna_fragment_text(const void *fragment);
size_t tutti_luna_fragment_name(const void *fragment, char *name, size_t room);
}

namespace luna::ucenv {

enum ValueType { TYPE_UNDEFINED, TYPE_INT, TYPE_REAL, TYPE_STRING, TYPE_VALUE };

/// Not trivially copyable on purpose: a parameter of this type and one that refers to it are passed
/// alike.
class DF {
public:
  DF() : self_(tutti_luna_fragment_make()) {}

  DF(const DF &other) : self_(tutti_luna_fragment_copy(other.self_)) {}

  DF(int value) : DF() { setValue(value); }

  DF(double value) : DF() { setValue(value); }

  DF(const std::string &value) : DF() { setValue(value); }

  DF(const void *data, size_t bytes) : DF() {
    if (bytes > 0) {
      std::memcpy(create(bytes), data, bytes);
    } else {
      create(bytes);
    }
  }

  ~DF() { tutti_luna_fragment_free(self_); }

  /// Shares what the other one has.
  DF &operator=(const DF &other) {
    tutti_luna_fragment_assign(self_, other.self_);
    return *this;
  }

  DF &operator=(int value) { return put(value); }

  DF &operator=(double value) { return put(value); }

  DF &operator=(const std::string &value) { return put(value); }

  DF &operator=(const char *value) { return put(value); }

  void copy(const DF &other) { *this = other; }

  bool is_set() const { return tutti_luna_fragment_is_set(self_) != 0; }

  bool is_unset() const { return !is_set(); }

  /// Bytes.
  size_t getSize() const { return tutti_luna_fragment_size(self_); }

  size_t get_size() const { return getSize(); }

  /// Not `const T *`, because programs ask so; what an input leads to is not to be written.
  template <class T> T *getData() const {
    return static_cast<T *>(tutti_luna_fragment_data(self_));
  }

  const void *get_data() const { return tutti_luna_fragment_data(self_); }

  void *get_data() { return tutti_luna_fragment_data(self_); }

  int get_int() const { return tutti_luna_fragment_int(self_); }

  double get_real() const { return tutti_luna_fragment_real(self_); }

  std::string get_string() const { return tutti_luna_fragment_text(self_); }

  template <class T> T getValue() const {
    if constexpr (std::is_same_v<T, int>) {
      return get_int();
    } else if constexpr (std::is_same_v<T, double>) {
      return get_real();
    } else if constexpr (std::is_same_v<T, std::string>) {
      return get_string();
    } else {
      return *getData<T>();
    }
  }

  /// Room for a value of so many bytes.
  void *create(size_t bytes) { return tutti_luna_fragment_create(self_, bytes); }

  template <class T> T *create(size_t count = 1) {
    return static_cast<T *>(create(count * sizeof(T)));
  }

  template <class T> T *create(size_t count, const T &value) {
    T *data = create<T>(count);
    for (size_t at = 0; at < count; ++at) {
      data[at] = value;
    }
    return data;
  }

  template <class T> void setValue(const T &value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      tutti_luna_fragment_set_int(self_, static_cast<int32_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      tutti_luna_fragment_set_real(self_, static_cast<double>(value));
    } else if constexpr (std::is_base_of_v<DF, T>) {
      *this = value;
    } else if constexpr (std::is_convertible_v<const T &, std::string>) {
      const std::string text = value;
      tutti_luna_fragment_set_text(self_, text.data(), text.size());
    } else {
      static_assert(std::is_trivially_copyable_v<T>, "a value is made of bytes");
      create<T>(1, value);
    }
  }

  /// An object of any class. What is not made of bytes alone stays on the rank where it was made.
  template <class T> void set(T &&object) {
    using Object = std::decay_t<T>;
    static_assert(alignof(Object) <= alignof(std::max_align_t),
                  "it wants to stand at a round address");
    void *place = create(sizeof(Object));
    new (place) Object(std::forward<T>(object));
    if constexpr (!std::is_trivially_copyable_v<Object>) {
      tutti_luna_fragment_keep(self_, [](void *kept) { static_cast<Object *>(kept)->~Object(); });
    }
  }

  template <class T> const T &get() const { return *getData<T>(); }

  template <class T> T *setArray(size_t count, const T &value) { return create<T>(count, value); }

  template <class T> size_t getArraySize() const { return getSize() / sizeof(T); }

  /// Of a number, or of a text that is one.
  int cast_int() const { return static_cast<int>(cast_real()); }

  double cast_real() const {
    switch (tutti_luna_fragment_kind(self_)) {
    case 's':
      return std::atof(tutti_luna_fragment_text(self_));
    case 'i':
      return get_int();
    default:
      return get_real();
    }
  }

  std::string cast_string() const {
    switch (tutti_luna_fragment_kind(self_)) {
    case 'i':
      return std::to_string(get_int());
    case 'r':
      return std::to_string(get_real());
    default:
      return get_string();
    }
  }

  ValueType get_type() const {
    switch (tutti_luna_fragment_kind(self_)) {
    case 'i':
      return TYPE_INT;
    case 'r':
      return TYPE_REAL;
    case 's':
      return TYPE_STRING;
    case 'v':
      return TYPE_VALUE;
    default:
      return TYPE_UNDEFINED;
    }
  }

  /// For people who look for a mistake: the type, and the value or its first bytes.
  std::string to_string() const {
    switch (get_type()) {
    case TYPE_INT:
      return "DF<int>(" + cast_string() + ")";
    case TYPE_REAL:
      return "DF<real>(" + cast_string() + ")";
    case TYPE_STRING:
      return "DF<string>(" + cast_string() + ")";
    case TYPE_VALUE:
      return "DF<size=" + std::to_string(getSize()) + ">(" + firstBytes() + ")";
    default:
      return "DF<unset>";
    }
  }

  /// Of numbers: real if one of them is. What compares is 0 or 1.
  DF operator+(const DF &other) const {
    return combine(other, [](auto a, auto b) { return a + b; });
  }

  DF operator-(const DF &other) const {
    return combine(other, [](auto a, auto b) { return a - b; });
  }

  DF operator*(const DF &other) const {
    return combine(other, [](auto a, auto b) { return a * b; });
  }

  DF operator/(const DF &other) const {
    return combine(other, [](auto a, auto b) { return a / b; });
  }

  DF operator%(const DF &other) const { return get_int() % other.get_int(); }

  DF operator<(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a < b}; });
  }

  DF operator<=(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a <= b}; });
  }

  DF operator>(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a > b}; });
  }

  DF operator>=(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a >= b}; });
  }

  DF operator==(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a == b}; });
  }

  DF operator!=(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a != b}; });
  }

  DF operator&&(const DF &other) const {
    return combine(other, [](auto a, auto b) { return int{a != 0 && b != 0}; });
  }

  /// As the program writes it; empty for what has no name.
  std::string getName() const {
    std::string name(tutti_luna_fragment_name(self_, nullptr, 0), '\0');
    tutti_luna_fragment_name(self_, name.data(), name.size());
    return name;
  }

private:
  template <class Operation> DF combine(const DF &other, Operation operation) const {
    const bool isInt = get_type() == TYPE_INT;
    const bool isOtherInt = other.get_type() == TYPE_INT;
    if (isInt && isOtherInt) {
      return operation(get_int(), other.get_int());
    }
    return operation(isInt ? get_int() : get_real(),
                     isOtherInt ? other.get_int() : other.get_real());
  }

  std::string firstBytes() const {
    constexpr size_t kMost = 10;
    std::string text;
    for (size_t at = 0; at < getSize() && at < kMost; ++at) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02X", getData<unsigned char>()[at]);
      text += (at > 0 ? ", " : "") + std::string(digits);
    }
    return getSize() > kMost ? text + "..." : text;
  }

  template <class T> DF &put(const T &value) {
    setValue(value);
    return *this;
  }

  void *self_;
};

using InputDF = DF;
using OutputDF = DF;

} // namespace luna::ucenv

using luna::ucenv::DF;
using luna::ucenv::InputDF;
using luna::ucenv::OutputDF;
