/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file The name that programs for nanos6 include `nanos6_shutdown` by. */
#ifndef TUTTI_NANOS6_BOOTSTRAP_H
#define TUTTI_NANOS6_BOOTSTRAP_H

#include <nanos6/library-mode.h>

#endif
