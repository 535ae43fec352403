// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a user asks of a whole run by TUTTI_DEVICE: one word, or several with commas between.
#pragma once

#include "abi/backends.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::device {

/// A set of tutti_device_kinds: a bit for each.
constexpr std::uint32_t kindBit(std::uint32_t kind) { return 1U << kind; }

struct Wish {
  /// A tutti_device_kind, where the loops run. Of a list: GPU for devices alone, HYBRID if the
  /// cores are in it.
  std::uint32_t kind = TUTTI_DEVICE_AUTO;
  /// The kinds of devices in a list. None: those of `kind`.
  std::uint32_t listed = 0;

  friend bool operator==(const Wish &, const Wish &) = default;
};

/// `text` in any case: a word, or several but "auto" with commas between, such as
/// "gpu,cpu", where "cpu" and "hybrid" add the cores.
///
/// Errors: InvalidArgument  in one line that names TUTTI_DEVICE.
Result<Wish> parseWish(std::string_view text);

/// As users write it.
std::string textOf(const Wish &wish);

/// The words for a set of kinds, with ", " between.
std::string namesOf(std::uint32_t kinds, std::string_view between = ", ");

} // namespace tutti::device
