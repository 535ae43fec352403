; What only outlined functions call keeps its loops; what others call as well stays as it is, because
; LLVM inlines nothing into functions that may use more builtins.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-keep-loops -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-keep-loops,tutti-unmark-loops,tutti-form-host-loops -S %s | FileCheck %s --check-prefix=AFTER

declare void @__kmpc_fork_call(ptr, i32, ptr, ...)

; CHECK: define void @main() {
define void @main() {
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr null, i32 0, ptr @outlined)
  call void @shared()
  ret void
}

; CHECK: define internal void @outlined(ptr %id, ptr %team) [[MARKED:#[0-9]+]] {
define internal void @outlined(ptr %id, ptr %team) {
  call void @own()
  call void @shared()
  ret void
}

; CHECK: define internal void @own() [[MARKED]] {
define internal void @own() {
  ret void
}

; CHECK: define internal void @shared() {
define internal void @shared() {
  ret void
}

; CHECK: attributes [[MARKED]] = {{.*}}"no-builtin-memset"
; AFTER-NOT: no-builtin
