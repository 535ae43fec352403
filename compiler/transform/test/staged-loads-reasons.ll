; Why loads are not staged, or that they are: variants of one kernel. Lines that begin with ";name" are in that
; variant only, those that end with ";-name" in all others.
; DEFINE: %{variant} =
; DEFINE: %{check} = sed -e '/;-\(.*-\)*%{variant}\(-.*\)*$/d' -e 's/^;%{variant} //' %s | opt -load-pass-plugin=%plugin -passes=tutti-stage-loads,verify -disable-output -pass-remarks=tutti -pass-remarks-missed=tutti 2>&1 | FileCheck %s --check-prefix=WHY-%{variant}

; REDEFINE: %{variant} = disjoint
; RUN: %{check}
; WHY-disjoint: run: staged, if objects are disjoint
; Types say that what is written is something else.
; REDEFINE: %{variant} = typed
; RUN: %{check}
; WHY-typed: run: staged{{$}}
; A condition that is the same for all of a group.
; REDEFINE: %{variant} = guarded
; RUN: %{check}
; WHY-guarded: run: staged, if
; The C library computes; no device has errno.
; REDEFINE: %{variant} = calls
; RUN: %{check}
; WHY-calls: run: staged, if
; The object that is written is the one that is read, or may be.
; REDEFINE: %{variant} = same
; RUN: %{check}
; WHY-same: run: it may write what it reads before
; REDEFINE: %{variant} = unknown
; RUN: %{check}
; WHY-unknown: run: it may write what it reads before
; REDEFINE: %{variant} = either
; RUN: %{check}
; WHY-either: run: it may write what it reads before
; Where an item writes what it has loaded, others may load what they only compute with; but nothing else.
; REDEFINE: %{variant} = updates
; RUN: %{check}
; WHY-updates: run: staged, if
; REDEFINE: %{variant} = branches
; RUN: %{check}
; WHY-branches: run: it may write what it reads before
; REDEFINE: %{variant} = follows
; RUN: %{check}
; WHY-follows: run: it may write what it reads before
; REDEFINE: %{variant} = divides
; RUN: %{check}
; WHY-divides: run: it may write what it reads before
; Bounds that differ between work-items, or may.
; REDEFINE: %{variant} = bound
; RUN: %{check}
; WHY-bound: run: its inner loop's bounds may differ between work-items
; REDEFINE: %{variant} = loaded
; RUN: %{check}
; WHY-loaded: run: its inner loop's bounds may differ between work-items
; Work-items that do not get to the loop; to the loop over iterations.
; REDEFINE: %{variant} = some
; RUN: %{check}
; WHY-some: run: not all work-items may reach its inner loop
; REDEFINE: %{variant} = before
; RUN: %{check}
; WHY-before: run: not all work-items may reach its inner loop
; Elements of each work-item; elements that are looked up; private memory.
; REDEFINE: %{variant} = own
; RUN: %{check}
; WHY-own: run: its inner loop loads what differs between work-items
; REDEFINE: %{variant} = looked
; RUN: %{check}
; WHY-looked: run: its inner loop loads what differs between work-items
; REDEFINE: %{variant} = private
; RUN: %{check}
; WHY-private: run: its inner loop loads what differs between work-items
; An element may not exist if the condition does not hold.
; REDEFINE: %{variant} = odd
; RUN: %{check}
; WHY-odd: run: its inner loop loads under a condition
; Items without an iteration execute the loop and what is in front of it.
; REDEFINE: %{variant} = writes
; RUN: %{check}
; WHY-writes: run: its inner loop does more with memory than load
; REDEFINE: %{variant} = early
; RUN: %{check}
; WHY-early: run: it writes in front of its inner loop
; What it writes is not known.
; REDEFINE: %{variant} = fills
; RUN: %{check}
; WHY-fills: run: it writes in another way than by stores
; What the last iteration leaves, whichever item executes it.
; REDEFINE: %{variant} = last
; RUN: %{check}
; WHY-last: run: it leaves a value of its last iteration behind
; Loops that are not worth it.
; REDEFINE: %{variant} = short
; RUN: %{check}
; WHY-short: run: its inner loop is short
; REDEFINE: %{variant} = nothing
; RUN: %{check}
; WHY-nothing: run: its inner loop loads nothing
; No loop inside; another loop over iterations.
; REDEFINE: %{variant} = alone
; RUN: %{check}
; WHY-alone: run: it has no innermost loop
; REDEFINE: %{variant} = unusual
; RUN: %{check}
; WHY-unusual: run: its loop has a form that cannot be staged

define void @run(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, i64 %total, ptr %partials, i64 %in, i64 %to, i64 %n, i64 %own.in) {
entry:
  %first = call i64 @tutti.item.id(i32 0)
  %step = call i64 @tutti.item.count(i32 0)
  %trip = sub nsw i64 %upper, %lower
  %q = inttoptr i64 %in to ptr ;-private
;private   %q = alloca [9 x double]
  %y = inttoptr i64 %to to ptr ;-same-unknown-either
;either   %z = inttoptr i64 %to to ptr
;either   %which = icmp eq i64 %total, 3
;either   %y = select i1 %which, ptr %q, ptr %z
;same   %y = inttoptr i64 %in to ptr
;unknown   %both = add i64 %to, %n
;unknown   %y = inttoptr i64 %both to ptr
  %x = inttoptr i64 %own.in to ptr
  %any = icmp sgt i64 %n, 0 ;-before
;before   %local = call i32 @tutti.local.id()
;before   %any = icmp sgt i32 %local, 0
  br i1 %any, label %guard, label %exit
guard:
  %has = icmp slt i64 %first, %trip
  br i1 %has, label %pre, label %exit
pre:
  br label %own
own:
  %k = phi i64 [ %first, %pre ], [ %k1, %done ]
  %mine = getelementptr double, ptr %x, i64 %k
  %m = load double, ptr %mine, align 8 ;-typed
;typed   %m = load double, ptr %mine, align 8, !tbaa !0
  br label %loop ;-guarded-loaded-some-early-branches-follows-divides
;branches   %big = fcmp ogt double %m, 1.0
;branches   br i1 %big, label %one, label %two
;branches one:
;branches   br label %two
;branches two:
;branches   br label %loop
;follows   %bits = bitcast double %m to i64
;follows   %next = getelementptr double, ptr %x, i64 %bits
;follows   %n2 = load double, ptr %next, align 8
;follows   br label %loop
;divides   %bits = bitcast double %m to i64
;divides   %part = udiv i64 %n, %bits
;divides   br label %loop
;guarded   %go = icmp ne i64 %total, 7
;guarded   br i1 %go, label %enter, label %done
;guarded enter:
;guarded   br label %loop
;loaded   %count = load i64, ptr %q, align 8
;loaded   br label %loop
;some   %go = icmp ne i64 %k, 7
;some   br i1 %go, label %enter, label %done
;some enter:
;some   br label %loop
;early   store double %m, ptr %y, align 8
;early   br label %loop
loop:
  %j = phi i64 [ 0, %own ], [ %j1, %loop ] ;-guarded-some-odd-branches-alone
;alone   %j = phi i64 [ 0, %own ]
;branches   %j = phi i64 [ 0, %two ], [ %j1, %loop ]
;guarded   %j = phi i64 [ 0, %enter ], [ %j1, %loop ]
;some   %j = phi i64 [ 0, %enter ], [ %j1, %loop ]
;odd   %j = phi i64 [ 0, %own ], [ %j1, %add ]
  %sum = phi double [ 0.0, %own ], [ %sum1, %loop ] ;-guarded-some-odd-branches-alone
;alone   %sum = phi double [ 0.0, %own ]
;branches   %sum = phi double [ 0.0, %two ], [ %sum1, %loop ]
;guarded   %sum = phi double [ 0.0, %enter ], [ %sum1, %loop ]
;some   %sum = phi double [ 0.0, %enter ], [ %sum1, %loop ]
;odd   %sum = phi double [ 0.0, %own ], [ %sum1, %add ]
  %from = getelementptr double, ptr %q, i64 %j ;-own-looked-odd-nothing
;own   %from = getelementptr double, ptr %mine, i64 %j
;looked   %index = getelementptr i64, ptr %x, i64 %j
;looked   %at = load i64, ptr %index, align 8
;looked   %from = getelementptr double, ptr %q, i64 %at
;odd   %odd = trunc i64 %j to i1
;odd   br i1 %odd, label %take, label %add
;odd take:
;odd   %from = getelementptr double, ptr %q, i64 %j
  %v = load double, ptr %from, align 8 ;-typed-odd-nothing
;typed   %v = load double, ptr %from, align 8, !tbaa !0
;odd   %v0 = load double, ptr %from, align 8
;odd   br label %add
;odd add:
;odd   %v = phi double [ 0.0, %loop ], [ %v0, %take ]
;nothing   %v = uitofp i64 %j to double
  %d = fsub double %v, %m
  %p = fmul double %d, %d ;-calls
;calls   %p = call double @exp(double %d)
  %sum1 = fadd double %sum, %p
  %j1 = add nuw nsw i64 %j, 1 ;-writes
;writes   store double %sum1, ptr %y, align 8
;writes   %j1 = add nuw nsw i64 %j, 1
  %more = icmp slt i64 %j1, %n ;-bound-loaded-short
;bound   %more = icmp slt i64 %j1, %k
;loaded   %more = icmp slt i64 %j1, %count
;short   %more = icmp slt i64 %j1, 100
  br i1 %more, label %loop, label %done ;-guarded-some-alone
;alone   br label %done
;guarded   br i1 %more, label %loop, label %behind
;guarded behind:
;guarded   %s0 = phi double [ %sum1, %loop ]
;guarded   br label %done
;some   br i1 %more, label %loop, label %behind
;some behind:
;some   %s0 = phi double [ %sum1, %loop ]
;some   br label %done
done:
  %s = phi double [ %sum1, %loop ] ;-guarded-some-odd
;guarded   %s = phi double [ %s0, %behind ], [ 0.0, %own ]
;some   %s = phi double [ %s0, %behind ], [ 0.0, %own ]
;odd   %s = phi double [ %sum1, %add ]
  %there = getelementptr double, ptr %y, i64 %k ;-updates-branches-follows-divides
;updates   %there = getelementptr double, ptr %x, i64 %k
;branches   %there = getelementptr double, ptr %x, i64 %k
;follows   %there = getelementptr double, ptr %x, i64 %k
;divides   %there = getelementptr double, ptr %x, i64 %k
  store double %s, ptr %there, align 8 ;-typed-fills-last
;typed   store double %s, ptr %there, align 8, !tbaa !1
;fills   call void @llvm.memset.p0.i64(ptr %there, i8 0, i64 8, i1 false)
  %k1 = add nuw nsw i64 %k, %step
  %again = icmp slt i64 %k1, %trip ;-unusual
;unusual   %again = icmp ne i64 %k1, %trip
  br i1 %again, label %own, label %left
left: ;-last
;last left:
;last   %left1 = phi double [ %s, %done ]
;last   store double %left1, ptr %partials, align 8
  br label %exit
exit:
  ret void
}

declare i64 @tutti.item.id(i32) memory(none)
declare i64 @tutti.item.count(i32) memory(none)
declare i32 @tutti.local.id() memory(none)
declare double @exp(double)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

!0 = !{!2, !3, i64 0}
!1 = !{!4, !3, i64 0}
!2 = !{!"in", !3, i64 0}
!3 = !{!"double", !5, i64 0}
!4 = !{!"out", !3, i64 0}
!5 = !{!"char", !6, i64 0}
!6 = !{!"C"}
