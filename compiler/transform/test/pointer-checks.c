// Found pointers are checked before they are followed, in chunks and in kernels: a stray one is noted
// and ends the loop over iterations. Pointers that are known before the loop are not.
// RUN: env TUTTI_TARGETS=print %tutticc -fno-vectorize -S -emit-llvm -o %t.ll %s 2> %t.kernels
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix KERNEL --input-file %t.kernels %s
struct cell {
  struct cell *next;
  double value;
};

// One check for a cell, whose both members are read; none for the table. Home has none.
// CHECK-LABEL: define internal void @lists.omp_outlined.tutti.chunk(
// CHECK:         load i64, ptr
// CHECK-NOT:     br i1 {{.*}}, label %{{.*}}, label %stray
// CHECK:         call void @tutti_static_init_4(
// CHECK:         or i1
// CHECK:         br i1 %{{.*}}, label %{{.*}}, label %stray, !prof
// CHECK-NOT:     label %stray, !prof
// CHECK:       stray:
// CHECK-NEXT:    store i64 1, ptr
// CHECK-NEXT:    br label
// CHECK-NOT:     label %stray, !prof
// CHECK:         call void @__kmpc_for_static_fini(
// CHECK:       }
// CHECK-LABEL: define internal void @lists.omp_outlined.tutti.home(
// CHECK:         call void (ptr, i32, ptr, ...) @__kmpc_fork_call({{.*}}, ptr @lists.omp_outlined,

// KERNEL-LABEL: define void @tutti_lists_omp_outlined_flat(
// KERNEL:         br i1 %{{.*}}, label %{{.*}}, label %stray
// KERNEL:       stray:
// KERNEL-NEXT:    store i64 1, ptr
// KERNEL:       }
// KERNEL-NOT:   define void @tutti_lists
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
// CHECK:       stray:
// CHECK-NEXT:    store i64 1, ptr
// CHECK-NEXT:    br label %[[EXIT:.*]]
// CHECK:       [[EXIT]]:
// CHECK:         call i32 @tutti_dispatch_next_4(
// CHECK:       }
void pieces(int n, double *restrict out, struct cell *const *heads) {
  #pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) out[i] = heads[i]->value;
}
