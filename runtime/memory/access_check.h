// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds what a function touches of unified memory beyond what it says: while the function runs,
/// pages that it does not name as a whole are protected. Each touch of them faults, is compared
/// with the names byte by byte, and is let through for one instruction.
#pragma once

#include "base/range.h"
#include "runtime/memory/protection.h"
#include "runtime/memory/window.h"

#include <cstdint>
#include <vector>

namespace tutti::memory {

/// What a function says that it touches.
struct NamedRanges {
  RangeSet read; ///< What it writes, too.
  RangeSet written;
};

/// A touch of what is not named.
struct Stray {
  std::uint64_t address;
  std::uint64_t instruction; ///< 0: unknown.
  bool isWrite;
};

/// Checks what one thread runs.
///
/// Of an instruction that touches several bytes the first byte on each page counts; what an
/// instruction of a library reads counts only where nothing around it is named, as such functions
/// read whole vectors. Where the machine cannot stop after one instruction (other than x86-64), a
/// page that was touched stays open.
///
/// Threading: the thread that makes it runs the function and destroys it. Others wait in faults as
///            long as they touch what is protected, and are not checked.
/// Order:     the fault handler is installed; all that is named is there, and open as it is named.
class AccessCheck {
public:
  /// Protects `segments`, which are whole pages of the window, but for what is named.
  AccessCheck(const std::vector<Range> &segments, const PageTable &pages, NamedRanges named);
  AccessCheck(const AccessCheck &) = delete;
  AccessCheck &operator=(const AccessCheck &) = delete;
  ~AccessCheck();

  /// Protection is again what the page table says: what comes now is not checked.
  void stop();

  /// Not more than one for each page, in the order in which they came.
  const std::vector<Stray> &strays() const { return strays_; }

  /// That of the calling thread; null if it has none.
  static AccessCheck *current() { return current_; }

  /// Memory that the function has got for itself.
  void allow(Range range);

  /// For a system call, which is about to touch `range`: counts as a touch of each byte, and leaves
  /// the pages open.
  void touch(Range range, bool isWrite);

  /// @name Of the signal handlers.
  /// @{

  /// The function has faulted at `address`. True if the instruction is to run again; else the page
  /// table says that its bytes are elsewhere.
  bool takeFault(std::uint64_t address, bool isWrite, void *context);

  /// One instruction has run.
  void takeStep(void *context);

  /// @}

private:
  Access levelOf(std::uint64_t page) const;
  bool isNamed(std::uint64_t address, bool isWrite, std::uint64_t instruction) const;
  void note(std::uint64_t address, bool isWrite, std::uint64_t instruction);
  void protect();

  inline static thread_local AccessCheck *current_ [[gnu::tls_model("initial-exec")]] = nullptr;

  const std::vector<Range> segments_;
  const PageTable &pages_;
  NamedRanges named_;
  RangeSet wholeRead_; ///< Pages of which all is named.
  RangeSet wholeWritten_;
  std::vector<Stray> strays_;
  std::vector<std::uint64_t> opened_; ///< Pages that are open for one instruction.
};

} // namespace tutti::memory
