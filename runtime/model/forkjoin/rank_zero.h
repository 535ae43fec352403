// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Launches on the rank that runs the program: decides, announces, computes its chunk, and keeps
/// its pages in step with the directory.
#pragma once

#include "runtime/balance/cost.h"
#include "runtime/balance/recut.h"
#include "runtime/exec/finder.h"
#include "runtime/exec/owners.h"
#include "runtime/exec/placement.h"
#include "runtime/exec/residency.h"
#include "runtime/memory/objects.h"
#include "runtime/memory/protection.h"
#include "runtime/memory/twins.h"
#include "runtime/model/forkjoin/fetcher.h"
#include "runtime/protocol/job.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::model::forkjoin {

using exec::DeviceTraits;
using exec::Finder;
using exec::Launch;
using exec::Leaving;
using exec::Place;
using exec::Placement;
using exec::Placer;
using exec::Plan;
using exec::Planner;
using exec::PowerFactors;
using exec::Progress;
using exec::Residency;
using exec::Sequence;
using exec::Share;
using protocol::Job;
using protocol::JobSetup;
using protocol::KernelName;
using protocol::Reservation;

enum class Distribute { Auto, Always, Never };

/// Threading: `launch`, `renewStackBelow`, `ranHome` and `finish` from the program's main thread,
///            the latter two on any stack; `ready`, `renew` and `settle` from any thread.
class RankZero {
public:
  struct Setup {
    JobSetup job;
    memory::PageTable &pages;
    memory::Objects objects;
    Distribute distribute;
    std::vector<DeviceTraits> devices; ///< Of all ranks, in the order of places.
    std::uint32_t wanted;              ///< A tutti_device_kind for the whole run, or AUTO.
  };

  explicit RankZero(Setup setup);

  /// Starts serving faults and messages.
  void start();

  memory::TouchQueue &touches() { return job_.queue; }

  /// Reads what the region needs as scalars. Runs on the user's stack and may fault. `frame`: an
  /// address below all live frames of the user.
  /// Nothing if the region stays home, for a reason that has been noted.
  std::optional<Launch> prepare(const tutti_region &region, const std::uint64_t *captures,
                                std::uint64_t frame);

  /// Takes a launch back that is over, for its memory.
  void recycle(Launch &&launch);

  /// Runs a prepared launch on all ranks; false, with nothing done, if it is to run at home. The
  /// stack it runs on is not part of the window.
  bool distribute(Launch &launch);

  /// Notes a launch that is about to run at home for a reason known from outside.
  void staysHome(const tutti_region &region, std::string_view reason);

  /// Notes how long a launch that stayed home took.
  void ranHome(const tutti_region &region, double seconds);

  /// The same for a launch that was prepared, and might be distributed the next time.
  void ranHome(const Launch &launch, double seconds);

  /// Makes `range` readable, or writable, as a touch would. Does nothing outside of the window.
  void ready(Range range, bool write);

  /// Makes `range`, in which nothing is alive, writable; what it holds may be lost. For the kernel
  /// a protected page is an error, and what will be there may be given to system calls.
  void renew(Range range);

  /// Renews `main`'s stack below `end`.
  void renewStackBelow(std::uint64_t end);

  /// Waits until this rank's devices have done what they were given. From any thread, on any stack.
  void settle();

  /// Ends the job for all ranks and gives the sums of all counters.
  trace::Report finish();

private:
  /// A launch under decision: where it would run, and what decides whether it does.
  struct Option {
    Placement placement;
    bool isWanted = false; ///< The user asks for it: no weighing of cost.
    const balance::Machine *machine = nullptr;
    balance::RegionHistory *history = nullptr;
  };

  struct RegionRecord {
    balance::RegionHistory onHosts;
    balance::RegionHistory onDevices;
    PowerFactors factors;
    Option option;                      ///< Of the last launch; kept for its memory.
    std::optional<Placement> placement; ///< As far as it is always the same.
    std::vector<Share> shares;          ///< Of the last launch that was distributed.
    std::string_view keptOff;           ///< Why devices cannot have it, as it turned out; or empty.
    bool hasStrayed = false;            ///< A launch had to be undone: the next ones stay home.
    bool isTooLarge = false;            ///< Even in portions, for some device; that has been said.
    trace::RegionReport report;
    std::array<std::vector<Share>, 2> cuts; ///< The latest two that differ; the latest first.
    balance::Recut recut;
    std::uint32_t plansMade = 0;   ///< Of launches that were not in place.
    std::uint32_t cutsMissed = 0;  ///< Times in a row that its data lay where it could not stay,
    std::uint32_t cutsSkipped = 0; ///< and launches since the last of them.
    std::uint64_t bytesOnFewer =
        0;                      ///< What the last launch touched, if too little for all devices.
    double bytesToStayHome = 0; ///< That the launch that now stays home has to fetch.
  };

  RegionRecord &recordOf(const tutti_region &region);
  const Placement &placementOf(RegionRecord &record, const tutti_region &region,
                               std::uint32_t wanted) const;
  Option &optionFor(RegionRecord &record, const tutti_region &region) const;
  Option hostsOnly(RegionRecord &record, std::string_view reason) const;
  bool isWorth(const Option &option, const Launch &launch, const Plan &plan) const;
  bool readShared(std::uint64_t address, std::span<std::byte> target) const;
  void settle(Progress::Lock &lock);
  std::optional<Planner::Planned> findPlan(const RegionRecord &record, Launch &launch);
  Planner::Planned planOf(const RegionRecord &record, Launch &launch);
  Planner::Planned planOnAll(RegionRecord &record, Launch &launch, const Option &option);
  static void noteCut(RegionRecord &record, const Launch &launch);
  std::optional<Planner::Planned> planAsBefore(const RegionRecord &record, Launch &launch,
                                               const Option &option);
  static bool isCutDue(RegionRecord &record, const Launch &launch, const Option &option,
                       const Owned &owned);
  std::optional<Planner::Planned> planWhereDataIs(RegionRecord &record, Launch &launch,
                                                  const Option &option);
  std::optional<Planner::Planned> plan(RegionRecord &record, Launch &launch, Option &option);
  void passOver(Place place, RegionRecord &record, const Launch &launch, Option &option) const;
  std::optional<Planner::Planned> decide(Progress::Lock &lock, RegionRecord &record, Launch &launch,
                                         Option &option);
  bool isToBeMeasured(const Option &option) const;
  std::vector<Reservation> reservationsFor(const Launch &launch, const Plan &plan) const;
  void release(const Leaving &leaving);
  Status awaitAnswers(Progress::Lock &lock, const std::vector<Reservation> &asked);
  Status makeReady(Progress::Lock &lock, const Launch &launch, Planner::Planned &planned);
  Status makeOwnReady(const Launch &launch, const Plan &plan, const std::vector<Leaving> &lacking);
  std::optional<Planner::Planned> ready(Progress::Lock &lock, RegionRecord &record, Launch &launch,
                                        Option &option);
  [[nodiscard]] bool run(Progress::Lock &lock, RegionRecord &record, Launch &launch,
                         const Planner::Planned &planned, bool isMeasured);
  void finishOnHosts(Progress::Lock &lock, RegionRecord &record, Launch &launch);
  bool dropLost(Progress::Lock &lock);
  void sayLost(Sequence finished);
  void keepOff(RegionRecord &record, const Launch &launch, const Status &status) const;
  void noteSpeeds(RegionRecord &record, const Plan &plan, double seconds);
  void findEverything(Launch &launch);
  void announce(Launch &launch);
  void protect(const std::shared_ptr<const Plan> &plan);
  void countSteps(bool isKnown);
  void countRoutes(trace::Report &report) const;

  Job job_;
  const memory::Window &window_;
  memory::PageTable &pages_;
  Finder finder_;
  Distribute policy_;
  Placer placer_;
  Fetcher fetcher_;
  memory::Twins twins_;
  Residency residency_;
  std::set<std::pair<Place, KernelName>> loaded_; ///< Kernels that devices of other ranks have.
  balance::Machine hosts_;                        ///< What distributing over hosts costs and gains,
  balance::Machine devices_;                      ///< and over devices.
  Sequence sequence_ = 0;
  std::uint64_t protectedStack_; ///< No page of `main`'s stack below is protected.
  Launch spare_;                 ///< Its vectors serve the next launch.
  std::map<const tutti_region *, RegionRecord> regions_; ///< The main thread's.
  /// Lines about lost devices that are not yet written, and the launches at which they were known.
  std::vector<std::pair<Sequence, std::string>> lost_;
  std::uint64_t faultsBefore_ = 0;
  std::uint64_t protectionsBefore_ = 0;
  /// Plans whose pages are protected as they ask, as of that version of the page table. Shared with
  /// the planner, so that no other plan gets the address of one that it has forgotten.
  std::map<std::shared_ptr<const Plan>, std::uint64_t> protectedAt_;
};

} // namespace tutti::model::forkjoin
