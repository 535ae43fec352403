// What stands outside of any function is told so; a lambda there is a function.
// RUN: not clang++ -fopenmp -fplugin=%frontend -fsyntax-only %s 2>&1 | FileCheck %s
// CHECK: :[[@LINE+1]]:1: error: '#pragma oss taskwait' stands outside of any function
#pragma oss taskwait
struct Thing {
  Thing();
};
// CHECK: :[[@LINE+1]]:1: error: '#pragma oss task' outside of any function needs a function that returns void
#pragma oss task
Thing::Thing() {}
extern "C" {
extern int number;
// CHECK: :[[@LINE+1]]:1: error: '#pragma oss release' stands outside of any function
#pragma oss release in(number)
// CHECK: :[[@LINE+2]]:8: error: a function that is a task returns void
#pragma oss task
extern int another;
}
// CHECK-NOT: error:
auto lambda = [] {
  #pragma oss taskwait
  #pragma oss task
  number = 1;
};
