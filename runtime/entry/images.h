// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The executable and the shared libraries that brought regions.
#pragma once

#include "abi/abi.h"
#include "abi/xmp.h"
#include "base/range.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace tutti::entry {

/// Notes an image. Allocates nothing: constructors of libraries may not have run.
void registerImage(const tutti_image &image);

/// Everything below takes the images that were registered before `freezeImages`; later ones exist
/// on the rank that loaded them only, hence stay home.
void freezeImages();

bool hasExecutable();

/// What is XcalableMP in the images, in the order in which they were registered; if there is any,
/// every rank runs the program.
std::vector<const tutti_xmp_unit *> xmpUnits();

/// The ABI version of the images; another one than ours if any image has another one.
std::uint32_t imagesVersion();

/// Same on two ranks if their regions are the same.
std::uint64_t regionsHash();

/// Same on two ranks if their variables and code are at the same addresses.
std::uint64_t addressesHash();

/// Same on two ranks if they run the same file.
std::uint64_t executableHash();

/// The region of that id; null if there is none.
const tutti_region *regionOf(std::uint64_t id);

/// What is known of the code of tasks, by their functions; of the executable alone, which has the
/// same addresses on all ranks.
const std::unordered_map<const void *, const tutti_region *> &taskCodes();

/// Whether any region brings kernels or a program brings what gives devices work by itself, and
/// what kinds of devices regions ask for.
struct DeviceNeeds {
  bool hasKernels;
  bool hasTasks;       ///< Some of them are tasks.
  std::uint32_t asked; ///< A set (device::kindBit).
};

DeviceNeeds deviceNeeds();

/// Of all regions, next to one another as their regions are.
std::vector<const tutti_kernel *> imageKernels();

/// The user's variables of the executable; whole pages.
std::vector<Range> executableSections();

/// The same one by one, sorted.
std::vector<Range> executableVariables();

} // namespace tutti::entry
