// What keeps a distributed loop from having a device kernel.
// RUN: %tutticc -msse4.2 -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: env TUTTI_TARGETS=none %tutticc -msse4.2 -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: device kernel

// CHECK: parallel loop has no device kernel: it computes with long double
void precise(long n, long double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] *= 2;
}

// CHECK: parallel loop has no device kernel: it allocates private memory of variable size
void lengths(long n, int m, double *a) {
  double row[m];
  for (int k = 0; k < m; k++) row[k] = k;
  #pragma omp parallel for firstprivate(row)
  for (long i = 0; i < n; i++) {
    row[0] = i;
    a[i] += row[0] + row[i % m];
  }
}

// CHECK: parallel loop has no device kernel: its private variables take more than 16 KiB
void large(long n, double *a) {
  double scratch[4096];
  #pragma omp parallel for private(scratch)
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < 4096; j++) scratch[(i * j) & 4095] = a[i] + j;
    a[i] = scratch[i & 4095];
  }
}

// CHECK: parallel loop has no device kernel: it reduces variables of more than 1536 bytes
void histogram(long n, const int *x, double *h) {
  double counts[256] = {0};
  #pragma omp parallel for reduction(+ : counts)
  for (long i = 0; i < n; i++) counts[x[i] & 255] += 1;
  for (int k = 0; k < 256; k++) h[k] = counts[k];
}

// CHECK: parallel loop has no device kernel: it has both a lastprivate and a reduction clause
double both(long n, double *a, double *end) {
  double s = 0, l = 0;
  #pragma omp parallel for lastprivate(l) reduction(+ : s)
  for (long i = 0; i < n; i++) { l = a[i]; s += l; }
  *end = l;
  return s;
}

// CHECK: parallel loop has no device kernel: it uses the address of a function
double twice(double x);
void addresses(long n, double (**f)(double)) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) f[i] = twice;
}

// CHECK: parallel loop has no device kernel: it keeps the address of a private variable or a constant
void texts(long n, const char **t) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) t[i] = &"text"[i % 3];
}

// CHECK: parallel loop has no device kernel: it reduces a variable whose size is not constant
void sections(long n, int m, const double *x, double *s) {
  #pragma omp parallel for reduction(+ : s[0 : m])
  for (long i = 0; i < n; i++) s[i % m] += x[i];
}

// CHECK: parallel loop has no device kernel: it computes with 16-bit floating-point numbers
void halves(long n, _Float16 *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] *= 2;
}

// CHECK: parallel loop has no device kernel: it uses the host's instruction llvm.x86.sse42.crc32
void instructions(long n, unsigned long *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = __builtin_ia32_crc32di(a[i], i);
}

// CHECK: parallel loop has no device kernel: it reads constants of more than 64 KiB
static const double table[20000] = {1, 2, 3};
void constants(long n, const int *at, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = table[at[i]];
}

// CHECK: parallel loop has no device kernel: it reads a constant that holds addresses or is defined elsewhere
extern const double outside[100];
void elsewhere(long n, const int *at, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = outside[at[i] % 100];
}

// CHECK: parallel loop has no device kernel: it accesses a variable that is volatile or atomic
void watched(long n, int *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) {
    volatile int seen = a[i];
    a[i] = seen + 1;
  }
}

// Reasons of one kind of devices.
// CHECK: parallel loop has no OpenCL kernel: it computes with integers of more than 64 bits
void products(long n, long *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = ((__int128)a[i] * i) >> 64;
}

// CHECK: parallel loop has no OpenCL kernel: it checks the overflow of integers of an unusual width
int overflows(long n, _BitInt(40) *a) {
  int any = 0;
  #pragma omp parallel for reduction(| : any)
  for (long i = 0; i < n; i++) any |= __builtin_mul_overflow(a[i], (_BitInt(40))i, &a[i]);
  return any;
}

// CHECK: parallel loop has no device kernel: it converts integers of more than 64 bits
void wide(long n, __int128 *x, double *a) {
  #pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = (double)x[i];
}
