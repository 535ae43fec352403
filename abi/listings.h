// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code of kernels as text, beside the code itself.
///
/// Where a vendor's library knows the kernels of a program, the program may have the text that the
/// device's compiler has made of them before it was assembled. The runtime reads there what a
/// kernel writes; without it nothing is known of that.
#pragma once

/// Has a `tutti_task_text` for each file; `tutti_task_kernel::texts` leads there from kernels that
/// have stubs on the host.
#define TUTTI_SECTION_LISTINGS "tutti_listings"
