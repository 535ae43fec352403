/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * First input of every link: where the user's variables begin, and the registration of the image.
 *
 * Compiled twice: for executables, which register before the constructor of any library has run,
 * and with TUTTI_CRT_SHARED for shared libraries, which register before their own constructors.
 */
#include "abi/abi.h"
#include "driver/crt/bounds.h"

TUTTI_CRT_PAD(TUTTI_SECTION_DATA) char tutti_crt_data_begin[TUTTI_CRT_PAGE] = {1};
TUTTI_CRT_PAD(TUTTI_SECTION_BSS) char tutti_crt_bss_begin[TUTTI_CRT_PAGE];

extern char tutti_crt_data_end[] __attribute__((visibility("hidden")));
extern char tutti_crt_bss_end[] __attribute__((visibility("hidden")));

/* Set by the linker; both of a pair null if no input has a region, a variable, or is XMP. */
extern const tutti_region *const __start_tutti_regions[]
    __attribute__((weak, visibility("hidden")));
extern const tutti_region *const __stop_tutti_regions[] __attribute__((weak, visibility("hidden")));

extern const tutti_variable __start_tutti_variables[] __attribute__((weak, visibility("hidden")));
extern const tutti_variable __stop_tutti_variables[] __attribute__((weak, visibility("hidden")));

extern const struct tutti_xmp_unit *const __start_tutti_xmp[]
    __attribute__((weak, visibility("hidden")));
extern const struct tutti_xmp_unit *const __stop_tutti_xmp[]
    __attribute__((weak, visibility("hidden")));

static void registerImage(void) {
  /* Without a stack protector or any call into libc: an executable's runs before their set-up. */
  static tutti_image image;
  image.abi_version = TUTTI_ABI_VERSION;
#ifdef TUTTI_CRT_SHARED
  image.is_executable = 0;
#else
  image.is_executable = 1;
#endif
  image.regions_begin = __start_tutti_regions;
  image.regions_end = __stop_tutti_regions;
  image.variables_begin = __start_tutti_variables;
  image.variables_end = __stop_tutti_variables;
  image.data_begin = tutti_crt_data_begin + TUTTI_CRT_PAGE;
  image.data_end = tutti_crt_data_end;
  image.bss_begin = tutti_crt_bss_begin + TUTTI_CRT_PAGE;
  image.bss_end = tutti_crt_bss_end;
  image.xmp_begin = __start_tutti_xmp;
  image.xmp_end = __stop_tutti_xmp;
  tutti_register_image(&image);
}

#ifdef TUTTI_CRT_SHARED
#define TUTTI_CRT_HOOK ".init_array.00101"
#else
#define TUTTI_CRT_HOOK ".preinit_array"
#endif
__attribute__((section(TUTTI_CRT_HOOK), used)) static void (*const kRegister)(void) = registerImage;
