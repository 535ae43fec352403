// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Which of Clang's sanitizers a program has.
#pragma once

namespace tutti::entry {

/// What it is called, or null. Sanitizers know neither memory of two addresses nor another stack,
/// lie where the window is, and do not see what this library does to keep threads apart.
const char *sanitizer();

} // namespace tutti::entry
