; Allocation calls become the runtime's; the user's variables move to sections it maps, others stay.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-unify-memory -S %s | FileCheck %s

; CHECK-DAG: @zero = global [4 x double] zeroinitializer, section ".llvm.linkonce.b.tutti"
; CHECK-DAG: @set = internal global i32 7, section "tutti_data"
; CHECK-DAG: @table = constant i32 7{{$}}
; CHECK-DAG: @thread = thread_local global i32 0{{$}}
; CHECK-DAG: @elsewhere = external global i32{{$}}
; CHECK-DAG: @placed = global i32 1, section "mine"
@zero = global [4 x double] zeroinitializer
@set = internal global i32 7
@table = constant i32 7
@thread = thread_local global i32 0
@elsewhere = external global i32
@placed = global i32 1, section "mine"

declare noalias ptr @malloc(i64)
declare ptr @_Znwm(i64)
declare void @free(ptr)

; CHECK-LABEL: @allocates
; CHECK:         call ptr @tutti_malloc(i64 8)
; CHECK:         call ptr @tutti_new(i64 8)
; CHECK:         call void @free(
define void @allocates() {
  %a = call ptr @malloc(i64 8)
  %b = call ptr @_Znwm(i64 8)
  call void @free(ptr %a)
  store i32 1, ptr @set
  ret void
}
