// Tasks for devices: kernels by name, with how many work-items run them, and bodies of the host.
// RUN: clang++ -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -O0 -S -emit-llvm -o - %s | FileCheck %s
// RUN: clang++ -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -O2 -S -emit-llvm -o - %s | FileCheck %s --check-prefix=OPT

// A kernel of overloads is known by its name in the object file, and so is its other stub.
// CHECK-DAG: @[[NAME:.*]] = private unnamed_addr constant [15 x i8] c"_Z5scalelPKdPd\00"
// CHECK-DAG: @_Z20__device_stub__scalelPKdPd = extern_weak
// CHECK-DAG: @[[KERNEL:kernel.tutti.*]] = internal constant {{.*}} i32 3, ptr @[[NAME]], [2 x ptr] [ptr @_Z5scalelPKdPd, ptr @_Z20__device_stub__scalelPKdPd], ptr @cudaGetFuncBySymbol, ptr @__start_tutti_listings, ptr @__stop_tutti_listings
// The runtime hears of it before main.
// CHECK-DAG: section "tutti_regions"

#pragma oss task device(cuda) ndrange(2, n, 4, 128, 2) shmem(n * 8) in([n]x) inout([n]y)
void scale(long n, const double *x, double *y);
void scale(int);

// Text of another language is looked for by the plain name.
// CHECK-DAG: @{{.*}} = private unnamed_addr constant [5 x i8] c"fill\00"
// CHECK-DAG: i32 4, ptr @{{.*}}, [2 x ptr] zeroinitializer, ptr null, ptr @__start_tutti_texts, ptr @__stop_tutti_texts
extern "C" {
#pragma oss task device(opencl) grid(1, 7, 64) out([n]y)
void fill(int n, float *y);
}

void use(long n, double *x, double *y, float *z) {
  // OPT: call {{.*}} @tutti_task_option(i32 {{.*}}8,
  // OPT: call {{.*}} @tutti_task_device(ptr {{.*}}@kernel.tutti{{.*}}, i32 {{.*}}3, i32 {{.*}}1, i32 {{.*}}2, i64 {{.*}}, i64 {{.*}}4, i64 {{.*}}1, i64 {{.*}}128, i64 {{.*}}2, i64 {{.*}}0)
  scale(n, x, y);
  // OPT: call {{.*}} @tutti_task_device(ptr {{.*}}, i32 {{.*}}4, i32 {{.*}}2, i32 {{.*}}1, i64 {{.*}}7, i64 {{.*}}1, i64 {{.*}}1, i64 {{.*}}64, i64 {{.*}}0, i64 {{.*}}0)
  fill(5, z);
  // OPT: call {{.*}} @tutti_task_device(ptr {{.*}}, i32 {{.*}}3, i32 {{.*}}0, i32 {{.*}}0,
  #pragma oss task device(cuda) inout(x[0])
  x[0] += 1;
}
// No call of a kernel's stub is left.
// OPT-NOT: call {{.*}} @_Z5scalelPKdPd
// OPT: @tutti_task_launch(i32 {{.*}}3, ptr {{.*}}, i64 {{.*}}8, i32 {{.*}}0, ptr {{.*}}, i64 {{.*}}8, i32 {{.*}}1, ptr {{.*}}, i64 {{.*}}8, i32 {{.*}}1)
