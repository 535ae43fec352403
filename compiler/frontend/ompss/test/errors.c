// Every mistake in `#pragma oss` is an error at its place.
// RUN: not clang -fopenmp -fplugin=%frontend -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not clang -fopenmp -fplugin=%frontend -fsyntax-only -fdiagnostics-parseable-fixits %s 2>&1 | FileCheck %s --check-prefix=FIX
struct S { int bit : 3; int m; };
void f(int n, int *p, struct S *s, int **pp, const char *text) {
  int a[4];
  int b[4][4];
  int x;
  // CHECK: :[[@LINE+2]]:15: error: unknown directive 'tsak'; did you mean 'task'?
  // FIX: fix-it:"{{.*}}":{[[@LINE+1]]:15-[[@LINE+1]]:19}:"task"
  #pragma oss tsak
  // CHECK: :[[@LINE+1]]:20: error: unknown clause 'inuot'; did you mean 'inout'?
  #pragma oss task inuot(x)
  // CHECK: :[[@LINE+1]]:20: error: '#pragma oss task' takes no clause 'grainsize'
  #pragma oss task grainsize(3)
  // CHECK: :[[@LINE+1]]:24: error: '#pragma oss taskwait' takes no clause 'weakin'
  #pragma oss taskwait weakin(x)
  // CHECK: :[[@LINE+1]]:23: error: '#pragma oss release' takes no clause 'reduction'
  #pragma oss release reduction(+: x)
  // CHECK: :[[@LINE+1]]:23: error: expected '(' after 'in'
  #pragma oss task in x
  // CHECK: :[[@LINE+1]]:23: error: clause 'in' needs an argument
  #pragma oss task in()
  // CHECK: :[[@LINE+1]]:27: error: expected ')'
  #pragma oss task in(a[0]
  // CHECK: :[[@LINE+1]]:32: error: more than one clause 'priority' in one directive
  #pragma oss task priority(1) priority(2)
  // CHECK: :[[@LINE+1]]:28: error: clause 'default' takes one of none, shared, private, firstprivate
  #pragma oss task default(all)
  // CHECK: :[[@LINE+1]]:27: error: clause 'device' takes one of smp, cuda, opencl, fpga
  #pragma oss task device(gpu)
  // CHECK: :[[@LINE+1]]:33: error: the clause 'ndrange' is for functions that are kernels of the device
  #pragma oss task device(cuda) ndrange(1, n, 128)
  x = 1;
  // CHECK: :[[@LINE+1]]:33: error: clause 'ndrange' of 2 dimensions takes as many sizes, and as many of groups or none; there are 3
  #pragma oss task device(cuda) ndrange(2, n, 1, 8)
  // CHECK: :[[@LINE+1]]:33: error: clause 'grid' of 1 dimension takes as many sizes, and as many of groups or none; there are 0
  #pragma oss task device(cuda) grid(1)
  // CHECK: :[[@LINE+1]]:41: error: clause 'ndrange' begins with the number of dimensions: 1, 2 or 3
  #pragma oss task device(cuda) ndrange(4, n, n, n, n)
  // CHECK: :[[@LINE+1]]:41: error: clause 'ndrange' begins with the number of dimensions: 1, 2 or 3
  #pragma oss task device(cuda) ndrange(n, n)
  // CHECK: :[[@LINE+1]]:44: error: clause 'ndrange' takes numbers from 1 on
  #pragma oss task device(cuda) ndrange(1, 0, 128)
  // CHECK: :[[@LINE+1]]:47: error: clause 'ndrange' takes numbers from 1 on
  #pragma oss task device(cuda) ndrange(1, n, -2)
  // CHECK: :[[@LINE+1]]:44: error: expected an expression between the commas of clause 'ndrange'
  #pragma oss task device(cuda) ndrange(1, )
  // CHECK: :[[@LINE+1]]:33: error: clause 'shmem' needs 'ndrange' or 'grid'
  #pragma oss task device(cuda) shmem(8)
  // CHECK: :[[@LINE+1]]:58: error: clause 'shmem' takes numbers from 0 on
  #pragma oss task device(cuda) ndrange(1, n, 128) shmem(-1)
  // CHECK: :[[@LINE+1]]:47: error: clauses 'ndrange' and 'grid' of one task
  #pragma oss task device(cuda) ndrange(1, n) grid(1, n)
  // CHECK: :[[@LINE+1]]:20: error: clause 'ndrange' needs device() with another one than the host
  #pragma oss task ndrange(1, n, 128)
  // CHECK: :[[@LINE+1]]:39: error: 'x' is reduced and named as a dependence, too
  #pragma oss task reduction(+: x) in(x)
  // CHECK: :[[@LINE+1]]:20: error: clause 'label' takes a text, and maybe one of the instance
  #pragma oss task label("a", "b", "c")
  // CHECK: :[[@LINE+1]]:23: error: expected a dependence item
  #pragma oss task in(x, , a)
  // CHECK: :[[@LINE+1]]:23: error: expected a dependence item
  #pragma oss task in({, i=0;4})
  // CHECK: :[[@LINE+1]]:29: error: expected ':' and dependence items
  #pragma oss task depend(in)
  // CHECK: :[[@LINE+1]]:30: error: expected an operation, ':' and what is reduced
  #pragma oss task reduction(x)
  // CHECK: :[[@LINE+1]]:30: error: expected an operation, ':' and what is reduced
  #pragma oss task reduction(+:)
  // CHECK: :[[@LINE+1]]:23: error: expected 'reduction' after 'declare'
  #pragma oss declare simd
  // CHECK: :[[@LINE+1]]:37: error: expected ',' or ')' after '}'
  #pragma oss task in({a[i], i=0;4} x)
  // CHECK: :[[@LINE+1]]:32: error: expected values of 'i' in braces
  #pragma oss task in({a[i], i={}})
  // CHECK: :[[@LINE+1]]:32: error: expected first:last or first;count after 'i='
  #pragma oss task in({a[i], i=3})
  // CHECK: :[[@LINE+1]]:30: error: expected an iterator: name=first:last, name=first;count or name={values}
  #pragma oss task in({a[i], 3})
  // CHECK: :[[@LINE+1]]:24: error: a section has two parts: [first;count] or [first:last]
  #pragma oss task in(p[0;2;3])
  // CHECK: :[[@LINE+1]]:24: error: expected an index or a section
  #pragma oss task in(p[])
  // CHECK: :[[@LINE+1]]:27: error: expected an index or a section
  #pragma oss task in(b[0][])
  // CHECK: :[[@LINE+1]]:20: error: unknown clause 'weakconcurrent'
  #pragma oss task weakconcurrent(x)
  // CHECK: :[[@LINE+1]]:34: error: a section in depend() is written [first:count], not with ';'
  #pragma oss task depend(in: p[0;3])
  // CHECK: :[[@LINE+1]]:27: error: expected in, out, inout, inoutset or mutexinoutset
  #pragma oss task depend(source: x)
  // CHECK: :[[@LINE+1]]:27: error: '#pragma oss task' takes no weak 'inoutset' in depend()
  #pragma oss task depend(weak, inoutset: x)
  // CHECK: :[[@LINE+1]]:31: error: '#pragma oss taskwait' takes no weak 'in' in depend()
  #pragma oss taskwait depend(in, weak: x)
  // CHECK: :[[@LINE+1]]:30: error: '#pragma oss release' takes no 'mutexinoutset' in depend()
  #pragma oss release depend(mutexinoutset: x)
  // CHECK: :[[@LINE+1]]:33: error: expected in, out, inout, inoutset or mutexinoutset
  #pragma oss task depend(weak, weak: x)
  // CHECK: :[[@LINE+1]]:29: error: expected ':' and dependence items
  #pragma oss task depend(in, in: x)
  // CHECK: :[[@LINE+1]]:23: error: an item in braces needs iterators: {item, i=first:last}
  #pragma oss task in({p[0]})
  // CHECK: :[[@LINE+1]]:33: error: the range of iterator 'i' is not complete
  #pragma oss task in({p[i], i=0:})
  // CHECK: :[[@LINE+1]]:30: error: expected an iterator: name=first:last, name=first;count or name={values}
  #pragma oss task in({p[i], i})
  // CHECK: :[[@LINE+1]]:23: error: a shape needs a size in each bracket
  #pragma oss task in([]p)
  // CHECK: :[[@LINE+1]]:23: error: expected an expression after the shape
  #pragma oss task in([3])
  // CHECK: :[[@LINE+1]]:53: error: 'x' is reduced twice
  #pragma oss task reduction(+: x) weakreduction(+: x)
  // CHECK: :[[@LINE+1]]:33: error: a reduction is of a variable or of a shape [n]p
  #pragma oss task reduction(+: s->m)
  // CHECK: :[[@LINE+1]]:3: error: '#pragma oss release' needs a clause that says what is released
  #pragma oss release
  // CHECK: :[[@LINE+2]]:3: error: '#pragma oss taskiter' needs a for or while loop
  #pragma oss taskiter
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: 'x' is firstprivate, so other tasks do not see what this one does with it
  #pragma oss task in(x) firstprivate(x)
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: use of undeclared identifier 'y'
  #pragma oss task in(y)
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: address of bit-field requested
  #pragma oss task in(s->bit)
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: cannot take the address of an rvalue of type 'int'
  #pragma oss task in(x + 1)
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: static assertion failed{{.*}}: a section of a pointer needs its last element or its length
  #pragma oss task in(p[2:])
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: static assertion failed{{.*}}: what has more sections or subscripts is not an array
  #pragma oss task in(pp[0;2][0;3])
  x = 1;
  // CHECK: :[[@LINE+2]]:26: error: 'x' is neither a pointer nor an array, so it has no shape
  // CHECK-NOT: :[[@LINE+1]]:
  #pragma oss task in([4]x)
  x = 1;
  // CHECK: :[[@LINE+1]]:27: error: a length cannot be negative
  #pragma oss task in(p[0;-4])
  x = 1;
  // CHECK: :[[@LINE+1]]:24: error: a length cannot be negative
  #pragma oss task in([-2]p)
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: invalid operands to binary expression ('double' and 'int')
  #pragma oss task in(p[0;1.5])
  x = 1;
  // CHECK: :[[@LINE+1]]:23: error: invalid operands to binary expression ('double' and 'int')
  #pragma oss task in([2.5]p)
  x = 1;
  // CHECK: :[[@LINE+1]]:24: error: invalid operands to binary expression ('double' and 'int')
  #pragma oss task in({p[i], i=0:1.5})
  x = 1;
  // CHECK: :[[@LINE+1]]:36: error: iterator 'i' has a step of 0
  #pragma oss task in({p[i], i=0;4:0})
  x = 1;
  // CHECK: :[[@LINE+2]]:33: error: no reduction '+' is declared for the type of 's'
  // CHECK-NOT: :[[@LINE+1]]:
  #pragma oss task reduction(+: s)
  x = 1;
  // CHECK: :[[@LINE+1]]:20: error: unknown clause 'weakconcurrent'
  #pragma oss task weakconcurrent(x)
  // CHECK: :[[@LINE+1]]:25: error: clause 'cost' takes numbers from 0 on
  #pragma oss task cost(-1)
  // CHECK: :[[@LINE+1]]:20: error: invalid operands to binary expression ('double' and 'int')
  #pragma oss task priority(1.5)
  x = 1;
  // CHECK: :[[@LINE+1]]:20: error: invalid operands to binary expression ('const char *' and 'int')
  #pragma oss task cost(text)
  x = 1;
  // CHECK: :[[@LINE+2]]:3: error: '#pragma oss taskloop' needs a for loop
  #pragma oss taskloop in(p[i])
  while (x) { x--; }
  // CHECK: :[[@LINE+1]]:34: error: clause 'grainsize' takes numbers from 1 on
  #pragma oss taskloop grainsize(0)
  // CHECK: :[[@LINE+1]]:34: error: clause 'chunksize' takes numbers from 1 on
  #pragma oss task for chunksize(-1)
  // CHECK: :[[@LINE+1]]:31: error: clause 'unroll' takes numbers from 1 on
  #pragma oss taskiter unroll(0)
  // CHECK: :[[@LINE+1]]:26: error: clause 'label' takes a text that is known when the program is compiled
  #pragma oss task label(text)
  x = 1;
  static const char *const known = "known";
  // CHECK-NOT: :[[@LINE+1]]:
  #pragma oss task label(known, text)
  x = 1;
  // CHECK: :[[@LINE+1]]:3: error: items name iterations of loops of which one bounds the other
  #pragma oss taskloop collapse(2) in(p[j])
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) x = 1;
  // CHECK: :[[@LINE+1]]:23: error: '#pragma oss critical' takes one name in parentheses, or none
  #pragma oss critical(
  x = 1;
  // CHECK: :[[@LINE+1]]:21: error: '#pragma oss assert' takes a text in parentheses
  #pragma oss assert(3)
  // CHECK: :[[@LINE+2]]:{{[0-9]+}}: error: cannot return from OpenMP region
  #pragma oss task
  return;
  // CHECK: :[[@LINE+1]]:36: warning: extra tokens at the end of '#pragma oss task' are ignored
  #pragma oss task firstprivate(x) + 3
  x = 1;
}
void reduces(double *y) {
  // CHECK-NOT: error:
  #pragma oss declare reduction(sum : int, float : omp_out += omp_in) initializer(omp_priv = 1)
  // CHECK: :[[@LINE+1]]:53: error: expected ')'
  #pragma oss declare reduction(odd : int : omp_out unknown omp_in)
  // CHECK: :[[@LINE+1]]:58: error: only 'omp_in' or 'omp_out' variables are allowed in combiner expression
  #pragma oss declare reduction(odd : long : omp_out += *y)
  // CHECK: :[[@LINE+1]]:36: error: static assertion failed{{.*}}: no reduction 'sum' is declared for this type
  #pragma oss task reduction(sum : [2]y)
  y[0] = 1;
}
void calls(void (*how)(void)) {
  // CHECK: :[[@LINE+2]]:5: error: Clang does not see this use of 'how' in the task: name it in firstprivate() or shared()
  #pragma oss task default(none)
  (*how)();
  // CHECK-NOT: :[[@LINE+2]]:
  #pragma oss task default(none) firstprivate(how)
  (*how)();
}
void declares(void) {
  // CHECK: :[[@LINE+1]]:3: error: '#pragma oss task' cannot be used here: declare 'inner' outside of the function
  #pragma oss task inout(*p)
  void inner(int *p);
}
// CHECK-NOT: error:
#pragma oss declare reduction(sum : long : omp_out += omp_in)
// CHECK: :[[@LINE+2]]:1: error: a function that is a task returns void
#pragma oss task
int result(int *p);
// CHECK: :[[@LINE+1]]:18: error: the clause 'shared' is not for functions: their parameters are copied, references shared
#pragma oss task shared(p)
void shared(int *p);
// CHECK: :[[@LINE+2]]:16: error: '#pragma oss task' cannot be used here: one function only may be declared
#pragma oss task
void one(int *), two(int *);
typedef int number;
// CHECK: :[[@LINE+2]]:1: error: a function that is a task returns void
#pragma oss task
number other(int *p);
// CHECK: :[[@LINE+1]]:42: error: invalid operands to binary expression ('double *' and 'int')
#pragma oss task device(cuda) ndrange(1, y, 128) inout([n]y)
void scale(int n, double *y);
// CHECK: :[[@LINE+1]]:44: error: a task for a device cannot reduce
#pragma oss task device(cuda) reduction(+: [1]y)
void sum(double *y);
// CHECK: :[[@LINE+1]]:21: error: the task has a copy of 'n': name what it points to, or take a reference
#pragma oss task in(n)
void copied(int n);
void early(int *p);
void caller(int *p) { early(p); }
// CHECK: :[[@LINE+1]]:1: warning: 'early' has been declared before without '#pragma oss task': calls until here make no tasks
#pragma oss task inout(*p)
void early(int *p);
// CHECK: :[[@LINE+1]]:1: error: nothing follows '#pragma oss task'
#pragma oss task
