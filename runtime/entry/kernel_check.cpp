// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/kernel_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
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
        std::memset(bytes_.data() + at + part.begin - range.begin, 0, part.size());
      }
      at += range.size();
    }
  }

  /// The first byte in each range of `compared` that differs from an image of the same ranges.
  std::vector<std::uint64_t> changesIn(const RangeSet &compared, const Image &since) const {
    std::vector<std::uint64_t> changed;
    std::size_t at = 0;
    for (const Range &range : ranges_.ranges()) {
      for (const Range &part : compared.intersect(RangeSet::of({range})).ranges()) {
        const std::size_t begin = at + part.begin - range.begin;
        const auto own = std::span(bytes_).subspan(begin, part.size());
        const auto other = std::span(since.bytes_).subspan(begin, part.size());
        if (std::memcmp(own.data(), other.data(), own.size()) != 0) {
          const auto differs = std::ranges::mismatch(own, other).in1;
          changed.push_back(part.begin + static_cast<std::uint64_t>(differs - own.begin()));
        }
      }
      at += range.size();
    }
    return changed;
  }

  /// Of two images of the same ranges.
  bool equals(const Image &other) const {
    return bytes_.empty() || std::memcmp(bytes_.data(), other.bytes_.data(), bytes_.size()) == 0;
  }

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
  Image after;
  TUTTI_ASSIGN(before, Image::of(queue, names.held));
  TUTTI_TRY(run(queue));
  TUTTI_ASSIGN(after, Image::of(queue, names.held));
  strays.written = after.changesIn(kept, before);
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
  const bool isTheSameEachTime = other.equals(usual);
  TUTTI_ASSIGN(other, resultsWithout(unnamed));
  if (isTheSameEachTime && !other.equals(usual)) {
    RangeSet read = unnamed;
    for (bool isNarrower = true; isNarrower && read.bytes() > 1;) {
      isNarrower = false;
      for (const RangeSet &half : halvesOf(read)) {
        TUTTI_ASSIGN(other, resultsWithout(half));
        if (!other.equals(usual)) {
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
