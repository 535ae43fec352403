// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/error_relay.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace tutti::driver {

namespace {

constexpr std::string_view kBegin = "tutti: rank ";
constexpr std::string_view kKilled = ": killed by signal ";
constexpr std::string_view kNotStarted = ": cannot start ";
constexpr std::string_view kStarted = ": started by tuttirun\n";

/// What Open MPI draws in front of a message and behind it.
const std::string kRule = std::string(74, '-') + "\n";

/// How its messages about the end of a rank begin, behind the name of the launcher or at once.
constexpr auto kBanners = std::to_array<std::string_view>({
    "Primary job  terminated normally, but ",
    " detected that one or more processes exited with non-zero status",
    " noticed that process rank ",
    "MPI_ABORT was invoked on rank ",
});

constexpr auto kLaunchers = std::to_array<std::string_view>({"mpirun", "mpiexec", "orterun"});

bool agree(std::string_view line, std::string_view beginning) {
  const std::size_t length = std::min(line.size(), beginning.size());
  return line.substr(0, length) == beginning.substr(0, length);
}

/// What its messages about itself begin with; `*` is a name, `#` a number.
constexpr std::string_view kOwnTrouble = "[*:#] [[#,#],#] ORTE_ERROR_LOG: ";

/// What a rank says that was reading the memory of one that has ended: "no such process".
constexpr std::string_view kReadOfEnded = "[*:#] Read -1, expected #, errno = 3\n";

constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
constexpr std::string_view kDigits = "0123456789";

/// Whether `line` begins with `pattern`, as far as it goes.
bool mayBecome(std::string_view line, std::string_view pattern) {
  std::size_t at = 0;
  for (const char wanted : pattern) {
    if (at == line.size()) {
      return true;
    }
    if (wanted == '*' || wanted == '#') {
      at = std::min(line.find_first_not_of(wanted == '*' ? kNameCharacters : kDigits, at),
                    line.size());
    } else if (line[at++] != wanted) {
      return false;
    }
  }
  return true;
}

bool mayBecomeOwnMessage(std::string_view line) {
  return mayBecome(line, kOwnTrouble) || mayBecome(line, kReadOfEnded);
}

/// Whether a whole `line` says only what follows from the end of a rank: banners of ranks that end
/// at once are sometimes lost on their way to mpirun, which says so.
bool followsFromAnEnd(std::string_view line) {
  return line.ends_with('\n') && (mayBecome(line, kReadOfEnded) ||
                                  (mayBecome(line, kOwnTrouble) &&
                                   line.find("/show_help.c at line ") != std::string_view::npos));
}

/// Whether `line` begins as a banner does, as far as it goes.
bool mayBecomeBanner(std::string_view line) {
  for (const std::string_view name : kLaunchers) {
    if (agree(line, name)) {
      line.remove_prefix(std::min(line.size(), name.size()));
    }
  }
  return std::any_of(kBanners.begin(), kBanners.end(),
                     [&](std::string_view banner) { return agree(line, banner); });
}

bool isReport(std::string_view line) {
  return line.starts_with(kBegin) && (line.find(kKilled) != std::string_view::npos ||
                                      line.find(kNotStarted) != std::string_view::npos);
}

} // namespace

std::string rankName(std::string_view rank, std::string_view host) {
  std::string name(kBegin);
  return name.append(rank).append(" on host ").append(host);
}

std::string killReport(std::string_view rank, std::string_view host, int number) {
  std::string line = rankName(rank, host).append(kKilled);
  return line + std::to_string(number) + " (" + ::strsignal(number) + ")\n";
}

std::string startReport(std::string_view rank, std::string_view host) {
  return rankName(rank, host).append(kStarted);
}

std::string ErrorRelay::feed(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    if (passesLine_) {
      out += c;
      passesLine_ = c != '\n';
    } else {
      add(c, out);
    }
  }
  return out;
}

void ErrorRelay::add(char c, std::string &out) {
  held_ += c;
  switch (place_) {
  case Place::InBanner:
    if (c == '\n') {
      place_ = held_ == kRule ? Place::Text : Place::InBanner;
      held_.clear();
    }
    return;
  case Place::BehindRule:
    if (!mayBecomeBanner(held_)) {
      out += kRule;
      place_ = Place::Text;
      break;
    }
    if (c == '\n') {
      place_ = Place::InBanner;
      held_.clear();
    }
    return;
  case Place::Text:
    break;
  }
  if (held_ == kRule) {
    place_ = Place::BehindRule;
    held_.clear();
  } else if (c == '\n') {
    endLine(out);
  } else if (!agree(held_, kBegin) && !agree(held_, kRule) && !mayBecomeOwnMessage(held_)) {
    pass(out);
    passesLine_ = true;
  }
}

/// Prints what is held.
void ErrorRelay::pass(std::string &out) {
  out += held_;
  held_.clear();
}

std::string ErrorRelay::finish() {
  std::string out;
  if (place_ == Place::BehindRule) {
    out += kRule;
  }
  if (place_ != Place::InBanner) {
    endLine(out);
  }
  return out;
}

void ErrorRelay::endLine(std::string &out) {
  if (held_.starts_with(kBegin) && held_.ends_with(kStarted)) {
    hasStarted_ = true;
    held_.clear();
    return;
  }
  if (followsFromAnEnd(held_)) {
    held_.clear();
    return;
  }
  const bool report = isReport(held_);
  if (!report || !hasReport_) {
    out += held_;
  }
  if (const auto at = held_.find(kKilled); report && !hasReport_ && at != std::string::npos) {
    killedBy_ = std::atoi(held_.c_str() + at + kKilled.size());
  }
  hasReport_ |= report;
  held_.clear();
}

} // namespace tutti::driver
