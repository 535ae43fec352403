; What allocates for the whole process stays as it is, with its variables; a local function of that
; name is another matter.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-unify-memory -S %s | FileCheck %s
; RUN: sed -e 's/define ptr @_Znwm/define internal ptr @_Znwm/' %s \
; RUN:   | opt -load-pass-plugin=%plugin -passes=tutti-unify-memory -S | FileCheck %s --check-prefix=LOCAL

; CHECK: @count = global i64 0{{$}}
; LOCAL: @count = global i64 0, section
@count = global i64 0

declare ptr @malloc(i64)
declare i32 @omp_get_max_threads()

; CHECK-LABEL: define ptr @_Znwm
; CHECK:         call ptr @malloc(
; LOCAL-LABEL: define internal ptr @_Znwm
; LOCAL:         call ptr @tutti_malloc(
define ptr @_Znwm(i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}

; CHECK-LABEL: @asks
; CHECK:         call i32 @tutti_get_max_threads()
define i32 @asks() {
  %threads = call i32 @omp_get_max_threads()
  ret i32 %threads
}
