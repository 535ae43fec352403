// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A mutex, its scoped locks and a condition variable as the thread-safety analysis of clang knows
/// them, and the attributes that say what a lock guards. Other compilers see none of these.
///
/// The analysis looks at one function at a time. It does not know that two expressions lead to one
/// mutex, and a lambda is a function of its own, which holds only what its attributes say.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define TUTTI_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define TUTTI_THREAD_ATTRIBUTE(attribute)
#endif

/// The class is something that a thread can hold.
#define TUTTI_CAPABILITY(name) TUTTI_THREAD_ATTRIBUTE(capability(name))

/// The class holds something from its constructor to its destructor.
#define TUTTI_SCOPED_CAPABILITY TUTTI_THREAD_ATTRIBUTE(scoped_lockable)

/// The field may be used only by who holds the mutex; of the other, what the pointer leads to.
#define TUTTI_GUARDED_BY(mutex) TUTTI_THREAD_ATTRIBUTE(guarded_by(mutex))
#define TUTTI_PT_GUARDED_BY(mutex) TUTTI_THREAD_ATTRIBUTE(pt_guarded_by(mutex))

/// Who calls the function holds the mutex, before and after, or does not hold it.
#define TUTTI_REQUIRES(...) TUTTI_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TUTTI_EXCLUDES(...) TUTTI_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))

/// The function takes the mutex, or gives it away; of a scoped lock without a name for it.
#define TUTTI_ACQUIRE(...) TUTTI_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TUTTI_RELEASE(...) TUTTI_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))

/// The function takes the mutex if it returns that value.
#define TUTTI_TRY_ACQUIRE(...) TUTTI_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))

/// The analysis cannot follow the function; a comment at it says why.
#define TUTTI_NO_THREAD_SAFETY_ANALYSIS TUTTI_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace tutti {

/// Threading: internally synchronised.
class TUTTI_CAPABILITY("mutex") Mutex {
public:
  Mutex() = default;
  Mutex(const Mutex &) = delete;
  Mutex &operator=(const Mutex &) = delete;

  void lock() TUTTI_ACQUIRE() { mutex_.lock(); }

  void unlock() TUTTI_RELEASE() { mutex_.unlock(); }

  bool tryLock() TUTTI_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

private:
  friend class Condition;

  std::mutex mutex_;
};

/// Holds a mutex as long as it lives.
///
/// Threading: confined to the thread that made it.
class TUTTI_SCOPED_CAPABILITY ScopedLock {
public:
  explicit ScopedLock(Mutex &mutex) TUTTI_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }

  ~ScopedLock() TUTTI_RELEASE() { mutex_.unlock(); }

  ScopedLock(const ScopedLock &) = delete;
  ScopedLock &operator=(const ScopedLock &) = delete;

private:
  Mutex &mutex_;
};

/// Holds a mutex but while it has been given away in between.
///
/// Threading: confined to the thread that made it.
class TUTTI_SCOPED_CAPABILITY RelockableLock {
public:
  explicit RelockableLock(Mutex &mutex) TUTTI_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }

  ~RelockableLock() TUTTI_RELEASE() {
    if (isHeld_) {
      mutex_.unlock();
    }
  }

  RelockableLock(const RelockableLock &) = delete;
  RelockableLock &operator=(const RelockableLock &) = delete;

  void lock() TUTTI_ACQUIRE() {
    mutex_.lock();
    isHeld_ = true;
  }

  void unlock() TUTTI_RELEASE() {
    isHeld_ = false;
    mutex_.unlock();
  }

private:
  Mutex &mutex_;
  bool isHeld_ = true;
};

/// Threading: internally synchronised.
class Condition {
public:
  /// Gives `mutex` away until it is notified, or wakes for no reason: to be called in a loop.
  void wait(Mutex &mutex) TUTTI_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    variable_.wait(lock);
    lock.release();
  }

  /// The same, but not longer than to that time.
  void waitUntil(Mutex &mutex, std::chrono::steady_clock::time_point time) TUTTI_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    variable_.wait_until(lock, time);
    lock.release();
  }

  void notifyOne() { variable_.notify_one(); }

  void notifyAll() { variable_.notify_all(); }

private:
  std::condition_variable variable_;
};

} // namespace tutti
