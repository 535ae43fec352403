// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether a launch is in place as a whole: each place has what it reads, and alone has what it
/// writes. The quick answer, from the hulls of its records alone; see survey.h for all others.
#pragma once

#include "runtime/exec/launch.h"
#include "runtime/exec/region_view.h"
#include "runtime/memory/directory.h"
#include "runtime/memory/window.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::exec {

/// Threading: externally synchronised. Kept from launch to launch for its memory.
class InPlaceCheck final : tutti_sink {
public:
  explicit InPlaceCheck(const memory::Window &window) : window_(window) {}

  /// Hulls that one place touches, in any order.
  struct Part {
    memory::Place place;
    balance::Chunk chunk;
    std::vector<Range> touched;
    std::vector<Range> writes;
  };

  /// Whether nothing of `launch` moves and nobody's copy becomes invalid. False if it is not known;
  /// then nothing below means anything.
  ///
  /// Cost: linear in the records of all places. Allocates nothing once it has seen as many.
  bool holds(const Launch &launch, const memory::Directory &directory);

  /// Of all shares, in their order.
  std::span<const Part> parts() const { return {parts_.data(), count_}; }

  /// What is touched through each pointer of the program.
  std::vector<Reach> reaches() const;

  /// About: bytes that are touched, and those of them that rank 0's host lacks.
  double bytesTouched() const { return sum(&Object::bytes); }

  double bytesNotHome() const { return sum(&Object::bytesNotHome); }

private:
  /// What is touched through one pointer of the program.
  struct Object {
    std::uint64_t pointer;
    Range hull;
    bool isWritten;
    double bytes;
    double bytesNotHome;
  };

  void add(std::uint32_t flags, std::uint64_t object, std::uint64_t address, std::uint64_t size,
           std::uint32_t ndims, const tutti_dim *dims) override;
  std::uint64_t follow(std::uint64_t address, std::uint32_t size) override;
  const memory::Directory::Standing &standingOf(memory::Place place, Range hull);
  void note(std::uint64_t pointer, Range hull, bool isWritten, double bytes, bool isHome);
  double sum(double Object::*bytes) const;

  const memory::Window &window_;
  const Launch *launch_ = nullptr;
  const memory::Directory *directory_ = nullptr;
  Part *part_ = nullptr;                   ///< Whose records come.
  memory::Directory::Standing standing_{}; ///< Of the place below to what was looked up last.
  memory::Place standsAt_ = 0;
  bool holds_ = false;
  bool reduces_ = false;
  bool hostWorks_ = false; ///< That of rank 0.
  std::size_t count_ = 0;
  std::vector<Part> parts_; ///< Perhaps more than count.
  std::vector<Object> objects_;
};

} // namespace tutti::exec
