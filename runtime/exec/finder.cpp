// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/finder.h"

#include "abi/order.h"
#include "runtime/exec/apartness.h"
#include "runtime/exec/closed_apartness.h"
#include "runtime/exec/region_view.h"
#include "runtime/memory/access_record.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace tutti::exec {

namespace {

/// Launches remembered for each region: buffers change places, lists of elements take turns, and
/// the like.
constexpr std::size_t kMany = 32;

/// Iterations that are asked at once, so that a loop that follows too much is left soon.
constexpr std::int64_t kAtOnce = std::int64_t{1} << 16;

/// Objects of less are brought as a whole.
constexpr std::uint64_t kLeastListed = 256 << 10;

/// Ranges of lists: beyond, planning with them takes longer than moving whole objects.
constexpr std::size_t kMostListed = std::size_t{1} << 18;

/// What iterations touch at computed addresses is worth finding out if so many launches use it.
constexpr std::uint64_t kWorthwhile = 4;

/// Where there is one thread an inspection takes no longer than the loop would at home, so that
/// many lists of elements are looked at before they have been used.
constexpr std::uint64_t kMostFirsts = 32;

/// Records that are looked at where order need not be known.
constexpr std::size_t kMostRoughRecords = std::size_t{1} << 12;

constexpr std::string_view kMayCollide =
    "it writes through computed indices, its iterations were not found to keep apart, and the "
    "program knows of one thread only";
constexpr std::string_view kMayCount =
    "an iteration may touch what another one writes, and the program knows of one thread only, "
    "which executes them in their order";
constexpr std::string_view kCarries =
    "an iteration may use what another one has left in private variables, and the program knows of "
    "one thread only, which executes them in their order";

constexpr std::string_view kInPieces =
    "one thread executes each piece of its schedule in order, and its iterations were not found to "
    "keep apart";

constexpr std::string_view kTooMany = "it follows too many pointers";

/// Of what is the same in launches that ask for the same.
std::uint64_t hashOf(const Launch &launch) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t word) {
    hash = (std::rotl(hash, 5) ^ word) * 0x9e3779b97f4a7c15ULL;
  };
  std::ranges::for_each(launch.captures, add);
  for (std::size_t index = 0; index < launch.values.size(); ++index) {
    if (isShaping(*launch.region, index)) {
      add(launch.values[index]);
    }
  }
  return hash;
}

/// Whether only what indices are tells that iterations of `launch`, which may count on their order,
/// keep apart.
bool needsProof(const Launch &launch) {
  return launch.mayCountOnOrder && (launch.region->flags & TUTTI_REGION_SCATTERS) != 0;
}

bool follows(const tutti_region &region) { return (region.flags & TUTTI_REGION_FOLLOWS) != 0; }

void sort(std::vector<Range> &ranges) {
  std::ranges::sort(ranges, {},
                    [](const Range &range) { return std::pair(range.begin, range.end); });
}

bool areDisjoint(const std::vector<Range> &sorted) {
  return std::ranges::adjacent_find(sorted, [](const Range &one, const Range &next) {
           return one.overlaps(next);
         }) == sorted.end();
}

} // namespace

/// Reads memory for a region, and notes what it reads and asks.
class Finder::Sink final : public tutti_sink {
public:
  Sink(const Launch &launch, const memory::Window &window, std::size_t mostWords)
      : launch_(launch), window_(window), mostWords_(mostWords), follows_(follows(*launch.region)) {
  }

  /// How often it was asked to follow a word, also after it has given up.
  std::size_t asks() const { return asks_; }

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    if (isWidened(launch_, flags, object, window_) && reasonHome.empty()) {
      asked.push_back({object, false}); // Other parts may touch some of it if this one does not.
    }
    const bool isEmpty = size == 0 || std::any_of(dims, dims + ndims, [](const tutti_dim &dim) {
                           return dim.count <= 0;
                         });
    if ((flags & (TUTTI_READ | TUTTI_WRITE)) == 0 || isEmpty || !reasonHome.empty()) {
      return;
    }
    if ((flags & TUTTI_ALLOCATION) != 0) {
      asked.push_back({address, (flags & TUTTI_WRITE) != 0});
    } else if (follows_ && (flags & TUTTI_AT_MOST) == 0 && (touched.empty() || object != latest_)) {
      touched.push_back(address);
      latest_ = object;
    }
  }

  std::uint64_t follow(std::uint64_t address, std::uint32_t size) override {
    std::uint64_t value = 0;
    ++asks_;
    if (!reasonHome.empty()) {
      return value;
    }
    if (size > sizeof value || !window_.contains({address, address + size})) {
      reasonHome = "it follows a pointer outside of unified memory";
      return value;
    }
    if (words.size() == mostWords_) {
      reasonHome = kTooMany;
      words.clear(); // It does so whatever they are.
      return value;
    }
    // Through the window, not the view: a page that is not here faults and is fetched.
    std::memcpy(&value, reinterpret_cast<const void *>(address), size);
    words.push_back({address, value, size});
    return value;
  }

  std::vector<BlockValue> words;
  std::vector<Asked> asked;
  /// An address in each object that is surely touched, where words are followed.
  std::vector<std::uint64_t> touched;
  std::string_view reasonHome;

private:
  std::uint64_t latest_ = 0; ///< The object of the last that was noted.
  std::size_t asks_ = 0;
  const Launch &launch_;
  const memory::Window &window_;
  std::size_t mostWords_;
  bool follows_;
};

/// What `accesses` and `inspect` of a region say of what it touches at computed addresses.
class Finder::Inspection final : public tutti_sink {
public:
  Inspection(const Launch &launch, const memory::Window &window)
      : launch_(launch), window_(window), allocationOf_(allocationsOf(launch)) {
    launch.region->accesses(launch.captures.data(), launch.values.data(), 0, launch.total,
                            launch.total, this);
    sortOut();
  }

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override {
    if (isIdle(flags, object, window_) || size == 0 ||
        std::any_of(dims, dims + ndims, [](const tutti_dim &dim) { return dim.count <= 0; })) {
      return;
    }
    const bool isListed = (flags & TUTTI_LISTED) != 0;
    const bool isIndex = (flags & TUTTI_INDEX) != 0;
    if (!isListed && !isIndex && !needsProof(launch_)) {
      return;
    }
    Range range = memory::hullOf(address, size, {dims, ndims});
    if ((flags & TUTTI_ALLOCATION) != 0) {
      range = allocationOf_(address);
    } else if ((flags & (TUTTI_ANYWHERE | TUTTI_EVERYWHERE)) != 0) {
      range = {};
    } else {
      const Range limit = limitOf(flags, object, window_);
      range = {std::max(range.begin, limit.begin), std::min(range.end, limit.end)};
    }
    if (isListed || isIndex) {
      isKnown_ = isKnown_ && !range.empty() && window_.contains(range);
      (isIndex ? index_ : listed_).push_back(range);
    }
    if (isListed && (flags & TUTTI_WRITE) != 0) {
      written_.push_back(range);
    } else if (!isListed && !range.empty()) {
      others_.push_back(range);
    }
  }

  std::uint64_t follow(std::uint64_t, std::uint32_t) override {
    isKnown_ = false;
    return 0;
  }

  void touched(std::uint64_t address, std::uint64_t bytes) override { note(address, bytes, false); }

  void written(std::uint64_t address, std::uint64_t bytes) override { note(address, bytes, true); }

  /// Whether looking into memory may tell anything. Nothing that it depends on is written.
  bool isWorthwhile() const {
    const bool isLarge = std::ranges::any_of(
        listed_, [](const Range &range) { return range.size() >= kLeastListed; });
    const bool isWanted = needsProof(launch_) ? isProvable_ && !listed_.empty() : isLarge;
    if (!isKnown_ || !areDisjoint(listed_) || !isWanted) {
      return false;
    }
    const std::optional<RangeSet> writes = writesOf(launch_, window_, allocationOf_);
    return writes && !writes->overlaps(RangeSet::of(index_));
  }

  /// Empty if nothing is known, or if the launch is for one thread and its iterations do not keep
  /// apart.
  TouchLists lists(std::size_t ranks) {
    TouchLists lists{launch_.total, RangeSet::of(index_), {}};
    TouchCollector collector(listed_, launch_.total);
    Apartness apartness(written_);
    collector_ = &collector;
    apartness_ = needsProof(launch_) ? &apartness : nullptr;
    const Blocks blocks(launch_.total);
    for (std::size_t block = 0; block < blocks.count() && isKnown_; ++block) {
      ask(blocks.begin(block), blocks.end(block));
      if (collector.ranges() <= kMostListed) {
        collector.endBlock();
      }
      const bool areFew = collector.ranges() <= kMostListed;
      isKnown_ = isKnown_ && apartness.holds() && (areFew || apartness_);
    }
    if (!isKnown_) {
      return {};
    }
    if (collector.ranges() > kMostListed) {
      return lists; // Which pages it is would take longer to tell than to move all.
    }
    lists.objects = collector.take(ranks);
    std::erase_if(lists.objects,
                  [](const TouchedObject &object) { return object.object.size() < kLeastListed; });
    return lists;
  }

private:
  /// Puts each object once, by address. What is touched in other ways, too, is not provable.
  void sortOut() {
    for (std::vector<Range> *ranges : {&listed_, &written_}) {
      sort(*ranges);
      ranges->erase(std::ranges::unique(*ranges).begin(), ranges->end());
    }
    isProvable_ = isKnown_ && !RangeSet::of(written_).overlaps(RangeSet::of(others_));
  }

  /// What iterations [lower, upper) touch: one by one if they have to keep apart.
  void ask(std::int64_t lower, std::int64_t upper) {
    const std::int64_t step = apartness_ ? 1 : upper - lower;
    for (; lower < upper && isKnown_; lower += step) {
      if (apartness_) {
        apartness_->begin(lower);
      }
      launch_.region->inspect(launch_.captures.data(), launch_.values.data(), lower, lower + step,
                              launch_.total, this);
    }
  }

  void note(std::uint64_t address, std::uint64_t bytes, bool isWritten) {
    isKnown_ = collector_->add(address, bytes, isWritten) && isKnown_;
    if (apartness_) {
      apartness_->add(address, bytes, isWritten);
    }
  }

  const Launch &launch_;
  const memory::Window &window_;
  const AllocationOf allocationOf_;
  std::vector<Range> listed_;
  std::vector<Range> written_; ///< Of these.
  std::vector<Range> index_;
  std::vector<Range> others_; ///< What records say that are about no list.
  bool isKnown_ = true;       ///< All that it has been told so far.
  bool isProvable_ = true;    ///< Lists tell whether iterations keep apart.
  TouchCollector *collector_ = nullptr;
  Apartness *apartness_ = nullptr; ///< Null if they need not.
};

/// Looks into memory through the window: it may fault. Empty if nothing is worth knowing.
TouchLists Finder::listsOf(const Launch &launch) const {
  Inspection inspection(launch, window_);
  return inspection.isWorthwhile() ? inspection.lists(ranks_) : TouchLists{};
}

/// Whether records tell that no iteration touches what another one writes.
bool Finder::isOrderOpen(const Launch &launch, Known &known) const {
  Order &order = known.order;
  const bool isToBeSure = launch.mayCountOnOrder; // Else pieces stay whole, which costs little.
  const bool holds = order.isOpen && order.allocations == launch.allocations;
  if (!holds || (order.isRough && isToBeSure)) {
    order.allocations = launch.allocations;
    const AllocationOf allocationOf = allocationsOf(launch);
    order.isOpen = isToBeSure
                       ? keepApartInRecords(launch, window_, allocationOf)
                       : keepApartInRecords(launch, window_, allocationOf, kMostRoughRecords);
    order.isRough = !isToBeSure && !*order.isOpen;
  }
  return *order.isOpen;
}

std::string_view Finder::inspect(Launch &launch, bool usesDevices) {
  const bool takesPages = ranks_ > 1 && !usesDevices;
  const bool isProofNeeded = needsProof(launch);
  const bool keepsOrder = launch.mayCountOnOrder;
  const bool hasPieces = launch.piece > 1;
  const bool forgets = (launch.region->flags & TUTTI_REGION_FORGETS) != 0;
  if (keepsOrder && !forgets) {
    return hasPieces ? kInPieces : kCarries;
  }
  const bool mayLook = launch.region->inspect && (takesPages || isProofNeeded);
  Known *known = keepsOrder || hasPieces || mayLook ? recall(launch) : nullptr;
  const bool isOpen =
      (keepsOrder || (hasPieces && forgets)) && known && isOrderOpen(launch, *known);
  if (keepsOrder && !isOpen) {
    return hasPieces ? kInPieces : kMayCount;
  }
  if (keepsOrder || (isOpen && (launch.region->flags & TUTTI_REGION_SCATTERS) == 0)) {
    launch.piece = 1;
  } else if (hasPieces && launch.piece >= launch.total) {
    return kInPieces;
  }
  const std::string_view unproven = hasPieces ? kInPieces : kMayCollide;
  if (!known || !mayLook || launch.followed || launch.widening.isAny()) {
    return isProofNeeded ? unproven : std::string_view();
  }
  Lists &lists = known->lists;
  if (isProofNeeded && !lists.isForOneThread) {
    lists = {};
  }
  const bool isKnown = findLists(launch, *known);
  if (isKnown) {
    launch.followed = takesPages ? lists.known : lists.bare;
  }
  return isKnown || !isProofNeeded ? std::string_view() : unproven;
}

/// Finds out what the lists of `known` do not say any more, if that is worth it; whether it is
/// known then.
bool Finder::findLists(Launch &launch, Known &known) {
  Lists &lists = known.lists;
  if (lists.areVain) {
    return false;
  }
  Worth &worth = worth_[launch.region];
  ++worth.launches;
  if (lists.known && lists.index && !lists.index->hasChanged &&
      lists.known->content().allocations == launch.allocations) {
    ++worth.used;
    return true;
  }
  lists = {};
  const std::uint64_t excused = worth.used / kWorthwhile;
  const bool isFirst =
      needsProof(launch) && !known.wereListsSought && worth.firsts < kMostFirsts + excused;
  const std::uint64_t vain = isFirst ? 0 : worth.inspections - std::min(worth.inspections, excused);
  if (worth.launches < worth.latest + (std::uint64_t{1} << 2 * std::min<std::uint64_t>(vain, 16))) {
    return false;
  }
  worth.latest = worth.launches;
  ++(isFirst ? worth.firsts : worth.inspections);
  known.wereListsSought = true;
  Followed::Content content;
  content.allocations = launch.allocations;
  content.lists = listsOf(launch);
  if (content.lists.empty() || (content.lists.objects.empty() && !needsProof(launch))) {
    lists.areVain = !needsProof(launch);
    return false;
  }
  lists.isForOneThread = needsProof(launch);
  lists.known = intern(content);
  content.lists.objects.clear();
  lists.bare = intern(std::move(content));
  return true;
}

std::shared_ptr<Watched> Finder::unwatched(const Launch &launch) {
  if (!launch.followed || launch.followed->content().lists.empty()) {
    return nullptr;
  }
  for (Known &known : known_[launch.region].all) {
    const Lists &lists = known.lists;
    const bool isOfThese = lists.known == launch.followed || lists.bare == launch.followed;
    if (isOfThese && !lists.index) {
      known.lists.index = std::make_shared<Watched>(launch.followed->content().lists.index);
      return known.lists.index;
    }
  }
  return nullptr;
}

Finder::Found Finder::complete(Launch &launch, std::size_t mostWords) {
  launch.allocations.clear();
  launch.arrays.clear();
  launch.followed = nullptr;
  Known *known = recall(launch);
  if (!known) {
    auto [asked, share] = ask(launch, std::min(mostWords, mostWords_));
    if (asked.reasonHome == kTooMany && mostWords < mostWords_) {
      return {{}, share}; // With leave to follow more it may be found.
    }
    known = &remember(launch, std::move(asked));
  }
  if (!known->reasonHome.empty()) {
    return {known->reasonHome};
  }
  if (!known->followed) {
    findAllocations(*known, launch);
    return {};
  }
  renewAllocations(*known, launch);
  launch.followed = known->followed;
  return {};
}

void Finder::findArrays(Launch &launch) const {
  const auto add = [&](std::uint64_t word) {
    if (window_.heap().contains({word, word + 1})) {
      const Range array = objects_.at(word, 0);
      if (array.size() >= memory::kPageBytes) {
        launch.arrays.push_back(array);
      }
    }
  };
  std::ranges::for_each(launch.captures, add);
  std::ranges::for_each(launch.values, add);
  std::ranges::sort(launch.arrays, {}, &Range::begin);
  const auto repeated = std::ranges::unique(launch.arrays);
  launch.arrays.erase(repeated.begin(), repeated.end());
}

/// Looks up anew which allocations belong to what is followed, if they may be others.
void Finder::renewAllocations(Known &known, Launch &launch) {
  const auto now = std::pair(objects_.version(), launch.frame);
  if (known.seenAt == now) {
    return;
  }
  findAllocations(known, launch);
  if (known.followed->content().allocations != launch.allocations) {
    Followed::Content content = known.followed->content();
    content.allocations = launch.allocations;
    known.followed = intern(std::move(content));
    known.order = {};
  }
  launch.allocations.clear();
  known.seenAt = now;
}

/// An earlier launch that has asked the same: code that reads the same does the same.
Finder::Known *Finder::recall(const Launch &launch) {
  const auto region = known_.find(launch.region);
  if (region == known_.end()) {
    return nullptr;
  }
  const auto isSame = [&](const Known &known) {
    if (known.captures != launch.captures || known.values.size() != launch.values.size()) {
      return false;
    }
    for (std::size_t index = 0; index < launch.values.size(); ++index) {
      if (known.values[index] != launch.values[index] && isShaping(*launch.region, index)) {
        return false;
      }
    }
    return !known.followed || known.followed->isUnchanged();
  };
  auto &[all, hashes] = region->second;
  if (!all.empty() && isSame(all.back())) {
    return &all.back(); // As in a steady loop.
  }
  const std::uint64_t hash = hashOf(launch);
  for (std::size_t left = hashes.size(); left > 0; --left) {
    if (hashes[left - 1] == hash) {
      const auto known =
          std::prev(all.end(), static_cast<std::ptrdiff_t>(hashes.size() - left + 1));
      if (isSame(*known)) {
        return &*known;
      }
    }
  }
  return nullptr;
}

/// What `launch` asks for, and which share of the words that it follows `mostWords` are.
std::pair<Finder::Known, double> Finder::ask(const Launch &launch, std::size_t mostWords) {
  const tutti_region &region = *launch.region;
  Sink sink(launch, window_, mostWords);
  // Where nothing is followed, every part of the loop asks for the same.
  const std::int64_t end = follows(region) ? launch.total : 1;
  std::int64_t lower = 0;
  for (; lower < end && sink.reasonHome.empty(); lower += kAtOnce) {
    region.accesses(launch.captures.data(), launch.values.data(), lower,
                    std::min(lower + kAtOnce, end), launch.total, &sink);
  }
  Known known{{}, {}, {}, sink.reasonHome, nullptr, std::nullopt, {}, false, {}};
  std::ranges::sort(sink.asked, {}, &Asked::address);
  for (const Asked &asked : sink.asked) {
    if (known.asked.empty() || known.asked.back().address != asked.address) {
      known.asked.push_back(asked);
    } else {
      known.asked.back().isWritten = known.asked.back().isWritten || asked.isWritten;
    }
  }
  if (follows(region)) {
    Followed::Content content = contentOf(std::move(sink.words));
    content.objects = objectsAround(std::move(sink.touched));
    known.followed = intern(std::move(content));
  }
  const double asksInAll = static_cast<double>(sink.asks()) *
                           std::max(1.0, static_cast<double>(end) / static_cast<double>(lower));
  return {std::move(known), std::min(1.0, static_cast<double>(mostWords) / asksInAll)};
}

/// The oldest makes room, and its memory serves the new one.
Finder::Known &Finder::remember(const Launch &launch, Known known) {
  auto &[all, hashes] = known_[launch.region];
  const auto bytesOf = [](const Known &one) { return one.followed ? one.followed->bytes() : 0; };
  std::size_t bytes = bytesOf(known);
  for (const Known &one : all) {
    bytes += bytesOf(one);
  }
  std::list<Known> spare;
  while (all.size() >= kMany || (!all.empty() && bytes > RecentlyFollowed::kMostBytes)) {
    bytes -= bytesOf(all.front());
    spare.splice(spare.begin(), all, all.begin());
    hashes.erase(hashes.begin());
  }
  if (spare.empty()) {
    spare.emplace_back();
  }
  all.splice(all.end(), spare, spare.begin());
  Known &newest = all.back();
  known.captures = std::move(newest.captures);
  known.values = std::move(newest.values);
  newest = std::move(known);
  hashes.push_back(hashOf(launch));
  newest.captures.assign(launch.captures.begin(), launch.captures.end());
  newest.values.assign(launch.values.begin(), launch.values.end());
  return newest;
}

void Finder::findAllocations(const Known &known, Launch &launch) const {
  for (const Asked &asked : known.asked) {
    const Range range = objects_.at(asked.address, launch.frame);
    // Nobody may bring back all of the stack: rank 0 goes on writing there.
    if (!range.empty() && !(asked.isWritten && window_.stack().contains(range))) {
      launch.allocations.push_back({asked.address, range});
    }
  }
}

/// The allocations of the heap that hold `addresses`. Between two of them there may be bytes that
/// are of none, as long as they are too few for an allocation like these.
RangeSet Finder::objectsAround(std::vector<std::uint64_t> addresses) const {
  std::ranges::sort(addresses);
  std::vector<Range> found;
  Range last;
  for (const std::uint64_t address : addresses) {
    if (!window_.heap().contains({address, address + 1}) || last.contains({address, address + 1})) {
      continue;
    }
    const Range object = objects_.at(address, 0);
    if (object.empty()) {
      continue;
    }
    if (!found.empty() && object.begin - last.end < std::min(last.size(), object.size())) {
      found.back().end = object.end;
    } else {
      found.push_back(object);
    }
    last = object;
  }
  return RangeSet::of(std::move(found));
}

/// Equal contents are one, so that the plans made for them are found.
std::shared_ptr<const Followed> Finder::intern(Followed::Content content) {
  for (const auto &[region, remembered] : known_) {
    for (const Known &known : remembered.all) {
      for (const auto &followed : {known.followed, known.lists.known, known.lists.bare}) {
        if (followed && followed->content() == content) {
          return followed;
        }
      }
    }
  }
  return std::make_shared<const Followed>(nextId_++, std::move(content));
}

} // namespace tutti::exec
