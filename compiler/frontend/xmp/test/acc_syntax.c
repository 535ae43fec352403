// What the tokens of directives and clauses for devices show.
// RUN: not %tutti-xmp - clang -ferror-limit=0 %s 2>&1 | FileCheck %s
int a[4], x;
#pragma xmp nodes p[2]
#pragma xmp template t[4]
#pragma xmp distribute t[block] onto p
#pragma xmp align a[i] with t[i]
// CHECK: :[[@LINE+1]]:17: error: unknown directive 'replicat'; did you mean 'replicate'?
#pragma xmp acc replicat (a)
// CHECK: :[[@LINE+1]]:19: error: expected the name of a directive after 'acc'
#pragma xmp device
// CHECK: :[[@LINE+1]]:31: error: extra tokens at the end of '#pragma xmp acc replicate'
#pragma xmp acc replicate (a) 1
// CHECK: :[[@LINE+1]]:27: error: expected '('
#pragma xmp acc replicate a
// CHECK: :[[@LINE+1]]:13: error: '#pragma xmp acc replicate_sync' can stand in functions only
#pragma xmp acc replicate_sync in (a)

void f(void) {
  // CHECK: :[[@LINE+1]]:32: error: expected 'in' or 'out'
#pragma xmp acc replicate_sync (a)
  // CHECK: :[[@LINE+1]]:39: error: expected 'in' or 'out'
#pragma xmp acc replicate_sync in (a) into (a)
  // CHECK: :[[@LINE+1]]:26: error: this clause needs 'acc'
#pragma xmp loop on t[i] private(x)
  for (int i = 0; i < 4; i++) {}
  // CHECK: :[[@LINE+1]]:30: error: unknown clause 'privat'; did you mean 'private'?
#pragma xmp loop on t[i] acc privat(x)
  for (int i = 0; i < 4; i++) {}
  // CHECK: :[[@LINE+1]]:30: error: 'acc' stands here twice
#pragma xmp loop on t[i] acc acc
  for (int i = 0; i < 4; i++) {}
  // CHECK: :[[@LINE+1]]:28: error: use of undeclared identifier 'nothing'
#pragma xmp acc replicate (nothing)
  { ; }
}
// CHECK-NOT: error:
