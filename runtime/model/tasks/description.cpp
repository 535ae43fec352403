// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/tasks/description.h"

#include "runtime/graph/runs.h"

#include <algorithm>

namespace tutti::model::tasks {

namespace {

graph::Access accessOf(std::uint32_t kind, std::uint64_t begin, std::size_t bytes) {
  graph::Access access;
  access.region.begin = begin;
  access.region.bytes = bytes;
  access.kind = static_cast<graph::AccessKind>(kind & ~std::uint32_t{TUTTI_TASK_WEAK});
  access.isWeak = (kind & TUTTI_TASK_WEAK) != 0;
  return access;
}

} // namespace

void Description::add(std::uint32_t kind, std::uint64_t begin, std::size_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (expected_ < accesses_.size() && dims_.empty() &&
      joins) { // Each iteration of a loop comes here.
    graph::Access &last = accesses_[expected_];
    const auto itsKind =
        static_cast<std::uint32_t>(last.kind) | (last.isWeak ? TUTTI_TASK_WEAK : 0U);
    if (last.region.begin + last.region.bytes == begin && itsKind == kind) {
      last.region.bytes += bytes;
      expected_ = expected_ + 1 < accesses_.size() ? expected_ + 1 : 0;
      return;
    }
  }
  const graph::Access access = accessOf(kind, begin, bytes);
  if (joins && join(access)) {
    return;
  }
  accesses_.push_back(access);
  firstDims_.push_back(dims_.size());
}

/// Makes the access one with an earlier one that it continues, upwards or downwards. The iterations
/// of a loop name a few things in turn: most often it continues what follows the one found before.
bool Description::join(const graph::Access &access) {
  constexpr std::size_t kNear = 16;
  const std::size_t size = accesses_.size();
  const std::size_t first = size - std::min(size, kNear);
  expected_ = expected_ >= first && expected_ < size ? expected_ : first;
  std::size_t index = expected_;
  for (std::size_t turn = first; turn < size; ++turn) {
    if (joinAt(index, access)) {
      expected_ = index + 1;
      return true;
    }
    index = index + 1 < size ? index + 1 : first;
  }
  return false;
}

bool Description::joinAt(std::size_t index, const graph::Access &access) {
  graph::Region &last = accesses_[index].region;
  const graph::Region &region = access.region;
  const std::uint64_t lastEnd = last.begin + last.bytes;
  const std::uint64_t end = region.begin + region.bytes;
  const bool isInside = last.begin <= region.begin && end <= lastEnd; // As `x[0]` of each.
  if (lastEnd != region.begin && end != last.begin && !isInside) {
    return false;
  }
  if (accesses_[index].kind != access.kind || accesses_[index].isWeak != access.isWeak ||
      access.kind == graph::AccessKind::Reduction || !dimsOf(index).empty()) {
    return false;
  }
  last.begin = std::min(last.begin, region.begin);
  last.bytes = std::max(lastEnd, end) - last.begin;
  return true;
}

bool Description::addSection(std::uint32_t kind, std::uint64_t base,
                             std::span<const SectionDim> dims) {
  std::uint64_t begin = base;
  for (const SectionDim &dim : dims) {
    if (dim.count <= 0) {
      hasNegative = hasNegative || dim.count < 0;
      return true;
    }
    begin += static_cast<std::uint64_t>(dim.first) * dim.step;
  }
  if (dims.empty()) {
    return true;
  }
  // From the inside out, what is one run of bytes; then the rest.
  std::size_t left = dims.size() - 1;
  std::size_t bytes = dims[left].step * static_cast<std::size_t>(dims[left].count);
  const auto joins = [&](const SectionDim &dim) { return dim.count == 1 || dim.step == bytes; };
  while (left > 0 && joins(dims[left - 1])) {
    --left;
    bytes *= static_cast<std::size_t>(dims[left].count);
  }
  if (left == 0) {
    add(kind, begin, bytes);
    return true;
  }
  const std::size_t firstDim = dims_.size();
  for (const SectionDim &dim : dims.first(left)) {
    if (dim.count > 1) {
      dims_.push_back({static_cast<std::int64_t>(dim.step), dim.count});
    }
  }
  if (dims_.size() - firstDim > graph::kMaxDimensions) {
    dims_.resize(firstDim);
    return false;
  }
  accesses_.push_back(accessOf(kind, begin, bytes));
  firstDims_.push_back(firstDim);
  return true;
}

void Description::shrink(std::size_t first) {
  if (first < accesses_.size()) {
    dims_.resize(firstDims_[first]);
    accesses_.resize(first);
    firstDims_.resize(first);
  }
}

bool Description::extend(std::size_t first, std::uint64_t count) {
  const std::size_t named = (accesses_.size() - first) / 2;
  if (first + 2 * named != accesses_.size()) {
    return false;
  }
  const std::vector<graph::Access> found(accesses_.begin() + static_cast<std::ptrdiff_t>(first),
                                         accesses_.end());
  std::vector<std::vector<tutti_dim>> boxes;
  for (std::size_t index = 0; index < 2 * named; ++index) {
    const std::span<const tutti_dim> box = dimsOf(first + index);
    boxes.emplace_back(box.begin(), box.end());
  }
  shrink(first);
  for (std::size_t index = 0; index < named; ++index) {
    graph::Access access = found[index];
    const graph::Access &next = found[named + index];
    const auto distance = static_cast<std::int64_t>(next.region.begin - access.region.begin);
    if (next.kind != access.kind || next.region.bytes != access.region.bytes ||
        boxes[index].size() != boxes[named + index].size()) {
      return false;
    }
    const std::uint64_t step = distance < 0 ? -static_cast<std::uint64_t>(distance) : distance;
    std::uint64_t reach = access.region.bytes; // Bytes from the first to the last of one iteration.
    for (const tutti_dim &dim : boxes[index]) {
      if (dim.stride < 0) {
        return false;
      }
      reach += static_cast<std::uint64_t>(dim.stride) * static_cast<std::uint64_t>(dim.count - 1);
    }
    firstDims_.push_back(dims_.size());
    if (step != 0 && step <= access.region.bytes && boxes[index].empty()) {
      access.region.begin -= distance < 0 ? step * (count - 1) : 0;
      access.region.bytes += step * (count - 1);
    } else if (step != 0) {
      if (step < reach || boxes[index].size() == graph::kMaxDimensions) {
        return false; // Runs would overlap.
      }
      dims_.push_back({distance, static_cast<std::int64_t>(count)});
    }
    dims_.insert(dims_.end(), boxes[index].begin(), boxes[index].end());
    accesses_.push_back(access);
  }
  return true;
}

void Description::addReduction(bool isWeak, std::uint64_t begin, std::size_t bytes,
                               graph::ReductionKey key) {
  if (bytes == 0) {
    return;
  }
  graph::Access access = accessOf(TUTTI_TASK_REDUCTION, begin, bytes);
  access.isWeak = isWeak;
  access.reduction = key;
  accesses_.push_back(access);
  firstDims_.push_back(dims_.size());
}

void Description::strengthen() {
  for (graph::Access &access : accesses_) {
    access.isWeak = false;
  }
}

void Description::keepBeside(const RangeSet &overwritten) {
  accesses(); // Whose dimensions are set.
  for (graph::Access &access : accesses_) {
    if (access.kind == graph::AccessKind::Out) {
      std::vector<Range> runs;
      graph::Runs(access.region).forEach([&](Range run) { runs.push_back(run); });
      if (!RangeSet::of(std::move(runs)).subtract(overwritten).empty()) {
        access.kind = graph::AccessKind::InOut;
      }
    }
  }
}

void Description::exclude() {
  strengthen();
  for (graph::Access &access : accesses_) {
    if (access.kind == graph::AccessKind::Concurrent) {
      access.kind = graph::AccessKind::InOut;
    }
  }
}

void Description::addAll(const Description &other) {
  const std::size_t before = dims_.size();
  accesses_.insert(accesses_.end(), other.accesses_.begin(), other.accesses_.end());
  for (const std::size_t firstDim : other.firstDims_) {
    firstDims_.push_back(before + firstDim);
  }
  dims_.insert(dims_.end(), other.dims_.begin(), other.dims_.end());
  cost = other.cost;
  node = other.node;
  variables = other.variables;
  hasNegative = hasNegative || other.hasNegative;
}

std::span<const tutti_dim> Description::dimsOf(std::size_t index) const {
  const std::size_t end = index + 1 < accesses_.size() ? firstDims_[index + 1] : dims_.size();
  return std::span(dims_).subspan(firstDims_[index], end - firstDims_[index]);
}

std::span<const graph::Access> Description::accesses() {
  if (!dims_.empty()) {
    for (std::size_t index = 0; index < accesses_.size(); ++index) {
      accesses_[index].region.dimensions = dimsOf(index);
    }
  }
  return accesses_;
}

void Description::clear() {
  accesses_.clear();
  firstDims_.clear();
  dims_.clear();
  expected_ = 0;
  joins = false;
  hasNegative = false;
  grainsize = 0;
  cost = 1;
  node = kAnyNode;
  variables = {};
  objects.clear();
  read.clear();
  instance.clear();
  device = {};
}

} // namespace tutti::model::tasks
