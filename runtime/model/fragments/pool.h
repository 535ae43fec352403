// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Memory for objects of one class that come and go all the time.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TUTTI_POOLS_KEEP_NOTHING // Whoever uses an object that is gone is found.
#endif
#endif

namespace tutti::model::fragments {

/// Keeps the memory of objects that are gone for those that come.
///
/// Threading: externally synchronised.
/// Ownership: all objects are given back before it goes.
template <typename T> class Pool {
public:
  Pool() = default;
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;

  ~Pool() {
    while (free_) {
      ::operator delete(std::exchange(free_, free_->next));
    }
  }

  T *make() {
    static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__ && sizeof(T) >= sizeof(Free));
    return new (free_ ? std::exchange(free_, free_->next) : ::operator new(sizeof(T))) T;
  }

  void free(T *object) {
    object->~T();
#ifdef TUTTI_POOLS_KEEP_NOTHING
    ::operator delete(object);
#else
    free_ = new (object) Free{free_};
#endif
  }

private:
  struct Free {
    Free *next;
  };

  Free *free_ = nullptr;
};

} // namespace tutti::model::fragments
