; What the work-items of a group load alike goes through local memory, in whole blocks, if all of them are
; certain to reach the loop equally often and nothing writes it.
; RUN: opt -load-pass-plugin=%plugin -passes=tutti-stage-loads,verify -S %s -pass-remarks=tutti -pass-remarks-missed=tutti 2>%t.txt | FileCheck %s
; RUN: FileCheck %s --check-prefix=WHY < %t.txt

; 16 bytes in each iteration: 128 of them are a block.
; WHY: sums: staged, if objects are disjoint
; CHECK-LABEL: define void @sums(
; CHECK:         %[[FIRST:.*]] = call i64 @tutti.item.id(i32 0)
; CHECK:         %[[ID:.*]] = zext i32 %{{.*}} to i64
; CHECK:         %base = sub i64 %[[FIRST]], %[[ID]]
; CHECK:         %[[ARRAY:.*]] = call ptr @tutti.local.array(i32 2048)
; CHECK:         icmp slt i64 %base, %trip
; CHECK:         %last = sub i64 %trip, 1
; All items of a group have a number, and those without an iteration do the last one.
; CHECK:       own:
; CHECK:         %[[BASE:.*]] = phi i64 [ %base, %{{.*}} ], [ %{{.*}}, %{{.*}} ]
; CHECK:         %[[OWN:.*]] = add nsw i64 %[[BASE]], %[[ID]]
; CHECK:         %exists = icmp slt i64 %[[OWN]], %trip
; CHECK:         %[[K:.*]] = select i1 %exists, i64 %[[OWN]], i64 %last
; CHECK:         getelementptr double, ptr %x, i64 %[[K]]
; CHECK:         %whole = and i64 %{{.*}}, -128
; CHECK:         br i1 %{{.*}}, label %block, label %rest
; CHECK:       block:
; CHECK-NEXT:    %[[AT:.*]] = phi i64 [ 0, %own ], [ %{{.*}}, %staged ]
; CHECK:         call void @tutti.barrier()
; CHECK-NEXT:    %[[FILLS:.*]] = icmp ult i64 %[[ID]], 128
; CHECK-NEXT:    br i1 %[[FILLS]], label %fill, label %filled
; CHECK:       fill:
; CHECK:         load double, ptr
; CHECK-NEXT:    %[[RECORD:.*]] = mul nuw i64 %{{.*}}, 16
; CHECK-NEXT:    %[[THERE:.*]] = getelementptr i8, ptr %[[ARRAY]], i64 %[[RECORD]]
; CHECK:         store double %{{.*}}, ptr %{{.*}}, align 16
; CHECK:         store i32 %{{.*}}, ptr %{{.*}}, align 8
; CHECK:       filled:
; CHECK-NEXT:    call void @tutti.barrier()
; CHECK:       loop.staged:
; CHECK-COUNT-2: getelementptr i8, ptr %[[ARRAY]]
; CHECK:         !llvm.loop
; CHECK:       staged:
; CHECK:         icmp ult i64 %{{.*}}, %whole
; CHECK:       end:
; CHECK:         icmp ult i64 %whole, %
; What is left of the loop goes on with the sum and the counter.
; CHECK:       rest:
; CHECK-NEXT:    phi i64 [ 0, %own ], [ %j1.staged, %end ]
; CHECK-NEXT:    phi double [ 0.000000e+00, %own ], [ %sum1.staged, %end ]
; CHECK:       loop:
; CHECK:         load double, ptr %from
; CHECK:       done:
; CHECK:         br i1 %exists, label %[[STORE:.*]], label %[[NEXT:.*]]
; CHECK:       [[STORE]]:
; CHECK:         store double
; CHECK:       [[NEXT]]:
; CHECK-NEXT:    %k1 = add nuw nsw i64 %[[BASE]], %step
define void @sums(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, i64 %total, ptr %partials, i64 %in, i64 %to, i64 %n, i64 %own.in) {
entry:
  %first = call i64 @tutti.item.id(i32 0)
  %step = call i64 @tutti.item.count(i32 0)
  %trip = sub nsw i64 %upper, %lower
  %q = inttoptr i64 %in to ptr
  %y = inttoptr i64 %to to ptr
  %x = inttoptr i64 %own.in to ptr
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %guard, label %exit
guard:
  %has = icmp slt i64 %first, %trip
  br i1 %has, label %pre, label %exit
pre:
  br label %own
own:
  %k = phi i64 [ %first, %pre ], [ %k1, %done ]
  %mine = getelementptr double, ptr %x, i64 %k
  %m = load double, ptr %mine, align 8
  br label %loop
loop:
  %j = phi i64 [ 0, %own ], [ %j1, %loop ]
  %sum = phi double [ 0.0, %own ], [ %sum1, %loop ]
  %from = getelementptr { double, i32 }, ptr %q, i64 %j
  %v = load double, ptr %from, align 8
  %second = getelementptr i8, ptr %from, i64 8
  %w = load i32, ptr %second, align 8
  %f = sitofp i32 %w to double
  %d = fsub double %v, %m
  %p = fmul double %d, %f
  %sum1 = fadd double %sum, %p
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %loop, label %done
done:
  %s = phi double [ %sum1, %loop ]
  %there = getelementptr double, ptr %y, i64 %k
  store double %s, ptr %there, align 8
  %k1 = add nuw nsw i64 %k, %step
  %again = icmp slt i64 %k1, %trip
  br i1 %again, label %own, label %left
left:
  br label %exit
exit:
  ret void
}

; Items without an iteration add nothing to a sum over iterations.
; WHY: accumulates: staged{{$}}
; CHECK-LABEL: define void @accumulates(
; CHECK:         %[[SUM:.*]] = phi double [ %a1, %{{.*}} ], [ %a, %done ]
; CHECK:       left:
; CHECK-NEXT:    phi double [ %[[SUM]], %
define void @accumulates(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, i64 %total, ptr %partials, i64 %in, i64 %to, i64 %n, i64 %own.in) {
entry:
  %first = call i64 @tutti.item.id(i32 0)
  %step = call i64 @tutti.item.count(i32 0)
  %trip = sub nsw i64 %upper, %lower
  %q = inttoptr i64 %in to ptr
  %y = inttoptr i64 %to to ptr
  %x = inttoptr i64 %own.in to ptr
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %guard, label %exit
guard:
  %has = icmp slt i64 %first, %trip
  br i1 %has, label %pre, label %exit
pre:
  br label %own
own:
  %k = phi i64 [ %first, %pre ], [ %k1, %done ]
  %a = phi double [ 0.0, %pre ], [ %a1, %done ]
  %mine = getelementptr double, ptr %x, i64 %k
  %m = load double, ptr %mine, align 8
  br label %loop
loop:
  %j = phi i64 [ 0, %own ], [ %j1, %loop ]
  %sum = phi double [ 0.0, %own ], [ %sum1, %loop ]
  %from = getelementptr { double, i32 }, ptr %q, i64 %j
  %v = load double, ptr %from, align 8
  %second = getelementptr i8, ptr %from, i64 8
  %w = load i32, ptr %second, align 8
  %f = sitofp i32 %w to double
  %d = fsub double %v, %m
  %p = fmul double %d, %f
  %sum1 = fadd double %sum, %p
  %j1 = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j1, %n
  br i1 %more, label %loop, label %done
done:
  %s = phi double [ %sum1, %loop ]
  %there = getelementptr double, ptr %y, i64 %k
  %a1 = fadd double %a, %s
  %k1 = add nuw nsw i64 %k, %step
  %again = icmp slt i64 %k1, %trip
  br i1 %again, label %own, label %left
left:
  %a2 = phi double [ %a1, %done ]
  store double %a2, ptr %partials, align 8
  br label %exit
exit:
  ret void
}

declare i64 @tutti.item.id(i32) memory(none)
declare i64 @tutti.item.count(i32) memory(none)
