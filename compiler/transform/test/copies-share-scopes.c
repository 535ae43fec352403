// Where lines are kept for remarks alone, copies of a construct share its scope, and so all of their places; with
// a debugger each has its own. (The option keeps scopes until the end.)
// RUN: %tutticc -Rpass-analysis=prologepilog -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=SHARED
// RUN: %tutticc -g -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=OWN

// SHARED: define {{.*}}loop0.tutti.chunk(ptr{{.*}} !dbg ![[SCOPE:[0-9]+]] {
// SHARED: define {{.*}}loop1.tutti.chunk(ptr{{.*}} !dbg ![[SCOPE]] {
// OWN: define {{.*}}loop0.tutti.chunk(ptr{{.*}} !dbg ![[SCOPE:[0-9]+]] {
// OWN-NOT: !dbg ![[SCOPE]] {
// OWN: define {{.*}}loop1.tutti.chunk(ptr{{.*}} !dbg !{{[0-9]+}} {
void both(int n, double *a, double *b) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) a[i] += 1;
#pragma omp for
    for (int i = 0; i < n; i++) b[i] *= a[i];
  }
}
