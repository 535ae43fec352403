// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/distribution/box.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti::distribution {

void Box::add(std::vector<Progression> steps) { dimensions_.push_back(std::move(steps)); }

void Box::compact() {
  std::vector<std::vector<Progression>> kept;
  for (auto dimension = dimensions_.rbegin(); dimension != dimensions_.rend(); ++dimension) {
    if (dimension->size() == 1 && dimension->front().count == 1) {
      base_ += dimension->front().first;
      continue;
    }
    if (dimension->size() == 1 && !kept.empty() && kept.back().size() == 1) {
      const Progression &outer = dimension->front();
      Progression &inner = kept.back().front();
      if (outer.stride == inner.stride * inner.count) {
        inner.first += outer.first;
        inner.count *= outer.count;
        continue;
      }
    }
    kept.push_back(std::move(*dimension));
  }
  std::reverse(kept.begin(), kept.end());
  dimensions_ = std::move(kept);
}

Index Box::elements() const {
  Index product = 1;
  for (const auto &steps : dimensions_) {
    product *= countOf(steps);
  }
  return product;
}

void Box::write(std::vector<Index> &words) const {
  words.push_back(base_);
  words.push_back(static_cast<Index>(dimensions_.size()));
  for (const auto &steps : dimensions_) {
    words.push_back(static_cast<Index>(steps.size()));
    for (const Progression &progression : steps) {
      words.insert(words.end(), {progression.first, progression.count, progression.stride});
    }
  }
}

Box Box::read(const std::vector<Index> &words, std::size_t &next) {
  const auto take = [&] { return words.at(next++); };
  Box box(take());
  for (Index d = take(); d > 0; --d) {
    std::vector<Progression> steps;
    for (Index i = take(); i > 0; --i) {
      const Index first = take();
      const Index count = take();
      steps.push_back({first, count, take()});
    }
    box.add(std::move(steps));
  }
  return box;
}

std::optional<Progression> Box::asRun() const {
  if (dimensions_.empty()) {
    return Progression{base_, 1, 1};
  }
  if (dimensions_.size() > 1 || dimensions_.front().size() != 1) {
    return std::nullopt;
  }
  Progression run = dimensions_.front().front();
  run.first += base_;
  return run;
}

std::optional<Nest> Box::asNest() const {
  Nest nest{base_, {}};
  for (const std::vector<Progression> &dimension : dimensions_) {
    if (dimension.size() != 1) {
      return std::nullopt;
    }
    Progression steps = dimension.front();
    nest.first += std::exchange(steps.first, 0);
    nest.steps.push_back(steps);
  }
  return nest;
}

RunCursor::RunCursor(const Box &box) : box_(box), places_(box.dimensions_.size()) { begin(); }

void RunCursor::begin() {
  run_ = {box_.base_, 1, 1};
  for (std::size_t d = 0; d < places_.size(); ++d) {
    const Progression &steps = box_.dimensions_[d][places_[d].progression];
    if (d + 1 < places_.size()) {
      run_.first += steps.at(places_[d].step);
    } else {
      run_ = {run_.first + steps.first, steps.count, steps.stride};
    }
  }
}

bool RunCursor::next() {
  for (std::size_t d = places_.size(); d-- > 0;) {
    Place &place = places_[d];
    const std::vector<Progression> &dimension = box_.dimensions_[d];
    const bool isLast = d + 1 == places_.size();
    if (!isLast && ++place.step < dimension[place.progression].count) {
      return true;
    }
    place.step = 0;
    if (++place.progression < dimension.size()) {
      return true;
    }
    place.progression = 0;
  }
  return false;
}

void RunCursor::take(Index count) {
  run_.first += count * run_.stride;
  run_.count -= count;
  if (run_.count == 0 && next()) {
    begin();
  }
}

Index Message::elements() const {
  if (fills) {
    return 1;
  }
  return std::accumulate(boxes.begin(), boxes.end(), Index{0},
                         [](Index sum, const Box &box) { return sum + box.elements(); });
}

Move reversed(Move move) {
  std::reverse(move.phases.begin(), move.phases.end());
  for (Phase &phase : move.phases) {
    std::swap(phase.sends, phase.receives);
    for (LocalCopy &copy : phase.copies) {
      std::swap(copy.from, copy.to);
    }
  }
  return move;
}

std::vector<Progression> stepsOf(const ArrayMap &map, std::size_t dimension, Index coordinate,
                                 const IndexSet &indices, Index stride) {
  std::vector<Progression> steps;
  for (const Progression &progression : indices) {
    const Index first = map.localOf(dimension, coordinate, progression.first);
    // Within what a node owns, or has in one shadow, equal distances stay equal ones: a progression
    // lies in one block, or goes from block to block.
    const Index distance =
        progression.count == 1 ? 1 : map.localOf(dimension, coordinate, progression.at(1)) - first;
    TUTTI_DCHECK(map.localOf(dimension, coordinate, progression.last()) ==
                 first + (progression.count - 1) * distance);
    steps.push_back({first * stride, progression.count, distance * stride});
  }
  return steps;
}

Box boxOf(const ArrayMap &map, const std::vector<Index> &coordinates,
          const std::vector<IndexSet> &indices) {
  const Layout layout = map.layout(coordinates);
  Box box(0);
  for (std::size_t d = 0; d < map.dimensions(); ++d) {
    box.add(stepsOf(map, d, map.coordinate(d, coordinates), indices[d], layout.strides[d]));
  }
  box.compact();
  return box;
}

} // namespace tutti::distribution
