// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// For tests: how many random cases they try.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace tutti {

/// `usual` times TUTTI_TEST_SHARE, at least 1: less than all where code is not optimised, many
/// times as many in a long run.
inline std::uint64_t casesOf(std::uint64_t usual) {
  const char *wanted = std::getenv("TUTTI_TEST_SHARE");
  const double share = wanted ? std::strtod(wanted, nullptr) : 1.0;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(usual)));
}

} // namespace tutti
