// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/owners.h"

#include "runtime/exec/region_view.h"

#include <algorithm>
#include <limits>

namespace tutti::exec {

namespace {

/// Of the iterations, at most this fraction may belong to nobody.
constexpr std::int64_t kMostUnclear = 8;

/// Where the iterations of a loop begin to write.
struct Line {
  std::uint64_t begin;
  std::uint64_t stride;
  std::uint64_t bytes; ///< Of one iteration.
};

/// Of the record that writes most in one iteration.
std::optional<Line> lineOf(const Launch &launch, const memory::Window &window) {
  const AllocationOf allocationOf = allocationsOf(launch);
  const auto recordsAt = [&](std::int64_t iteration) {
    return recordsOf(launch, window, iteration, iteration + 1, allocationOf).touched.records;
  };
  const std::vector<memory::AccessRecord> first = recordsAt(0);
  const auto bytesWritten = [](const memory::AccessRecord &record) {
    return record.isWritten() && !record.isScattered() ? record.bytes() : 0;
  };
  const auto most = std::ranges::max_element(first, {}, bytesWritten);
  if (most == first.end() || bytesWritten(*most) == 0) {
    return std::nullopt;
  }
  const auto index = static_cast<std::size_t>(most - first.begin());
  const std::vector<memory::AccessRecord> second = recordsAt(1);
  const std::vector<memory::AccessRecord> last = recordsAt(launch.total - 1);
  if (second.size() != first.size() || last.size() != first.size()) {
    return std::nullopt;
  }
  const std::uint64_t begin = most->hull.begin;
  const std::uint64_t stride = second[index].hull.begin - begin;
  const auto steps = static_cast<std::uint64_t>(launch.total - 1);
  const bool isLine = second[index].hull.begin > begin && last[index].hull.begin > begin &&
                      (last[index].hull.begin - begin) / steps == stride &&
                      (last[index].hull.begin - begin) % steps == 0;
  return isLine ? std::optional(Line{begin, stride, most->bytes()}) : std::nullopt;
}

/// Takes runs of memory in their order, as runs of iterations.
class Count {
public:
  explicit Count(const Launch &launch)
      : launch_(launch), iterations_(launch.shares.size()), held_(launch.shares.size()) {}

  void add(std::int64_t iterations, const memory::Holders &holders) {
    if (iterations == 0) {
      return; // Between the lines that the loop writes others may lie, whoever has those.
    }
    const auto share = holders.size() != 1
                           ? launch_.shares.end()
                           : std::ranges::find(launch_.shares, holders.front(), &Share::place);
    const auto index = static_cast<std::size_t>(share - launch_.shares.begin());
    if (share == launch_.shares.end() || index < at_) {
      unclear_ += iterations; // Somebody else has it than the part that it falls to.
    } else {
      at_ = index;
    }
    iterations_[at_] += static_cast<std::uint32_t>(iterations);
    if (share != launch_.shares.end()) {
      held_[index] += iterations;
    }
  }

  std::optional<Owned> take(const Line &line) {
    if (unclear_ > launch_.total / kMostUnclear) {
      return std::nullopt;
    }
    const auto most = static_cast<std::size_t>(std::ranges::max_element(held_) - held_.begin());
    return Owned{std::move(iterations_), unclear_, most, line.stride, line.bytes};
  }

private:
  const Launch &launch_;
  std::vector<std::uint32_t> iterations_;
  std::vector<std::int64_t> held_; ///< Of each share: whose data its place alone has.
  std::size_t at_ = 0;             ///< The share that the latest run belongs to.
  std::int64_t unclear_ = 0;
};

} // namespace

std::optional<Owned> ownedBy(const Launch &launch, const memory::Window &window,
                             const memory::Directory &directory) {
  if (launch.followed || isChasing(*launch.region) || launch.total < 2 ||
      launch.total > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  const std::optional<Line> line = lineOf(launch, window);
  if (!line) {
    return std::nullopt;
  }
  const auto total = static_cast<std::uint64_t>(launch.total);
  const Range all{line->begin, line->begin + (total - 1) * line->stride + 1};
  if (!window.contains(all)) {
    return std::nullopt;
  }
  /// Iterations that begin before `address`.
  const auto before = [&](std::uint64_t address) {
    return static_cast<std::int64_t>((address - line->begin + line->stride - 1) / line->stride);
  };
  Count count(launch);
  directory.forEach(all, [&](Range run, const memory::Holders &holders) {
    count.add(before(run.end) - before(run.begin), holders);
  });
  return count.take(*line);
}

} // namespace tutti::exec
