// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text is not looked at before it is built: "quotes", 'others', \n and %d stay as they are.
this is no kernel
