// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/loop_sequence.h"

#include "compiler/analysis/teams.h"
#include "compiler/ir/forks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool isEnd(StringRef name) {
  return name.starts_with("__kmpc_for_static_fini") || name == "__kmpc_dispatch_deinit";
}

bool isNext(StringRef name) { return name.starts_with("__kmpc_dispatch_next_"); }

StringRef nameOf(const Instruction &inst) {
  const auto *call = dyn_cast<CallInst>(&inst);
  return call ? libompName(*call) : StringRef();
}

/// What is between the loops, and what is theirs.
class Sequence {
public:
  Sequence(Function &function, FunctionAnalysisManager &analyses)
      : function_(function), analyses_(analyses), loops_(sequencedLoops(function)) {}

  std::string check();

private:
  static constexpr int kBetween = -1;

  struct Accessors {
    SmallSetVector<int, 4> readers;
    SmallSetVector<int, 4> writers;
    SmallSetVector<int, 4> keepers; ///< Of the address, through which others may read and write.
  };

  bool fileInstructions();
  void fileGuarded(unsigned loop);

  const SmallPtrSetImpl<const BasicBlock *> &blocksBehind(const BasicBlock &block);
  bool reaches(const Instruction &from, const Instruction &to);

  DominatorTree &dominators() const {
    return analyses_.getResult<DominatorTreeAnalysis>(function_);
  }

  std::string checkBetween(Instruction &inst);
  std::string checkValues();
  Accessors accessors(AllocaInst &variable) const;
  std::string checkLoad(Instruction &load);
  void collectUses(Instruction &load, SetVector<unsigned> &loops, bool &all);
  void addControlled(const Instruction &branch, SetVector<Instruction *> &work,
                     SetVector<unsigned> &loops);
  bool mayChange(unsigned loop, const MemoryLocation &location);

  /// The loop that `inst` belongs to, or kBetween.
  int owner(const Instruction &inst) const {
    const auto found = owners_.find(&inst);
    return found == owners_.end() ? kBetween : found->second;
  }

  Function &function_;
  FunctionAnalysisManager &analyses_;
  SmallVector<SequencedLoop, 4> loops_;
  DenseMap<const Instruction *, int> owners_;
  DenseMap<const BasicBlock *, SmallPtrSet<const BasicBlock *, 32>> behind_;
  /// Not executed where the loop's share is empty; a part of what the loops own.
  DenseSet<const Instruction *> skipped_;
};

/// The blocks that may be executed after `block` was left.
const SmallPtrSetImpl<const BasicBlock *> &Sequence::blocksBehind(const BasicBlock &block) {
  const auto [entry, isNew] = behind_.try_emplace(&block);
  SmallVector<const BasicBlock *, 32> work;
  if (isNew) {
    work.append(succ_begin(&block), succ_end(&block));
  }
  while (!work.empty()) {
    const BasicBlock *next = work.pop_back_val();
    if (entry->second.insert(next).second) {
      work.append(succ_begin(next), succ_end(next));
    }
  }
  return entry->second;
}

bool Sequence::reaches(const Instruction &from, const Instruction &to) {
  return (from.getParent() == to.getParent() && from.comesBefore(&to)) ||
         blocksBehind(*from.getParent()).contains(to.getParent());
}

/// A loop owns what is executed from its init to its end, what leads from there to its reduction,
/// and what only the thread of its last iteration or a combining one executes.
bool Sequence::fileInstructions() {
  for (unsigned index = 0; index < loops_.size(); ++index) {
    SmallVector<Instruction *, 32> work{loops_[index].init};
    SmallPtrSet<const Instruction *, 32> seen;
    while (!work.empty()) {
      for (Instruction *inst = work.pop_back_val(); inst; inst = inst->getNextNode()) {
        if (!seen.insert(inst).second) {
          break;
        }
        if (!owners_.try_emplace(inst, index).second) {
          return false; // Two loops inside of each other.
        }
        skipped_.insert(inst);
        if (isEnd(nameOf(*inst))) {
          break;
        }
        for (unsigned next = 0; inst->isTerminator() && next < inst->getNumSuccessors(); ++next) {
          work.push_back(&*inst->getSuccessor(next)->begin());
        }
      }
    }
  }
  for (unsigned index = 0; index < loops_.size(); ++index) {
    for (CallInst *reduce : loops_[index].reduce) {
      for (Instruction &inst : instructions(function_)) {
        const bool isAfter = any_of(loops_[index].ends, [&](const CallInst *end) {
          return dominators().dominates(end, &inst);
        });
        if (owner(inst) == kBetween && isAfter && (&inst == reduce || reaches(inst, *reduce))) {
          owners_[&inst] = index;
        }
      }
      for (const User *user : reduce->users()) {
        owners_[cast<Instruction>(user)] = index;
      }
    }
    fileGuarded(index);
  }
  return true;
}

/// Comparisons of what `variable` holds with 0.
SmallVector<const ICmpInst *, 2> testsOf(const Value *variable) {
  SmallVector<const ICmpInst *, 2> tests;
  for (const User *user : variable->users()) {
    if (!isa<LoadInst>(user)) {
      continue;
    }
    for (const User *test : user->users()) {
      const auto *compare = dyn_cast<ICmpInst>(test);
      if (compare && compare->isEquality() &&
          PatternMatch::match(compare->getOperand(1), PatternMatch::m_Zero())) {
        tests.push_back(compare);
      }
    }
  }
  return tests;
}

void Sequence::fileGuarded(unsigned index) {
  SmallVector<BasicBlockEdge, 4> edges;
  for (const ICmpInst *compare : testsOf(loops_[index].lastFlag())) {
    owners_[cast<Instruction>(compare->getOperand(0))] = owners_[compare] = index;
    for (const User *user : compare->users()) {
      if (const auto *branch = dyn_cast<BranchInst>(user)) {
        owners_[branch] = index;
        const unsigned isLast = compare->getPredicate() == ICmpInst::ICMP_EQ ? 1 : 0;
        edges.emplace_back(branch->getParent(), branch->getSuccessor(isLast));
      }
    }
  }
  for (const CallInst *reduce : loops_[index].reduce) {
    for (const User *user : reduce->users()) {
      if (const auto *choice = dyn_cast<SwitchInst>(user)) {
        for (const auto &answer : choice->cases()) {
          edges.emplace_back(choice->getParent(), answer.getCaseSuccessor());
        }
      }
    }
  }
  for (const BasicBlockEdge &edge : edges) {
    for (BasicBlock &block : function_) {
      if (dominators().dominates(edge, &block)) {
        for (Instruction &inst : block) {
          owners_[&inst] = index;
          skipped_.insert(&inst);
        }
      }
    }
  }
}

/// The private variable that `pointer` leads into, or null.
AllocaInst *privateVariable(Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects); // Through the loops that go over arrays, too.
  const auto *variable = objects.size() == 1 ? dyn_cast<AllocaInst>(objects.front()) : nullptr;
  return const_cast<AllocaInst *>(variable);
}

/// Private code must have no effect but on private variables.
std::string Sequence::checkBetween(Instruction &inst) {
  if (!inst.mayHaveSideEffects() || isa<AllocaInst>(inst)) {
    return {};
  }
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    return store->isSimple() && privateVariable(inst.getOperand(1))
               ? ""
               : "it writes to shared memory outside of its loops";
  }
  if (auto *memory = dyn_cast<AnyMemIntrinsic>(&inst)) {
    return privateVariable(memory->getRawDest())
               ? ""
               : "it writes to shared memory outside of its loops";
  }
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  if (intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
                    intrinsic->getIntrinsicID() == Intrinsic::stacksave ||
                    intrinsic->getIntrinsicID() == Intrinsic::stackrestore)) {
    return {};
  }
  const StringRef name = nameOf(inst);
  return name == "__kmpc_barrier" || name == "__kmpc_global_thread_num"
             ? ""
             : "it does more outside of its loops than compute private values";
}

/// What a loop leaves in private variables must not be looked at elsewhere.
std::string Sequence::checkValues() {
  for (Instruction &inst : instructions(function_)) {
    const int own = owner(inst);
    if (own == kBetween) {
      continue;
    }
    for (const User *user : inst.users()) {
      if (owner(*cast<Instruction>(user)) != own) {
        return "one of its loops leaves a private value to what follows";
      }
    }
  }
  for (Instruction &inst : instructions(function_)) {
    auto *variable = dyn_cast<AllocaInst>(&inst);
    const Accessors found = variable ? accessors(*variable) : Accessors();
    if (found.keepers.contains(kBetween)) {
      return "it keeps the address of a private variable";
    }
    for (const int writer : found.writers) {
      if (writer != kBetween &&
          any_of(found.readers, [&](int reader) { return reader != writer; })) {
        return "one of its loops leaves a private value to what follows";
      }
    }
  }
  return {};
}

/// Who reads and who writes `variable`: loops, or kBetween.
Sequence::Accessors Sequence::accessors(AllocaInst &variable) const {
  Accessors found;
  SetVector<Value *> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      const auto *store = dyn_cast<StoreInst>(inst);
      const auto *intrinsic = dyn_cast<IntrinsicInst>(inst);
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        pointers.insert(inst);
      } else if (store && store->getValueOperand() != pointers[at]) {
        found.writers.insert(owner(*inst));
      } else if (isa<LoadInst>(inst)) {
        found.readers.insert(owner(*inst));
      } else if (!isa<ICmpInst>(inst) && !(intrinsic && intrinsic->isLifetimeStartOrEnd())) {
        found.readers.insert(owner(*inst));
        found.writers.insert(owner(*inst));
        if (!isa<AnyMemIntrinsic>(inst) && nameOf(*inst).empty()) {
          found.keepers.insert(owner(*inst));
        }
      }
    }
  }
  return found;
}

/// What a branch between the loops decides: the loops that it may pass by, and the values that
/// depend on the way taken.
void Sequence::addControlled(const Instruction &branch, SetVector<Instruction *> &work,
                             SetVector<unsigned> &loops) {
  auto &postDominators = analyses_.getResult<PostDominatorTreeAnalysis>(function_);
  const auto *node = postDominators.getNode(branch.getParent());
  const BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  SmallVector<const BasicBlock *, 8> ways(successors(branch.getParent()));
  SmallPtrSet<const BasicBlock *, 8> seen;
  while (!ways.empty()) {
    const BasicBlock *block = ways.pop_back_val();
    if (!seen.insert(block).second) {
      continue;
    }
    for (const PHINode &phi : block->phis()) {
      work.insert(const_cast<PHINode *>(&phi));
    }
    if (block == join) {
      continue;
    }
    for (unsigned index = 0; index < loops_.size(); ++index) {
      if (loops_[index].init->getParent() == block) {
        loops.insert(index);
      }
    }
    ways.append(succ_begin(block), succ_end(block));
  }
}

/// The loops that use what `load` reads, directly or through what is computed from it.
void Sequence::collectUses(Instruction &load, SetVector<unsigned> &loops, bool &all) {
  SetVector<Instruction *> work;
  work.insert(&load);
  for (unsigned at = 0; at < work.size(); ++at) {
    Instruction *inst = work[at];
    if (const int own = owner(*inst); own != kBetween && inst != &load) {
      loops.insert(own);
      continue;
    }
    if (inst->isTerminator()) {
      addControlled(*inst, work, loops);
      continue;
    }
    if (inst != &load && inst->mayWriteToMemory()) {
      AllocaInst *variable = isa<StoreInst>(inst) ? privateVariable(inst->getOperand(1)) : nullptr;
      const Accessors found = variable ? accessors(*variable) : Accessors();
      all |= !variable || found.readers.contains(kBetween);
      for (const int reader : found.readers) {
        if (reader != kBetween) {
          loops.insert(reader);
        }
      }
      continue;
    }
    for (User *user : inst->users()) {
      work.insert(cast<Instruction>(user));
    }
  }
}

bool Sequence::mayChange(unsigned index, const MemoryLocation &location) {
  auto &aliases = analyses_.getResult<AAManager>(function_);
  return any_of(instructions(function_), [&](Instruction &inst) {
    return owner(inst) == static_cast<int>(index) && inst.mayWriteToMemory() &&
           nameOf(inst).empty() && isModSet(aliases.getModRefInfo(&inst, location));
  });
}

/// What private code reads of shared memory is read again in front of every loop that uses it.
/// Loops up to the next barrier cannot have changed it meanwhile: another thread could read it only
/// after that.
std::string Sequence::checkLoad(Instruction &load) {
  const std::optional<MemoryLocation> location = MemoryLocation::getOrNone(&load);
  bool all = !location || !isa<LoadInst>(load);
  SetVector<unsigned> users;
  if (!all) {
    collectUses(load, users, all);
  }
  const unsigned last = all             ? loops_.size()
                        : users.empty() ? 0
                                        : *std::max_element(users.begin(), users.end());
  for (unsigned index = 0; index < last; ++index) {
    if (!reaches(load, *loops_[index].init)) {
      continue;
    }
    const bool isBehindBarrier = any_of(instructions(function_), [&](Instruction &inst) {
      return nameOf(inst) == "__kmpc_barrier" && reaches(load, inst) &&
             reaches(inst, *loops_[index].init);
    });
    if (isBehindBarrier && (!location || mayChange(index, *location))) {
      return "one of its loops may change what a private value was computed from";
    }
  }
  return {};
}

std::string Sequence::check() {
  for (const SequencedLoop &loop : loops_) {
    if (loop.ends.empty() || loop.isDispatch() == loop.next.empty()) {
      return "one of its loops has an unusual form";
    }
    const BasicBlock *block = loop.init->getParent();
    if (blocksBehind(*block).contains(block)) {
      return "one of its loops is executed repeatedly";
    }
  }
  for (unsigned index = 1; index < loops_.size(); ++index) {
    if (any_of(seq(index), [&](unsigned before) {
          return reaches(*loops_[index].init, *loops_[before].init);
        })) {
      return "one of its loops has an unusual form";
    }
  }
  if (!fileInstructions()) {
    return "one of its loops has an unusual form";
  }
  for (Instruction &inst : instructions(function_)) {
    if (isReduce(nameOf(inst)) && owner(inst) == kBetween) {
      return "it reduces over all of its loops";
    }
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    if ((intrinsic && intrinsic->getIntrinsicID() == Intrinsic::threadlocal_address) ||
        nameOf(inst).starts_with("__kmpc_threadprivate")) {
      return "it uses thread-private variables";
    }
    if (isa<CallBase>(inst) && cast<CallBase>(inst).getCalledFunction() &&
        cast<CallBase>(inst).getCalledFunction()->getName().starts_with("omp_")) {
      return "it asks OpenMP for more than loops";
    }
    if (!skipped_.contains(&inst) && !isReduce(nameOf(inst))) {
      if (std::string reason = checkBetween(inst); !reason.empty()) {
        return reason;
      }
    }
  }
  if (std::string reason = checkValues(); !reason.empty()) {
    return reason;
  }
  for (Instruction &inst : instructions(function_)) {
    if (owner(inst) != kBetween || !inst.mayReadFromMemory() || !nameOf(inst).empty() ||
        isa<StoreInst>(inst)) {
      continue;
    }
    const auto *load = dyn_cast<LoadInst>(&inst);
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
    Value *from = load ? inst.getOperand(0) : nullptr;
    if (auto *copy = dyn_cast<AnyMemTransferInst>(&inst)) {
      from = copy->getRawSource();
    } else if (intrinsic && !load) {
      continue; // Of those that checkBetween lets pass none reads shared memory.
    }
    const auto *argument = from ? dyn_cast<Argument>(getUnderlyingObject(from)) : nullptr;
    const bool isThreadNumber = argument && argument->getArgNo() < kThreadArguments;
    if (isThreadNumber || (from && privateVariable(from))) {
      continue;
    }
    if (std::string reason = checkLoad(inst); !reason.empty()) {
      return reason;
    }
  }
  return {};
}

} // namespace

bool SequencedLoop::isDispatch() const { return isDispatchInit(libompName(*init)); }

Value *SequencedLoop::lastFlag() const {
  constexpr unsigned kLastOfInit = 3;
  constexpr unsigned kLastOfNext = 2;
  return isDispatch() ? next.front()->getArgOperand(kLastOfNext) : init->getArgOperand(kLastOfInit);
}

SmallVector<SequencedLoop, 4> sequencedLoops(Function &outlined) {
  SmallVector<SequencedLoop, 4> loops;
  SmallVector<CallInst *, 16> others;
  for (Instruction &inst : instructions(outlined)) {
    const StringRef name = nameOf(inst);
    if (isStaticInit(name) || isDispatchInit(name)) {
      loops.push_back({cast<CallInst>(&inst), {}, {}, {}});
    } else if (isNext(name) || isEnd(name) || isReduce(name)) {
      others.push_back(cast<CallInst>(&inst));
    }
  }
  if (loops.size() < 2) {
    return loops;
  }
  // A call belongs to the last loop that must have begun before it.
  const DominatorTree dominators(outlined);
  for (CallInst *call : others) {
    SequencedLoop *mine = nullptr;
    for (SequencedLoop &loop : loops) {
      if (dominators.dominates(loop.init, call) &&
          (!mine || dominators.dominates(mine->init, loop.init))) {
        mine = &loop;
      }
    }
    if (mine) {
      const StringRef name = libompName(*call);
      (isNext(name) ? mine->next : isReduce(name) ? mine->reduce : mine->ends).push_back(call);
    }
  }
  return loops;
}

std::string whyNotApart(Function &outlined, FunctionAnalysisManager &analyses) {
  return Sequence(outlined, analyses).check();
}

} // namespace tutti::compiler
