/* Kernels of the two languages: tasks of an OmpSs-2 program, functions of any other. */
struct Pair {
  float scale;
  int shift;
};
#ifdef _OMPSS_2
#define TASK(text) _Pragma(#text)
#define BODY(text) ;
#else
#define TASK(text)
#define BODY(text) text
#endif
#define TASKS(clauses) TASK(oss task device(opencl) clauses)

TASKS(ndrange(1, n, 32) in([n] x)inout([n] y) label("axpy"))
void axpy(long n, double a, const double *x, double *y) BODY({
  for (long i = 0; i < n; i++) {
    y[i] += a * x[i];
  }
})

    TASKS(ndrange(2, columns, rows, 8, 4) in([rows * columns] from) out([rows *
        columns] to)) void transpose(int rows, int columns, const float *from, float *to) BODY({
      for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
          to[c * rows + r] = from[r * columns + c];
        }
      }
    })

        TASKS(ndrange(3, 5, 4, 3) out([5 * 4 * 3] cells)) void number(int *cells) BODY({
          for (int i = 0; i < 60; i++) {
            cells[i] = i;
          }
        })

            TASKS(grid(1, groups, 16) shmem(16 * sizeof(int)) in([groups * 16] x)
                      out([groups] sums)) void sums(long groups, const int *x, int *sums,
                                                    int *scratch) BODY({
              for (long g = 0; g < groups; g++) {
                sums[g] = 0;
                for (int i = 0; i < 16; i++) {
                  sums[g] += x[16 * g + i];
                }
              }
            })

                TASKS(ndrange(1, 1) out([1] all)) void kinds(char c, unsigned char u, short s,
                                                             int i, unsigned v, long l, float f,
                                                             double d, struct Pair p, double *all)
                    BODY({ *all = c + u + s + i + v + l + f + d + p.scale * 3 + p.shift; })

    /* What is touched lies behind the pointer. */
    TASKS(ndrange(1, n, 64) inout(x[first; n])) void later(long first, long n, double *x) BODY({
      for (long i = first; i < first + n; i++) {
        x[i] = -x[i];
      }
    })

    /* Writes the inner cells only: the border stays as it was. */
    TASKS(ndrange(1, n) in({from[i], i = 0; n})out([n] to) priority(n)) void smooth(long n, const double *from,
                                                                         double *to) BODY({
      for (long i = 1; i + 1 < n; i++) {
        to[i] = (from[i - 1] + from[i] + from[i + 1]) / 4;
      }
    })
