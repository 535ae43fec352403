// Mistakes that only C++ has.
// RUN: not clang++ -fopenmp -fplugin=%frontend -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: not clang++ -fopenmp -fplugin=%frontend -ferror-limit=0 -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=ONCE --implicit-check-not="a constructor cannot"
// ONCE: a constructor cannot be a task
struct Counter {
  int i;
  void count(int *p, int **pp) {
    // CHECK-DAG: :[[@LINE+1]]:5: error: the loop counts with 'i', a member: take a variable of its own
    #pragma oss taskloop
    for (i = 0; i < 3; ++i) p[i] = 1;
    #pragma oss taskloop
    for (int i = 0; i < 3; ++i) p[i] = 1;
    // CHECK-DAG: :[[@LINE+1]]:25: error: static assertion failed{{.*}}: what has more sections or subscripts is not an array
    #pragma oss task in(pp[0;2][0;3])
    p[0] = 1;
  }
  // CHECK-DAG: :[[@LINE+2]]:3: error: '#pragma oss task' cannot be used here: a virtual method cannot be a task
  #pragma oss task
  virtual void late(int *p);
  // CHECK-DAG: :[[@LINE+2]]:8: error: '#pragma oss task' cannot be used here: an operator cannot be a task
  #pragma oss task
  void operator()(int *p);
  // CHECK-DAG: :[[@LINE+2]]:3: error: '#pragma oss task' cannot be used here: a constructor cannot be a task
  #pragma oss task in(*p)
  Counter(int *p) : i(*p) {}
  // CHECK-DAG: :[[@LINE+2]]:3: error: '#pragma oss task' cannot be used here: a destructor cannot be a task
  #pragma oss task
  ~Counter();
  // CHECK-DAG: :[[@LINE+1]]:3: error: '#pragma oss task' outside of any function needs a function that returns void
  #pragma oss task
  Counter &operator+=(int by);
  // CHECK-DAG: :[[@LINE+1]]:3: error: '#pragma oss task' outside of any function needs a function that returns void
  #pragma oss task
  int *field;
  // CHECK-DAG: :[[@LINE+2]]:3: error: a function that is a task returns void
  #pragma oss task inout(*p)
  auto number(int *p) -> int;
  void make(int *p) {
    #pragma oss task in(*p)
    [[clang::nomerge]] count(p, nullptr);
    #pragma oss task in(*p)
    [=] { *p = 1; }();
    #pragma oss task in(*p)
    Counter(p).count(p, nullptr);
  }
  #pragma oss task inout(r)
  static void reference(int &r);
};
namespace far { int sum, *cells; }
struct Kept { static const int limit; static thread_local int own; };
void qualified() {
  // CHECK-DAG: :[[@LINE+1]]:43: error: 'far::sum' is reduced twice
  #pragma oss task reduction(+: far::sum, far::sum)
  // CHECK-DAG: :[[@LINE+1]]:46: error: 'far::sum' is reduced and named as a dependence, too
  #pragma oss task reduction(+: far::sum) in(far::sum)
  // CHECK-DAG: :[[@LINE+1]]:33: error: a reduction is of a variable or of a shape [n]p
  #pragma oss task reduction(+: far::cells[2])
  // CHECK-DAG: :[[@LINE+1]]:33: error: a constant cannot be reduced
  #pragma oss task reduction(+: Kept::limit)
  ;
  // CHECK-DAG: :[[@LINE+1]]:37: error: a constant cannot be reduced
  #pragma oss task weakreduction(+: Kept::limit)
  ;
  const int constants[3] = {};
  const int *pointer = constants;
  // CHECK-DAG: :[[@LINE+1]]:33: error: a constant cannot be reduced
  #pragma oss task reduction(+: [3]pointer)
  ;
  // CHECK-DAG: :[[@LINE+1]]:33: error: a variable of each thread cannot be reduced
  #pragma oss task reduction(+: Kept::own)
  ;
}
template <class T> void dependent(T x) {
  // CHECK-DAG: :[[@LINE+1]]:23: error: whether 'x' is the memory or a pointer to it depends on a template argument; name it in shared() or firstprivate()
  #pragma oss task in(x[0;3])
  x[0] = 1;
}
// CHECK-DAG: :[[@LINE+2]]:13: error: a kernel takes values and pointers, no references and no packs
#pragma oss task device(cuda) ndrange(1, 8) inout(x)
void kernel(int &x);
// CHECK-DAG: :[[@LINE+1]]:31: error: the task has a copy of 'c': name what it points to, or take a reference
#pragma oss task reduction(+: c)
void reduced(int c);
// CHECK-DAG: :[[@LINE+1]]:21: error: the task has a copy of 'c': name what it points to, or take a reference
#pragma oss task in(c.i)
void copied(Counter c);
