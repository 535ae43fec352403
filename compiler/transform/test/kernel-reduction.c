// Work-items combine their private copies in local memory; one of each group leaves the result.
// Another kernel combines the results of groups, where they lie.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s

// CHECK-LABEL: define void @tutti_sum_omp_outlined_combine(ptr %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, ptr %6)
// CHECK-NOT:     alloca
// CHECK:         call void @llvm.memcpy{{.*}} i64 32,
// CHECK:         icmp slt i64 %{{.*}}, %4
// CHECK:         fadd double
// CHECK:         call void @tutti.barrier()
// CHECK-NOT:     call void @tutti.barrier()
// CHECK:         fadd double
// CHECK:         call i64 @tutti.group.id()
// CHECK:         call void @llvm.memcpy{{.*}} i64 32,
// CHECK:       }
// CHECK-LABEL: define void @tutti_sum_omp_outlined_flat(
// CHECK-NOT:     alloca
// CHECK:         phi double
// CHECK:         phi double
// CHECK:         %[[ID:.*]] = call i32 @tutti.local.id()
// CHECK:         %[[LOCAL:.*]] = call ptr @tutti.local.memory()
// CHECK:         shl nuw nsw i64 %{{.*}}, 5
// CHECK:         call i32 @tutti.local.count()
// CHECK:         call void @tutti.barrier()
// CHECK-NOT:     call void @tutti.barrier()
// CHECK:         fadd double
// CHECK:         icmp eq i32 %[[ID]], 0
// CHECK:         call i64 @tutti.group.id()
// CHECK:         store double
// CHECK:         store double
// CHECK:       }
double sum(long n, const double *x, double *largest) {
  double s = 0, m = 0;
  #pragma omp parallel for reduction(+ : s) reduction(max : m)
  for (long i = 0; i < n; i++) {
    s += x[i];
    m = x[i] > m ? x[i] : m;
  }
  *largest = m;
  return s;
}

// What needs variables of the program is left to the host.
// CHECK-NOT:   @tutti_scaled_omp_outlined_combine(
// CHECK-LABEL: define void @tutti_scaled_omp_outlined_flat(
long modulus = 7;
static inline long add(long a, long b) { return (a + b) % modulus; }
#pragma omp declare reduction(modular : long : omp_out = add(omp_out, omp_in))
long scaled(long n, const long *x) {
  long s = 0;
  #pragma omp parallel for reduction(modular : s)
  for (long i = 0; i < n; i++) {
    s = add(s, x[i]);
  }
  return s;
}

// A sum of constants is not what an induction variable is: it counts the iterations of one
// work-item.
// CHECK-LABEL: define void @tutti_count_omp_outlined_flat(
// CHECK:         phi i32
// CHECK:         add {{.*}}i32 %{{.*}}, 2
// CHECK:         call void @tutti.barrier()
// CHECK:       }
int count(long n, int *x) {
  int c = 0;
  #pragma omp parallel for reduction(+ : c) schedule(dynamic)
  for (long i = 0; i < n; i++) { x[i] = 1; c += 2; }
  return c;
}

// An array that the combiner loops over.
// CHECK-LABEL: define void @tutti_histogram_omp_outlined_flat(
// CHECK:         call ptr @tutti.local.memory()
// CHECK:         call void @tutti.barrier()
// CHECK:       }
void histogram(long n, const int *x, int *result) {
  int bins[256] = {0};
  #pragma omp parallel for reduction(+ : bins)
  for (long i = 0; i < n; i++) { bins[x[i] & 255]++; }
  for (int k = 0; k < 256; k++) { result[k] = bins[k]; }
}
