// The body of a construct that reduces a static member of a class asks for its private copy where it
// names that member, and nowhere else.
// RUN: clang++ -O0 -fopenmp -fplugin=%frontend -fpass-plugin=%plugin -S -emit-llvm -o - %s | FileCheck %s
struct Sums { static long one, two; };
template <class T> struct Typed { static T sum; };
extern template struct Typed<int>;

// CHECK-LABEL: define{{.*}} @_Z5plain
// CHECK: call ptr @tutti_task_reduction(i32 {{.*}}0, ptr {{.*}}@_ZN4Sums3oneE, i64 {{.*}}8
void plain() {
  #pragma oss task reduction(+: Sums::one)
  {
    Sums::one += 3;
    Sums::two += 4;
  }
  Sums::one += 5;
}
// CHECK: [[COPY:%.*]] = call ptr @tutti_task_private(ptr {{.*}}@_ZN4Sums3oneE)
// CHECK: [[ONE:%.*]] = load i64, ptr [[COPY]]
// CHECK: [[SUM:%.*]] = add nsw i64 [[ONE]], 3
// CHECK: store i64 [[SUM]], ptr [[COPY]]
// CHECK: load i64, ptr @_ZN4Sums3twoE

// CHECK-LABEL: define{{.*}} @_Z8instanceIiEvv
using Ints = Typed<int>;
template <class T> void instance() {
  #pragma oss task reduction(+: Ints::sum)
  Ints::sum += sizeof(T);
}
template void instance<int>();
// CHECK: call ptr @tutti_task_private(ptr {{.*}}@_ZN5TypedIiE3sumE)
