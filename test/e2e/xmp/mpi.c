// The program initialises MPI, calls it beside directives, and ends it, as programs for MPI do.
#include <stdio.h>

#ifdef _XCALABLEMP
#include <xmp.h>
#else
#define MPI_THREAD_FUNNELED 1
#define MPI_SUCCESS 0
#define MPI_Init_thread(count, arguments, required, provided) (*(provided) = 3, MPI_SUCCESS)
#define MPI_Finalize() MPI_SUCCESS
#endif

#define N 23
long a[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]

static long sum_over_nodes(long own) {
#ifdef _XCALABLEMP
  long sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
#else
  return own;
#endif
}

static int first_node(void) {
#ifdef _XCALABLEMP
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(xmp_get_mpi_comm(), &size);
  return rank == 0 && size == xmp_num_nodes();
#else
  return 1;
#endif
}

int main(int argc, char **argv) {
  int provided = -1;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    return 1;
  }
  long sum = 0;
#pragma xmp loop on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i * i;
    sum += a[i];
  }
  sum = sum_over_nodes(sum);
  if (first_node()) {
    printf("%d %ld\n", provided >= MPI_THREAD_FUNNELED, sum);
  }
  long again = 0;
#pragma xmp loop on t[i] reduction(+ : again)
  for (int i = 0; i < N; i++) {
    again += a[i];
  }
  const int ended = MPI_Finalize();
#pragma xmp barrier
#pragma xmp task on p[0]
  printf("%d %ld\n", ended, again);
  return 0;
}
