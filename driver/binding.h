// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which cores of its host each rank has for itself.
#pragma once

#include <filesystem>
#include <sched.h>
#include <string_view>
#include <vector>

namespace tutti::driver {

/// The variable that asks for it, and its values.
inline constexpr const char *kBindVariable = "TUTTI_BIND";
inline constexpr std::string_view kBindCores = "cores";
inline constexpr std::string_view kBindNone = "none";

/// The processors of one core: more than one where it runs several threads at a time.
using Core = std::vector<int>;

/// Cores of which the processors `usable` are, those beside each other that share most: package,
/// then cache. `system`: where the kernel describes them.
std::vector<Core> coresOf(const cpu_set_t &usable,
                          const std::filesystem::path &system = "/sys/devices/system/cpu");

/// The processors of the cores that fall to rank `local` of `locals` of a host. Empty where there
/// are fewer cores than ranks, so that some would have to share one.
std::vector<int> partOf(const std::vector<Core> &cores, int local, int locals);

/// Binds this process, and whatever it starts, to its part of the cores that it may use; whether it
/// has one.
bool bindToPart(int local, int locals);

} // namespace tutti::driver
