// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/parts.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tutti::model::fragments {

namespace {

template <typename T> bool parse(std::string_view text, T least, T most, T &out) {
  const char *end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && stopped == end && out >= least && out <= most;
}

bool set(Parts &parts, std::string_view name, std::string_view value) {
  constexpr std::int32_t kMost = 1 << 20;
  return name == "cpu"        ? parse(value, 0.0, 1.0, parts.cores)
         : name == "drag"     ? parse(value, 0.0, 1.0, parts.drag)
         : name == "portions" ? parse(value, 1, kMost, parts.portions)
         : name == "pieces"   ? parse(value, 1, kMost, parts.pieces)
         : name == "follow"   ? parse(value, 0, 1, parts.follow)
                              : false;
}

/// Shares are sums of decimal numbers: a border that should lie on a cell may lie just beside it.
constexpr double kRounding = 1e-9;

} // namespace

Part Parts::at(double position) const {
  return position < cores - kRounding          ? Part::Cores
         : position < cores + drag - kRounding ? Part::Drag
                                               : Part::Device;
}

std::vector<std::int64_t> Parts::cut(std::int64_t cells, std::int64_t workers, std::int64_t devices,
                                     std::int64_t held) const {
  // Of a part that a device cannot hold, one piece comes while another goes and two are used.
  constexpr std::int64_t kPiecesHeld = 4;
  constexpr std::int64_t kMovable = 16;       // Of the whole, for borders to move by one.
  constexpr double kFirstMovable = 1.0 / 256; // By less, while nothing is known of cores.
  const auto firstBehind = [cells](double share) {
    const double all = static_cast<double>(cells);
    const double first = std::ceil((share - kRounding) * all);
    return std::clamp(static_cast<std::int64_t>(first), std::int64_t{0}, cells);
  };
  const std::int64_t drags = devices > 0 ? firstBehind(cores) : cells;
  const std::int64_t stays = devices > 0 ? firstBehind(cores + drag) : cells;
  std::vector<std::int64_t> borders{0};
  const auto divide = [&](std::int64_t end, std::int64_t most) {
    const std::int64_t begin = borders.back();
    const bool isFine = follow != 0 && cells > 0;
    const std::int64_t fine = isFine ? (kMovable * (end - begin) + cells - 1) / cells : 0;
    const std::int64_t count = std::min(std::max(most, fine), end - begin);
    for (std::int64_t piece = 1; piece <= count; ++piece) {
      borders.push_back(begin + (end - begin) * piece / count);
    }
  };
  divide(drags, pieces > 0 ? pieces : workers);
  divide(stays, portions);
  const std::int64_t own = cells - stays;
  const bool isHeld = own <= held * devices;
  divide(cells, isHeld ? devices : std::max(devices, (kPiecesHeld * own + held - 1) / held));
  if (follow != 0 && devices > 0) {
    for (double share = kFirstMovable; share < 1.0 / kMovable; share *= 2) {
      borders.push_back(firstBehind(share));
    }
    std::ranges::sort(borders);
    borders.erase(std::ranges::unique(borders).begin(), borders.end());
  }
  return borders;
}

Result<Parts> parseParts(std::string_view text) {
  Parts parts;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos ||
        !set(parts, item.substr(0, equals), item.substr(equals + 1))) {
      return failure(ErrorCode::InvalidArgument,
                     "TUTTI_ROPE={}: '{}' is none of cpu=SHARE, drag=SHARE, portions=NUMBER, "
                     "pieces=NUMBER and follow=0 or 1",
                     text, item);
    }
  }
  if (parts.cores + parts.drag > 1 + kRounding) {
    return failure(ErrorCode::InvalidArgument, "TUTTI_ROPE={}: cpu and drag are more than 1", text);
  }
  return parts;
}

} // namespace tutti::model::fragments
