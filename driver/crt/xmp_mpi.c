/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 * Definitions that stand in front of MPI's, since the runtime has initialised MPI before main. Part
 * of libtutti_xmp.a, from which each program with a file of XcalableMP gets it, by the name of
 * `tutti_xmp_before_mpi`: other programs that are linked with the runtime need MPI's own.
 */
#include "abi/xmp.h"

const char tutti_xmp_before_mpi = 1;

__attribute__((weak)) int MPI_Init(int *count, char ***arguments) {
  (void)count;
  (void)arguments;
  return tutti_xmp_init_mpi(0);
}

__attribute__((weak)) int MPI_Init_thread(int *count, char ***arguments, int required,
                                          int *provided) {
  (void)count;
  (void)arguments;
  (void)required;
  return tutti_xmp_init_mpi(provided);
}

__attribute__((weak)) int MPI_Finalize(void) { return tutti_xmp_finalize_mpi(); }
