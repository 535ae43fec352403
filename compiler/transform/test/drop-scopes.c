// Functions lose the scopes that only remarks needed; instructions keep their lines, and what a debugger
// or a remark of the backend needs stays.
// RUN: %tutticc -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=DROPPED
// RUN: %tutticc -g1 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: %tutticc -Rpass-analysis=prologepilog -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=KEPT
// RUN: %tutticc -O0 -S -emit-llvm -o - %s 2>/dev/null | FileCheck %s --check-prefix=DROPPED

// DROPPED: define {{.*}} @twice(i64{{[^!]*}} {
// DROPPED: ret i64 %{{.*}}, !dbg !
// KEPT:    define {{.*}} @twice(i64{{.*}} !dbg !{{[0-9]+}} {
// KEPT:    ret i64 %{{.*}}, !dbg !
long twice(long number) {
  return 2 * number;
}
