// Kernels whose code is known, on the driver that tests have in place of CUDA's: what they write
// all of does not go to the device, what they write some of does.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/listings.h"
#include "abi/tasks.h"

enum { kCells = 1 << 16 };

#pragma oss task device(cuda) ndrange(1, n, 128) in([n] from) out([n] to)
void fill(long n, const double *from, double *to);

static const char kCode[] =
    ".version 7.0\n.target sm_90\n.visible .entry fill(.param .u64 n, .param .u64 from, .param .u64 to){\n"
    "ld.param.u64 %rd4, [n]; ld.param.u64 %rd2, [from]; ld.param.u64 %rd3, [to];\n"
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mul.wide.u32 %rd7, %r1, %r2;\n"
    "mov.u32 %r3, %tid.x; cvt.u64.u32 %rd8, %r3; add.s64 %rd1, %rd7, %rd8;\n"
    "setp.ge.s64 %p1, %rd1, %rd4; @%p1 bra $L1;\n"
    "shl.b64 %rd5, %rd1, 3; add.s64 %rd6, %rd2, %rd5; add.s64 %rd9, %rd3, %rd5;\n"
    "ld.global.f64 %fd1, [%rd6];\n"
#ifdef SOME
    "setp.le.f64 %p2, %fd1, 0d4008000000000000; @%p2 bra $L1;\n"
#endif
    "st.global.f64 [%rd9], %fd1;\n$L1: ret;}\n";

/// As the link step has it from tutticc.
__attribute__((used, retain, section(TUTTI_SECTION_LISTINGS))) static tutti_task_text listing = {
    "listed.cu", kCode};

static void *driver(const char *name) { return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name); }

/// As a vendor's runtime library, which knows the kernel by its stub.
int cudaGetFuncBySymbol(void **function, const void *stub) {
  int (*load)(void **, const void *, unsigned, void *, void *) = driver("cuModuleLoadDataEx");
  int (*find)(void **, void *, const char *) = driver("cuModuleGetFunction");
  void *module = NULL;
  (void)stub;
  const int result = load(&module, kCode, 0, NULL, NULL);
  return result ? result : find(function, module, "fill");
}

void __device_stub__fill(long n, const double *from, double *to) { (void)n, (void)from, (void)to; }

/// What runs in place of the kernel.
int fake_cuda_fill(const uint64_t *parameters) {
  const double *from = (const double *)parameters[1];
  double *to = (double *)parameters[2];
  for (long i = 0; i < (long)parameters[0]; ++i) {
#ifdef SOME
    if (from[i] <= 3) continue;
#endif
    to[i] = from[i];
  }
  return 0;
}

int main(void) {
  double *from = aligned_alloc(4096, kCells * sizeof *from);
  double *to = aligned_alloc(4096, kCells * sizeof *to);
  for (long i = 0; i < kCells; ++i) {
    from[i] = i % 7;
    to[i] = -1;
  }
  for (long b = 0; b < kCells; b += kCells / 8) {
    fill(kCells / 8, from + b, to + b);
  }
#pragma oss taskwait
  double sum = 0;
  for (long i = 0; i < kCells; ++i) {
    sum += to[i] * (double)(i % 5 + 1);
  }
  printf("%g\n", sum);
  return 0;
}
