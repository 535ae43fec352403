; Where a loop reads many rows whose length is no constant, each row's beginning is a value that
; strength reduction does not look behind.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-freeze-rows -S %s | FileCheck %s

; Products alone, in sums, and shifted.
; CHECK-LABEL: @many(
; CHECK: %row0 = getelementptr
; CHECK-NEXT: %row0.kept = freeze ptr %row0{{$}}
; CHECK: %row1 = getelementptr
; CHECK-NEXT: %row1.kept = freeze ptr %row1{{$}}
; CHECK: %row2 = getelementptr
; CHECK-NEXT: %row2.kept = freeze ptr %row2{{$}}
; CHECK: %row3 = getelementptr
; CHECK-NEXT: %row3.kept = freeze ptr %row3{{$}}
; CHECK: %row4 = getelementptr
; CHECK-NEXT: %row4.kept = freeze ptr %row4{{$}}
; CHECK: %row5 = getelementptr
; CHECK-NEXT: %row5.kept = freeze ptr %row5{{$}}
; CHECK: loop:
; CHECK: getelementptr double, ptr %row0.kept, i64 %k
; CHECK: getelementptr double, ptr %row1.kept, i64 %k
; CHECK: getelementptr double, ptr %row2.kept, i64 %k
; CHECK: getelementptr double, ptr %row3.kept, i64 %k
; CHECK: getelementptr double, ptr %row4.kept, i64 %k
; CHECK: getelementptr double, ptr %row5.kept, i64 %k
define void @many(ptr %a, i64 %i, i64 %length, i64 %origin, i64 %n) {
entry:
  %before = add nsw i64 %i, -1
  %behind = add nsw i64 %i, 1
  %far = add nsw i64 %i, 2
  %farther = add nsw i64 %i, 3
  %i2 = sub i64 %n, %i
  %p0 = mul nsw i64 %i, %length
  %row0 = getelementptr double, ptr %a, i64 %p0
  %p1 = mul nsw i64 %before, %length
  %s1 = sub i64 %p1, %origin
  %row1 = getelementptr double, ptr %a, i64 %s1
  %p2 = mul nsw i64 %behind, %length
  %s2 = shl i64 %p2, 1
  %row2 = getelementptr double, ptr %a, i64 %s2
  %p3 = mul nsw i64 %far, %length
  %row3 = getelementptr double, ptr %a, i64 %p3
  %p4 = mul nsw i64 %farther, %length
  %s4 = add i64 %p4, %origin
  %row4 = getelementptr double, ptr %a, i64 %s4
  %p5 = mul nsw i64 %i2, %length
  %row5 = getelementptr double, ptr %a, i64 %p5
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e0 = getelementptr double, ptr %row0, i64 %k
  store double 1.0, ptr %e0
  %e1 = getelementptr double, ptr %row1, i64 %k
  store double 1.0, ptr %e1
  %e2 = getelementptr double, ptr %row2, i64 %k
  store double 1.0, ptr %e2
  %e3 = getelementptr double, ptr %row3, i64 %k
  store double 1.0, ptr %e3
  %e4 = getelementptr double, ptr %row4, i64 %k
  store double 1.0, ptr %e4
  %e5 = getelementptr double, ptr %row5, i64 %k
  store double 1.0, ptr %e5
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Of few rows strength reduction is quick.
; CHECK-LABEL: @few(
; CHECK-NOT: freeze
; CHECK: ret void
define void @few(ptr %a, i64 %i, i64 %length, i64 %origin, i64 %n) {
entry:
  %before = add nsw i64 %i, -1
  %behind = add nsw i64 %i, 1
  %far = add nsw i64 %i, 2
  %farther = add nsw i64 %i, 3
  %i2 = sub i64 %n, %i
  %p0 = mul nsw i64 %i, %length
  %row0 = getelementptr double, ptr %a, i64 %p0
  %p1 = mul nsw i64 %before, %length
  %s1 = sub i64 %p1, %origin
  %row1 = getelementptr double, ptr %a, i64 %s1
  %p2 = mul nsw i64 %behind, %length
  %s2 = shl i64 %p2, 1
  %row2 = getelementptr double, ptr %a, i64 %s2
  %p3 = mul nsw i64 %far, %length
  %row3 = getelementptr double, ptr %a, i64 %p3
  %p4 = mul nsw i64 %farther, %length
  %s4 = add i64 %p4, %origin
  %row4 = getelementptr double, ptr %a, i64 %s4
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e0 = getelementptr double, ptr %row0, i64 %k
  store double 1.0, ptr %e0
  %e1 = getelementptr double, ptr %row1, i64 %k
  store double 1.0, ptr %e1
  %e2 = getelementptr double, ptr %row2, i64 %k
  store double 1.0, ptr %e2
  %e3 = getelementptr double, ptr %row3, i64 %k
  store double 1.0, ptr %e3
  %e4 = getelementptr double, ptr %row4, i64 %k
  store double 1.0, ptr %e4
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Of rows of constant length one register serves several.
; CHECK-LABEL: @constant(
; CHECK-NOT: freeze
; CHECK: ret void
define void @constant(ptr %a, i64 %i, i64 %length, i64 %origin, i64 %n) {
entry:
  %before = add nsw i64 %i, -1
  %behind = add nsw i64 %i, 1
  %far = add nsw i64 %i, 2
  %farther = add nsw i64 %i, 3
  %i2 = sub i64 %n, %i
  %p0 = mul nsw i64 %i, 100
  %row0 = getelementptr double, ptr %a, i64 %p0
  %p1 = mul nsw i64 %before, 100
  %s1 = sub i64 %p1, %origin
  %row1 = getelementptr double, ptr %a, i64 %s1
  %p2 = mul nsw i64 %behind, 100
  %s2 = shl i64 %p2, 1
  %row2 = getelementptr double, ptr %a, i64 %s2
  %p3 = mul nsw i64 %far, 100
  %row3 = getelementptr double, ptr %a, i64 %p3
  %p4 = mul nsw i64 %farther, 100
  %s4 = add i64 %p4, %origin
  %row4 = getelementptr double, ptr %a, i64 %s4
  %p5 = mul nsw i64 %i2, 100
  %row5 = getelementptr double, ptr %a, i64 %p5
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e0 = getelementptr double, ptr %row0, i64 %k
  store double 1.0, ptr %e0
  %e1 = getelementptr double, ptr %row1, i64 %k
  store double 1.0, ptr %e1
  %e2 = getelementptr double, ptr %row2, i64 %k
  store double 1.0, ptr %e2
  %e3 = getelementptr double, ptr %row3, i64 %k
  store double 1.0, ptr %e3
  %e4 = getelementptr double, ptr %row4, i64 %k
  store double 1.0, ptr %e4
  %e5 = getelementptr double, ptr %row5, i64 %k
  store double 1.0, ptr %e5
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; One row of rows is such a sum already.
; CHECK-LABEL: @nested(
; CHECK: %plane = getelementptr
; CHECK-NOT: freeze
; CHECK: %row = getelementptr
; CHECK-NEXT: %row.kept = freeze ptr %row{{$}}
; CHECK: getelementptr double, ptr %row.kept, i64 %k
define void @nested(ptr %a, i64 %i, i64 %j, i64 %length, i64 %size, i64 %n) {
entry:
  %p = mul nsw i64 %i, %size
  %plane = getelementptr double, ptr %a, i64 %p
  %r = mul nsw i64 %j, %length
  %row = getelementptr double, ptr %plane, i64 %r
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %e = getelementptr double, ptr %row, i64 %k
  store double 1.0, ptr %e
  %next = add nuw nsw i64 %k, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
