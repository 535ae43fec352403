// The chunk function asks Tutti for its bounds, hands its reduction over (to libomp in the whole
// construct), and adds the distance of the compute view to shared addresses only.
// RUN: %tutticc -fno-vectorize -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: define internal void @sum.omp_outlined.tutti.chunk(
// CHECK:         %[[WHOLE:.*]] = icmp eq i64 %{{.*}}, -1{{$}}
// CHECK:         %[[DELTA:.*]] = load i64, ptr %[[CHUNK:.*]], align 8
// CHECK:         call void @tutti_static_init_8(ptr {{.*}}%[[CHUNK]],
// CHECK:         %[[BASE:.*]] = load ptr,
// CHECK:         getelementptr i8, ptr %[[BASE]], i64 %[[DELTA]]
// CHECK:         br i1 %[[WHOLE]], label %[[LIBOMP:.*]], label %[[TUTTI:[0-9]+]]
// CHECK:       [[LIBOMP]]:
// CHECK-NEXT:    call i32 @__kmpc_reduce_nowait(
// CHECK:       [[TUTTI]]:
// CHECK:         call i32 @tutti_reduce(ptr {{.*}}%[[CHUNK]],
// CHECK:         br i1 %[[WHOLE]], label %[[END:.*]], label
// CHECK:       [[END]]:
// CHECK-NEXT:    call void @__kmpc_end_reduce_nowait(
// CHECK:       }
double sum(long n, const double *a) {
  double s = 0;
  #pragma omp parallel for reduction(+ : s)
  for (long i = 0; i < n; i++) s += a[i];
  return s;
}

// A pointer that is carried from one iteration to the next is moved once, in front of the loop that
// uses it.
// CHECK-LABEL: define internal void @carried.omp_outlined.tutti.chunk(
// CHECK:         %[[CARRIED:.*]] = phi ptr [ %{{.*}}, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
// CHECK-NEXT:    phi i64
// CHECK:         %[[AT:.*]] = getelementptr i8, ptr %[[CARRIED]], i64 %
// CHECK-NEXT:    %[[MOVED:.*]] = call align 1 ptr @llvm.strip.invariant.group.p0(ptr %[[AT]])
// CHECK:         br label %[[INNER:[0-9]+]]
// CHECK:       [[INNER]]:
// CHECK:         getelementptr inbounds double, ptr %[[MOVED]], i64 %
// CHECK-NOT:     strip.invariant
// CHECK:       }
void carried(int n, double **a, double **restrict b) {
  #pragma omp parallel for
  for (int i = 1; i < n; i++)
    for (int j = 1; j < 63; j++) b[i][j] = a[i - 1][j] + a[i][j];
}

// Addresses in the compute view are aligned as those in the window are.
// CHECK-LABEL: define internal void @clear.omp_outlined.tutti.chunk(
// CHECK:         getelementptr i8, ptr @aligned, i64 %{{.*}}
// CHECK-NEXT:    call align 64 ptr @llvm.strip.invariant.group.p0(
// CHECK:       }
_Alignas(64) double aligned[1000];
void clear(void) {
  #pragma omp parallel for
  for (int i = 0; i < 1000; i++) aligned[i] = 0.5 * i;
}
