/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file The name that programs for NODES include <nanos6.h> by. */
#ifndef TUTTI_NODES_H
#define TUTTI_NODES_H

#include <nanos6.h>

#endif
