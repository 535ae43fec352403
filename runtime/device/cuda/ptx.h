// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The code of one kernel in PTX, as far as reading it needs: instructions, and what may follow
/// what. What instructions do is not known here.
/// Source: Parallel Thread Execution ISA, NVIDIA.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::device::cuda::ptx {

struct Instruction {
  std::string guard; ///< The predicate in front of it; empty: it is always executed.
  bool isNegated = false;
  std::vector<std::string> words;    ///< "ld", "global", "f64"
  std::vector<std::string> operands; ///< As they stand there, without blanks.

  bool has(std::string_view word) const;
};

/// What comes behind the last block.
inline constexpr std::size_t kEnd = static_cast<std::size_t>(-1);

/// Instructions that are executed one after the other. The last one may be a branch; it alone
/// decides what follows.
struct Block {
  std::size_t begin;
  std::size_t end;
  std::size_t target; ///< Where it goes if the guard of its last instruction holds,
  std::size_t behind; ///< and if not. The same block where nothing is decided.
};

struct Kernel {
  std::vector<std::string> parameters;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks; ///< In the order of the text; the first one is where it begins.
};

/// Nothing if there is no such kernel; one without blocks if it has something that is not read
/// here: scopes inside, calls, tables of targets.
std::optional<Kernel> read(std::string_view text, std::string_view name);

} // namespace tutti::device::cuda::ptx
