// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Watches what the ranks print on standard error for the monitors' reports of ranks that were
/// killed, did not start, or started.
#pragma once

#include <string>
#include <string_view>

namespace tutti::driver {

/// What the lines of a rank's monitor begin with.
std::string rankName(std::string_view rank, std::string_view host);

/// The line that a monitor prints when signal `number` killed the program of `rank`.
std::string killReport(std::string_view rank, std::string_view host, int number);

/// The line of a monitor that was asked to announce itself.
std::string startReport(std::string_view rank, std::string_view host);

/// Passes everything on as it comes, except for announcements, for the reports behind the first one
/// (when a rank is killed, others often follow), and for Open MPI's banners that say once more how
/// a rank ended. Open MPI's option -q would hide its other messages with them.
///
/// Threading: externally synchronised.
class ErrorRelay {
public:
  /// What of `bytes`, and of what was held back before, is to be printed now. Only the beginning of
  /// a line that may become a report is held back, and a rule that may be the first of a banner.
  std::string feed(std::string_view bytes);

  /// What is held back still, when no more bytes will come.
  std::string finish();

  /// Whether a rank has announced itself.
  bool hasStarted() const { return hasStarted_; }

  /// Whether a report has passed.
  bool hasReport() const { return hasReport_; }

  /// The signal that the report names; 0 if there was none, or a program did not start.
  int killedBy() const { return killedBy_; }

private:
  enum class Place { Text, BehindRule, InBanner };

  void add(char c, std::string &out);
  void endLine(std::string &out);
  void pass(std::string &out);

  std::string held_;        ///< The current line so far, if it may become a report.
  bool passesLine_ = false; ///< The current line is nothing special.
  Place place_ = Place::Text;
  bool hasStarted_ = false;
  bool hasReport_ = false;
  int killedBy_ = 0;
};

} // namespace tutti::driver
