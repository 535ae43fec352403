// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether what crosses between hosts and devices because of a loop decides about the time of the
/// program. Pure.
#pragma once

#include <cstdint>

namespace tutti::balance {

/// What crosses because of a loop on devices, and how long its rounds take: from one launch to the
/// next. What sequential code fetches of a result is paid by nobody who runs the loop, but it is
/// paid, and cores may then be better although they compute more slowly.
///
/// Threading: externally synchronised.
class Crossing {
public:
  /// A launch begins; because of the one before so many bytes have crossed. Whether `tell` is to be
  /// called.
  bool begins(double bytes);

  /// A launch of another length stays home, so what is between two that do not is no round.
  void staysHome() { stayed_ += rounds_ > 0 ? 1 : 0; }

  /// Tells the time. Units: seconds, from any point in time.
  void tell(double now);

  /// Whether cores should be tried: because a good part of all rounds is for crossing, or because
  /// the program has taken so long that finding out, which takes `cost`, is little beside it.
  /// Units: seconds.
  bool isWorthATrial(double cost) const { return isMuch() || isLong(cost); }

  /// Whether it is because of what crosses.
  bool isMuch() const;

  /// After how many launches much crosses, as it seems: other times show only in so many of them.
  std::int64_t period() const { return period_; }

  /// From one launch to the next, if that is known and few have stayed home; else 0. The longest
  /// one does not count if no more crossed in it than in others: kernels of other loops may have
  /// been loaded meanwhile. Units: seconds.
  double round() const;

private:
  bool isLong(double cost) const;

  std::int64_t launches_ = 0;
  double bytes_ = 0;       ///< Since `began_`.
  double most_ = 0;        ///< Because of one launch.
  std::int64_t burst_ = 0; ///< The latest launch because of which about as many crossed.
  std::int64_t period_ = 1;
  double began_ = 0;
  double seconds_ = 0;      ///< From there to the time that was told last,
  double crossed_ = 0;      ///< the bytes until then,
  std::int64_t rounds_ = 0; ///< and the launches.
  double latest_ = 0;       ///< Bytes that crossed last.
  double longest_ = 0;      ///< Seconds of the longest round of which both ends were told,
  double inLongest_ = 0;    ///< and the bytes that crossed in it.
  std::int64_t stayed_ = 0; ///< Launches that have stayed home meanwhile.
};

} // namespace tutti::balance
