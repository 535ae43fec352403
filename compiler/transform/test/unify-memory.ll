; Allocation calls and questions about threads become the runtime's; the user's variables move to sections it maps and are
; listed, others stay.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-unify-memory -S %s | FileCheck %s

$odd = comdat any
$group = comdat any
$inlined = comdat any
$instance = comdat any

; CHECK-DAG: @zero = global [4 x double] zeroinitializer, section ".llvm.linkonce.b.tutti"
; CHECK-DAG: @set = internal global i32 7, section "tutti_data"
; CHECK-DAG: @table = constant i32 7{{$}}
; CHECK-DAG: @thread = thread_local global i32 0{{$}}
; CHECK-DAG: @elsewhere = external global i32{{$}}
; CHECK-DAG: @placed = global i32 1, section "mine"
; CHECK-DAG: @odd = linkonce_odr global i32 5, section "tutti_data", comdat
; CHECK:      @tutti.variable = private constant { ptr, i64 } { ptr @odd, i64 4 }, section "tutti_variables"
; CHECK-NEXT: @tutti.variable.1 = private constant { ptr, i64 } { ptr @zero, i64 32 }, section "tutti_variables"
; CHECK-NEXT: @tutti.variable.2 = private constant { ptr, i64 } { ptr @set, i64 4 }, section "tutti_variables"
; CHECK-NEXT: @llvm.compiler.used = appending global [3 x ptr]
@odd = linkonce_odr global i32 5, comdat
@ofGroup = internal global i32 5, comdat($group)
@zero = global [4 x double] zeroinitializer
@set = internal global i32 7
@table = constant i32 7
@thread = thread_local global i32 0
@elsewhere = external global i32
@placed = global i32 1, section "mine"

declare noalias ptr @malloc(i64)
declare ptr @_Znwm(i64)
declare void @free(ptr)
declare i32 @omp_get_max_threads()
declare i32 @omp_get_thread_num()
declare void @omp_set_num_threads(i32)

; Libraries that use an inline function have their own. Those that use an instance which is made on purpose need this one.
; CHECK: define linkonce_odr hidden ptr @inlined() comdat
define linkonce_odr ptr @inlined() comdat {
  %new = call ptr @_Znwm(i64 8)
  ret ptr %new
}

; CHECK: define weak_odr ptr @instance() comdat
define weak_odr ptr @instance() comdat {
  ret ptr null
}

; CHECK-LABEL: @asks
; CHECK:         %threads = call i32 @tutti_get_max_threads()
; CHECK:         call i32 @omp_get_thread_num()
; CHECK:         call void @tutti_set_num_threads(i32 %threads)
define void @asks() {
  %threads = call i32 @omp_get_max_threads()
  %number = call i32 @omp_get_thread_num()
  call void @omp_set_num_threads(i32 %threads)
  ret void
}

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
