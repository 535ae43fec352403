; The runtime is told where arrays on the stack that loops may have got at end: large ones, and those
; of variable size, but not small ones, nor such that nobody else gets at.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-unify-memory -S %s | FileCheck %s

declare void @use(ptr)
declare i32 @tailed(ptr)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

; CHECK-LABEL: @large(
; CHECK:         call void @use(
; CHECK:         [[FRAME:%.*]] = call ptr @llvm.frameaddress.p0(i32 0)
; CHECK-NEXT:    call void @tutti_leave(ptr [[FRAME]])
; CHECK-NEXT:    ret void
define void @large() {
  %a = alloca [4096 x i8]
  call void @use(ptr %a)
  ret void
}

; CHECK-LABEL: @small(
; CHECK-NOT:     tutti_leave
define void @small() {
  %a = alloca [4095 x i8]
  call void @use(ptr %a)
  ret void
}

; CHECK-LABEL: @own(
; CHECK-NOT:     tutti_leave
define i8 @own(i64 %i) {
  %a = alloca [8192 x i8]
  %p = getelementptr i8, ptr %a, i64 %i
  store i8 1, ptr %p
  %v = load i8, ptr %a
  ret i8 %v
}

; CHECK-LABEL: @block(
; CHECK:         call void @llvm.stackrestore.p0(ptr %saved)
; CHECK-NEXT:    call void @tutti_leave(ptr %saved)
; CHECK:         call ptr @llvm.frameaddress
; CHECK-NEXT:    call void @tutti_leave(
; CHECK-NEXT:    %r = musttail call i32 @tailed(
; CHECK-NEXT:    ret i32 %r
define i32 @block(ptr %n) {
  %saved = call ptr @llvm.stacksave.p0()
  %size = load i64, ptr %n
  %a = alloca i8, i64 %size
  call void @use(ptr %a)
  call void @llvm.stackrestore.p0(ptr %saved)
  %r = musttail call i32 @tailed(ptr %n)
  ret i32 %r
}
