// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the compiler writes into the PTX of kernels (`tutti_kernel` in abi.h) for the runtime to
/// find.
#pragma once

/// A line of a PTX text: a kernel touches memory only behind it, in every work-item. Where all
/// kernels of a text have it, the device may begin with one before the one before has ended, if the
/// line is made to wait for that.
#define TUTTI_PTX_BEGIN "// tutti: begin"
