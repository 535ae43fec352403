/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Another name for the constants of <alpi.h>. */
#ifndef TUTTI_ALPI_DEFS_H
#define TUTTI_ALPI_DEFS_H

#include <alpi.h>

#endif
