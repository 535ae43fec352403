// Loops inside that are parallel as well become dimensions of the grid, the one over contiguous
// memory the fastest; the program asks `extents` whether that holds.
// RUN: env TUTTI_TARGETS=print %tutticc -S -emit-llvm -o - %s 2>&1 | FileCheck %s
// RUN: %tutticc -Rpass-analysis=tutti -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: env TUTTI_TARGETS=ptx %tutticc -S -emit-llvm -o - %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PTX --implicit-check-not="entry tutti_multiply_omp_outlined_tile("
// RUN: env TUTTI_TARGETS=opencl %tutticc -S -emit-llvm -o - %s 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CL --implicit-check-not="void tutti_multiply_omp_outlined_product("

// CHECK:       define void @tutti_copy_omp_outlined_flat({{.*}}) #[[RARE:[0-9]+]] {
// CHECK:         call i64 @tutti.item.id(i32 0)
// CHECK-NOT:     call i64 @tutti.item.id(i32 1)
// CHECK:       }
// CHECK-LABEL: define void @tutti_copy_omp_outlined_nest(
// CHECK-DAG:     call i64 @tutti.item.id(i32 0)
// CHECK-DAG:     call i64 @tutti.item.id(i32 1)
// CHECK:       }
// CHECK:       attributes #[[RARE]] = { {{.*}}optsize
// REMARK: kernel over 2 loops
void copy(long n, long m, double (*restrict a)[64], double (*restrict b)[64]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 64; j++)
      a[i][j] = 2 * b[i][j] + m;
}

// Iterations of the inner loop depend on each other.
// REMARK: kernel over 1 loop: an inner loop carries a value from one iteration to the next
void prefix(long n, double (*a)[64]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 1; j < 64; j++)
      a[i][j] += a[i][j - 1];
}

// What was loaded for the iteration before is loaded again.
// CHECK-LABEL: define void @tutti_smooth_omp_outlined_nest(
// CHECK-NOT:     phi double
// CHECK:       }
void smooth(long n, double (*restrict a)[64], double (*restrict b)[64]) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++)
    for (long j = 1; j < 63; j++)
      a[i][j] = b[i][j - 1] + b[i][j] + b[i][j + 1];
}

// A work-item for each element, which it keeps in a register; tiles of 4 x 4 elements, of which groups
// of 32 x 8 bring 32 iterations over k into local memory (each work-item 4 elements of a, and 4 x 4
// of b); and tiles of 4 x 8 elements, for which
// eight elements of a and four of b are loaded in each iteration over k. At borders the same once
// more, with numbers inside of the bounds and writes under conditions. The first store, of zeros, is
// not needed. The latter are only translated where groups cannot share.
// PTX: entry tutti_multiply_omp_outlined_product(
// CL:  void tutti_multiply_omp_outlined_tile(
// CHECK-LABEL: define void @tutti_multiply_omp_outlined_nest(
// CHECK:         phi double
// CHECK-NOT:     store
// CHECK:         call double @llvm.fmuladd
// CHECK-NOT:     call double @llvm.fmuladd
// CHECK-LABEL: define void @tutti_multiply_omp_outlined_product(
// CHECK-DAG:     call i32 @tutti.local.extent(i32 0)
// CHECK-DAG:     call i32 @tutti.local.extent(i32 1)
// CHECK-DAG:     call ptr @tutti.local.array(i32 41216)
// CHECK-COUNT-20: load double
// CHECK-NOT:     load double
// CHECK:         call void @tutti.barrier()
// CHECK-COUNT-20: store double
// CHECK:         call void @tutti.barrier()
// CHECK-COUNT-8: load double
// CHECK-NOT:     load double
// CHECK-COUNT-16: call double @llvm.fmuladd
// CHECK:       }
// CHECK-LABEL: define void @tutti_multiply_omp_outlined_tile(
// CHECK-SAME:    #[[MANY:[0-9]+]] {
// CHECK-NOT:     store
// CHECK:         phi double
// CHECK-COUNT-12: load double
// CHECK-NOT:     load double
// CHECK-COUNT-32: call double @llvm.fmuladd
// CHECK-NOT:     call double @llvm.fmuladd
// CHECK:         llvm.loop
// CHECK-COUNT-10: @llvm.smin.i64
// CHECK-NOT:     @llvm.smin.i64
// CHECK-COUNT-32: call double @llvm.fmuladd
// CHECK-COUNT-31: store double
// CHECK:       }
// CHECK:       attributes #[[MANY]] = { {{.*}}"tutti-registers"="128"
// REMARK: kernel over 2 loops
void multiply(int n, double *restrict c, const double *restrict a, const double *restrict b) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      c[(long)i * n + j] = 0;
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[(long)i * n + j] += a[(long)i * n + k] * b[(long)k * n + j];
  }
}

// Memory is set and copied by loops that can be divided; a condition does not make two of them.
// CHECK-LABEL: define void @tutti_idioms_omp_outlined_nest(
// CHECK-NOT:     call void @llvm.mem
// CHECK:       }
// REMARK: kernel over 2 loops
void idioms(long n, long m, int which, double *restrict a, const double *restrict b) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (which)
      for (long j = 0; j < m; j++)
        a[i * m + j] = 0;
    else
      for (long j = 0; j < m; j++)
        a[i * m + j] = b[i * m + j];
  }
}

// A nest that holds whatever the captures needs no flat kernel beside it.
// CHECK:     ModuleID = 'total.omp_outlined'
// CHECK-NOT: @tutti_total_omp_outlined_flat
// CHECK:     define void @tutti_total_omp_outlined_nest(
// CHECK-NOT: @tutti_total_omp_outlined_flat
double total(double (*a)[64]) {
  double sum = 0;
  #pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      sum += a[i][j];
  return sum;
}

// CHECK: @copy.omp_outlined.device = {{.*}} i32 3, i32 0, ptr @copy.omp_outlined.mappings
// CHECK-LABEL: define internal {{.*}}i32 @copy.omp_outlined.tutti.extents(
// CHECK:         store i64 64, ptr
