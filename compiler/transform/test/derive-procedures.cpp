// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Procedures of LuNA programs get versions that ask for memory and launch, and touch no fragment.
// RUN: %tuttic++ -I %S/../../../include/tutti/luna -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s
// RUN: %tuttic++ -I %S/../../../include/tutti/luna -S -emit-llvm -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK
// At -O0 there are none.
// RUN: %tuttic++ -O0 -I %S/../../../include/tutti/luna -S -emit-llvm -o - %s | FileCheck %s --check-prefix=PLAIN
#include "ucenv.h"

// PLAIN-NOT: tutti_luna_device_
// REMARK-NOT: 'step'
// REMARK-NOT: 'fill'
// REMARK-NOT: 'ring'
// REMARK-NOT: 'number'
// REMARK-NOT: distributed over ranks

extern "C" {

// Scalars of inputs are loaded by the kernel. What is stored behind the loop is stored by the iteration that makes the
// element; if the loop has not run, by one iteration of its own.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_step(
// CHECK: call{{.*}} @tutti_luna_fragment_data(
// CHECK: call{{.*}} @tutti_luna_fragment_create(
// CHECK: call{{.*}} @tutti_luna_fragment_create(
// CHECK-NOT: load double
// CHECK-NOT: store double
// CHECK: call void @tutti_launch(ptr{{.*}} @tutti_luna_device_step.0.tutti.region
// CHECK-NEXT: br label %[[END:[0-9]+]]
// CHECK: call void @tutti_launch(ptr{{.*}} @tutti_luna_device_step.1.tutti.region
// CHECK-NEXT: br label %[[END]]
// CHECK: ret void
void step(int count, const InputDF &u, const InputDF &left, OutputDF &v, OutputDF &first) {
  const double *a = u.getData<double>();
  double *b = v.create<double>(count);
  double l = *left.getData<double>();
  for (int i = 0; i < count; i++) {
    b[i] = a[i] + (i > 0 ? a[i - 1] : l);
  }
  *first.create<double>(1) = b[0];
}

// The same, where the loop always runs; written so in the program; elements that no iteration makes, or that are changed
// before they are stored again.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_borders(
// CHECK: call void @tutti_launch(
// CHECK-NOT: call void @tutti_launch(
// CHECK: ret void
void borders(const InputDF &u, OutputDF &v, OutputDF &first, OutputDF &last) {
  double *b = v.create<double>(100);
  for (int i = 0; i < 100; i++) {
    b[99 - i] = u.getData<double>()[i];
  }
  *first.create<double>(1) = b[0];
  *last.create<double>(1) = b[99];
}
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_own_borders(
// CHECK: call void @tutti_launch(
// CHECK-NOT: call void @tutti_launch(
// CHECK: ret void
void own_borders(int n, const InputDF &u, OutputDF &v, OutputDF &first, OutputDF &last) {
  double *b = v.create<double>(n), *f = first.create<double>(1), *l = last.create<double>(1);
  for (int i = 0; i < n; i++) {
    b[i] = 2 * u.getData<double>()[i];
    if (i == 0) {
      *f = b[i];
    }
    if (b[i] > 0 && i == n - 1) {
      *l = b[i];
    }
  }
}
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_other_elements(
// CHECK: call void @tutti_launch(
// CHECK: call void @tutti_launch(
// CHECK-NOT: call void @tutti_launch(
// CHECK: ret void
void other_elements(const InputDF &u, OutputDF &v, OutputDF &first, OutputDF &last) {
  double *b = v.create<double>(200);
  for (int i = 0; i < 100; i++) {
    b[2 * i] = u.getData<double>()[i];
  }
  b[1] = 7;
  b[198] = 8;
  *first.create<double>(1) = b[1];
  *last.create<double>(1) = b[198];
}

// REMARK: procedure 'twice' has no version for devices: its iterations may touch the same elements of
void twice(int n, int k, OutputDF &v, OutputDF &first) {
  double *b = v.create<double>(n), *f = first.create<double>(1);
  for (int i = 0; i < n; i++) {
    b[i] = i;
    if (i == 0) {
      *f = b[i];
    }
    if (i == k) {
      *f = b[i];
    }
  }
}

// REMARK: procedure 'often' has no version for devices: its iterations may touch the same elements of
void often(int n, int k, OutputDF &v, OutputDF &first) {
  double *b = v.create<double>(n), *f = first.create<double>(1);
  for (int i = 0; i < n; i++) {
    b[i] = i;
    if (i != k) {
      *f = b[i];
    }
  }
}

// What would become memset and memcpy; an output that is a number.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_fill(
// CHECK: call void @tutti_launch(
// CHECK: call void @tutti_launch(
// CHECK: call void @tutti_luna_fragment_set_int(
// CHECK: ret void
void fill(int n, const InputDF &x, OutputDF &zeros, OutputDF &same, OutputDF &count) {
  zeros.create<int>(n, 0);
  std::memcpy(same.create(x.getSize()), x.getData<char>(), x.getSize());
  count.setValue(n);
}

// Rows that are independent.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_product(
// CHECK: call void @tutti_launch(
// CHECK-NOT: call void @tutti_launch(
// CHECK: ret void
void product(int n, const InputDF &x, const InputDF &y, OutputDF &z) {
  const double *a = x.getData<double>();
  const double *b = y.getData<double>();
  double *c = z.create<double>(n * n);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < n; k++) {
        s += a[i * n + k] * b[k * n + j];
      }
      c[i * n + j] = s;
    }
  }
}

// The ring's end is where it begins: an address that is one of two of the same fragment.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_ring(
// CHECK-NOT: load double
// CHECK: call void @tutti_launch(
// CHECK: ret void
void ring(int n, const InputDF &x, OutputDF &y) {
  const double *a = x.getData<double>();
  double *b = y.create<double>(n);
  for (int i = 0; i < n; i++) {
    b[i] = (i > 0 ? a[i - 1] : a[n - 1]) + (i + 1 < n ? a[i + 1] : a[0]);
  }
}

// Nothing but a number, which the host sets as well.
// CHECK-NOT: @tutti_luna_device_number
void number(int n, OutputDF &x) { x.setValue(n); }

// CHECK-NOT: define{{.*}} @tutti_luna_device_sum
// REMARK: procedure 'sum' has no version for devices: an iteration uses what the one before it has computed
void sum(const InputDF &x, OutputDF &s) {
  double sum = 0;
  for (std::size_t i = 0; i < x.getSize() / sizeof(double); i++) {
    sum += x.getData<double>()[i];
  }
  s.setValue(sum);
}

// REMARK: procedure 'scan' has no version for devices: an iteration uses what the one before it has computed
void scan(int n, const InputDF &x, OutputDF &y) {
  double *b = y.create<double>(n + 1);
  b[0] = 0;
  for (int i = 0; i < n; i++) {
    b[i + 1] = b[i] + x.getData<double>()[i];
  }
}

// REMARK: procedure 'scatter' has no version for devices: its iterations may touch the same elements of
void scatter(int n, const InputDF &x, OutputDF &y) {
  int *b = y.create<int>(n);
  for (int i = 0; i < n; i++) {
    b[x.getData<int>()[i]] = i;
  }
}

// REMARK: procedure 'fold' has no version for devices: its iterations may touch the same elements of
void fold(int n, int half, OutputDF &y) {
  double *b = y.create<double>(n);
  for (int i = 0; i < n; i++) {
    *(i < half ? &b[i] : &b[0]) = i;
  }
}

// REMARK: procedure 'either' has no version for devices: it touches memory that is no data fragment's
void either(int n, const InputDF &x, const InputDF &y, OutputDF &z) {
  const double *a = x.getData<double>();
  const double *b = y.getData<double>();
  double *c = z.create<double>(n);
  for (int i = 0; i < n; i++) {
    c[i] = *(i % 3 == 0 ? &a[i] : &b[i]);
  }
}

// REMARK: procedure 'blocks' has no version for devices: its iterations may touch the same elements of
void blocks(int n, int step, OutputDF &y) {
  int *b = y.create<int>(n * step + 8);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++) {
      b[i * step + j] = i;
    }
  }
}

// REMARK: procedure 'show' has no version for devices: it prints with 'printf'
void show(const InputDF &x) { printf("%g\n", *x.getData<double>()); }

// REMARK: procedure 'decide' has no version for devices: what it does next depends on what fragments hold
void decide(int n, const InputDF &x, OutputDF &y) {
  y.create<double>(x.getData<int>()[0] > 0 ? n : 1, 1.0);
}

// REMARK: procedure 'again' has no version for devices: a value that it has written is used again in another place
void again(int n, const InputDF &x, OutputDF &y) {
  double *b = y.create<double>(n);
  for (int i = 0; i < n; i++) {
    b[i] = x.getData<double>()[i];
  }
  double last = b[n - 1];
  for (int i = 0; i < n; i++) {
    b[i] = last;
  }
}

static double state;

// REMARK: procedure 'remember' has no version for devices: it touches memory that is no data fragment's
void remember(int n, OutputDF &y) {
  double *b = y.create<double>(n);
  for (int i = 0; i < n; i++) {
    b[i] = state;
  }
  state = n;
}

// A number that follows from elements is stored by a kernel; not if the procedure asks for it again.
// CHECK-LABEL: define{{.*}} void @tutti_luna_device_element(
// CHECK: call{{.*}} @tutti_luna_fragment_create({{.*}}, i64 8)
// CHECK-NOT: load double
// CHECK: call void @tutti_launch(
// CHECK: call void @tutti_luna_fragment_number({{.*}}, i8 114)
void element(const InputDF &x, OutputDF &lo) { lo = x.getData<double>()[0]; }

// REMARK: procedure 'ask' has no version for devices: what it does next depends on what fragments hold
void ask(const InputDF &x, OutputDF &lo, OutputDF &y) {
  lo = x.getData<double>()[0];
  *y.create<double>(1) = lo.getValue<double>();
}
}
