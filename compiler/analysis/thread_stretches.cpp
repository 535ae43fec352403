// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/thread_stretches.h"

#include "compiler/analysis/endings.h"
#include "compiler/analysis/missing_functions.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/construct_calls.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool callsNamed(const Instruction &inst, StringRef name) {
  const auto *call = dyn_cast<CallBase>(&inst);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && callee->getName() == name;
}

/// All that reaches into `variable`, but for marks of its lifetime.
SmallVector<Instruction *, 16> accessesOf(AllocaInst &variable) {
  SmallVector<Instruction *, 16> accesses;
  SmallSetVector<Instruction *, 8> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(inst);
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        pointers.insert(inst);
      } else if (!(intrinsic && intrinsic->isLifetimeStartOrEnd())) {
        accesses.push_back(inst);
      }
    }
  }
  return accesses;
}

/// Whether the reduction of `calls` is of the loop alone: it follows its end at once.
bool hasOwnReduction(const SequencedLoop &calls) {
  return all_of(calls.reduce, [&](const CallInst *reduce) {
    for (const Instruction *inst = reduce->getPrevNode(); inst; inst = inst->getPrevNode()) {
      if (is_contained(calls.ends, inst)) {
        return true;
      }
      if (isa<LoadInst>(inst) || (isa<CallInst>(inst) && !isa<IntrinsicInst>(inst))) {
        return false;
      }
    }
    return false;
  });
}

/// The worksharing loops of `function`, each with blocks of its own. Returns whether they all have
/// a form that is known.
bool findLoops(Function &function, std::vector<ConductedLoop> &loops) {
  SmallVector<SequencedLoop, 4> all = sequencedLoops(function);
  loops.reserve(all.size());
  for (SequencedLoop &calls : all) {
    if (!hasOwnReduction(calls)) {
      calls.reduce.clear();
    }
    if (calls.ends.empty() || calls.isDispatch() == calls.next.empty() || calls.reduce.size() > 1 ||
        !isolateLoop(function, calls, loops.emplace_back())) {
      return false;
    }
  }
  for (ConductedLoop &loop : loops) {
    collectBlocks(loop);
  }
  return none_of(loops, [&](const ConductedLoop &one) {
    return any_of(loops, [&](const ConductedLoop &other) {
      return &one != &other && one.contains(*other.calls.init);
    });
  });
}

/// Whether `access`, beside `loop`, only gives `variable` the value that the loop begins with.
bool isSetup(const Instruction &access, const AllocaInst &variable, const ConductedLoop &loop,
             const ThreadDependence &dependence) {
  const auto *store = dyn_cast<StoreInst>(&access);
  return store && store->isSimple() && store->getPointerOperand() == &variable &&
         store->getParent() == loop.before && !dependence.depends(*store->getValueOperand());
}

/// The private variables of a function with all that reaches into each of them.
using VariableAccesses = MapVector<AllocaInst *, SmallVector<Instruction *, 16>>;

VariableAccesses accessesIn(Function &function) {
  VariableAccesses all;
  for (Instruction &inst : instructions(function)) {
    if (auto *variable = dyn_cast<AllocaInst>(&inst)) {
      all[variable] = accessesOf(*variable);
    }
  }
  return all;
}

/// Whether `loop` gets at a variable by one of its `accesses`.
bool uses(const ConductedLoop &loop, ArrayRef<Instruction *> accesses) {
  return any_of(accesses, [&](const Instruction *access) { return loop.contains(*access); });
}

bool mayChange(const Instruction &access) { return !isa<LoadInst>(access); }

/// Whether which iteration of `loop` is whose matters to the program: it uses, or leaves, what is
/// not the same for all threads.
bool isOfThreads(const VariableAccesses &variables, const ConductedLoop &loop,
                 const ThreadDependence &dependence) {
  for (const BasicBlock *block : loop.blocks) {
    for (const Instruction &inst : *block) {
      const auto isForeign = [&](const Use &operand) {
        const auto *other = dyn_cast<Instruction>(operand.get());
        return other && !loop.contains(*other) && dependence.depends(*other);
      };
      const auto isOutside = [&](const User *user) {
        return !loop.contains(*cast<Instruction>(user));
      };
      if (any_of(inst.operands(), isForeign) ||
          (!isThreadOfCalls(inst) && any_of(inst.users(), isOutside))) {
        return true;
      }
    }
  }
  return any_of(variables, [&](const auto &each) {
    const auto &[variable, accesses] = each;
    if (!uses(loop, accesses)) {
      return false;
    }
    const bool isChanged = any_of(accesses, [&](const Instruction *access) {
      return loop.contains(*access) && mayChange(*access);
    });
    if (!isChanged) {
      return dependence.holdsDependent(*variable);
    }
    return any_of(accesses, [&, variable = variable](const Instruction *access) {
      return !loop.contains(*access) && !isSetup(*access, *variable, loop, dependence);
    });
  });
}

} // namespace

namespace {

/// Whether what `exchange` changes is a variable of a team, which nothing else leads to: one thread
/// executes the whole team then.
bool isOfTeam(const AtomicCmpXchgInst &exchange) {
  const auto *variable = dyn_cast<Argument>(getUnderlyingObject(exchange.getPointerOperand(), 0));
  return variable && variable->hasNoAliasAttr() && variable->getArgNo() >= kThreadArguments;
}

} // namespace

bool isForItself(const Instruction &inst) {
  const auto *call = dyn_cast<CallBase>(&inst);
  return call && call->getAttributes().hasFnAttr(kForItself);
}

void addThreads(ThreadDependence &dependence, Function &function, const Instruction &number) {
  dependence.add(number);
  for (Instruction &inst : instructions(function)) {
    if (!isForItself(inst)) {
      continue;
    }
    dependence.add(inst);
    for (const Use &argument : cast<CallBase>(inst).args()) {
      AllocaInst *variable =
          argument->getType()->isPointerTy() ? variableOf(argument.get()) : nullptr;
      if (variable) {
        dependence.addContents(*variable);
      }
    }
  }
}

bool asksForThread(const Instruction &call) { return callsNamed(call, "omp_get_thread_num"); }

bool asksForTeam(const Instruction &call) { return callsNamed(call, "omp_get_num_threads"); }

bool asksForThreads(const Function &function) {
  return any_of(calledFunctions(function), [](const Function *called) {
    return any_of(instructions(*called),
                  [](const Instruction &inst) { return asksForThread(inst) || asksForTeam(inst); });
  });
}

std::string whyNotByNumbers(Function &function, DebugLoc &place) {
  for (Instruction &inst : instructions(function)) {
    place = inst.getDebugLoc();
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    if (intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) {
      return "it uses thread-private variables";
    }
    if (isa<IndirectBrInst>(inst)) {
      return "it jumps to computed places";
    }
    if (inst.isEHPad() || isa<InvokeInst>(inst)) {
      return "it handles exceptions";
    }
    const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst);
    if (isa<FenceInst>(inst) || (exchange && !isOfTeam(*exchange)) || inst.isVolatile() ||
        (inst.isAtomic() && !exchange && !isa<AtomicRMWInst>(inst))) {
      return "its threads may wait for each other's variables";
    }
    const auto *call = dyn_cast<CallInst>(&inst);
    if (!call) {
      continue;
    }
    place = placeOf(*call);
    switch (kindOf(*call)) {
    case CallKind::None:
    case CallKind::StaticInit:
    case CallKind::StaticEnd:
    case CallKind::DispatchInit:
    case CallKind::DispatchNext:
    case CallKind::DispatchPiece:
    case CallKind::DispatchEnd:
    case CallKind::Reduce:
    case CallKind::EndReduce:
    case CallKind::EndReduceNow:
    case CallKind::Barrier:
    case CallKind::ThreadNumber:
    case CallKind::Critical:
      break;
    case CallKind::Single: {
      const auto *filter =
          call->arg_size() > 2 ? dyn_cast<ConstantInt>(call->getArgOperand(2)) : nullptr;
      if (call->arg_size() > 2 && !(filter && filter->isZero())) {
        return "another thread than the first has a part of its own";
      }
      break;
    }
    default:
      return describeCall(*call);
    }
  }
  place = {};
  return {};
}

void bridgeEnds(Function &function) {
  const auto last = findLastBlocks(function);
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> bridges;
  for (BasicBlock &block : function) {
    if (!last.contains(&block) || !isa<UnreachableInst>(block.getTerminator())) {
      continue;
    }
    // The way back to where it was decided that the program ends.
    BasicBlock *first = &block;
    while (BasicBlock *before = first->getSinglePredecessor()) {
      if (!last.contains(before)) {
        break;
      }
      first = before;
    }
    BasicBlock *decision = first->getSinglePredecessor();
    const Instruction *leave = decision ? decision->getTerminator() : nullptr;
    if (leave && leave->getNumSuccessors() == 2) {
      bridges.emplace_back(&block, leave->getSuccessor(leave->getSuccessor(0) == first ? 1 : 0));
    }
  }
  for (auto [from, to] : bridges) {
    from->getTerminator()->eraseFromParent();
    BranchInst::Create(to, from);
    for (PHINode &phi : to->phis()) {
      phi.addIncoming(PoisonValue::get(phi.getType()), from);
    }
  }
}

SmallVector<SequencedLoop, 4> loopsOfThreads(Function &function, const Instruction &number) {
  std::vector<ConductedLoop> loops;
  if (!findLoops(function, loops)) {
    return {}; // Which `cut` says.
  }
  const VariableAccesses variables = accessesIn(function);
  ThreadDependence dependence(function);
  addThreads(dependence, function, number);
  SmallVector<SequencedLoop, 4> found;
  SmallPtrSet<const CallInst *, 4> known;
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const ConductedLoop &loop : loops) {
      if (known.contains(loop.calls.init) || !isOfThreads(variables, loop, dependence)) {
        continue;
      }
      known.insert(loop.calls.init);
      found.push_back(loop.calls);
      isNew = true;
      for (const auto &[variable, accesses] : variables) {
        if (uses(loop, accesses)) {
          dependence.addContents(*variable);
        }
      }
      for (const BasicBlock *block : loop.blocks) { // What it leaves differs.
        for (const Instruction &inst : *block) {
          if (any_of(inst.users(),
                     [&](const User *user) { return !loop.contains(*cast<Instruction>(user)); })) {
            dependence.add(inst);
          }
        }
      }
    }
  }
  return found;
}

SmallVector<CallInst *, 2> reductionsOfThreads(Function &function) {
  SmallPtrSet<const CallInst *, 4> ofLoops;
  for (const SequencedLoop &loop : sequencedLoops(function)) {
    if (hasOwnReduction(loop)) {
      ofLoops.insert(loop.reduce.begin(), loop.reduce.end());
    }
  }
  SmallVector<CallInst *, 2> found;
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (call && kindOf(inst) == CallKind::Reduce && !ofLoops.contains(call)) {
      found.push_back(call);
    }
  }
  return found;
}

namespace {

/// The blocks from `first` to `join`, if `from` alone leads there; else none.
SmallPtrSet<BasicBlock *, 8> blocksBetween(BasicBlock *from, BasicBlock *first, BasicBlock *join) {
  SmallVector<BasicBlock *, 8> work{first};
  SmallPtrSet<BasicBlock *, 8> inside;
  while (!work.empty()) {
    BasicBlock *next = work.pop_back_val();
    if (next != join && inside.insert(next).second) {
      append_range(work, successors(next));
    }
  }
  const bool isClosed = all_of(inside, [&](BasicBlock *each) {
    return all_of(predecessors(each), [&](BasicBlock *before) {
      return inside.contains(before) || (before == from && each == first);
    });
  });
  return isClosed ? inside : SmallPtrSet<BasicBlock *, 8>();
}

} // namespace

void nameFirsts(Function &function, Instruction &number, Value &self, Value &place) {
  SmallVector<BranchInst *, 4> found;
  for (User *user : number.users()) {
    auto *compare = dyn_cast<ICmpInst>(user);
    const auto *zero = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
    if (compare && compare->isEquality() && zero && zero->isZero()) {
      for (User *decision : compare->users()) {
        if (auto *branch = dyn_cast<BranchInst>(decision)) {
          found.push_back(branch);
        }
      }
    }
  }
  for (BranchInst *branch : found) {
    auto *compare = cast<ICmpInst>(branch->getCondition());
    const unsigned side = compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1;
    BasicBlock *first = branch->getSuccessor(side);
    BasicBlock *join = branch->getSuccessor(1 - side);
    const auto inside = blocksBetween(branch->getParent(), first, join);
    SmallVector<BasicBlock *, 2> ends;
    for (BasicBlock *block : predecessors(join)) {
      if (inside.contains(block)) {
        ends.push_back(block);
      }
    }
    const bool callsMore = any_of(inside, [](BasicBlock *block) {
      return any_of(*block, [](const Instruction &inst) {
        const auto *call = dyn_cast<CallBase>(&inst);
        return call && kindOf(inst) == CallKind::None && inst.mayHaveSideEffects() &&
               !isa<IntrinsicInst>(inst) && !mayStandInLoop(*call);
      });
    });
    const bool isPlain = none_of(inside, [](BasicBlock *block) {
      return any_of(*block, [](const Instruction &inst) {
        return kindOf(inst) != CallKind::None && kindOf(inst) != CallKind::ThreadNumber;
      });
    });
    if (!callsMore || !isPlain || ends.empty()) {
      continue;
    }
    BasicBlock *last = SplitBlockPredecessors(join, ends, ".first");
    const ConstructCalls &calls = commonCalls();
    Module &module = *function.getParent();
    IRBuilder<> build(branch);
    Value *isFirst = build.CreateCall(calls.declare(module, CallKind::Single), {&place, &self});
    Value *test = build.CreateICmpNE(isFirst, build.getInt32(0));
    branch->setCondition(side == 0 ? test : build.CreateICmpEQ(isFirst, build.getInt32(0)));
    build.SetInsertPoint(last->getTerminator());
    build.CreateCall(calls.declareEndOfOne(module), {&place, &self});
  }
}

/// Where threads combine, each its own.
std::string ThreadStretches::isolateReductions() {
  for (CallInst *reduce : reductionsOfThreads(function_)) {
    BasicBlock *block = reduce->getParent();
    auto *choice = dyn_cast<SwitchInst>(block->getTerminator());
    if (!choice || choice->getCondition() != reduce) {
      return "it reduces in an unusual form";
    }
    BasicBlock *join = choice->getDefaultDest();
    for (const auto &answer : choice->cases()) {
      if (answer.getCaseSuccessor() != join) {
        const auto inside = blocksBetween(block, answer.getCaseSuccessor(), join);
        if (inside.empty()) {
          return "it reduces in an unusual form";
        }
        fixed_.insert(inside.begin(), inside.end());
      }
    }
    const Value *list = operandOf(*reduce, Role::List)->stripPointerCasts();
    Instruction *begin = reduce;
    for (Instruction *inst = reduce->getPrevNode(); inst; inst = inst->getPrevNode()) {
      const auto *store = dyn_cast<StoreInst>(inst);
      const bool isOfList = store ? getUnderlyingObject(store->getPointerOperand()) == list
                                  : isa<GetElementPtrInst>(inst);
      if (!isOfList) {
        break;
      }
      begin = store ? inst : begin;
    }
    fixed_.insert(block->splitBasicBlock(begin->getIterator(), "reduce"));
  }
  return {};
}

/// What ends the program is no stretch's, unless stretches may end it as well. Those by `exit`
/// might, too, but that is called by whoever executes what lies between loops.
void ThreadStretches::isolateEnds() {
  const auto endings = findEndings(function_);
  const auto exits = findExits(function_);
  for (const BasicBlock *block : findLastBlocks(function_)) {
    if (!endings.contains(block) || exits.contains(block)) {
      last_.insert(block);
      fixed_.insert(block);
    }
  }
  bridgeEnds(function_);
}

/// Loops that stay, with what gives their variables the first values.
std::string ThreadStretches::isolateLoops() {
  if (!findLoops(function_, loops_)) {
    return "one of its loops has an unusual form";
  }
  ThreadDependence dependence(function_);
  addThreads(dependence, function_, number_);
  const VariableAccesses variables = accessesIn(function_);
  for (ConductedLoop &loop : loops_) {
    if (dependence.isDivergent(*loop.first)) {
      return "not all of its threads come to one of its loops";
    }
    Instruction *last = loop.before->getTerminator();
    Instruction *setup = last;
    for (const auto &[variable, accesses] : variables) {
      if (!uses(loop, accesses)) {
        continue;
      }
      for (Instruction *access : accesses) {
        if (!loop.contains(*access) && isSetup(*access, *variable, loop, dependence)) {
          access->moveBefore(setup);
          setup = access;
        }
      }
    }
    BasicBlock *own = loop.before->splitBasicBlock(setup->getIterator(), "setup");
    loop.before = own;
    fixed_.insert(own);
    fixed_.insert(loop.blocks.begin(), loop.blocks.end());
  }
  return {};
}

/// What one thread does for all stays, with the question who it is.
std::string ThreadStretches::isolateOnes() {
  SmallVector<CallInst *, 4> questions;
  for (Instruction &inst : instructions(function_)) {
    if (kindOf(inst) == CallKind::Single && !inst.getType()->isVoidTy()) {
      questions.push_back(cast<CallInst>(&inst));
    }
  }
  for (CallInst *question : questions) {
    BasicBlock *block = question->getParent();
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    const auto *compare =
        branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    const auto *zero = compare ? dyn_cast<ConstantInt>(compare->getOperand(1)) : nullptr;
    if (!compare || compare->getOperand(0) != question || !compare->isEquality() || !zero ||
        !zero->isZero() || !compare->hasOneUse() || !question->hasOneUse()) {
      return "what one of its threads does for all has an unusual form";
    }
    const unsigned side = compare->getPredicate() == ICmpInst::ICMP_NE ? 0 : 1;
    const auto inside =
        blocksBetween(block, branch->getSuccessor(side), branch->getSuccessor(1 - side));
    if (inside.empty()) {
      return "what one of its threads does for all has an unusual form";
    }
    ofOne_.insert(inside.begin(), inside.end());
    fixed_.insert(inside.begin(), inside.end());
    fixed_.insert(block->splitBasicBlock(question->getIterator(), "one"));
  }
  return {};
}

void ThreadStretches::isolateBarriers() {
  SmallVector<Instruction *, 8> barriers;
  for (Instruction &inst : instructions(function_)) {
    if (kindOf(inst) == CallKind::Barrier && !isFixed(*inst.getParent())) {
      barriers.push_back(&inst);
    }
  }
  for (Instruction *barrier : barriers) {
    BasicBlock *own = barrier->getParent()->splitBasicBlock(barrier->getIterator(), "barrier");
    own->splitBasicBlock(std::next(barrier->getIterator()), "behind");
    fixed_.insert(own);
  }
}

/// Ways around what is fixed, which all threads have to take alike, and where they meet.
std::string ThreadStretches::isolateWays() {
  ThreadDependence dependence(function_);
  addThreads(dependence, function_, number_);
  const PostDominatorTree after(function_);
  const DominatorTree dominators(function_);
  const LoopInfo loops(dominators);
  SmallSetVector<Instruction *, 8> ways;
  SmallSetVector<BasicBlock *, 8> joins;
  for (BasicBlock &block : function_) {
    Instruction *leave = block.getTerminator();
    if (leave->getNumSuccessors() < 2 || ofOne_.contains(&block) || last_.contains(&block) ||
        any_of(loops_, [&](const ConductedLoop &loop) { return loop.blocks.contains(&block); })) {
      continue;
    }
    const auto *node = after.getNode(&block);
    BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<BasicBlock *, 8> work(successors(&block));
    SmallPtrSet<BasicBlock *, 16> seen;
    bool isAround = isFixed(block);
    while (!work.empty() && !isAround) {
      BasicBlock *next = work.pop_back_val();
      if (next != join && seen.insert(next).second) {
        isAround = isFixed(*next);
        append_range(work, successors(next));
      }
    }
    if (!isAround) {
      continue;
    }
    if (!join) {
      return "it ends in several places";
    }
    const auto *branch = dyn_cast<BranchInst>(leave);
    const Value *decision = branch ? branch->getCondition() : leave->getOperand(0);
    if (dependence.depends(*decision)) {
      return "whether its threads meet depends on their numbers";
    }
    joins.insert(join);
    if (!isFixed(block)) {
      ways.insert(leave);
    }
  }
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    const bool isInOne =
        ofOne_.contains(loop->getHeader()) || any_of(loops_, [&](const ConductedLoop &each) {
          return each.blocks.contains(loop->getHeader());
        });
    if (!isInOne && any_of(loop->blocks(), [&](BasicBlock *block) { return isFixed(*block); })) {
      joins.insert(loop->getHeader());
    }
  }
  // Where a loop begins that is a stretch's, they meet in front of it.
  SmallVector<BasicBlock *, 8> meetings;
  for (BasicBlock *join : joins) {
    const Loop *loop = loops.getLoopFor(join);
    const bool isStretches =
        loop && loop->getHeader() == join && none_of(loop->blocks(), [&](BasicBlock *block) {
          return isFixed(*block) || is_contained(ways, block->getTerminator());
        });
    SmallVector<BasicBlock *, 4> outside;
    for (BasicBlock *from : predecessors(join)) {
      if (isStretches && !loop->contains(from)) {
        outside.push_back(from);
      }
    }
    meetings.push_back(isStretches ? SplitBlockPredecessors(join, outside, ".join") : join);
  }
  for (BasicBlock *join : meetings) {
    if (!isFixed(*join)) {
      join->splitBasicBlock(join->getFirstNonPHI()->getIterator(), "onward");
      fixed_.insert(join);
    }
  }
  for (Instruction *way : ways) {
    if (!isFixed(*way->getParent())) {
      fixed_.insert(way->getParent()->splitBasicBlock(way->getIterator(), "way"));
    }
  }
  // What is chosen where they meet may be a thread's: it needs a stretch to be kept in.
  for (BasicBlock *join : meetings) {
    SmallVector<BasicBlock *, 4> from;
    for (BasicBlock *block : predecessors(join)) {
      if (isFixed(*block) && !ofOne_.contains(block) && !join->phis().empty() &&
          count(successors(block), join) == 1) {
        from.push_back(block);
      }
    }
    for (BasicBlock *block : from) {
      SplitEdge(block, join);
    }
  }
  return {};
}

/// What lies between fixed blocks.
std::string ThreadStretches::collect() {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>, 8> entries;
  for (BasicBlock &block : function_) {
    if (isFixed(block)) {
      for (BasicBlock *next : successors(&block)) {
        if (!isFixed(*next)) {
          entries.emplace_back(&block, next);
        }
      }
    }
  }
  for (auto [before, begin] : entries) {
    if (count(successors(before), begin) != 1) {
      return "its threads take unusual ways";
    }
    if (begin->getSinglePredecessor()) {
      FoldSingleEntryPHINodes(begin);
    }
    // What a loop begins with belongs to the stretch.
    BasicBlock *first = begin->phis().empty() ? begin : SplitEdge(before, begin);
    ThreadStretch stretch;
    stretch.before = before;
    stretch.first = first;
    SmallVector<BasicBlock *, 8> work{first};
    SmallSetVector<BasicBlock *, 2> exits;
    while (!work.empty()) {
      BasicBlock *block = work.pop_back_val();
      if (isFixed(*block)) {
        exits.insert(block);
      } else if (stretch.blocks.insert(block).second) {
        append_range(work, successors(block));
      }
    }
    const bool isEntered = all_of(stretch.blocks, [&](BasicBlock *block) {
      return all_of(predecessors(block), [&](BasicBlock *from) {
        return stretch.blocks.contains(from) || (from == before && block == first);
      });
    });
    if (!isEntered || exits.size() != 1) {
      return exits.empty() ? "it ends in several places" : "its threads take unusual ways";
    }
    stretch.exit = exits.front();
    SmallVector<BasicBlock *, 4> ends;
    for (BasicBlock *from : predecessors(stretch.exit)) {
      if (stretch.blocks.contains(from)) {
        ends.push_back(from);
      }
    }
    stretch.last = SplitBlockPredecessors(stretch.exit, ends, ".meet");
    if (!stretch.last) {
      return "its threads take unusual ways";
    }
    stretch.blocks.insert(stretch.last);
    stretches_.push_back(std::move(stretch));
  }
  return {};
}

std::string ThreadStretches::cut() {
  // Variables, and the numbers of threads, are known everywhere.
  BasicBlock &entry = function_.getEntryBlock();
  BasicBlock::iterator begin = entry.begin();
  for (auto at = entry.begin(); at != entry.end(); ++at) {
    begin = &*at == &number_ ? std::next(at) : begin;
  }
  entry.splitBasicBlock(begin, "threads");
  fixed_.insert(&entry);
  SmallVector<BasicBlock *, 2> returns;
  for (BasicBlock &block : function_) {
    if (isa<ReturnInst>(block.getTerminator())) {
      returns.push_back(&block);
    }
  }
  if (returns.size() != 1) {
    return "it ends in several places";
  }
  BasicBlock *end = returns.front();
  isolateEnds();
  std::string reason = isolateLoops();
  if (reason.empty()) {
    reason = isolateOnes();
  }
  if (reason.empty()) {
    reason = isolateReductions();
  }
  if (!reason.empty()) {
    return reason;
  }
  isolateBarriers();
  reason = isolateWays();
  if (!reason.empty()) {
    return reason;
  }
  for (BasicBlock &block : function_) {
    end = isa<ReturnInst>(block.getTerminator()) ? &block : end;
  }
  if (!isFixed(*end) || end->size() > 1) {
    fixed_.insert(end->splitBasicBlock(end->getTerminator()->getIterator(), "end"));
  }
  return collect();
}

} // namespace tutti::compiler
