// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/error_relay.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tutti::driver {

namespace {

constexpr std::string_view kBegin = "tutti: rank ";
constexpr std::string_view kKilled = ": killed by signal ";
constexpr std::string_view kNotStarted = ": cannot start ";
constexpr std::string_view kStarted = ": started by tuttirun\n";

bool mayBecomeReport(std::string_view line) {
  const std::size_t length = std::min(line.size(), kBegin.size());
  return line.substr(0, length) == kBegin.substr(0, length);
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
      continue;
    }
    held_ += c;
    if (c == '\n') {
      endLine(out);
    } else if (!mayBecomeReport(held_)) {
      out += held_;
      held_.clear();
      passesLine_ = true;
    }
  }
  return out;
}

std::string ErrorRelay::finish() {
  std::string out;
  endLine(out);
  return out;
}

void ErrorRelay::endLine(std::string &out) {
  if (held_.starts_with(kBegin) && held_.ends_with(kStarted)) {
    hasStarted_ = true;
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
