// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/thread_share.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// The first of a thread's iterations, counted from the loop's first, and what leads to the others.
struct Share {
  Value *first;
  Value *count;  ///< Of the first piece.
  Value *stride; ///< To the next piece.
  Value *isLast; ///< Whether the last iteration of all is in it.
};

/// One share for each thread, which may be what asking for pieces of `size` iterations comes to;
/// those in front get one piece more if they do not divide.
Share even(IRBuilder<> &build, Value *trip, Value *number, Value *team, Value *size) {
  const auto *constant = dyn_cast<ConstantInt>(size);
  const bool isSingle = constant && constant->isOne();
  Value *pieces = trip;
  if (!isSingle) {
    Value *whole = build.CreateUDiv(trip, size);
    Value *more = build.CreateICmpNE(build.CreateMul(whole, size), trip);
    pieces = build.CreateAdd(whole, build.CreateZExt(more, trip->getType()));
  }
  Value *least = build.CreateUDiv(pieces, team);
  Value *rest = build.CreateSub(pieces, build.CreateMul(least, team));
  Value *first = build.CreateAdd(build.CreateMul(number, least),
                                 build.CreateBinaryIntrinsic(Intrinsic::umin, number, rest));
  Value *more = build.CreateZExt(build.CreateICmpULT(number, rest), trip->getType());
  Value *count = build.CreateAdd(least, more);
  Value *end = build.CreateAdd(first, count);
  Value *isLast = build.CreateAnd(build.CreateICmpNE(count, build.getInt64(0)),
                                  build.CreateICmpEQ(end, pieces));
  if (!isSingle) {
    first = build.CreateBinaryIntrinsic(Intrinsic::umin, build.CreateMul(first, size), trip);
    end = build.CreateBinaryIntrinsic(Intrinsic::umin, build.CreateMul(end, size), trip);
    count = build.CreateSub(end, first);
  }
  return {first, count, trip, isLast};
}

Share inTurn(IRBuilder<> &build, Value *trip, Value *number, Value *team, Value *size) {
  Value *lastPiece = build.CreateUDiv(build.CreateSub(trip, build.getInt64(1)), size);
  Value *isLast = build.CreateAnd(build.CreateICmpNE(trip, build.getInt64(0)),
                                  build.CreateICmpEQ(build.CreateURem(lastPiece, team), number));
  return {build.CreateMul(number, size), size, build.CreateMul(team, size), isLast};
}

/// Lets the first call for a piece of `loop` get all of `share`, and others nothing.
void takeOnce(const SequencedLoop &loop, const Share &share, Value *lower, Value *upper) {
  Function &function = *loop.init->getFunction();
  IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  Value *pending = entry.CreateAlloca(entry.getInt32Ty(), nullptr, "pending");
  IRBuilder<> build(loop.init);
  Value *isAny = build.CreateICmpNE(share.count, build.getInt64(0));
  build.CreateStore(build.CreateZExt(isAny, build.getInt32Ty()), pending);
  for (CallInst *next : loop.next) {
    build.SetInsertPoint(next);
    Value *answer = build.CreateLoad(build.getInt32Ty(), pending);
    build.CreateStore(build.getInt32(0), pending);
    build.CreateStore(build.CreateZExt(share.isLast, build.getInt32Ty()),
                      operandOf(*next, Role::Last));
    build.CreateStore(lower, operandOf(*next, Role::Lower));
    build.CreateStore(upper, operandOf(*next, Role::Upper));
    build.CreateStore(ConstantInt::get(lower->getType(), 1), operandOf(*next, Role::Stride));
    next->replaceAllUsesWith(answer);
    next->eraseFromParent();
  }
}

} // namespace

std::string takeShare(const SequencedLoop &loop, Value &number, Value &team) {
  const Schedule schedule = scheduleOf(*loop.init);
  if (schedule != Schedule::Even && schedule != Schedule::Chunked &&
      schedule != Schedule::Dynamic) {
    return "the iterations of one of its loops have an order";
  }
  const auto *size = dyn_cast<ConstantInt>(&team);
  const bool isAlone = size && size->isOne();
  if (!isAlone && piecesOf(*loop.init) == Pieces::Chosen) {
    return "how long pieces of one of its loops are is chosen while it runs";
  }
  CallInst &init = *loop.init;
  const StringRef callee = init.getCalledFunction()->getName();
  const ConstructCalls &calls = frontendOf(init);
  IRBuilder<> build(&init);
  Type *counter = build.getIntNTy(calls.counterBits(callee));
  const bool isSigned = !calls.isUnsigned(callee);
  Type *i64 = build.getInt64Ty();
  const auto wide = [&](Value *value) { return build.CreateIntCast(value, i64, isSigned); };
  const auto bound = [&](Role role) -> Value * {
    Value *operand = operandOf(init, role);
    return loop.isDispatch() ? operand : build.CreateLoad(counter, operand);
  };
  Value *lower = bound(Role::Lower);
  Value *upper = bound(Role::Upper);
  Value *trip = build.CreateAdd(build.CreateSub(wide(upper), wide(lower)), build.getInt64(1));
  trip = build.CreateBinaryIntrinsic(Intrinsic::smax, trip, build.getInt64(0));
  Value *thread = build.CreateZExt(&number, i64);
  Value *threads = build.CreateZExt(&team, i64);
  Value *length = build.getInt64(1);
  if (piecesOf(init) == Pieces::Fixed) {
    length =
        build.CreateBinaryIntrinsic(Intrinsic::smax, wide(operandOf(init, Role::Piece)), length);
  }
  const Share share = schedule != Schedule::Chunked || loop.isDispatch()
                          ? even(build, trip, thread, threads, length)
                          : inTurn(build, trip, thread, threads, length);
  const auto narrow = [&](Value *value) { return build.CreateTrunc(value, counter); };
  Value *first = build.CreateAdd(lower, narrow(share.first));
  Value *last =
      build.CreateSub(build.CreateAdd(first, narrow(share.count)), ConstantInt::get(counter, 1));
  if (loop.isDispatch()) {
    takeOnce(loop, share, first, last);
  } else {
    build.CreateStore(first, operandOf(init, Role::Lower));
    build.CreateStore(last, operandOf(init, Role::Upper));
    build.CreateStore(narrow(share.stride), operandOf(init, Role::Stride));
    build.CreateStore(build.CreateZExt(share.isLast, build.getInt32Ty()),
                      operandOf(init, Role::Last));
  }
  for (CallInst *end : loop.ends) {
    end->eraseFromParent();
  }
  init.eraseFromParent();
  return {};
}

} // namespace tutti::compiler
