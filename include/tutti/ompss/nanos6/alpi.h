/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file The name that programs for nanos6 include <alpi.h> by. */
#ifndef TUTTI_NANOS6_ALPI_H
#define TUTTI_NANOS6_ALPI_H

#include <alpi.h>

#endif
