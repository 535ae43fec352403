// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/combine_left.h"

#include "compiler/ir/construct_calls.h"
#include "compiler/transform/combining.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Arrays of so many elements get no loop.
constexpr std::uint64_t kMostInLine = 8;

/// A value of the conductor, with the thread's.
struct Pair {
  const LeftValue *left;
  AllocaInst *whole = nullptr;
  AllocaInst *own = nullptr;
};

class Combiner {
public:
  Combiner(Function &function, ConductedLoop &loop) : function_(function), loop_(loop) {}

  void run(ArrayRef<LeftValue> values);

private:
  void divide(Pair &pair);
  void divideArray(Pair &pair);
  Instruction *ownAddress(Instruction &pointer, DenseMap<Instruction *, Instruction *> &known);
  void reduce();
  Function *combiner();
  AllocaInst *variable(const LeftValue &left, const Twine &name);

  Function &function_;
  ConductedLoop &loop_;
  SmallVector<Pair, 8> pairs_;
};

AllocaInst *Combiner::variable(const LeftValue &left, const Twine &name) {
  IRBuilder<> build(&*function_.getEntryBlock().getFirstInsertionPt());
  return left.variable ? cast<AllocaInst>(build.Insert(left.variable->clone(), name))
                       : build.CreateAlloca(left.type, nullptr, name);
}

/// Does `work` for the addresses that `count` elements have in arrays at `pointers`; `build` is
/// left behind that.
void forEach(IRBuilder<> &build, const LeftValue &left, ArrayRef<Value *> pointers,
             function_ref<void(IRBuilder<> &, ArrayRef<Value *>)> work) {
  const auto at = [&](Value *index) {
    SmallVector<Value *, 2> addresses;
    for (Value *pointer : pointers) {
      addresses.push_back(left.count == 1 ? pointer
                                          : build.CreateInBoundsGEP(left.type, pointer, index));
    }
    return addresses;
  };
  if (left.count <= kMostInLine) {
    for (std::uint64_t index = 0; index < left.count; ++index) {
      work(build, at(build.getInt64(index)));
    }
    return;
  }
  BasicBlock *before = build.GetInsertBlock();
  BasicBlock *behind = SplitBlock(before, build.GetInsertPoint());
  BasicBlock *body =
      BasicBlock::Create(build.getContext(), "elements", before->getParent(), behind);
  before->getTerminator()->setSuccessor(0, body);
  build.SetInsertPoint(body);
  PHINode *index = build.CreatePHI(build.getInt64Ty(), 2);
  index->addIncoming(build.getInt64(0), before);
  work(build, at(index));
  Value *next = build.CreateAdd(index, build.getInt64(1));
  index->addIncoming(next, body);
  build.CreateCondBr(build.CreateICmpEQ(next, build.getInt64(left.count)), behind, body);
  build.SetInsertPoint(behind, behind->begin());
}

/// What changes nothing when it is combined.
Constant *nothing(const LeftValue &left) {
  const Combination &how = left.combination;
  if (how.choice != CmpInst::BAD_ICMP_PREDICATE) {
    return worst(how.choice, left.type);
  }
  return identity(how.operation, left.type);
}

/// Combines the value at `more` with that at `whole`.
void combineAt(IRBuilder<> &build, const LeftValue &left, Value *whole, Value *more) {
  Value *old = build.CreateLoad(left.type, whole);
  Value *other = build.CreateLoad(left.type, more);
  const Combination &how = left.combination;
  Value *both = how.choice == CmpInst::BAD_ICMP_PREDICATE
                    ? combine(build, how.operation, old, other)
                    : build.CreateSelect(build.CreateCmp(how.choice, other, old), other, old);
  build.CreateStore(both, whole);
}

/// Threads compute a value of their own, and what follows reads the conductor's.
void Combiner::divide(Pair &pair) {
  const LeftValue &left = *pair.left;
  pair.whole = variable(left, "tutti.left");
  pair.own = variable(left, "tutti.own");
  IRBuilder<> before(loop_.before->getTerminator());
  before.CreateStore(left.begin.front()->get(), pair.whole);
  if (!left.combination.isIdempotent()) {
    for (Use *begin : left.begin) {
      begin->set(nothing(left));
    }
  }
  const auto isBehind = [&](const Use &use) {
    return !loop_.contains(*cast<Instruction>(use.getUser()));
  };
  IRBuilder<> after(loop_.exit->getTerminator());
  left.value->replaceUsesWithIf(after.CreateLoad(left.type, pair.whole),
                                [&](const Use &use) { return isBehind(use); });
  IRBuilder<> last(loop_.last->getTerminator());
  last.CreateStore(left.value, pair.own);
}

/// `pointer`, computed beside the loop, as it is in the thread's array.
Instruction *Combiner::ownAddress(Instruction &pointer,
                                  DenseMap<Instruction *, Instruction *> &known) {
  if (Instruction *address = known.lookup(&pointer)) {
    return address;
  }
  Instruction *address = pointer.clone(); // What it needs is known in the loop, too.
  address->setOperand(0, ownAddress(*cast<Instruction>(pointer.getOperand(0)), known));
  address->insertBefore(loop_.calls.init);
  known[&pointer] = address;
  return address;
}

/// Threads change an array of their own.
void Combiner::divideArray(Pair &pair) {
  const LeftValue &left = *pair.left;
  pair.whole = left.variable;
  pair.own = variable(left, "tutti.own");
  DenseMap<Instruction *, Instruction *> own{{pair.whole, pair.own}};
  SetVector<Instruction *> pointers;
  pointers.insert(pair.whole);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    Instruction *pointer = pointers[at];
    for (Use &use : make_early_inc_range(pointer->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<GetElementPtrInst>(user)) {
        pointers.insert(user);
      }
      if (loop_.contains(*user) && !loop_.contains(*pointer)) {
        use.set(ownAddress(*pointer, own));
      }
    }
  }
}

/// void (list of whole ones, list of others)
Function *Combiner::combiner() {
  LLVMContext &context = function_.getContext();
  Type *ptr = PointerType::getUnqual(context);
  Function *function = declareCombiner(function_);
  BasicBlock *entry = BasicBlock::Create(context, "", function);
  IRBuilder<> build(ReturnInst::Create(context, entry));
  for (auto [number, pair] : enumerate(pairs_)) {
    SmallVector<Value *, 2> entries;
    for (Argument &list : function->args()) {
      entries.push_back(
          build.CreateLoad(ptr, build.CreateConstInBoundsGEP1_64(ptr, &list, number)));
    }
    const LeftValue &left = *pair.left;
    forEach(build, left, entries, [&left](IRBuilder<> &each, ArrayRef<Value *> at) {
      combineAt(each, left, at[0], at[1]);
    });
  }
  return function;
}

/// As clang writes reductions, without an answer for threads that combine atomically.
void Combiner::reduce() {
  Module &module = *function_.getParent();
  const CallInst &init = *loop_.calls.init;
  const ConstructCalls &frontend = frontendOf(init);
  Value *place = operandOf(init, Role::Place);
  Value *thread = operandOf(init, Role::Thread);
  IRBuilder<> entry(&*function_.getEntryBlock().getFirstInsertionPt());
  Type *ptr = entry.getPtrTy();
  const std::uint64_t count = pairs_.size();
  Value *list = entry.CreateAlloca(ArrayType::get(ptr, count), nullptr, "tutti.list");
  auto *lockType = ArrayType::get(entry.getInt32Ty(), 8);
  auto *lock = new GlobalVariable(module, lockType, false, GlobalValue::InternalLinkage,
                                  Constant::getNullValue(lockType), "tutti.update");
  lock->setAlignment(Align(8));

  BasicBlock *block = loop_.last;
  BasicBlock *rest = SplitBlock(block, block->getTerminator());
  block->getTerminator()->eraseFromParent();
  IRBuilder<> build(block);
  build.SetCurrentDebugLocation(init.getDebugLoc());
  for (auto [number, pair] : enumerate(pairs_)) {
    build.CreateStore(pair.own, build.CreateConstInBoundsGEP1_64(ptr, list, number));
  }
  CallInst *answer = build.CreateCall(
      frontend.declare(module, CallKind::Reduce),
      {place, thread, build.getInt32(count),
       build.getInt64(count * module.getDataLayout().getPointerSize()), list, combiner(), lock});
  BasicBlock *first = BasicBlock::Create(module.getContext(), "combine", &function_, rest);
  build.CreateSwitch(answer, rest, 1)->addCase(build.getInt32(1), first);
  build.SetInsertPoint(first);
  Instruction *leave = build.CreateBr(rest);
  build.SetInsertPoint(leave);
  for (const Pair &pair : pairs_) {
    const LeftValue &left = *pair.left;
    forEach(build, left, {pair.whole, pair.own}, [&left](IRBuilder<> &each, ArrayRef<Value *> at) {
      combineAt(each, left, at[0], at[1]);
    });
  }
  build.CreateCall(frontend.declare(module, CallKind::EndReduceNow), {place, thread, lock});
  loop_.last = rest;
  loop_.calls.reduce.push_back(answer);
}

void Combiner::run(ArrayRef<LeftValue> values) {
  // What follows reads the variables in a block of its own.
  BasicBlock *exit = BasicBlock::Create(function_.getContext(), "left", &function_, loop_.exit);
  exit->moveAfter(loop_.last);
  BranchInst::Create(loop_.exit, exit);
  loop_.last->getTerminator()->replaceSuccessorWith(loop_.exit, exit);
  loop_.exit->replacePhiUsesWith(loop_.last, exit);
  loop_.exit = exit;
  for (const LeftValue &left : values) {
    Pair &pair = pairs_.emplace_back();
    pair.left = &left;
    if (left.variable) {
      divideArray(pair);
    } else {
      divide(pair);
    }
    loop_.combined.insert(pair.whole);
  }
  // Copies of arrays live from here on, and begin with what changes nothing.
  for (const Pair &pair : pairs_) {
    if (pair.left->variable) {
      IRBuilder<> build(loop_.first, loop_.first->begin());
      build.CreateLifetimeStart(
          pair.own,
          build.getInt64(pair.own->getAllocationSize(function_.getDataLayout())->getFixedValue()));
      build.SetInsertPoint(loop_.calls.init);
      Constant *value = nothing(*pair.left);
      forEach(build, *pair.left, {pair.own},
              [value](IRBuilder<> &each, ArrayRef<Value *> at) { each.CreateStore(value, at[0]); });
    }
  }
  reduce();
  collectBlocks(loop_);
}

} // namespace

void combineLeft(Function &function, ConductedLoop &loop, ArrayRef<LeftValue> values) {
  Combiner(function, loop).run(values);
}

} // namespace tutti::compiler
