/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Memory of the C library is freed after a library with variables of threads has gone: finding any
 * such variable frees the thread's part of it then (glibc 2.39; that of Debian 12 does so only for
 * variables of younger libraries).
 *
 * usage: unloaded_module FILE
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  for (int round = 0; round < 3; ++round) {
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    char *(*ofThread)(void) = module ? (char *(*)(void))dlsym(module, "ofThread") : NULL;
    if (!ofThread) {
      return 1;
    }
    ofThread()[0] = 1;
    char *text = strdup("given by the C library");
    dlclose(module);
    free(text);
  }
  puts("ok");
  return 0;
}
