; What optimisations for one thread carry from iteration to iteration is loaded or computed anew.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-expose-loops -S %s | FileCheck %s

; The load of the iteration before is done again: the store leaves it alone.
; CHECK-LABEL: @carried(
; CHECK:       loop:
; CHECK-NOT:     phi double
; CHECK:         %reload = load double
; CHECK:         store double %reload, ptr %to
define void @carried(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %first = load double, ptr %a
  br label %loop
loop:
  %x = phi double [ %first, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %k1 = add nuw nsw i64 %k, 1
  %from = getelementptr inbounds double, ptr %a, i64 %k1
  %next = load double, ptr %from
  %to = getelementptr inbounds double, ptr %b, i64 %k
  store double %x, ptr %to
  %done = icmp eq i64 %k1, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The store may change it: what was loaded must be kept.
; CHECK-LABEL: @clobbered(
; CHECK:         phi double
; CHECK-NOT:     %reload
define void @clobbered(ptr %a, ptr %b, i64 %n) {
entry:
  %first = load double, ptr %a
  br label %loop
loop:
  %x = phi double [ %first, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %k1 = add nuw nsw i64 %k, 1
  %from = getelementptr inbounds double, ptr %a, i64 %k1
  %next = load double, ptr %from
  %to = getelementptr inbounds double, ptr %b, i64 %k
  store double %x, ptr %to
  %done = icmp eq i64 %k1, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; The first value is another one.
; CHECK-LABEL: @started(
; CHECK:         phi double
; CHECK-NOT:     %reload
define void @started(ptr noalias %a, ptr noalias %b, i64 %n) {
entry:
  %first = load double, ptr %b
  br label %loop
loop:
  %x = phi double [ %first, %entry ], [ %next, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %k1 = add nuw nsw i64 %k, 1
  %from = getelementptr inbounds double, ptr %a, i64 %k1
  %next = load double, ptr %from
  %to = getelementptr inbounds double, ptr %b, i64 %k
  store double %x, ptr %to
  %done = icmp eq i64 %k1, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Of two phis that change alike one remains; one that starts differently does, too.
; CHECK-LABEL: @twins(
; CHECK-COUNT-2: phi double
; CHECK-NOT:     phi double
; CHECK:         ret double
define double @twins(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %x = phi double [ 0.0, %entry ], [ %x1, %loop ]
  %y = phi double [ 0.0, %entry ], [ %y1, %loop ]
  %z = phi double [ 1.0, %entry ], [ %z1, %loop ]
  %k = phi i64 [ 0, %entry ], [ %k1, %loop ]
  %from = getelementptr inbounds double, ptr %a, i64 %k
  %v = load double, ptr %from
  %more = fcmp ogt double %v, %y
  %x1 = select i1 %more, double %v, double %x
  %y1 = select i1 %more, double %v, double %y
  %z1 = select i1 %more, double %v, double %z
  %k1 = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %k1, %n
  br i1 %done, label %exit, label %loop
exit:
  %sum = fadd double %x1, %z1
  ret double %sum
}

; Sums that do not wrap around are computed in 64 bits; others stay.
; CHECK-LABEL: @indices(
; CHECK:         [[WIDE:%.*]] = sext i32 %k to i64
; CHECK:         add nsw i64 [[WIDE]], 2
; CHECK:         [[SUM:%.*]] = add i32 %k, %m
; CHECK:         sext i32 [[SUM]] to i64
define void @indices(ptr %a, i32 %n, i32 %m) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %i = add nsw i32 %k, 2
  %wide = sext i32 %i to i64
  %j = add i32 %k, %m
  %wrapping = sext i32 %j to i64
  %to = getelementptr inbounds double, ptr %a, i64 %wide
  store double 1.0, ptr %to
  %too = getelementptr inbounds double, ptr %a, i64 %wrapping
  store double 1.0, ptr %too
  %k1 = add nsw i32 %k, 1
  %done = icmp eq i32 %k1, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
