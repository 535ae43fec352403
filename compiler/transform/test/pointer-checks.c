// Found pointers are checked before they are followed, in chunks and in kernels: a stray one is noted
// and ends the loop over iterations. Pointers that are known before the loop are not.
// RUN: env TUTTI_TARGETS=print %tutticc -fno-vectorize -S -emit-llvm -o %t.ll %s 2> %t.kernels
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix KERNEL --input-file %t.kernels %s
struct cell {
  struct cell *next;
  double value;
};

// One check for a cell, both of whose members are read; none for the table.
// CHECK-LABEL: define internal void @lists.omp_outlined.tutti.chunk(
// CHECK:         call void @tutti_static_init_4(
// CHECK:         %[[A:.*]] = or i1 %
// CHECK:         %[[B:.*]] = or i1 %[[A]], %
// CHECK:         %[[INSIDE:.*]] = or i1 %[[B]], %
// CHECK-NEXT:    br i1 %[[INSIDE]], label %{{.*}}, label %[[STRAY:[0-9]+]]
// CHECK-NOT:     or i1
// CHECK:       [[STRAY]]:
// CHECK-NEXT:    store i64 1, ptr
// CHECK-NEXT:    br label %[[END:[0-9]+]]
// CHECK:       [[END]]:
// CHECK-NEXT:    call void @__kmpc_for_static_fini(
// CHECK:       }

// KERNEL-LABEL: define void @tutti_lists_omp_outlined_flat(
// KERNEL:         %[[A:.*]] = or i1 %
// KERNEL:         %[[B:.*]] = or i1 %[[A]], %
// KERNEL:         %[[INSIDE:.*]] = or i1 %[[B]], %
// KERNEL-NEXT:    br i1 %[[INSIDE]], label %{{.*}}, label %[[STRAY:[0-9]+]]
// KERNEL-NOT:     or i1
// KERNEL:       [[STRAY]]:
// KERNEL-NEXT:    store i64 1, ptr
// KERNEL-NEXT:    br label %[[END:[0-9]+]]
// KERNEL:       }
void lists(int n, double *restrict out, struct cell *const *heads) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (const struct cell *at = heads[i]; at; at = at->next) sum += at->value;
    out[i] = sum;
  }
}

// Where libomp is asked for pieces, it is asked until there is none.
// CHECK-LABEL: define internal void @pieces.omp_outlined.tutti.chunk(
// CHECK:         call i32 @tutti_dispatch_next_4(
// CHECK:         store i64 1, ptr
// CHECK-NEXT:    br label %[[NEXT:[0-9]+]]
// CHECK:       [[NEXT]]:
// CHECK-NEXT:    call i32 @tutti_dispatch_next_4(
// CHECK:       }
void pieces(int n, double *restrict out, struct cell *const *heads) {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) out[i] = heads[i * i % n]->value;
}

// A row is checked once, in front of the loop along it.
// CHECK-LABEL: define internal void @rows.omp_outlined.tutti.chunk(
// CHECK:         call void @tutti_static_init_4(
// CHECK:         ptrtoint ptr
// CHECK-NOT:     fadd double
// CHECK:         br i1 %{{.*}}, label %{{.*}}, label %{{.*}}, !dbg {{.*}}, !prof
// CHECK-NOT:     ptrtoint ptr
// CHECK:         phi double
// CHECK-NOT:     ptrtoint ptr
// CHECK:         fadd double
// CHECK-NOT:     ptrtoint ptr
// CHECK:       }
void rows(int n, int m, double *restrict out, double *const *row, const int *restrict index) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < m; j++) sum += row[index[i]][j];
    out[i] = sum;
  }
}

// Home has no checks.
// CHECK-LABEL: define internal void @lists.omp_outlined.tutti.home(
// CHECK:         call {{.*}} @__kmpc_fork_call({{.*}}, ptr @lists.omp_outlined,
