// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/owners.h"

#include "runtime/exec/region_view.h"

#include <algorithm>
#include <limits>
#include <span>

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

/// Collects what one iteration writes, together for each pointer of the program. An access function
/// may report each element by itself, and this is asked of launches that are new each time.
class LineSink final : public tutti_sink {
public:
  /// What is written through one pointer.
  struct Written {
    std::uint64_t object;
    std::uint64_t begin;
    std::uint64_t bytes;
  };

  LineSink(const Launch &launch, const memory::Window &window) : launch_(launch), window_(window) {}

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    constexpr std::uint32_t kOthers =
        TUTTI_SCATTERED | TUTTI_REDUCED | TUTTI_ANYWHERE | TUTTI_EVERYWHERE | TUTTI_ALLOCATION;
    if ((flags & TUTTI_WRITE) == 0 || (flags & kOthers) != 0 || isIdle(flags, object, window_)) {
      return;
    }
    std::uint64_t bytes = size;
    for (const tutti_dim &dim : std::span(dims, ndims)) {
      bytes *= dim.count > 0 ? static_cast<std::uint64_t>(dim.count) : 0;
    }
    if (bytes == 0) {
      return;
    }
    const std::uint64_t begin = memory::hullOf(address, size, {dims, ndims}).begin;
    const auto known = std::ranges::find(written_, object, &Written::object);
    if (known == written_.end()) {
      written_.push_back({object, begin, bytes});
    } else {
      known->begin = std::min(known->begin, begin);
      known->bytes += bytes;
    }
  }

  std::uint64_t follow(std::uint64_t, std::uint32_t) override { return 0; }

  /// Of the pointer through which an iteration writes most.
  std::optional<Written> most(std::int64_t iteration) {
    evaluate(iteration);
    const auto most = std::ranges::max_element(written_, {}, &Written::bytes);
    return most == written_.end() ? std::nullopt : std::optional(*most);
  }

  /// Where an iteration begins to write through `object`.
  std::optional<std::uint64_t> begin(std::int64_t iteration, std::uint64_t object) {
    evaluate(iteration);
    const auto known = std::ranges::find(written_, object, &Written::object);
    return known == written_.end() ? std::nullopt : std::optional(known->begin);
  }

private:
  void evaluate(std::int64_t iteration) {
    written_.clear();
    launch_.region->accesses(launch_.captures.data(), launch_.values.data(), iteration,
                             iteration + 1, launch_.total, this);
  }

  const Launch &launch_;
  const memory::Window &window_;
  std::vector<Written> written_;
};

/// Of the pointer through which one iteration writes most.
std::optional<Line> lineOf(const Launch &launch, const memory::Window &window) {
  LineSink sink(launch, window);
  const auto first = sink.most(0);
  if (!first) {
    return std::nullopt;
  }
  const auto second = sink.begin(1, first->object);
  const auto last = sink.begin(launch.total - 1, first->object);
  if (!second || !last || *second <= first->begin || *last <= first->begin) {
    return std::nullopt;
  }
  const std::uint64_t stride = *second - first->begin;
  const bool isLine = *last - first->begin == stride * static_cast<std::uint64_t>(launch.total - 1);
  return isLine ? std::optional(Line{first->begin, stride, first->bytes}) : std::nullopt;
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
  if (launch.followed || launch.widening.isAny() || isChasing(*launch.region) || launch.total < 2 ||
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
