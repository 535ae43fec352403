// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How much of a rank's work its cores do, and how much is dragged through its devices, where each
/// step of a program repeats the calls of the one before: shares that follow what steps take. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_set>

namespace tutti::balance {

/// Tries where the border lies between two parts, and keeps it where steps are shorter.
///
/// A trial is three steps after one that is not counted, as what lies on the wrong side of a border
/// moves there; without cores, after as many calls as devices may have been given before they are
/// over. It ends early if it has taken twice what the best one so far would have taken by then.
///
/// Cores may be hundreds of times slower, and a step cannot be cut short. So it begins without
/// them, and goes on with a 256th, of which a trial each makes more, up to all: until cores are
/// waited for. Then it is known how long the whole would take cores, and devices; the next trial is
/// where both would take as long, which is also how each later search begins. A border then goes
/// on in a direction as long as that gains more than a fiftieth, else back and the other way, then
/// by half as much, until that is less than a 64th of the whole. The end of the cores' share is
/// first, then that of what is dragged, if anything is, and again until that gains nothing. Once
/// both are found they stay, until steps have taken a quarter more or less three times in a row:
/// then it begins anew, and what cores were too slow for still is. That has to be twice as often
/// each time that it has ended where it began.
///
/// Threading: externally synchronised.
class Shares {
public:
  /// What of the whole is thought to be the cores', and tried on the way, and what is dragged; the
  /// rest is the devices'.
  Shares(double cores, double drag)
      : borders_{0, drag > 0 ? cores + drag : 0}, mayDrag_(drag > 0), wanted_(cores) {}

  /// A call has ended, known by its statement and its place. Whether shares have moved.
  /// Units: seconds, of any clock that goes on.
  bool add(std::int32_t statement, double place, double now);

  double cores() const { return borders_[0]; }

  double drag() const { return borders_[1] - borders_[0]; }

  /// How often shares have moved, trials included.
  std::uint64_t moves() const { return moves_; }

private:
  struct Place {
    std::int32_t statement;
    double place;
    friend bool operator==(const Place &, const Place &) = default;
  };

  struct Hash {
    std::size_t operator()(const Place &of) const {
      return std::hash<double>()(of.place) * 31 + static_cast<std::size_t>(of.statement);
    }
  };

  static constexpr double kFirstStride = 0.25;
  static constexpr int kFewestSurprises = 3;
  static constexpr int kMostSurprises = 1 << 10;

  enum class Stage : std::uint8_t {
    Alone,     ///< Without cores, of which nothing is known.
    Growing,   ///< With so little of them that a step cannot take long.
    First,     ///< Where a later search begins.
    NoCores,   ///< All is the devices'.
    AsLong,    ///< Where cores and devices would take as long.
    Neighbours ///< Beside the best so far.
  };

  double much() const;
  bool isTooSlow(double now) const;
  std::size_t callsBefore() const;
  bool decide(double seconds);
  bool keepIfBetter(double seconds);
  bool grow(double seconds);
  double moreThan(double share) const;
  bool lookAround();
  bool tryNoCores();
  bool tryAsLong(double seconds);
  bool isHopeless(double border) const;
  bool tryNext();
  bool moveTo(double border);
  bool settle();
  void watch(double seconds);
  void turn();

  std::array<double, 2> borders_; ///< Where the cores' share ends, and what is dragged.
  const bool mayDrag_;
  const double wanted_;                    ///< The cores' share that was said.
  std::unordered_set<Place, Hash> places_; ///< Of calls: each step has one of each.
  std::size_t ended_ = 0;                  ///< Calls since shares have moved, or a trial ended.
  double since_ = 0;                       ///< When shares have moved, or a trial ended.
  double began_ = 0;                       ///< Of what counts of the trial.
  bool isCounting_ = false;
  std::size_t which_ = 0; ///< The border that is looked for; behind both: they are found.
  Stage stage_ = Stage::Alone;
  double aloneSeconds_ = 0; ///< How long the first trial took, without cores.
  bool isDoubtful_ = false; ///< Whether cores made the last trial longer, the next one tells.
  double firstShare_ = 0;   ///< Of cores, when they were last looked for,
  double firstSeconds_ = 0; ///< and how long that trial took.
  double ofCores_ = 0;      ///< How long a trial takes if cores do all; 0 if that is not known.
  double kept_ = 0;         ///< Of that one, the best so far,
  double keptSeconds_ = 0;  ///< and how long its trial took; 0 if there was none.
  double roundSeconds_ = 0; ///< The same, when the first border was last looked for.
  double stride_ = kFirstStride;
  double direction_ = 1;
  int failures_ = 0;            ///< Directions that have gained nothing with this stride.
  int surprises_ = 0;           ///< In a row, of trials since both were found.
  int most_ = kFewestSurprises; ///< Of them, before it begins anew.
  std::uint64_t moves_ = 0;
};

} // namespace tutti::balance
