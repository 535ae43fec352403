// What is wrong in directives and clauses for devices is an error at its place.
// RUN: not %tutti-xmp - clang -ferror-limit=0 %s 2>&1 | FileCheck %s
#define N 16
int a[N], b[N], c[N], late[N], plain[4], x, y, *pointer;
struct pair { int v; } pair;
#pragma xmp nodes p[4]
#pragma xmp template t[N]
#pragma xmp template tt[N][N]
#pragma xmp distribute t[block] onto p
#pragma xmp distribute tt[block][*] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp align c[i] with t[i]
#pragma xmp shadow a[1]
#pragma xmp shadow b[1]
#pragma xmp acc replicate (c, late)
// CHECK: :[[@LINE+2]]:19: error: 'align' must stand in front of 'acc replicate'
// CHECK: :[[@LINE-2]]:31: note: 'late' is replicated here
#pragma xmp align late[i] with t[i]

void f(int parameter[4]) {
  int i, j;
  double sum = 0;
  // CHECK: :[[@LINE+2]]:31: error: 'a' is replicated already
  // CHECK: :[[@LINE+1]]:28: note: the other 'acc replicate' is here
#pragma xmp acc replicate (a, a)
  {
    // CHECK: :[[@LINE+1]]:31: error: 'a' is replicated already
#pragma xmp acc replicate (x, a)
    { ; }
    // CHECK: :[[@LINE+1]]:28: error: 'c' is replicated already
#pragma xmp acc replicate (c)
    { ; }
    // CHECK: :[[@LINE+1]]:28: error: 'pointer' is a pointer, which cannot be replicated
#pragma xmp acc replicate (pointer)
    { ; }
    // CHECK: :[[@LINE+1]]:28: error: 'parameter' is a pointer
#pragma xmp acc replicate (parameter)
    { ; }
    // CHECK: :[[@LINE+1]]:28: error: expected the name of a variable, which is replicated as a whole
#pragma xmp acc replicate (plain[2])
    { ; }
    // CHECK: :[[@LINE+1]]:13: error: '#pragma xmp acc replicate' must be followed by a block
#pragma xmp acc replicate (x)
    y = 1;
    // CHECK: :[[@LINE+1]]:47: error: 'b' is not replicated here
#pragma xmp acc replicate_sync in (a) out (a, b)
    // CHECK: :[[@LINE+1]]:22: error: 'b' is not replicated here
#pragma xmp reflect (b) acc
    // CHECK: :[[@LINE+4]]:7: error: array 'b' is used in a loop with 'acc', and is not replicated here
    // CHECK: :[[@LINE+4]]:7: error: array 'plain' is used in a loop with 'acc', and is not replicated here
#pragma xmp loop on t[i] acc
    for (i = 0; i < N; i++) {
      b[i] = b[i] + a[i];
      plain[1] = i;
    }
    // CHECK: :[[@LINE+1]]:34: error: 'plain' is not a scalar; arrays have to be replicated
#pragma xmp loop on t[i] private(plain) acc
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:43: error: 'pair' is not a scalar
#pragma xmp loop on t[i] acc firstprivate(pair)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:48: error: 'x' is named twice
#pragma xmp loop on t[i] acc private(x) shared(x)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:30: error: 'num_threads' has more than 1024 threads
#pragma xmp loop on t[i] acc num_threads(33, 32)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:42: error: a size of 'num_threads' must be positive
#pragma xmp loop on t[i] acc num_threads(0)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:30: error: 'num_threads' has at most three sizes
#pragma xmp loop on t[i] acc num_threads(1, 1, 1, 1)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:44: error: a loop with 'acc' can reduce scalars only, and has no locations
#pragma xmp loop on t[i] reduction(lastmax:sum) acc
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+1]]:44: error: a loop with 'acc' can reduce scalars only, and has no locations
#pragma xmp loop on t[i] acc reduction(max:x /y/)
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+2]]:9: error: a loop with 'acc' has threads of its own, and cannot be OpenMP's
#pragma xmp loop on t[i] acc
#pragma omp parallel for
    for (i = 0; i < N; i++) {}
    // CHECK: :[[@LINE+3]]:13: error: '#pragma xmp barrier' cannot stand in a loop with 'acc'
#pragma xmp loop on t[i] acc
    for (i = 0; i < N; i++) {
#pragma xmp barrier
    }
    // CHECK: :[[@LINE+2]]:5: error: the outermost loop with 'acc' must be over an index of 't'
#pragma xmp loop (i) on t[i] acc
    for (j = 0; j < 3; j++) {
      for (i = 0; i < N; i++) {}
    }
    // CHECK: :[[@LINE+3]]:7: error: the bounds of 'j' must be the same in all iterations
#pragma xmp loop (i, j) on tt[i][j] acc
    for (i = 0; i < N; i++) {
      for (j = i; j < N; j++) {}
    }
  }
}

// CHECK-NOT: error:
