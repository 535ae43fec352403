// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/access_check.h"

#include "base/check.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace tutti::memory {

namespace {

/// More of one function are not told.
constexpr std::size_t kMostStrays = 64;

/// Of one instruction; a gathering one may touch many.
constexpr std::size_t kMostOpened = 64;

/// What functions of libraries read at a time.
constexpr std::uint64_t kVector = 64;

/// Code of one object of the process.
Range codeOf(bool (*isIt)(const dl_phdr_info &)) {
  struct Search {
    bool (*isIt)(const dl_phdr_info &);
    Range code;
  } search{isIt, {}};

  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        if (!search.isIt(*object)) {
          return 0;
        }
        for (int index = 0; index < object->dlpi_phnum; ++index) {
          const ElfW(Phdr) &part = object->dlpi_phdr[index];
          if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            search.code = {object->dlpi_addr + part.p_vaddr,
                           object->dlpi_addr + part.p_vaddr + part.p_memsz};
          }
        }
        return 1;
      },
      &search);
  return search.code;
}

Range programCode() {
  static const Range code =
      codeOf([](const dl_phdr_info &) { return true; }); // The first is the executable.
  return code;
}

/// What the runtime touches for a task is its own affair.
Range runtimeCode() {
  static const Range code = codeOf([](const dl_phdr_info &object) {
    const auto own = reinterpret_cast<std::uint64_t>(&programCode);
    for (int index = 0; index < object.dlpi_phnum; ++index) {
      const ElfW(Phdr) &part = object.dlpi_phdr[index];
      if (part.p_type == PT_LOAD && own - (object.dlpi_addr + part.p_vaddr) < part.p_memsz) {
        return true;
      }
    }
    return false;
  });
  return code;
}

bool contains(Range range, std::uint64_t address) {
  return range.begin <= address && address < range.end;
}

/// For signal handlers, too.
bool overlaps(const RangeSet &set, Range range) {
  const auto &ranges = set.ranges();
  const auto after = std::ranges::upper_bound(ranges, range.begin, {}, &Range::end);
  return after != ranges.end() && after->begin < range.end;
}

RangeSet wholePages(const RangeSet &set) {
  std::vector<Range> pages;
  for (const Range &range : set.ranges()) {
    if (const Range inside = pagesInside(range); !inside.empty()) {
      pages.push_back(inside);
    }
  }
  return RangeSet::of(std::move(pages));
}

void setProtection(Range pages, Access level) {
  const int flags = level == Access::Open       ? PROT_READ | PROT_WRITE
                    : level == Access::ReadOnly ? PROT_READ
                                                : PROT_NONE;
  TUTTI_CHECK(
      pages.empty() || mprotect(reinterpret_cast<void *>(pages.begin), pages.size(), flags) == 0,
      "protect {} bytes at {:#x} for TUTTI_CHECK: error {}", pages.size(), pages.begin, errno);
}

std::uint64_t instructionOf([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return 0;
#endif
}

/// Has the machine stop after the next instruction, or no more. False where it cannot.
bool setStepping([[maybe_unused]] void *context, [[maybe_unused]] bool isOn) {
#if defined(__x86_64__)
  constexpr greg_t kTrapFlag = 0x100;
  greg_t &flags = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL];
  flags = isOn ? flags | kTrapFlag : flags & ~kTrapFlag;
  return true;
#else
  return false;
#endif
}

struct sigaction actionBefore;

void onStep(int, siginfo_t *, void *context) {
  const int savedErrno = errno;
  if (AccessCheck *check = AccessCheck::current()) {
    check->takeStep(context);
  }
  errno = savedErrno;
}

} // namespace

AccessCheck::AccessCheck(const std::vector<Range> &segments, const PageTable &pages,
                         NamedRanges named)
    : segments_(segments), pages_(pages), named_(std::move(named)),
      wholeRead_(wholePages(named_.read)), wholeWritten_(wholePages(named_.written)) {
  TUTTI_CHECK(!current_, "a function that is checked calls no other");
  programCode();
  runtimeCode();
  strays_.reserve(kMostStrays);
  opened_.reserve(kMostOpened);
  struct sigaction action = {};
  action.sa_sigaction = onStep;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  TUTTI_CHECK(sigaction(SIGTRAP, &action, &actionBefore) == 0, "install a handler of SIGTRAP");
  current_ = this;
  protect();
}

AccessCheck::~AccessCheck() { stop(); }

void AccessCheck::stop() {
  if (current_ != this) {
    return;
  }
  for (const Range &segment : segments_) {
    setProtection(segment, Access::Open);
    for (std::uint64_t page = segment.begin; page < segment.end;) {
      const Range run = pages_.runAround(page, segment);
      if (const Access level = pages_.at(page); level != Access::Open) {
        setProtection(run, level);
      }
      page = run.end;
    }
  }
  current_ = nullptr;
  sigaction(SIGTRAP, &actionBefore, nullptr);
}

/// Protects all, and opens what is named.
void AccessCheck::protect() {
  for (const Range &segment : segments_) {
    setProtection(segment, Access::None);
    const RangeSet all = RangeSet::of({segment});
    for (const Range &pages : wholeRead_.subtract(wholeWritten_).intersect(all).ranges()) {
      setProtection(pages, Access::ReadOnly);
    }
    for (const Range &pages : wholeWritten_.intersect(all).ranges()) {
      setProtection(pages, Access::Open);
    }
  }
}

Access AccessCheck::levelOf(std::uint64_t page) const {
  const Range byte{page, page + 1};
  return overlaps(wholeWritten_, byte) ? Access::Open
         : overlaps(wholeRead_, byte)  ? Access::ReadOnly
                                       : Access::None;
}

bool AccessCheck::isNamed(std::uint64_t address, bool isWrite, std::uint64_t instruction) const {
  const bool isOfProgram = contains(programCode(), instruction);
  if (!isOfProgram && contains(runtimeCode(), instruction)) {
    return true;
  }
  const Range byte{address, address + 1};
  if (isWrite) {
    return overlaps(named_.written, byte);
  }
  const std::uint64_t vector = address & ~(kVector - 1);
  return overlaps(named_.read,
                  instruction == 0 || isOfProgram ? byte : Range{vector, address + kVector});
}

void AccessCheck::note(std::uint64_t address, bool isWrite, std::uint64_t instruction) {
  const auto isSame = [&](const Stray &stray) {
    return stray.address / kPageBytes == address / kPageBytes && stray.isWrite == isWrite;
  };
  if (strays_.size() < kMostStrays && std::ranges::none_of(strays_, isSame)) {
    strays_.push_back({address, instruction, isWrite}); // Needs no memory.
  }
}

void AccessCheck::allow(Range range) {
  const RangeSet own = RangeSet::of({range});
  named_.read = named_.read.unite(own);
  named_.written = named_.written.unite(own);
  const Range pages = pagesInside(range);
  if (!pages.empty()) {
    wholeWritten_ = wholeWritten_.unite(RangeSet::of({pages}));
    wholeRead_ = wholeRead_.unite(wholeWritten_);
    setProtection(pages, Access::Open);
  }
}

void AccessCheck::touch(Range range, bool isWrite) {
  const RangeSet rest = RangeSet::of({range}).subtract(isWrite ? named_.written : named_.read);
  for (const Range &stray : rest.ranges()) {
    note(stray.begin, isWrite, 0);
  }
  for (std::uint64_t page = pagesAround(range).begin; page < range.end; page += kPageBytes) {
    setProtection({page, page + kPageBytes}, pages_.at(page));
  }
}

bool AccessCheck::takeFault(std::uint64_t address, bool isWrite, void *context) {
  const std::uint64_t instruction = instructionOf(context);
  if (!isNamed(address, isWrite, instruction)) {
    note(address, isWrite, instruction);
  }
  const Access level = pages_.at(address);
  if (level > (isWrite ? Access::Open : Access::ReadOnly)) {
    return false;
  }
  const std::uint64_t page = address & ~(kPageBytes - 1);
  setProtection({page, page + kPageBytes}, level);
  if (opened_.size() < kMostOpened && setStepping(context, true)) {
    opened_.push_back(page); // Needs no memory.
  }
  return true;
}

void AccessCheck::takeStep(void *context) {
  setStepping(context, false);
  for (const std::uint64_t page : opened_) {
    setProtection({page, page + kPageBytes}, levelOf(page));
  }
  opened_.clear();
}

} // namespace tutti::memory
