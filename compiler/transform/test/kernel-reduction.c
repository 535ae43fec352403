// Work-items combine their private copies in local memory; one of each group leaves the result.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s

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
