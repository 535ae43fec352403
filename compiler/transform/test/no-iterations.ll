; A loop that is set up, but of which optimisation found that no chunk is ever asked for.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-launch-regions -pass-remarks-missed=tutti -disable-output %s 2>&1 | FileCheck %s
; CHECK: parallel loop stays on rank 0: its worksharing loop never runs

@place = private constant [4 x i8] c";;;\00"

define void @start(i32 %n) {
  %kept = alloca i32
  store i32 %n, ptr %kept
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @place, i32 1, ptr @start.omp_outlined, ptr %kept)
  ret void
}

define internal void @start.omp_outlined(ptr noalias %thread, ptr noalias %bound, ptr %n) {
  %id = load i32, ptr %thread
  %count = load i32, ptr %n
  %last = add i32 %count, -1
  call void @__kmpc_dispatch_init_4(ptr @place, i32 %id, i32 35, i32 0, i32 %last, i32 1, i32 1)
  call void @__kmpc_dispatch_deinit(ptr @place, i32 %id)
  ret void
}

declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
declare void @__kmpc_dispatch_init_4(ptr, i32, i32, i32, i32, i32, i32)
declare void @__kmpc_dispatch_deinit(ptr, i32)
