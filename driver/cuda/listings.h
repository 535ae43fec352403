// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the compiler has made of kernels, as text beside their code: the runtime reads in it what
/// they write.
#pragma once

#include "driver/device_language.h"

#include <functional>
#include <string>
#include <string_view>

namespace tutti::driver::cuda {

/// The kernels of a PTX text that may be of use, without what is for people and debuggers. Those
/// that are long, or call something, have no parameters and no code there: nothing is known of them.
std::string kernelsIn(std::string_view ptx);

/// Puts the kernels of all PTX texts in `folder` whose names begin so into the job's object, once
/// it and they are there.
std::function<SourcePlan()> withListings(const SourceJob &job, const std::string &folder,
                                         const std::string &prefix);

} // namespace tutti::driver::cuda
