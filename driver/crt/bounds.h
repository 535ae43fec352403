/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * How crt_begin and crt_end enclose the user's variables.
 *
 * The compiler puts variables with a value into section TUTTI_CRT_DATA and zeroed ones into
 * TUTTI_CRT_BSS. The linker keeps the order of its inputs within a section, and crt_begin is its
 * first and crt_end its last input, so each pair of pads holds the user's variables and nothing
 * else between them. Pads are whole pages, hence the variables share no page with anything else.
 */
#pragma once

#define TUTTI_CRT_PAGE 4096

#define TUTTI_CRT_DATA "tutti_data"

/* LLVM makes a named section NOBITS only if it knows the name for zeroed data. Of the names that it
 * knows this is one that GNU ld and lld do not merge into .bss; with any other, zeroed arrays would
 * lie in the file, or other libraries' variables between the pads. */
#define TUTTI_CRT_BSS ".llvm.linkonce.b.tutti"

#define TUTTI_CRT_PAD(section_name)                                                                \
  __attribute__((section(section_name), aligned(TUTTI_CRT_PAGE), used, visibility("hidden")))
