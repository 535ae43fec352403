/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Last input of every link: where the user's variables end.
 */
#include "driver/crt/bounds.h"

TUTTI_CRT_PAD(TUTTI_SECTION_DATA) char tutti_crt_data_end[TUTTI_CRT_PAGE] = {1};
TUTTI_CRT_PAD(TUTTI_SECTION_BSS) char tutti_crt_bss_end[TUTTI_CRT_PAGE];
