// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/kernel_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace tutti::entry {

namespace {

/// Bytes of a device, one range behind the other.
class Image {
public:
  Image() = default;

  static Result<Image> of(device::Queue &queue, RangeSet ranges) {
    Image image(std::move(ranges));
    TUTTI_TRY(image.forEach([&](Range range, std::span<std::byte> bytes) {
      return queue.copyOut(range.begin, bytes);
    }));
    TUTTI_TRY(queue.finish());
    return image;
  }

  Status put(device::Queue &queue) {
    return forEach(
        [&](Range range, std::span<std::byte> bytes) { return queue.copyIn(bytes, range.begin); });
  }

  void clear(const RangeSet &cleared) {
    std::size_t at = 0;
    for (const Range &range : ranges_.ranges()) {
      for (const Range &part : cleared.intersect(RangeSet::of({range})).ranges()) {
        std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at + part.begin - range.begin),
                    part.size(), std::byte{0});
      }
      at += range.size();
    }
  }

  /// The first byte in each range that differs from one of the same ranges.
  std::vector<std::uint64_t> changes(const Image &since) const {
    std::vector<std::uint64_t> changed;
    std::size_t at = 0;
    for (const Range &range : ranges_.ranges()) {
      const auto own = std::span(bytes_).subspan(at, range.size());
      const auto [differs, other] =
          std::ranges::mismatch(own, std::span(since.bytes_).subspan(at, range.size()));
      if (differs != own.end()) {
        changed.push_back(range.begin + static_cast<std::uint64_t>(differs - own.begin()));
      }
      at += range.size();
    }
    return changed;
  }

  friend bool operator==(const Image &, const Image &) = default;

private:
  explicit Image(RangeSet ranges) : ranges_(std::move(ranges)), bytes_(ranges_.bytes()) {}

  template <typename Visit> Status forEach(Visit &&visit) {
    std::size_t at = 0;
    for (const Range &range : ranges_.ranges()) {
      TUTTI_TRY(visit(range, std::span(bytes_).subspan(at, range.size())));
      at += range.size();
    }
    return {};
  }

  RangeSet ranges_;
  std::vector<std::byte> bytes_;
};

/// Both halves of so many bytes.
std::array<RangeSet, 2> halvesOf(const RangeSet &set) {
  std::vector<Range> first;
  std::vector<Range> second;
  std::uint64_t left = set.bytes() / 2;
  for (const Range &range : set.ranges()) {
    const std::uint64_t middle = range.begin + std::min(left, range.size());
    first.push_back({range.begin, middle});
    second.push_back({middle, range.end});
    left -= middle - range.begin;
  }
  const auto isEmpty = [](const Range &range) { return range.empty(); };
  std::erase_if(first, isEmpty);
  std::erase_if(second, isEmpty);
  return {RangeSet::of(std::move(first)), RangeSet::of(std::move(second))};
}

} // namespace

Result<KernelStrays> checkKernel(device::Queue &queue, const KernelNames &names,
                                 const std::function<Status(device::Queue &)> &run) {
  KernelStrays strays;
  const RangeSet results = names.held.intersect(names.written);
  const RangeSet kept = names.held.subtract(names.written);
  const RangeSet unnamed = names.held.subtract(names.touched);
  Image before;
  Image keptBefore;
  Image after;
  Image keptAfter;
  TUTTI_ASSIGN(before, Image::of(queue, names.held));
  TUTTI_ASSIGN(keptBefore, Image::of(queue, kept));
  TUTTI_TRY(run(queue));
  TUTTI_ASSIGN(after, Image::of(queue, names.held));
  TUTTI_ASSIGN(keptAfter, Image::of(queue, kept));
  strays.written = keptAfter.changes(keptBefore);
  if (!names.mayRunAgain) {
    return strays;
  }
  const auto resultsWithout = [&](const RangeSet &cleared) -> Result<Image> {
    Image memory = before;
    memory.clear(cleared);
    TUTTI_TRY(memory.put(queue));
    TUTTI_TRY(run(queue));
    return Image::of(queue, results);
  };
  Image usual;
  Image other;
  TUTTI_ASSIGN(usual, resultsWithout({}));
  TUTTI_ASSIGN(other, resultsWithout({}));
  const bool isTheSameEachTime = other == usual;
  TUTTI_ASSIGN(other, resultsWithout(unnamed));
  if (isTheSameEachTime && other != usual) {
    RangeSet read = unnamed;
    for (bool isNarrower = true; isNarrower && read.bytes() > 1;) {
      isNarrower = false;
      for (const RangeSet &half : halvesOf(read)) {
        TUTTI_ASSIGN(other, resultsWithout(half));
        if (other != usual) {
          read = half;
          isNarrower = true;
          break;
        }
      }
    }
    strays.read.push_back(read.hull().begin);
  }
  TUTTI_TRY(after.put(queue));
  TUTTI_TRY(queue.finish());
  return strays;
}

} // namespace tutti::entry
