// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is visible outside of libtutti.so; everything else is hidden.
#pragma once

#define TUTTI_EXPORT extern "C" [[gnu::visibility("default")]]
