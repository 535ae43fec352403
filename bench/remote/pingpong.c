// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the transport takes for what a fetch does: eight bytes there, a piece back.
//
// usage: mpicc -O2 pingpong.c -o pingpong && mpirun -n 2 ./pingpong
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { kMost = 32 << 20, kTurns = 400 };

static int compare(const void *one, const void *other) {
  const double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *from = calloc(1, kMost);
  char *to = calloc(1, kMost);
  for (int bytes = 4096; bytes <= kMost; bytes *= 8) {
    double took[kTurns];
    const int turns = bytes < 1 << 20 ? kTurns : kTurns / 10;
    for (int turn = 0; turn < turns; ++turn) {
      const double start = MPI_Wtime();
      if (rank == 0) {
        MPI_Send(to, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(to, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(to, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(from, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
      took[turn] = MPI_Wtime() - start;
    }
    qsort(took, turns, sizeof *took, compare);
    if (rank == 0) {
      printf("%9d bytes: least %7.1f median %7.1f us, %5.2f GB/s\n", bytes, 1e6 * took[0],
             1e6 * took[turns / 2], 1e-9 * bytes / took[turns / 2]);
    }
  }
  MPI_Finalize();
  return 0;
}
