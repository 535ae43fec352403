// <xmp.h> brings MPI where the program may use it, and leaves it out where it certainly does not.
// DEFINE: %{run} = %tutti-xmp - clang -idirafter %S/Inputs -idirafter %S/../../../../include/tutti/xmp
// RUN: split-file %s %t
// RUN: %{run} %t/none.c | FileCheck --check-prefix=NONE %t/none.c
// RUN: %{run} -DX=MPI_Comm %t/none.c | FileCheck --check-prefix=THERE %t/call.c
// RUN: %{run} -include stdio.h %t/none.c | FileCheck --check-prefix=THERE %t/call.c
// RUN: %{run} %t/call.c | FileCheck --check-prefix=THERE %t/call.c
// RUN: %{run} %t/header.c | FileCheck --check-prefix=THERE %t/call.c
//--- none.c
// NONE-NOT: communicator
// NONE: xmp_num_nodes
// NONE-NOT: communicator
#include <stdio.h>
# include <xmp.h>
#pragma xmp nodes p[*]
int f(void) { return xmp_num_nodes(); }
//--- call.c
// THERE: communicator
#include <xmp.h>
#pragma xmp nodes p[*]
void f(void) { MPI_Barrier(xmp_get_mpi_comm()); }
//--- own.h
MPI_Comm own(void);
//--- header.c
#include <xmp.h>
#include "own.h"
#pragma xmp nodes p[*]
