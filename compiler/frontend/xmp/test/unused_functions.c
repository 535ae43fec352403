// Functions of system headers that nobody names are not written: the compiler would read them again.
// RUN: %tutti-xmp - clang -fopenmp %s | FileCheck %s
// RUN: %tutti-xmp %t.i clang -fopenmp %s
// RUN: clang -fopenmp -Werror -fsyntax-only %t.i
// CHECK-NOT: dropped
// CHECK: extern int used
// CHECK-NOT: dropped
// CHECK: int threads
// CHECK-NOT: dropped
// CHECK: int both ( void ) , together
// CHECK-NOT: dropped
// CHECK: struct made { int x ; } * maker
// CHECK-NOT: dropped
// CHECK: int defined_later
// CHECK: inline int kept
// CHECK-NOT: dropped
// CHECK: acos
// CHECK-NOT: dropped
// CHECK: double atan
// CHECK-NOT: dropped
// CHECK: int users
# 1 "library.h" 1 3
extern int used(int);
__attribute__((deprecated("dropped"))) extern int dropped1(int (*)(void), char *restrict) __attribute__((nothrow));
__extension__ extern long dropped2(void) __asm__("dropped");
int threads(void);
int both(void), together(void);
struct made { int x; } *maker(void);
int defined_later(void);
static inline int kept(void) { return 1; }
void dropped3(int values[3], struct made *);
extern double acos(double), cos(double);
extern double asin(double dropped4);
extern double atan(double);
# 28 "unused_functions.c" 2
int users(void);
int a[16];
#pragma xmp nodes p[used(1)]
#pragma xmp template t[16]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
int defined_later(void) { return 2; }
int main(void) {
#pragma omp parallel num_threads(threads())
  {
  }
  return together() + atan(1);
}
