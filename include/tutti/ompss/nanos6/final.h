/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file The name that programs for nanos6 include `nanos6_in_final` by. */
#ifndef TUTTI_NANOS6_FINAL_H
#define TUTTI_NANOS6_FINAL_H

#include <nanos6/task-instantiation.h>

#endif
