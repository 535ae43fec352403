// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/protection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace tutti::memory {

namespace {

/// How far a run grows to close gaps when mappings run out.
constexpr std::uint64_t kReachBytes = std::uint64_t{256} << 20;

int kernelFlags(Access level) {
  switch (level) {
  case Access::Open:
    return PROT_READ | PROT_WRITE;
  case Access::ReadOnly:
    return PROT_READ;
  case Access::None:
    break;
  }
  return PROT_NONE;
}

} // namespace

Result<std::unique_ptr<PageTable>> PageTable::create(const Window &window) {
  std::unique_ptr<PageTable> table(new PageTable(window.heap()));
  table->spare_ = SpareView::create(window);
  for (const Range &range : window.segments()) {
    const std::size_t bytes = std::max<std::size_t>(range.size() / kPageBytes, 1);
    // Zero is `Open`; untouched parts of the table cost nothing.
    void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
      return nativeFailure(ErrorCode::OutOfMemory, errno, "cannot map a page table of {} bytes: {}",
                           bytes, std::strerror(errno));
    }
    table->segments_.push_back({range, static_cast<std::atomic<Access> *>(pages), bytes});
  }
  return table;
}

PageTable::~PageTable() {
  for (const Segment &segment : segments_) {
    munmap(static_cast<void *>(segment.pages), segment.mappedBytes);
  }
}

const PageTable::Segment *PageTable::segmentOf(std::uint64_t address) const {
  for (const Segment &segment : segments_) {
    if (segment.range.begin <= address && address < segment.range.end) {
      return &segment;
    }
  }
  return nullptr;
}

Access PageTable::at(std::uint64_t address) const {
  const Segment *segment = segmentOf(address);
  // Pairs with the releases in `open` and `tightenRun`.
  return segment ? segment->pages[(address - segment->range.begin) / kPageBytes].load(
                       std::memory_order_acquire)
                 : Access::Open;
}

bool PageTable::anyStricter(Range range, Access most) const {
  range = pagesAround(range);
  for (std::uint64_t page = range.begin; page < range.end; page += kPageBytes) {
    if (at(page) > most) {
      return true;
    }
  }
  return false;
}

Range PageTable::runAround(std::uint64_t address, Range within) const {
  const Access level = at(address);
  const Segment *segment = segmentOf(address);
  // Runs are hundreds of thousands of pages long: the segment is looked up once for all of them.
  const auto isLike = [&](std::uint64_t page) {
    return segment && segment->range.contains({page, page + kPageBytes})
               ? segment->pages[(page - segment->range.begin) / kPageBytes].load(
                     std::memory_order_acquire) == level
               : at(page) == level;
  };
  Range run = pagesAround({address, address + 1});
  while (run.begin > within.begin && isLike(run.begin - kPageBytes)) {
    run.begin -= kPageBytes;
  }
  while (run.end < within.end && isLike(run.end)) {
    run.end += kPageBytes;
  }
  return run;
}

bool PageTable::protect(Range pages, Access level) {
  ++protections_;
  return mprotect(reinterpret_cast<void *>(pages.begin), pages.size(), kernelFlags(level)) == 0;
}

/// Of pages that are about to be closed.
void PageTable::putOpen(const Segment &segment, Range pages) {
  const auto isOpen = [&](std::uint64_t page) {
    return segment.pages[(page - segment.range.begin) / kPageBytes].load(
               std::memory_order_relaxed) == Access::Open;
  };
  for (std::uint64_t page = pages.begin; page < pages.end;) {
    while (page < pages.end && !isOpen(page)) {
      page += kPageBytes;
    }
    Range run{page, page};
    while (run.end < pages.end && isOpen(run.end)) {
      run.end += kPageBytes;
    }
    spare_->put(run);
    page = run.end;
  }
}

Status PageTable::tighten(const RangeSet &pages, Access level) {
  for (const Range &range : pages.ranges()) {
    const Segment *segment = segmentOf(range.begin);
    TUTTI_CHECK(segment && segment->range.contains(range), "tighten [{:#x}, {:#x}) of the window",
                range.begin, range.end);
    std::uint64_t page = range.begin;
    while (page < range.end) {
      while (page < range.end && at(page) >= level) {
        page += kPageBytes;
      }
      Range run{page, page};
      while (run.end < range.end && at(run.end) < level) {
        run.end += kPageBytes;
      }
      page = run.end;
      if (!run.empty()) {
        if (spare_ && run.size() >= SpareView::kLeastBytes) {
          putOpen(*segment, run);
        }
        TUTTI_TRY(tightenRun(*segment, run, level));
      }
    }
  }
  return {};
}

Status PageTable::tightenRun(const Segment &segment, Range run, Access level) {
  const auto mark = [&](Range pages) {
    for (std::uint64_t page = pages.begin; page < pages.end; page += kPageBytes) {
      segment.pages[(page - segment.range.begin) / kPageBytes].store(level,
                                                                     std::memory_order_release);
    }
    ++version_;
  };
  if (protect(run, level)) {
    mark(run);
    return {};
  }
  const int code = errno;
  if (code != ENOMEM || !heap_.contains(run)) {
    return nativeFailure(ErrorCode::OutOfMemory, code,
                         "cannot protect {} bytes at {:#x}: {}; raising vm.max_map_count may help",
                         run.size(), run.begin, std::strerror(code));
  }
  // Grow to the next pages that are as strict, so that the number of mappings falls. Stricter
  // pages in between stay stricter, hence a reach that ends there.
  const Range reach{run.begin - std::min(kReachBytes, run.begin - heap_.begin),
                    run.end + std::min(kReachBytes, heap_.end - run.end)};
  Range grown = run;
  while (grown.begin > reach.begin && at(grown.begin - kPageBytes) < level) {
    grown.begin -= kPageBytes;
  }
  if (protect({grown.begin, run.end}, level)) {
    mark({grown.begin, run.end});
    return {};
  }
  while (grown.end < reach.end && at(grown.end) < level) {
    grown.end += kPageBytes;
  }
  if (protect(grown, level)) {
    mark(grown);
    return {};
  }
  return nativeFailure(ErrorCode::OutOfMemory, errno,
                       "cannot protect {} bytes at {:#x}: {}; raising vm.max_map_count may help",
                       grown.size(), grown.begin, std::strerror(errno));
}

Status PageTable::open(Range pages, Access level) {
  const Segment *segment = segmentOf(pages.begin);
  TUTTI_CHECK(segment && segment->range.contains(pages), "open [{:#x}, {:#x}) of the window",
              pages.begin, pages.end);
  if (spare_) {
    spare_->take(pages, level == Access::ReadOnly);
  }
  if (!protect(pages, level)) {
    return nativeFailure(ErrorCode::OutOfMemory, errno,
                         "cannot open {} bytes at {:#x}: {}; raising vm.max_map_count may help",
                         pages.size(), pages.begin, std::strerror(errno));
  }
  for (std::uint64_t page = pages.begin; page < pages.end; page += kPageBytes) {
    segment->pages[(page - segment->range.begin) / kPageBytes].store(level,
                                                                     std::memory_order_release);
  }
  ++version_;
  return {};
}

} // namespace tutti::memory
