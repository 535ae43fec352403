// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For tests that bound what something costs: they count instructions, which are the same however
/// busy the machine is.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tutti::test {

/// Instructions of the program that `body` executes, in a process of its own that is gone through
/// step by step; nothing where that is not allowed.
inline std::optional<std::int64_t> instructionsOf(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
      _exit(1);
    }
    raise(SIGSTOP);
    body();
    _exit(0);
  }
  std::int64_t count = 0;
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) {
    return std::nullopt;
  }
  while (WIFSTOPPED(status)) {
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return std::nullopt;
    }
    waitpid(child, &status, 0);
    ++count;
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  return count;
}

/// Whether the program executes other instructions than a release build.
inline bool isInstrumented() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

/// Why no instructions are to be counted here; null if they are.
inline const char *reasonToCountNone() {
  if (isInstrumented()) {
    return "other instructions than those of a release build";
  }
  return instructionsOf([] {}) ? nullptr : "no process may be traced here";
}

} // namespace tutti::test
