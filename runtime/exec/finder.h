// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Finds out on rank 0 what the records of a launch depend on and no other rank knows: the words
/// that its region follows, and the allocations that it asks for.
#pragma once

#include "abi/abi.h"
#include "base/range.h"
#include "runtime/exec/followed.h"
#include "runtime/exec/launch.h"
#include "runtime/memory/objects.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::exec {

/// Remembers for each region what some launches have asked for, and asks again only if their
/// captures differ, or memory where they followed pointers.
///
/// Threading: confined to the program's main thread, which alone changes memory that launches
///            depend on. No lock is held: memory is read as the program would, and may fault.
class Finder {
public:
  /// Words that a region may follow, each counted as often as it does.
  static constexpr std::size_t kMostWords = std::size_t{4} << 20;

  /// `ranks`: how many there are; one alone needs not know which pages it touches.
  explicit Finder(const memory::Window &window, memory::Objects objects,
                  std::size_t mostWords = kMostWords, std::size_t ranks = 1)
      : window_(window), objects_(std::move(objects)), mostWords_(mostWords), ranks_(ranks) {}

  /// What `complete` gives.
  struct Found {
    std::string_view reasonHome; ///< Why the launch has to stay home; or empty.
    /// Below 1: it was left off, having followed about this share of the words. The launch is not
    /// complete then.
    double share = 1;
  };

  /// Completes `launch`, all else of which is known, for as long as memory stays as it is. Leaves
  /// off where that takes following more than `mostWords` anew.
  ///
  /// Cost: in a steady loop one comparison of each word that is followed. Each allocation is looked
  ///       up if the program has allocated or freed anything.
  Found complete(Launch &launch, std::size_t mostWords = kMostWords);

  /// Says page by page what the iterations of a complete launch touch at computed addresses, where
  /// that is known or worth finding out: of objects of 256 KiB or more, and not at each launch. If
  /// the launch `usesDevices`, these take whole objects. Why it stays home if it is one for one
  /// thread, and nobody knows that its iterations keep apart; or empty.
  ///
  /// Order: all that the program has changed so far has been noted by who watches.
  /// Cost:  in a steady loop one look-up; otherwise about as much as the iterations take.
  std::string_view inspect(Launch &launch, bool usesDevices = false);

  /// What has to be watched from now on, for the lists of a launch to hold at the next one; null if
  /// it is watched.
  std::shared_ptr<Watched> unwatched(const Launch &launch);

  /// Finds the arrays of the heap that the launch names: one launch of a loop that moves on through
  /// them touches too little to show how large they are.
  ///
  /// Cost: one look-up for each variable that may be an address of the heap.
  void findArrays(Launch &launch) const;

  const memory::Objects &objects() const { return objects_; }

private:
  class Sink;
  class Inspection;

  /// A pointer whose allocation a region asks for.
  struct Asked {
    std::uint64_t address;
    bool isWritten;
  };

  /// What is known of what is touched at computed addresses.
  struct Lists {
    std::shared_ptr<const Followed> known; ///< Null if nothing is. Shared with launches.
    /// The same without objects, for launches that take these as a whole.
    std::shared_ptr<const Followed> bare;
    std::shared_ptr<Watched> index; ///< What it depends on; shared with who watches it.
    bool areVain = false;           ///< There is nothing worth knowing.
    bool isForOneThread = false;    ///< It was found out whether iterations keep apart: they do.
  };

  /// What finding that out has been worth in a region.
  struct Worth {
    std::uint64_t launches = 0;
    std::uint64_t firsts = 0;      ///< Inspections of new launches for one thread,
    std::uint64_t inspections = 0; ///< and others.
    std::uint64_t used = 0;        ///< Launches that have used what an earlier one has found.
    std::uint64_t latest = 0;      ///< The launch that has found it out last.
  };

  /// Whether iterations keep apart as far as records tell, if that is known.
  struct Order {
    std::optional<bool> isOpen;
    bool isRough = false;                ///< More records might have told that it is.
    std::vector<Allocation> allocations; ///< With which it is right.
  };

  /// What launches with the same captures and values ask for, while memory is the same, too.
  struct Known {
    std::vector<std::uint64_t> captures;
    std::vector<std::uint64_t> values;
    std::vector<Asked> asked;    ///< By address.
    std::string_view reasonHome; ///< That comes of the words; or empty.
    /// Null if the region does not follow pointers. Shared with launches.
    std::shared_ptr<const Followed> followed;
    /// As of which its allocations are right: the version of the heap, and the launch's frame.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> seenAt;
    Lists lists;
    bool wereListsSought = false;
    Order order;
  };

  /// Launches of a region, the oldest first.
  struct Remembered {
    std::list<Known> all;
    /// Of the captures and values of each. By themselves: launches that were never seen before look
    /// at all of them.
    std::vector<std::uint64_t> hashes;
  };

  Known *recall(const Launch &launch);
  std::pair<Known, double> ask(const Launch &launch, std::size_t mostWords);
  Known &remember(const Launch &launch, Known known);
  void findAllocations(const Known &known, Launch &launch) const;
  void renewAllocations(Known &known, Launch &launch);
  RangeSet objectsAround(std::vector<std::uint64_t> addresses) const;
  std::shared_ptr<const Followed> intern(Followed::Content content);
  TouchLists listsOf(const Launch &launch) const;
  bool findLists(Launch &launch, Known &known);
  bool isOrderOpen(const Launch &launch, Known &known) const;

  const memory::Window &window_;
  memory::Objects objects_;
  std::size_t mostWords_;
  std::size_t ranks_;
  std::map<const tutti_region *, Remembered> known_;
  std::map<const tutti_region *, Worth> worth_;
  std::uint64_t nextId_ = 0;
};

} // namespace tutti::exec
