// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Plans of launches that are in place as a whole. They are made from the hulls of records alone,
/// in the memory of earlier ones: such a launch costs little more than a look-up, though it is one
/// of very many that differ by an offset.
#pragma once

#include "runtime/exec/in_place.h"
#include "runtime/exec/launch.h"
#include "runtime/exec/plan.h"
#include "runtime/exec/site.h"

#include <deque>
#include <memory>
#include <vector>

namespace tutti::exec {

/// Threading: externally synchronised. Regions report to it: it stays where it is.
class InPlacePlans {
public:
  explicit InPlacePlans(const Site &site) : site_(site), check_(site.window) {}

  /// `InPlaceCheck::holds`.
  bool holds(const Launch &launch, const memory::Directory &directory) {
    return check_.holds(launch, directory);
  }

  /// The plan of a launch for which `holds` has just said so. `unchanged`: its outcome.
  std::shared_ptr<const Plan> make(const Launch &launch, std::shared_ptr<const Outcome> unchanged);

private:
  std::shared_ptr<Plan> blank();
  void addPart(Plan &plan, const InPlaceCheck::Part &part, std::size_t &own) const;

  Site site_;
  InPlaceCheck check_;
  /// The latest last, for the memory that they have once nobody else has them.
  std::deque<std::shared_ptr<Plan>> made_;
};

/// Adds who contributes to reductions and to what is merged. `hasPart`: by rank.
void addContributors(Plan &plan, const std::vector<bool> &hasPart);

} // namespace tutti::exec
