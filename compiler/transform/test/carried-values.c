// Iterations that use what earlier ones have left in private variables count on their order in a program
// with one thread; the flag 4096 says of a region that none does.
// RUN: %tutticc -O2 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tutticc -O2 -g -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s

// CHECK-DAG: @plain.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @chunked.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 12293,
// CHECK-DAG: @dynamic.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @merged.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @sums.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4103,
// CHECK-DAG: @temporary.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @table.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,
// CHECK-DAG: @counter.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 5,
// CHECK-DAG: @array.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 5,
// CHECK-DAG: @prefix.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 5,
// CHECK-DAG: @way.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 5,
// CHECK-DAG: @furthest.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4103,
// CHECK-DAG: @where.omp_outlined.reduced.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 7,
// CHECK-DAG: @extreme.omp_outlined.reduced.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4103,
// CHECK-DAG: @latest.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 5,
// CHECK-DAG: @random.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 7,
// CHECK-DAG: @smoothed.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 7,
// CHECK-DAG: @place.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 7,
// CHECK-DAG: @several.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4103,
// CHECK-DAG: @final.omp_outlined.tutti.region = internal constant {{.*}} { i32 {{[0-9]+}}, i32 4101,

void plain(int n, double *x, const double *y) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = y[i];
}
void chunked(int n, double *x, const double *y) {
  #pragma omp parallel for schedule(static, 4)
  for (int i = n - 1; i >= 0; i -= 3) x[i] = y[i];
}
void dynamic(long n, double *x, const double *y) {
  #pragma omp parallel for schedule(dynamic)
  for (long i = 5; i < n; i++) x[i] = y[i];
}
void merged(int n, int m, double *x, const double *y) {
  #pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) x[i * m + j] = y[j * n + i];
}
double sums(int n, const double *y, double *bins) {
  double s = 0, m = 0; double b[16] = {0};
  #pragma omp parallel for reduction(+ : s, b) reduction(max : m)
  for (int i = 0; i < n; i++) { s += y[i]; b[i % 16] += y[i]; m = y[i] > m ? y[i] : m; }
  for (int i = 0; i < 16; i++) bins[i] = b[i];
  return s + m;
}
void temporary(int n, int m, double *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t[64];
    for (int j = 0; j < m; j++) t[j] = x[i * m + j];
    for (int j = 0; j < m; j++) x[i * m + j] = t[m - 1 - j];
  }
}
void table(int n, double *x) {
  double t[3] = {1, 2, 3};
  #pragma omp parallel for firstprivate(t)
  for (int i = 0; i < n; i++) x[i] = t[i % 3];
}
// The largest so far decides nothing but what it is afterwards.
void furthest(int n, const double *x, double *y, double *most) {
  double m = 0;
  #pragma omp parallel for reduction(max : m)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      y[4 * i + j] = x[i] * j;
      if (y[4 * i + j] > m) m = y[4 * i + j];
    }
  }
  *most = m;
}

void counter(int n, int q, int *z) {
  #pragma omp parallel for firstprivate(q)
  for (int i = 0; i < n; i++) z[i] = q++;
}
void array(int n, double *x) {
  double t[3] = {1, 2, 3};
  #pragma omp parallel for firstprivate(t)
  for (int i = 0; i < n; i++) { x[i] = t[i % 3]; t[(i + 1) % 3] += x[i]; }
}
void prefix(int n, double s, double *x) {
  #pragma omp parallel for firstprivate(s)
  for (int i = 0; i < n; i++) { s += x[i]; x[i] = s; }
}
void way(int n, int q, int *z) {
  #pragma omp parallel for firstprivate(q)
  for (int i = 0; i < n; i++) { if (z[i] > q) { q = z[i]; z[i] = 0; } }
}

// The last iteration may not be the last one that sets it.
void latest(int n, const double *x, int *at) {
  int k = -1;
  #pragma omp parallel for lastprivate(k)
  for (int i = 0; i < n; i++) if (x[i] > 0) k = i;
  *at = k;
}
void final(int n, const double *x, double *y, double *at) {
  double k = 0;
  #pragma omp parallel for lastprivate(k)
  for (int i = 0; i < n; i++) { k = 2 * x[i]; y[i] = k; }
  *at = k;
}

// Of equal values the first one is chosen, with its place.
void where(int n, const double *x, int *at) {
  double most = 0; int k = -1;
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    { if (x[i] > most) { most = x[i]; k = i; } }
  }
  *at = k;
}
double extreme(int n, const double *x) {
  double most = 0;
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    { if (x[i] > most) most = x[i]; }
  }
  return most;
}

// What is combined behind the loop depends on the order of iterations.
long random(long n, unsigned seed) {
  long hits = 0;
  #pragma omp parallel for reduction(+ : hits) firstprivate(seed)
  for (long i = 0; i < n; i++) { seed = seed * 1664525u + 1013904223u; hits += seed >> 30 == 0; }
  return hits;
}
double smoothed(int n, const double *x, double e) {
  double sum = 0;
  #pragma omp parallel for reduction(+ : sum) firstprivate(e)
  for (int i = 0; i < n; i++) { e = 0.9 * e + x[i]; sum += e; }
  return sum;
}
struct placed { double value; int at; };
#pragma omp declare reduction(larger : struct placed : \
    omp_out = omp_in.value >= omp_out.value ? omp_in : omp_out) initializer(omp_priv = {-1, -1})
int place(int n, const double *x) {
  struct placed most = {-1, -1};
  #pragma omp parallel for reduction(larger : most)
  for (int i = 0; i < n; i++) if (x[i] >= most.value) { most.value = x[i]; most.at = i; }
  return most.at;
}
double several(int n, const double *x) {
  double product = 1, least = 0; float sum = 0; int any = 0, all = 1; long count = 0; unsigned bits = 0;
  #pragma omp parallel for reduction(* : product) reduction(min : least) reduction(+ : sum, count) \
      reduction(|| : any) reduction(&& : all) reduction(^ : bits)
  for (int i = 0; i < n; i++) {
    product *= x[i];
    if (x[i] < least) least = x[i];
    sum += 2 * x[i];
    any = any || x[i] > 3;
    all = all && x[i] < 5;
    if (x[i] > 1) count++;
    bits ^= (unsigned)x[i];
  }
  return product + least + sum + any + all + count + bits;
}
