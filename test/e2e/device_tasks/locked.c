// Tasks over large memory, on the driver that tests have in place of CUDA's: it is locked before
// they need it, and what they read is not overwritten before it has been read.
#include <dlfcn.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBlocks = 24, kCells = 1 << 19, kAll = kBlocks * kCells, kLocked = 16 << 20 };

#pragma oss task device(cuda) ndrange(1, n, 256) in([n] x)inout([n] y)
void increase(long n, const float *x, float *y);

static const char kCode[] = ".version 7.0\n.target sm_90\n.visible .entry increase(.param .u64 n, "
                            ".param .u64 x, .param .u64 y){}";

static void *driver(const char *name) { return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name); }

/// As a vendor's runtime library, which knows the kernel by its stub.
int cudaGetFuncBySymbol(void **function, const void *stub) {
  int (*load)(void **, const void *, unsigned, void *, void *) = driver("cuModuleLoadDataEx");
  int (*find)(void **, void *, const char *) = driver("cuModuleGetFunction");
  void *module = NULL;
  (void)stub;
  const int result = load(&module, kCode, 0, NULL, NULL);
  return result ? result : find(function, module, "increase");
}

void __device_stub__increase(long n, const float *x, float *y) { (void)n, (void)x, (void)y; }

/// What runs in place of the kernel.
int fake_cuda_increase(const uint64_t *parameters) {
  const float *x = (const float *)parameters[1];
  float *y = (float *)parameters[2];
  for (long i = 0; i < (long)parameters[0]; ++i) {
    y[i] += x[i];
  }
  return 0;
}

static long callsOf(const char *name) {
  size_t (*calls)(const char *) = driver("fake_cuda_calls");
  return (long)calls(name);
}

int main(void) {
  float *x = aligned_alloc(kLocked, kAll * sizeof *x);
  float *y = aligned_alloc(kLocked, kAll * sizeof *y);
  for (long i = 0; i < kAll; ++i) {
    x[i] = 1;
    y[i] = 0;
  }
  while (callsOf("cuMemHostRegister_v2") * kLocked < 2 * kAll * (long)sizeof *x) {
    sched_yield();
  }
  for (int round = 0; round < 3; ++round) {
    for (long b = 0; b < kAll; b += kCells) {
      increase(kCells, x + b, y + b);
#pragma oss task inout(x[b; kCells])
      for (long i = b; i < b + kCells; ++i) {
        x[i] += 1;
      }
    }
  }
#pragma oss taskwait
  const long buffers = callsOf("cuMemHostAlloc"); // Nothing went by way of other memory.
  long wrong = 0;
  for (long i = 0; i < kAll; ++i) {
    wrong += x[i] != 4 || y[i] != 6;
  }
  printf("%ld wrong, %ld buffers\n", wrong, buffers);
  return 0;
}
