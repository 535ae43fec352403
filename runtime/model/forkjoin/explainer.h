// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Says where a loop runs and why: each way to run it, with what it is expected to take and what it
/// took. Decides nothing.
#pragma once

#include "runtime/balance/cost.h"
#include "runtime/exec/engine.h"
#include "runtime/exec/placement.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/residency.h"
#include "runtime/model/forkjoin/alternatives.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::model::forkjoin {

/// A way to run a loop: a tutti_device_kind, where CPU stands for the hosts of all ranks and GPU
/// for devices of several backends; or kHome.
using Way = std::uint32_t;
inline constexpr Way kHome = ~Way{0};

/// What was said of one loop, and what the ways took that were measured.
///
/// Threading: externally synchronised.
struct Explained {
  std::map<Way, balance::Measured> took; ///< Per iteration.
  std::string said;                      ///< The choice that was said last, and why.
};

/// What a decision has to weigh.
balance::Proposal proposalOf(const exec::Launch &launch, const exec::Plan &plan);

/// A launch that runs at home.
struct AtHome {
  std::string_view source; ///< Of its loop.
  std::int64_t iterations;
  double seconds; ///< What it takes there; 0 if that is not known.
  std::string_view why;
};

/// Says so, whoever wants to know.
void sayHome(const AtHome &launch, const Alternatives::Rounds &rounds = {});

/// Threading: externally synchronised.
class Explainer {
public:
  /// `hosts`, `devices`: what distributing over all of them costs; they may change later.
  Explainer(exec::Engine &engine, const exec::Placer &placer, const balance::Machine &hosts,
            const balance::Machine &devices, bool isOn)
      : engine_(engine), placer_(placer), hosts_(hosts), devices_(devices), isOn_(isOn) {}

  bool isOn() const { return isOn_; }

  /// The way to run a loop on these places.
  Way wayOf(const std::vector<exec::Share> &shares) const;

  /// Takes the time of a launch into account, if anybody wants to know.
  void note(Explained &known, Way way, std::int64_t iterations, double seconds) const;

  /// Whether it was measured often enough what a loop takes on these places.
  bool isKnown(const Explained &known, const std::vector<exec::Share> &shares) const {
    const auto took = known.took.find(wayOf(shares));
    return took != known.took.end() && took->second.isKnown();
  }

  /// One decision.
  struct Decided {
    Way way;                      ///< The choice.
    std::string_view why;         ///< Of that choice.
    Way weighed;                  ///< What was weighed against home,
    const exec::Plan *plan;       ///< its plan; null if there is none,
    const balance::Machine *away; ///< and what it costs; null if there is no plan.
    double homeCompute;           ///< What the launch takes on rank 0. Units: seconds.
    Alternatives::Rounds rounds;  ///< What was measured to choose among ways.
  };

  /// Says what was decided on `launch`, unless it is what was said last and nothing else was
  /// measured since then.
  ///
  /// Cost: a plan for each way that was not weighed.
  void explain(Explained &known, const exec::Launch &launch, const Decided &decided,
               const exec::Residency &residency) const TUTTI_IN_TURN;

  /// The same for a launch that stays home before it is known what it would move.
  void explainHome(Explained &known, const exec::Launch &launch, std::string_view why,
                   const Alternatives::Rounds &rounds) const;

private:
  bool isNew(Explained &known, Way way, std::string_view why) const;
  balance::Machine machineFor(const exec::Placement &placement) const;
  std::vector<Way> waysOf() const;
  void sayOther(const Explained &known, const exec::Launch &launch, Way way, double homeCompute,
                const exec::Residency &residency) const TUTTI_IN_TURN;

  exec::Engine &engine_;
  const exec::Placer &placer_;
  const balance::Machine &hosts_;
  const balance::Machine &devices_;
  bool isOn_;
};

} // namespace tutti::model::forkjoin
