; A loop is divided where a condition that its loads depend on ceases to hold.
; RUN: opt -load-pass-plugin=%plugin -passes='tutti-loop-phases,verify' -S %s | FileCheck %s

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; The first phase loads in each iteration, the second one in none.
; CHECK-LABEL: @row(
; CHECK: %phases.holds = icmp ult i64 1, %end
; CHECK: %phases.limit = select i1 %phases.holds
; CHECK: {{^}}phase:
; CHECK: br i1 %phase.holds, label %phase.split.us, label %phase.split
; CHECK: {{^}}phase.split.us:
; CHECK: %loaded.us = load double, ptr %east.at.us
; CHECK: {{^}}phase.split:
; CHECK-NOT: load double
; CHECK: }
define void @row(ptr noalias %a, ptr noalias %b, i64 %end, i64 %n, double %last) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %join ]
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %behind = add nuw nsw i64 %i, 1
  %east.at = getelementptr inbounds double, ptr %a, i64 %behind
  %loaded = load double, ptr %east.at
  br label %join

join:
  %east = phi double [ %loaded, %inside ], [ %last, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %east, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; What is carried from one iteration to the next one goes through both phases.
; CHECK-LABEL: @sum(
; CHECK: {{^}}phase:
; CHECK: %sum.phase = phi double
define double @sum(ptr %a, i64 %end, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %sum = phi double [ 0.0, %entry ], [ %more, %join ]
  %isInside = icmp slt i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %loaded = load double, ptr %at
  br label %join

join:
  %value = phi double [ %loaded, %inside ], [ 1.0, %loop ]
  %more = fadd double %sum, %value
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret double %more
}

; Vectors do without: nothing is accessed in one case alone.
; CHECK-LABEL: @choice(
; CHECK-NOT: phase
; CHECK: }
define void @choice(ptr %b, i64 %end, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  br label %join

join:
  %value = phi double [ 2.0, %inside ], [ 1.0, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; The counter may wrap: the condition may hold again.
; CHECK-LABEL: @wraps(
; CHECK-NOT: phase
; CHECK: }
define void @wraps(ptr %a, ptr %b, i64 %from, i64 %end, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ %from, %entry ], [ %next, %join ]
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr double, ptr %a, i64 %i
  %loaded = load double, ptr %at
  br label %join

join:
  %value = phi double [ %loaded, %inside ], [ 1.0, %loop ]
  %to = getelementptr double, ptr %b, i64 %i
  store double %value, ptr %to
  %next = add i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; The bound is computed in the loop.
; CHECK-LABEL: @varies(
; CHECK-NOT: phase
; CHECK: }
define void @varies(ptr %a, ptr %b, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %from = getelementptr inbounds i64, ptr %b, i64 %i
  %end = load i64, ptr %from
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds i64, ptr %a, i64 %i
  %loaded = load i64, ptr %at
  br label %join

join:
  %value = phi i64 [ %loaded, %inside ], [ 1, %loop ]
  store i64 %value, ptr %from
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; Only some iterations ask: what they compare may be poison in others.
; CHECK-LABEL: @asksSeldom(
; CHECK-NOT: phase
; CHECK: }
define void @asksSeldom(ptr %a, ptr %b, i64 %end, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %to = getelementptr inbounds i64, ptr %b, i64 %i
  %before = load i64, ptr %to
  %asks = icmp eq i64 %before, 0
  br i1 %asks, label %ask, label %join

ask:
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds i64, ptr %a, i64 %i
  %loaded = load i64, ptr %at
  br label %join

join:
  %value = phi i64 [ %loaded, %inside ], [ 1, %ask ], [ 2, %loop ]
  store i64 %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; The condition begins to hold instead: its bound belongs to the first phase.
; CHECK-LABEL: @begins(
; CHECK: %phases.holds = icmp ugt i64 1, %end
; CHECK: %phases.limit = select i1 %phases.holds, i64 %[[LAST:.*]], i64 %
; CHECK: phi i1 [ %phases.holds, %{{.*}} ], [ true, %phase.end
define void @begins(ptr noalias %a, ptr noalias %b, i64 %end, i64 %n, double %last) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %join ]
  %isBehind = icmp ugt i64 %i, %end
  br i1 %isBehind, label %join, label %inside

inside:
  %behind = add nuw nsw i64 %i, 1
  %east.at = getelementptr inbounds double, ptr %a, i64 %behind
  %loaded = load double, ptr %east.at
  br label %join

join:
  %east = phi double [ %loaded, %inside ], [ %last, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %east, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; Where a call is convergent, loops stay as they are.
; CHECK-LABEL: @together(
; CHECK-NOT: phase
; CHECK: }
declare void @barrier() convergent nounwind willreturn memory(none)
define void @together(ptr noalias %a, ptr noalias %b, i64 %end, i64 %n, double %last) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 1, %entry ], [ %next, %join ]
  call void @barrier()
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %loaded = load double, ptr %at
  br label %join

join:
  %east = phi double [ %loaded, %inside ], [ %last, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %east, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; The second loop starts where the first one has ended, which is known after its last phase alone.
; CHECK-LABEL: @follows(
; CHECK: %phases.holds = icmp slt i64 0, %end
; CHECK-NOT: [ 0, %phase
; CHECK: {{^}}between:
; CHECK: %phases.holds{{.*}} = icmp slt i64 %{{.*}}, %end
; CHECK-NOT: [ 0, %phase
; CHECK: }
define void @follows(ptr %a, ptr %b, i64 %end, i64 %n) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %isInside = icmp slt i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %loaded = load double, ptr %at
  br label %join

join:
  %value = phi double [ %loaded, %inside ], [ 1.0, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %value, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %between, label %loop

between:
  br label %loop2

loop2:
  %j = phi i64 [ %next, %between ], [ %next2, %join2 ]
  %k = phi i64 [ 0, %between ], [ %more, %join2 ]
  %behind = add nuw nsw i64 %j, 2
  %isInside2 = icmp slt i64 %behind, %end
  br i1 %isInside2, label %inside2, label %join2

inside2:
  %at2 = getelementptr inbounds double, ptr %a, i64 %behind
  %loaded2 = load double, ptr %at2
  br label %join2

join2:
  %value2 = phi double [ %loaded2, %inside2 ], [ 2.0, %loop2 ]
  %to2 = getelementptr inbounds double, ptr %b, i64 %k
  store double %value2, ptr %to2
  %next2 = add nuw nsw i64 %j, 1
  %more = add nuw nsw i64 %k, 1
  %isOver2 = icmp eq i64 %more, %n
  br i1 %isOver2, label %exit, label %loop2

exit:
  ret void
}

; Another condition is taken out of the loop first: of what that makes, no loop is left with its own.
; CHECK-LABEL: @chosen(
; CHECK: br i1 %leaves
; CHECK-NOT: br i1 %phase.holds, label %inside
; CHECK: }
define void @chosen(ptr noalias %a, ptr noalias %b, ptr noalias %c, i64 %end, i64 %n, i1 %leaves) {
entry:
  br label %loop

loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %isInside = icmp slt i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %at = getelementptr inbounds double, ptr %a, i64 %i
  %loaded = load double, ptr %at
  br label %join

join:
  %value = phi double [ %loaded, %inside ], [ 1.0, %loop ]
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %value, ptr %to
  br i1 %leaves, label %latch, label %add

add:
  %more.at = getelementptr inbounds double, ptr %c, i64 %i
  %more = load double, ptr %more.at
  %sum = fadd double %value, %more
  store double %sum, ptr %to
  br label %latch

latch:
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %exit, label %loop

exit:
  ret void
}

; A loop within another one may be short, and is left as it is.
; CHECK-LABEL: @within(
; CHECK-NOT: phase
; CHECK: }
define void @within(ptr noalias %a, ptr noalias %b, i64 %end, i64 %n, double %last) {
entry:
  br label %outer

outer:
  %k = phi i64 [ 0, %entry ], [ %more, %after ]
  %row = getelementptr inbounds double, ptr %b, i64 %k
  br label %loop

loop:
  %i = phi i64 [ 1, %outer ], [ %next, %join ]
  %isInside = icmp ult i64 %i, %end
  br i1 %isInside, label %inside, label %join

inside:
  %behind = add nuw nsw i64 %i, 1
  %east.at = getelementptr inbounds double, ptr %a, i64 %behind
  %loaded = load double, ptr %east.at
  br label %join

join:
  %east = phi double [ %loaded, %inside ], [ %last, %loop ]
  %to = getelementptr inbounds double, ptr %row, i64 %i
  store double %east, ptr %to
  %next = add nuw nsw i64 %i, 1
  %isOver = icmp eq i64 %next, %n
  br i1 %isOver, label %after, label %loop

after:
  %more = add nuw nsw i64 %k, 1
  %isDone = icmp eq i64 %more, %n
  br i1 %isDone, label %exit, label %outer

exit:
  ret void
}
