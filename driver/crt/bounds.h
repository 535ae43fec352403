/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * How crt_begin and crt_end enclose the user's variables.
 *
 * The compiler puts variables with a value into section TUTTI_SECTION_DATA and zeroed ones
 * into TUTTI_SECTION_BSS. The linker keeps the order of its inputs within a section, and crt_begin
 * is its first and crt_end its last input, so each pair of pads holds the user's variables and
 * nothing else between them. Pads are whole pages, hence the variables share no page with anything
 * else.
 */
#pragma once

#include "abi/abi.h"

#define TUTTI_CRT_PAGE 4096

#define TUTTI_CRT_PAD(section_name)                                                                \
  __attribute__((section(section_name), aligned(TUTTI_CRT_PAGE), used, visibility("hidden")))
