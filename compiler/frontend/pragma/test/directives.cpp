// `#pragma tutti` reaches the region's descriptor, wherever the construct stands.
// RUN: %tuttic++ -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tuttic++ -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=NONE
#define BLOCK 64
#define DEVICE cuda

// NONE-DAG: @_Z5plainiPf.omp_outlined.tutti.region = {{.*}}, ptr null, ptr null }
void plain(int n, float *x) {
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}

// CHECK-DAG: [[SIZES:@tutti.directive[.0-9]*]] = private constant { i32, [3 x i32], [3 x i32] } { i32 2, [3 x i32] [i32 129, i32 1, i32 1], [3 x i32] [i32 16, i32 4, i32 0] }
// CHECK-DAG: @_Z5sizesIfEviPT_.omp_outlined.tutti.region = {{.*}}, ptr [[SIZES]], ptr {{[^,]*}} }
template <class T> void sizes(int n, T *x) {
  #pragma tutti device(gpu) grid(2 * BLOCK + 1) block(BLOCK / 4, 1 << 2)
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}
template void sizes<float>(int, float *);

struct Member {
  float *x;
  // CHECK-DAG: [[OPENCL:@tutti.directive[.0-9]*]] = {{.*}} { i32 4, [3 x i32] zeroinitializer, [3 x i32] zeroinitializer }
  // CHECK-DAG: @_ZN6Member3runEi.omp_outlined.tutti.region = {{.*}}, ptr [[OPENCL]], ptr {{[^,]*}} }
  __attribute__((used)) void run(int n) {
    #pragma tutti device(opencl)
    // Comments and empty lines may stand between.

    #pragma omp parallel for
    for (int i = 0; i < n; i++) x[i] = i;
  }
};

// CHECK-DAG: [[HYBRID:@tutti.directive[.0-9]*]] = {{.*}} { i32 5, [3 x i32] zeroinitializer, [3 x i32] zeroinitializer }
// CHECK-DAG: @_Z6macrosiPf.omp_outlined.tutti.region = {{.*}}, ptr [[HYBRID]], ptr {{[^,]*}} }
#define LOOP _Pragma("tutti device(hybrid)") _Pragma("omp parallel for") \
  for (int i = 0; i < n; i++) x[i] = i;
void macros(int n, float *x) { LOOP }

// A loop's pragma is for the parallel construct that it belongs to.
// CHECK-DAG: [[CUDA:@tutti.directive[.0-9]*]] = {{.*}} { i32 3, [3 x i32] zeroinitializer, [3 x i32] zeroinitializer }
// CHECK-DAG: @_Z5inneriPf.omp_outlined.tutti.region = {{.*}}, ptr [[CUDA]], ptr {{[^,]*}} }
void inner(int n, float *x) {
  #pragma omp parallel
  {
    #pragma tutti device(DEVICE)
    #pragma omp for
    for (int i = 0; i < n; i++) x[i] = i;
  }
}

// Several pragmas add up.
// CHECK-DAG: [[CPU:@tutti.directive[.0-9]*]] = {{.*}} { i32 1, [3 x i32] zeroinitializer, [3 x i32] [i32 128, i32 0, i32 0] }
// CHECK-DAG: @_Z7severaliPf.omp_outlined.tutti.region = {{.*}}, ptr [[CPU]], ptr {{[^,]*}} }
void several(int n, float *x) {
  #pragma tutti device(cpu)
  #pragma tutti block(128)
  #pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
}
