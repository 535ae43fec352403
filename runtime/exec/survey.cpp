// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/survey.h"

#include "runtime/exec/region_view.h"
#include "runtime/exec/rests.h"
#include "runtime/memory/access_set.h"

#include <algorithm>
#include <utility>

namespace tutti::exec {

namespace {

using memory::AccessRecord;
using memory::ChunkAccess;
using memory::Directory;
using memory::Holders;
using memory::holds;
using memory::holdsAlone;
using memory::Runs;

constexpr std::string_view kOutside = "it touches memory outside of unified memory";
constexpr std::string_view kMixed =
    "it updates memory atomically that it touches in other ways, too";
constexpr std::string_view kCollision = "iterations of different parts may write the same memory";

void append(std::vector<Range> &all, const RangeSet &more) {
  all.insert(all.end(), more.ranges().begin(), more.ranges().end());
}

bool isInside(const memory::Window &window, const RangeSet &bytes) {
  return std::all_of(bytes.ranges().begin(), bytes.ranges().end(),
                     [&](const Range &range) { return window.contains(range); });
}

/// Why `sets` rule out distribution; empty if they do not.
std::string_view reasonAgainst(const memory::AccessSet &sets, const memory::Window &window) {
  if (sets.tooMany) {
    return "its accesses are too fragmented";
  }
  if (sets.anywhere) {
    return "its index arithmetic may wrap around";
  }
  if (sets.unresolved) {
    return "it follows a pointer to memory of unknown extent";
  }
  if (!isInside(window, sets.reads) || !isInside(window, sets.writes)) {
    return kOutside;
  }
  return {};
}

/// With hulls, a record of more runs than this is taken as a whole,
constexpr std::uint64_t kFewRuns = 8;
/// if it has no more bytes for each run: what takes about as long to move as a run to plan.
constexpr std::uint64_t kMostOfRun = 64 << 10;

/// Whether a record is taken as a whole where hulls are. What may be written reaches beyond its
/// object, perhaps.
bool isForHull(const AccessRecord &record) {
  if (record.isAtMost() || record.isScattered()) {
    return false;
  }
  const std::uint64_t most = record.hull.size() / kFewRuns;
  const Runs wide = record.runs(true);
  const std::uint64_t runs = wide.count(most);
  return runs > kFewRuns && record.hull.size() / runs <= kMostOfRun &&
         (!record.isWritten() || record.runs(false).length >= kLeastRun);
}

/// Where `records` write run by run, also where hulls are taken: hulls, sorted.
std::vector<Range> writtenByRuns(const std::vector<AccessRecord> &records) {
  std::vector<Range> hulls;
  for (const AccessRecord &record : records) {
    if (record.isWritten() && !isForHull(record)) {
      hulls.push_back(record.hull);
    }
  }
  std::ranges::sort(hulls, {}, &Range::begin);
  return hulls;
}

/// Whether `hull` is one of those, which are sorted.
bool isAmong(const std::vector<Range> &hulls, Range hull) {
  const auto [first, last] = std::ranges::equal_range(hulls, hull.begin, {}, &Range::begin);
  return std::find(first, last, hull) != last;
}

/// About how many bytes records touch: overlapping ones count once.
class Estimate {
public:
  void add(Range hull, double bytes) { seen_.push_back({hull, bytes}); }

  double take() {
    std::sort(seen_.begin(), seen_.end(),
              [](const Seen &a, const Seen &b) { return a.hull.begin < b.hull.begin; });
    double sum = 0;
    for (std::size_t first = 0; first < seen_.size();) {
      Seen group = seen_[first];
      std::size_t next = first + 1;
      for (; next < seen_.size() && seen_[next].hull.begin < group.hull.end; ++next) {
        group.hull.end = std::max(group.hull.end, seen_[next].hull.end);
        group.bytes += seen_[next].bytes;
      }
      sum += std::min(static_cast<double>(group.hull.size()), group.bytes);
      first = next;
    }
    seen_.clear();
    return sum;
  }

private:
  struct Seen {
    Range hull;
    double bytes;
  };

  std::vector<Seen> seen_;
};

/// One place's part.
class Part {
public:
  Part(Place place, const memory::Window &window, const Directory &directory,
       memory::AccessRanges ranges)
      : place_(place), window_(window), directory_(directory), ranges_(std::move(ranges)) {}

  /// Whether more of a record counts as written than is.
  bool isCoarse(const AccessRecord &record) const { return ranges_.isCoarse(record); }

  void addExact(const AccessRecord &record) { ranges_.add(record, record.hull); }

  void addUpdates(const AccessRecord &record) { ranges_.addUpdates(record); }

  /// What is in place is put apart. `takesHull`: the rest is taken with its gaps.
  void add(const AccessRecord &record, bool takesHull) {
    const Range reach = record.reach();
    if (!window_.contains(reach)) {
      addExact(record); // Bytes that nobody has mentioned are rank 0's, wherever they are.
      return;
    }
    AccessRecord hull;
    if (takesHull) { // And reads the gaps.
      hull = {record.flags | TUTTI_READ, record.limit, record.hull, record.hull.size(), {}};
    }
    const AccessRecord &whole = takesHull ? hull : record;
    const bool isRead = whole.isRead() || whole.isAtMost() || ranges_.isCoarse(whole);
    std::uint64_t inPlace = 0;
    std::uint64_t notHome = 0;
    directory_.forEach(reach, [&](Range piece, const Holders &holders) {
      bool isInPlace = false;
      if (record.isWritten()) {
        isInPlace = holdsAlone(holders, place_);
        if (isInPlace) {
          written_.push_back(piece);
        } else {
          ranges_.addWrites(whole, piece);
          if (takesHull) {
            taken_.push_back(piece);
          }
        }
      }
      if (isRead) {
        if (holds(holders, place_)) {
          isInPlace = true;
          read_.push_back(piece);
        } else {
          ranges_.addReads(whole, piece);
        }
      }
      inPlace += isInPlace ? piece.size() : 0;
      notHome += isInPlace && isRead && holders.front() != 0 ? piece.size() : 0;
    });
    const double share = static_cast<double>(record.bytes()) / static_cast<double>(reach.size());
    if (inPlace > 0) {
      touched_.add(reach, share * static_cast<double>(inPlace));
    }
    if (notHome > 0) {
      notHome_.add(reach, share * static_cast<double>(notHome));
    }
  }

  /// What `records` write in `bytes`, which was in place so far, is not.
  void takeBack(const memory::AccessRecords &records, const RangeSet &bytes) {
    for (const AccessRecord &record : records.records) {
      for (const Range &range : bytes.ranges()) {
        if (record.reach().overlaps(range)) {
          ranges_.addWrites(record, range);
        }
      }
    }
  }

  memory::AccessSet takeSets() { return ranges_.take(); }

  /// Hulls that are taken with what the records write in them.
  const std::vector<Range> &takenHulls() const { return taken_; }

  /// Whether it touches some of `bytes`; `access` is what is not in place.
  bool touches(const RangeSet &bytes, const ChunkAccess &access) const {
    return access.reads.overlaps(bytes) || access.writes.overlaps(bytes) ||
           ownWrites_.overlaps(bytes) ||
           std::any_of(read_.begin(), read_.end(),
                       [&](const Range &range) { return bytes.overlaps(RangeSet::of({range})); });
  }

  /// Once all records have been added.
  void finish() { ownWrites_ = RangeSet::of(std::exchange(written_, {})); }

  const RangeSet &ownWrites() const { return ownWrites_; }

  /// In no order.
  const std::vector<Range> &readInPlace() const { return read_; }

  ChunkAccess takeInPlace() {
    return {RangeSet::of(std::exchange(read_, {})), std::move(ownWrites_)};
  }

  double bytesInPlace() { return touched_.take(); }

  double bytesNotHome() { return notHome_.take(); }

private:
  Place place_;
  const memory::Window &window_;
  const Directory &directory_;
  memory::AccessRanges ranges_;
  std::vector<Range> taken_;
  std::vector<Range> read_;    ///< In place.
  std::vector<Range> written_; ///< In place.
  RangeSet ownWrites_;
  Estimate touched_;
  Estimate notHome_;
};

/// Bytes that a place takes with what it writes.
struct Taken {
  Range range;
  Place taker;
};

constexpr Place kNobody = -1;

/// Whether some of `ranges` are among `taken`, which are in order and apart, by another one than
/// `place`.
bool overlaps(const std::vector<Taken> &taken, Place place, const std::vector<Range> &ranges) {
  return std::ranges::any_of(ranges, [&](const Range &range) {
    auto each = std::ranges::upper_bound(taken, range.begin, {},
                                         [](const Taken &other) { return other.range.end; });
    for (; each != taken.end() && each->range.begin < range.end; ++each) {
      if (each->taker != place) {
        return true;
      }
    }
    return false;
  });
}

/// Makes one survey.
class Surveyor {
public:
  /// `isExact`: bytes count as written only if they may be, however many runs that makes.
  Surveyor(const Launch &launch, const memory::Window &window, const memory::Topology &topology,
           const Directory &directory, Telling telling, const RangeSet &arrays, bool isExact)
      : launch_(launch), window_(window), topology_(topology), directory_(directory),
        telling_(telling), arrays_(arrays), isExact_(isExact),
        allocationOf_(allocationsOf(launch)) {}

  Survey make();

private:
  /// A place with a part.
  struct Working {
    Place place;
    memory::AccessRecords records;
    Part part;
    RangeSet scattered; ///< What other parts may write, too.
  };

  ChunkAccess &accessOf(Place place) { return survey_.accesses[static_cast<std::size_t>(place)]; }

  void addParts();
  void addPart(Place place, const balance::Chunk &chunk);
  bool noteParts();
  bool note(Working &working, const memory::AccessSet &sets);
  bool othersTouchHulls();
  void takeBackWhatOthersTouch();
  memory::AccessRanges rangesFor(const memory::AccessRecords &records) const;
  Survey again(Telling telling, bool isExact) const;
  Survey attempt();
  void addUpdates(std::span<const memory::UpdatedBytes> updates);
  bool touchesUpdated() const;
  void takeRests();
  void scatterUpdates();
  RangeSet scatteredBySeveral() const;
  bool mayCollide(const RangeSet &scattered) const;
  void merge(const RangeSet &scattered);
  void sumUp();

  const Launch &launch_;
  const memory::Window &window_;
  const memory::Topology &topology_;
  const Directory &directory_;
  Telling telling_;
  const RangeSet &arrays_;
  bool isExact_;
  bool isCoarse_ = false; ///< More may count as written than is.
  AllocationOf allocationOf_;
  Survey survey_;
  std::vector<Working> working_;
  memory::AccessSet reduced_;    ///< Variables that a reduction is combined into.
  std::vector<Range> scattered_; ///< What several parts may write,
  std::vector<Range> written_;   ///< and what any does; both but for what is in place.
};

memory::AccessRanges Surveyor::rangesFor(const memory::AccessRecords &records) const {
  using memory::AccessRanges;
  return AccessRanges(AccessRanges::kMaxRanges,
                      isExact_ ? AccessRanges::kMaxRanges : AccessRanges::mostExactRuns(records));
}

void Surveyor::addPart(Place place, const balance::Chunk &chunk) {
  TouchRecords records = recordsOf(launch_, window_, chunk.lower, chunk.upper, allocationOf_);
  if (chunk.lower == 0 && !chunk.empty() && !records.reduced.records.empty()) {
    reduced_ = setOf(records.reduced);
  }
  survey_.reach = std::max(survey_.reach, records.reach); // Empty parts have none.
  survey_.chunks[static_cast<std::size_t>(place)] = chunk;
  Part part(place, window_, directory_, rangesFor(records.touched));
  const bool takesHulls = telling_ == Telling::Hulls;
  const std::vector<Range> byRuns =
      takesHulls ? writtenByRuns(records.touched.records) : std::vector<Range>();
  for (const AccessRecord &record : records.touched.records) {
    if (record.isUpdated() && launch_.shares.size() > 1) {
      part.addUpdates(record);
      continue;
    }
    isCoarse_ = isCoarse_ || part.isCoarse(record);
    if (telling_ == Telling::Nothing || (record.isScattered() && launch_.shares.size() > 1)) {
      part.addExact(record);
    } else {
      // Who got the gaps of what it writes by runs would share them with whoever writes them next.
      part.add(record, takesHulls && isForHull(record) && !isAmong(byRuns, record.hull));
    }
  }
  part.finish();
  working_.push_back({place, std::move(records.touched), std::move(part), {}});
}

void Surveyor::addParts() {
  const std::vector<balance::Chunk> chunks = chunksOf(launch_);
  working_.reserve(chunks.size());
  for (std::size_t index = 0; index < chunks.size(); ++index) {
    if (launch_.onlyShare < 0 || launch_.onlyShare == static_cast<std::int32_t>(index)) {
      addPart(launch_.shares[index].place, chunks[index]);
    }
  }
  if (launch_.portion.index > 0 || launch_.first > 0) {
    // Each portion is combined, not only the one that begins the loop, and so is what follows what
    // was executed at home.
    reduced_ = setOf(recordsOf(launch_, window_, 0, 1, allocationOf_).reduced);
  }
}

/// Adds sets to those of a place; whether they allow distribution.
bool Surveyor::note(Working &working, const memory::AccessSet &sets) {
  survey_.reasonHome = reasonAgainst(sets, window_);
  working.scattered = working.scattered.unite(sets.scattered);
  append(written_, sets.writes);
  addUpdates(sets.updates);
  ChunkAccess &access = accessOf(working.place);
  access.reads = access.reads.unite(sets.reads);
  access.writes = access.writes.unite(sets.writes);
  return survey_.reasonHome.empty();
}

/// Adds what a part updates to what others do.
void Surveyor::addUpdates(std::span<const memory::UpdatedBytes> updates) {
  for (const memory::UpdatedBytes &updated : updates) {
    const auto known =
        std::ranges::find(survey_.updates, updated.update, &memory::UpdatedBytes::update);
    if (known == survey_.updates.end()) {
      survey_.updates.push_back(updated);
    } else {
      known->bytes = known->bytes.unite(updated.bytes);
    }
    if (survey_.reasonHome.empty() && !isInside(window_, updated.bytes)) {
      survey_.reasonHome = kOutside;
    }
  }
}

/// Whether something that is updated is touched in another way, too, or may have to be undone.
bool Surveyor::touchesUpdated() const {
  RangeSet all;
  for (const memory::UpdatedBytes &updated : survey_.updates) {
    if (all.overlaps(updated.bytes)) {
      return true;
    }
    all = all.unite(updated.bytes);
  }
  return !all.empty() &&
         (survey_.reach != 0 || reduced_.reads.overlaps(all) || reduced_.writes.overlaps(all) ||
          std::any_of(working_.begin(), working_.end(), [&](const Working &working) {
            return working.part.touches(all,
                                        survey_.accesses[static_cast<std::size_t>(working.place)]);
          }));
}

/// Adds what places take. Nothing where bytes are compared to find out who wrote them, or where all
/// may have to be undone.
void Surveyor::takeRests() {
  const bool isScattered = std::ranges::any_of(
      working_, [](const Working &working) { return !working.scattered.empty(); });
  if (arrays_.empty() || isScattered || !survey_.updates.empty() || survey_.reach != 0) {
    return;
  }
  std::vector<Taker> takers;
  for (const Working &working : working_) {
    takers.push_back({working.place, working.records, working.part.ownWrites(),
                      working.part.readInPlace(), accessOf(working.place)});
  }
  survey_.taken = exec::takeRests(takers, {reduced_.reads, reduced_.writes}, arrays_, directory_);
}

/// What is updated is written by all that have a part, and merged.
void Surveyor::scatterUpdates() {
  for (const memory::UpdatedBytes &updated : survey_.updates) {
    append(scattered_, updated.bytes);
    for (const Working &working : working_) {
      if (!survey_.chunks[static_cast<std::size_t>(working.place)].empty()) {
        ChunkAccess &access = accessOf(working.place);
        access.reads = access.reads.unite(updated.bytes);
        access.writes = access.writes.unite(updated.bytes);
      }
    }
  }
}

/// Whether what the parts touch allows distribution.
bool Surveyor::noteParts() {
  for (Working &working : working_) {
    memory::AccessSet sets = working.part.takeSets();
    sets.tooMany = sets.tooMany || working.records.wrapsAround;
    sets.anywhere = working.records.anywhere;
    sets.unresolved = working.records.unresolved;
    if (!note(working, sets)) {
      return false;
    }
  }
  survey_.reasonHome = reasonAgainst(reduced_, window_);
  return survey_.reasonHome.empty();
}

/// Whether anybody touches what another place takes with what it writes.
///
/// Cost: linear in places, but for looking up.
bool Surveyor::othersTouchHulls() {
  std::vector<Taken> all;
  for (const Working &working : working_) {
    for (const Range &range : working.part.takenHulls()) {
      all.push_back({range, working.place});
    }
  }
  std::ranges::sort(all, {}, [](const Taken &taken) { return taken.range.begin; });
  std::size_t kept = 0; // Joined, and apart from one another.
  for (const Taken next : all) {
    if (kept == 0 || next.range.begin >= all[kept - 1].range.end) {
      all[kept++] = next;
    } else if (all[kept - 1].taker != next.taker) {
      return true;
    } else {
      all[kept - 1].range.end = std::max(all[kept - 1].range.end, next.range.end);
    }
  }
  all.resize(kept);
  return overlaps(all, kNobody, reduced_.reads.ranges()) ||
         overlaps(all, kNobody, reduced_.writes.ranges()) ||
         std::ranges::any_of(working_, [&](const Working &other) {
           const ChunkAccess &access = accessOf(other.place);
           return overlaps(all, other.place, access.reads.ranges()) ||
                  overlaps(all, other.place, access.writes.ranges()) ||
                  overlaps(all, other.place, other.part.ownWrites().ranges()) ||
                  overlaps(all, other.place, other.part.readInPlace());
         });
}

/// What a place alone has and writes is in place only if nobody else touches it. Others touch it
/// only with what is not in place for them, because they do not have it.
void Surveyor::takeBackWhatOthersTouch() {
  std::vector<Range> moving;
  append(moving, reduced_.reads);
  append(moving, reduced_.writes);
  for (const Working &working : working_) {
    append(moving, accessOf(working.place).reads);
    append(moving, accessOf(working.place).writes);
  }
  if (moving.empty()) {
    return;
  }
  const RangeSet all = RangeSet::of(std::move(moving));
  for (Working &working : working_) {
    const RangeSet common = working.part.ownWrites().intersect(all);
    if (!common.empty()) {
      working.part.takeBack(working.records, common);
      if (!note(working, working.part.takeSets())) {
        return;
      }
    }
  }
}

/// What a part may scatter into, and another one writes, too. What only one part writes is that
/// one's, like all that is written in closed form, as long as nothing has to be undone.
RangeSet Surveyor::scatteredBySeveral() const {
  std::vector<Range> all;
  if (survey_.reach != 0) {
    for (const Working &working : working_) {
      append(all, working.scattered);
    }
    return RangeSet::of(std::move(all));
  }
  RangeSet before;          // What earlier parts write,
  RangeSet scatteredBefore; // and of it what they scatter into.
  for (const Working &working : working_) {
    const RangeSet &writes = survey_.accesses[static_cast<std::size_t>(working.place)].writes;
    append(all, working.scattered.intersect(before));
    append(all, writes.intersect(scatteredBefore));
    before = before.unite(writes);
    scatteredBefore = scatteredBefore.unite(working.scattered);
  }
  return RangeSet::of(std::move(all));
}

/// Whether two places may write the same byte that is not in `scattered`.
bool Surveyor::mayCollide(const RangeSet &scattered) const {
  RangeSet all;
  for (const ChunkAccess &access : survey_.accesses) {
    const RangeSet own = access.writes.subtract(scattered);
    if (all.overlaps(own)) {
      return true;
    }
    all = all.unite(own);
  }
  return false;
}

/// `scattered` bytes become what the host of rank 0 writes. All that have a part, their hosts and
/// that one begin with the same bytes: changes are found by comparing with those. A launch that
/// follows pointers may be dropped, so even a single place does not write them itself.
void Surveyor::merge(const RangeSet &scattered) {
  const bool isTentative = survey_.reach != 0;
  std::vector<bool> reads(survey_.chunks.size());
  reads[0] = true;
  std::size_t parts = 0;
  std::vector<RangeSet> mergedAt(static_cast<std::size_t>(topology_.ranks()));
  for (std::size_t place = 0; place < survey_.chunks.size(); ++place) {
    if (!survey_.chunks[place].empty()) {
      const auto rank = static_cast<std::size_t>(topology_.rankOf(static_cast<Place>(place)));
      reads[place] = true;
      reads[rank] = true;
      mergedAt[rank] = mergedAt[rank].unite(survey_.accesses[place].writes.intersect(scattered));
      ++parts;
    }
  }
  if (parts < 2 && !isTentative) {
    survey_.updates.clear();
    return; // One place writes all of it.
  }
  survey_.merged = scattered;
  mergedAt.front() = scattered;
  if (!isTentative) {
    std::fill(mergedAt.begin(), mergedAt.end(), scattered);
  }
  for (std::size_t place = 0; place < survey_.chunks.size(); ++place) {
    ChunkAccess &access = survey_.accesses[place];
    access.writes = access.writes.subtract(scattered);
    if (reads[place]) {
      const auto rank = static_cast<std::size_t>(topology_.rankOf(static_cast<Place>(place)));
      access.reads = access.reads.unite(mergedAt[rank]);
    }
  }
  survey_.accesses.front().writes = survey_.accesses.front().writes.unite(scattered);
  survey_.mergedAt = std::move(mergedAt);
}

/// What all places touch, with what reductions are combined into; two that write the same byte are
/// a reason to stay home.
void Surveyor::sumUp() {
  std::vector<Range> reads;
  std::vector<Range> writes;
  std::vector<Range> writesElsewhere;
  std::uint64_t writtenBytes = reduced_.writes.bytes();
  for (std::size_t place = 0; place < survey_.accesses.size(); ++place) {
    const ChunkAccess &access = survey_.accesses[place];
    append(reads, access.reads);
    append(writes, access.writes);
    if (place > 0) {
      append(writesElsewhere, access.writes);
    }
    writtenBytes += access.writes.bytes();
  }
  append(reads, reduced_.reads);
  append(writes, reduced_.writes);
  ChunkAccess &host = survey_.accesses.front();
  host.reads = host.reads.unite(reduced_.reads);
  host.writes = host.writes.unite(reduced_.writes);
  survey_.reduced = reduced_.reads.unite(reduced_.writes);
  survey_.reads = RangeSet::of(std::move(reads));
  survey_.writes = RangeSet::of(std::move(writes));
  survey_.writtenElsewhere = RangeSet::of(std::move(writesElsewhere));
  if (survey_.writes.bytes() != writtenBytes) {
    survey_.reasonHome = kCollision;
  }
}

Survey Surveyor::again(Telling telling, bool isExact) const {
  return Surveyor(launch_, window_, topology_, directory_, telling, arrays_, isExact).make();
}

Survey Surveyor::make() {
  Survey survey = attempt();
  if (survey.reasonHome == kMixed && telling_ != Telling::Nothing) {
    return again(Telling::Nothing, isExact_); // Without what lies between the runs of others.
  }
  // Parts whose writes lie between each other's count small gaps apart.
  const bool mayHelp =
      isCoarse_ && (survey.reasonHome == kCollision || (survey.reasonHome == kMixed && !isExact_));
  return mayHelp ? again(telling_, true) : std::move(survey);
}

Survey Surveyor::attempt() {
  survey_.chunks.assign(static_cast<std::size_t>(topology_.places()), {0, 0});
  survey_.accesses.resize(survey_.chunks.size());
  survey_.inPlace.resize(survey_.chunks.size());
  addParts();
  if (survey_.reach != 0 && telling_ != Telling::Nothing) {
    // All that it writes is merged.
    return again(Telling::Nothing, isExact_);
  }
  if (!noteParts()) {
    return std::move(survey_);
  }
  if (othersTouchHulls()) {
    return again(Telling::InPlaceApart, isExact_);
  }
  takeBackWhatOthersTouch();
  if (survey_.reasonHome.empty() && touchesUpdated()) {
    survey_.reasonHome = kMixed;
  }
  if (!survey_.reasonHome.empty()) {
    return std::move(survey_);
  }
  takeRests();
  scatterUpdates();
  for (Working &working : working_) {
    survey_.inPlace[static_cast<std::size_t>(working.place)] = working.part.takeInPlace();
    survey_.bytesInPlace += working.part.bytesInPlace();
    survey_.bytesNotHome += working.part.bytesNotHome();
  }
  append(scattered_, scatteredBySeveral());
  if (survey_.reach != 0) {
    if (mayCollide(RangeSet::of(scattered_))) {
      survey_.reasonHome = kCollision;
      return std::move(survey_);
    }
    scattered_.insert(scattered_.end(), written_.begin(), written_.end());
  }
  if (!scattered_.empty()) {
    merge(RangeSet::of(std::move(scattered_)));
  }
  sumUp();
  return std::move(survey_);
}

} // namespace

std::vector<balance::Chunk> chunksOf(const Launch &launch) {
  std::vector<std::uint32_t> weights;
  weights.reserve(launch.shares.size());
  for (const Share &share : launch.shares) {
    weights.push_back(share.weight);
  }
  if (launch.piece > 1) {
    const std::int64_t pieces = (launch.total - 1) / launch.piece + 1;
    std::vector<balance::Chunk> chunks = balance::cut(pieces, weights);
    for (balance::Chunk &chunk : chunks) {
      chunk = {std::min(chunk.lower * launch.piece, launch.total),
               std::min(chunk.upper * launch.piece, launch.total)};
    }
    return chunks;
  }
  std::vector<balance::Chunk> chunks = balance::cut(launch.total - launch.first, weights);
  for (balance::Chunk &chunk : chunks) {
    chunk =
        balance::partOf({launch.first + chunk.lower, launch.first + chunk.upper}, launch.portion);
  }
  return chunks;
}

Survey surveyOf(const Launch &launch, const memory::Window &window,
                const memory::Topology &topology, const Directory &directory, Telling telling,
                const RangeSet &arrays) {
  return Surveyor(launch, window, topology, directory, telling, arrays, false).make();
}

} // namespace tutti::exec
