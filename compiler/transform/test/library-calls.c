// Kernels hold complex arithmetic, sincos, modf, frexp and rand_r written out; functions of complex numbers that are not
// written out keep a loop from devices, not from other ranks.
// RUN: env TUTTI_TARGETS=print %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s
// RUN: %tutticc -c -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

double _Complex cexp(double _Complex);
double cabs(double _Complex);
double _Complex csqrt(double _Complex);
float cabsf(float _Complex);
int rand_r(unsigned *);
void sincos(double, double *, double *);
void sincosf(float, float *, float *);
double modf(double, double *);
double frexp(double, int *);
double nan(const char *);

// CHECK-LABEL: define void @tutti_products_omp_outlined_flat(
// CHECK-NOT:     @__muldc3
// CHECK-NOT:     @__divdc3
// CHECK:         call double @hypot(
// CHECK:       }
// REMARK:     :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
void products(int n, double _Complex *restrict a, const double _Complex *restrict b, double *size) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = a[i] * b[i] / (1 + b[i]);
    size[i] = cabs(b[i]);
  }
}

// CHECK-LABEL: define void @tutti_narrow_omp_outlined_flat(
// CHECK-NOT:     @__divsc3
// CHECK:         fdiv double
// CHECK:         call float @hypotf(
// CHECK:       }
void narrow(int n, float _Complex *restrict a, const float _Complex *restrict b, float *size) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] = a[i] / b[i];
    size[i] = cabsf(b[i]);
  }
}

// CHECK-LABEL: define void @tutti_draws_omp_outlined_flat(
// CHECK-NOT:     @rand_r
// CHECK:         mul i32 %{{.*}}, 1103515245
// CHECK:       }
void draws(int n, int *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    unsigned seed = i;
    a[i] = rand_r(&seed) + rand_r(&seed);
  }
}

// CHECK-LABEL: define void @tutti_parts_omp_outlined_flat(
// CHECK-NOT:     @{{sincos|modf|frexp}}
// CHECK:         call double @sin(
// CHECK:         call double @cos(
// CHECK:         call float @sinf(
// CHECK:         call double @llvm.trunc.f64(
// CHECK:       }
// REMARK-NOT:  kernel:
void parts(int n, double *a, float *f) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sine, cosine, whole;
    float sinef, cosinef;
    int exponent;
    sincos(a[i], &sine, &cosine);
    sincosf(f[i], &sinef, &cosinef);
    f[i] = sinef * cosinef;
    a[i] = sine * cosine + modf(a[i], &whole) * whole + frexp(a[i], &exponent) * exponent;
  }
}

// REMARK:     :[[@LINE+3]]:{{[0-9]+}}: remark: parallel loop is distributed
// REMARK:     :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop has no device kernel: it calls csqrt
void roots(int n, double _Complex *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = csqrt(a[i]);
}

// The state is not the iteration's own.
// REMARK:     :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'rand_r'
void shared(int n, int *a, unsigned *seeds) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = rand_r(&seeds[i]);
}

// CHECK-LABEL: define void @tutti_nothing_omp_outlined_flat(
// CHECK-NOT:     @nan
// CHECK:         0x7FF8000000000000
// CHECK:       }
// REMARK:     :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop is distributed
void nothing(int n, double *a) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = i ? i : nan("");
}

// What nan() returns for memory that others may write is not known.
// REMARK:     :[[@LINE+2]]:{{[0-9]+}}: remark: parallel loop stays on rank 0: it calls 'nan'
void tagged(int n, double *a, const char *tag) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = nan(tag);
}
