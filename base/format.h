// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The one place that includes {fmt}, header-only, so that no library has to be
/// linked or shipped.
#pragma once

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <fmt/format.h>
