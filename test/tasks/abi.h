// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tasks as compiled code makes them, written by hand: a lambda is the body, what it captures by
/// value are its private copies.
#pragma once

#include "abi/tasks.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

namespace by_hand {

/// What Clang lays out for a task whose private copies are `Body`'s captures.
template <typename Body> struct Block {
  tutti_task_block head;
  Body body;
};

template <typename Body> std::int32_t runBody(std::int32_t, void *memory) {
  static_cast<Block<Body> *>(memory)->body();
  return 0;
}

template <typename Body> std::int32_t destroyBody(std::int32_t, void *memory) {
  static_cast<Block<Body> *>(memory)->body.~Body();
  return 0;
}

/// A task that is being described; submitted by `submit`.
template <typename Body> class Making {
public:
  Making(Body body, const char *label, std::uint32_t traits = 0) {
    block_ = reinterpret_cast<Block<Body> *>(tutti_task_create(
        TUTTI_TASK_TIED | TUTTI_TASK_DESTROYS, sizeof(Block<Body>), 0, runBody<Body>));
    block_->head.destroy = destroyBody<Body>;
    new (&block_->body) Body(std::move(body));
    tutti_task_begin("by_hand.cpp:1", label, traits);
  }

  template <typename T> Making &in(const T &object) { return access(TUTTI_TASK_IN, object); }

  template <typename T> Making &out(const T &object) { return access(TUTTI_TASK_OUT, object); }

  template <typename T> Making &inout(const T &object) { return access(TUTTI_TASK_INOUT, object); }

  template <typename T> Making &access(std::uint32_t kind, const T &object) {
    tutti_task_access(kind, &object, sizeof object);
    return *this;
  }

  Making &option(std::uint32_t option, std::int64_t value) {
    tutti_task_option(option, value);
    return *this;
  }

  void submit() { tutti_task_submit(&block_->head); }

private:
  Block<Body> *block_;
};

template <typename Body> Making<Body> task(Body body, const char *label = nullptr) {
  return Making<Body>(std::move(body), label);
}

inline void wait() { tutti_task_wait("by_hand.cpp:1"); }

/// Ends the program if a test does not hold.
inline void expect(bool holds, const char *what) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::_Exit(1);
  }
}

} // namespace by_hand
