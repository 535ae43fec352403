// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <tuple>

namespace tutti::driver {

namespace {

constexpr int kProbesOfShare = 5;
constexpr double kEnough = 0.98;

class Search {
public:
  Search(const Probe &measure, int most) : measure_(measure), most_(most) {}

  std::optional<Tuned> run() {
    if (!look({})) {
      return std::nullopt;
    }
    // An optimum may lie at an end, but the way begins at the other.
    const std::optional<double> cores = look({1, 0, Shares().portions});
    Shares here;
    while (canGoOn()) {
      const double before = best_.seconds;
      // What is dragged first: as long as cores take longest, it would not show.
      along(here, [rest = here](double place) { return divided(rest.cores, place, rest); });
      for (const int portions : {2, 4, 8, 16, 32}) {
        if (here.drag > 0) { // Else nothing comes in portions.
          step(here, {here.cores, here.drag, portions});
        }
      }
      const double dragged = partDragged(here);
      if (cores && *cores > 0 && here.cores == 0) {
        // Both take equally long then, if each of them takes as long for every cell.
        const double rest = known_.at(keyOf(here));
        step(here, divided(rest / (*cores + rest), dragged, here));
      }
      along(here, [dragged, rest = here](double place) { return divided(place, dragged, rest); });
      if (best_.seconds > kEnough * before) {
        break;
      }
    }
    return best_;
  }

private:
  bool canGoOn() const { return !hasFailed_ && best_.probes < most_; }

  /// Seconds; nothing if there are to be no more probes. The same shares are tried once.
  std::optional<double> look(const Shares &shares) {
    if (const auto known = known_.find(keyOf(shares)); known != known_.end()) {
      return known->second;
    }
    if (!canGoOn()) {
      return std::nullopt;
    }
    // Short runs of programs that tremble are not to be given up.
    const double limit = best_.probes == 0 ? 0 : 2 * best_.seconds + 1;
    const std::optional<double> seconds = measure_(shares, limit);
    hasFailed_ = !seconds;
    if (seconds) {
      known_.emplace(keyOf(shares), *seconds);
      if (best_.probes++ == 0 || *seconds < best_.seconds) {
        best_.shares = shares;
        best_.seconds = *seconds;
      }
    }
    return seconds;
  }

  /// Goes to where it is better.
  std::optional<double> step(Shares &here, const Shares &shares) {
    const std::optional<double> seconds = look(shares);
    if (seconds && *seconds < known_.at(keyOf(here))) {
      here = shares;
    }
    return seconds;
  }

  static std::tuple<double, double, int> keyOf(const Shares &shares) {
    return {shares.cores, shares.drag, shares.portions};
  }

  /// Of what cores leave.
  static double partDragged(const Shares &shares) {
    return shares.cores < 1 ? shares.drag / (1 - shares.cores) : 0;
  }

  static Shares divided(double cores, double dragged, const Shares &rest) {
    // What TUTTI_ROPE says is what was tried.
    const auto rounded = [](double share) { return std::floor(share * 1e4) / 1e4; };
    Shares shares = rest;
    shares.cores = rounded(cores);
    shares.drag = rounded((1 - shares.cores) * dragged);
    return shares;
  }

  /// Golden section between no share and all, by the square: beside a fast device shares are small.
  void along(Shares &here, const std::function<Shares(double)> &at) {
    const double golden = (std::sqrt(5.0) - 1) / 2;
    const auto lookAt = [&](double place) { return step(here, at(place * place)); };
    double low = 0;
    double high = 1;
    std::optional<double> left = lookAt(high - golden * (high - low));
    std::optional<double> right = lookAt(low + golden * (high - low));
    for (int probe = 2; probe < kProbesOfShare && left && right; ++probe) {
      if (*left <= *right) {
        high = low + golden * (high - low);
        right = left;
        left = lookAt(high - golden * (high - low));
      } else {
        low = high - golden * (high - low);
        left = right;
        right = lookAt(low + golden * (high - low));
      }
    }
  }

  const Probe &measure_;
  const int most_;
  bool hasFailed_ = false;
  Tuned best_;
  std::map<std::tuple<double, double, int>, double> known_;
};

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (const char letter : text) {
    constexpr unsigned char kFirstPrinted = 0x20;
    if (letter == '"' || letter == '\\') {
      out += '\\';
      out += letter;
    } else if (static_cast<unsigned char>(letter) < kFirstPrinted) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
      out += code;
    } else {
      out += letter;
    }
  }
  return out + '"';
}

/// The lines of a profile that speak of other runs, and the one that speaks of this.
std::string_view lineOf(const std::string &profile, const std::string &key) {
  const std::size_t begin = profile.find(key);
  if (begin == std::string::npos) {
    return {};
  }
  return std::string_view(profile).substr(begin, profile.find('\n', begin) - begin);
}

} // namespace

std::string ropeOf(const Shares &shares) {
  char text[80];
  std::snprintf(text, sizeof text, "cpu=%g,drag=%g,portions=%d", shares.cores, shares.drag,
                shares.portions);
  return text;
}

std::optional<Tuned> tune(const Probe &measure, int most) { return Search(measure, most).run(); }

std::string profileKey(const std::vector<std::string> &program, int ranks,
                       const std::string &device) {
  std::string key =
      "{\"program\":" + quoted(program[0].substr(program[0].rfind('/') + 1)) + ",\"arguments\":[";
  for (std::size_t at = 1; at < program.size(); ++at) {
    key += (at == 1 ? "" : ",") + quoted(program[at]);
  }
  return key + "],\"ranks\":" + std::to_string(ranks) + ",\"device\":" + quoted(device) + ",";
}

std::string findInProfile(const std::string &profile, const std::string &key) {
  constexpr std::string_view kName = "\"rope\":\"";
  const std::string_view line = lineOf(profile, key);
  const std::size_t begin = line.find(kName, std::min(key.size(), line.size()));
  if (begin == std::string_view::npos) {
    return {};
  }
  const std::string_view rest = line.substr(begin + kName.size());
  return std::string(rest.substr(0, rest.find('"')));
}

/// One line of JSON for each run.
std::string putIntoProfile(const std::string &profile, const std::string &key, const Tuned &tuned) {
  std::istringstream lines(profile);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) {
      out += line + "\n";
    }
  }
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.6f", tuned.seconds);
  return out + key + "\"rope\":\"" + ropeOf(tuned.shares) + "\",\"seconds\":" + seconds +
         ",\"probes\":" + std::to_string(tuned.probes) + "}\n";
}

} // namespace tutti::driver
