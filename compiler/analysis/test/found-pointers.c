// What is read through pointers that the loop finds while it runs may lie anywhere in unified memory
// (flags 512), whose bounds and a flag are in a variable of the module. What is written through them
// keeps a loop home, and so does what follows them where no iteration can be left.
// RUN: %tutticc -g -fno-vectorize -Rpass-analysis=tutti -S -emit-llvm -o %t.ll %s 2> %t.remarks
// RUN: FileCheck --input-file %t.ll %s
// RUN: FileCheck --check-prefix REMARK --implicit-check-not "remark: follows" --implicit-check-not "stays on rank 0" --input-file %t.remarks %s
struct cell {
  struct cell *next;
  double value;
};
struct tree {
  struct tree *left, *right;
  int key;
};

// CHECK-DAG: @reach.tutti = internal global [9 x i64] zeroinitializer, section ".llvm.linkonce.b.tutti"

// A list: heads and results have closed forms. TUTTI_REGION_CHASES is 32, a distributable loop 5.
// CHECK-DAG: @lists.omp_outlined.tutti.region = {{.*}} { i32 {{[0-9]+}}, i32 4133,
// CHECK-LABEL: define internal void @lists.omp_outlined.tutti.accesses(
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 1, i64 {{.*}}, i64 {{.*}}, i64 8, i32 1,
// CHECK-DAG:     call void @tutti_access(ptr {{.*}}, i32 512, i64 ptrtoint (ptr @reach.tutti to i64), i64 ptrtoint (ptr @reach.tutti to i64),
// CHECK:       }
void lists(int n, double *restrict out, struct cell *const *heads) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: follows pointers that it finds in 'heads' (line [[@LINE+5]]): every rank and device that takes part gets all of unified memory
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (const struct cell *at = heads[i]; at; at = at->next)
      sum += at->value;
    out[i] = sum;
  }
}

// The same node leads on by one of two pointers.
void search(int n, int *found, const int *keys, const struct tree *root) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: follows pointers that it finds in
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const struct tree *at = root;
    while (at && at->key != keys[i]) at = keys[i] < at->key ? at->left : at->right;
    found[i] = at != 0;
  }
}

// Of rows by a computed index, one each.
void rows(int n, double *out, double *const *row, const int *index) {
  // REMARK: :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  // REMARK: remark: follows pointers that it finds in 'row'
  #pragma omp parallel for
  for (int i = 0; i < n; i++) out[i] = row[index[i]][i];
}

void writes(int n, struct cell **heads) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it writes through pointers that it finds in 'heads' while it runs (line [[@LINE+3]])
  #pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (struct cell *at = heads[i]; at; at = at->next) at->value = i;
}

// A pointer that is only compared is not followed: nothing is read but the table.
void compares(int n, int *found, struct cell *const *heads, const struct cell *wanted) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop is distributed over ranks
  #pragma omp parallel for
  for (int i = 0; i < n; i++) found[i] = heads[i] == wanted;
}

// Each thread looks for something in front of the loop.
void before(int n, double *out, struct cell *const *heads, const double *x) {
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows pointers that it finds in memory, and what comes behind its loop depends on them
  #pragma omp parallel
  {
    const struct cell *last = heads[0];
    while (last->next) last = last->next;
    const double factor = last->value;
    #pragma omp for
    for (int i = 0; i < n; i++) out[i] = factor * x[i];
  }
}

// Only the last iteration needs to look, behind the loop.
double behind(int n, struct cell *const *heads) {
  double value = 0;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it follows pointers that it finds in memory outside of its loop
  #pragma omp parallel for lastprivate(value)
  for (int i = 0; i < n; i++) value = heads[i * i % n]->value;
  return value;
}
