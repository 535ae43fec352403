// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/split_constructs.h"

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/construct_code.h"
#include "compiler/analysis/loop_sequence.h"
#include "compiler/analysis/teams.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/ir/function_copies.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Gives `loop` no iterations, and nothing to combine.
void emptyLoop(SequencedLoop &loop) {
  IRBuilder<> build(loop.init);
  build.CreateStore(build.getInt32(0), loop.lastFlag());
  if (!loop.isDispatch()) {
    Type *counter = loop.init->getArgOperand(loop.init->arg_size() - 1)->getType();
    build.CreateStore(ConstantInt::get(counter, 1), operandOf(*loop.init, Role::Lower));
    build.CreateStore(ConstantInt::get(counter, 0), operandOf(*loop.init, Role::Upper));
  }
  for (auto *calls : {&loop.next, &loop.reduce}) {
    for (CallInst *call : *calls) {
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
      call->eraseFromParent();
    }
  }
  for (CallInst *end : loop.ends) {
    end->eraseFromParent();
  }
  loop.init->eraseFromParent();
}

/// A copy of `outlined` in which only the loop of that index has iterations.
Function *copyWith(Function &outlined, unsigned index) {
  ValueToValueMapTy map;
  Function *copy = copyOf(outlined, outlined.getName() + ".loop" + Twine(index), map);
  SmallVector<SequencedLoop, 4> loops = sequencedLoops(*copy);
  for (unsigned other = 0; other < loops.size(); ++other) {
    if (other != index) {
      emptyLoop(loops[other]);
    }
  }
  return copy;
}

/// Takes the loops out of a function, and puts one of them back for a while: copies are not larger
/// than what they need.
class LoopShelf {
public:
  explicit LoopShelf(Function &function) : function_(function) {}

  ~LoopShelf();

  /// Returns false if `loops`, all of the function, cannot be taken out.
  bool take(ArrayRef<SequencedLoop> loops);

  Function *copyWith(unsigned index);

private:
  using Blocks = SmallSetVector<BasicBlock *, 32>;

  Blocks reachable() const;
  bool areSelfContained(const Blocks &blocks) const;
  bool leaveNothing() const;
  void bypass(const ConductedLoop &loop);
  void enter(const ConductedLoop &loop);

  Function &function_;
  Function *shelf_ = nullptr;
  std::vector<ConductedLoop> loops_;
  std::vector<Blocks> blocks_; ///< Of each loop, what nothing beside the loops leads to.
};

void LoopShelf::bypass(const ConductedLoop &loop) {
  loop.before->getTerminator()->setSuccessor(0, loop.exit);
}

void LoopShelf::enter(const ConductedLoop &loop) {
  loop.before->getTerminator()->setSuccessor(0, loop.first);
}

LoopShelf::Blocks LoopShelf::reachable() const {
  Blocks found;
  found.insert(&function_.getEntryBlock());
  for (unsigned at = 0; at < found.size(); ++at) {
    found.insert(succ_begin(found[at]), succ_end(found[at]));
  }
  return found;
}

/// Whether no phi asks where it came from for a block that is taken out.
bool LoopShelf::areSelfContained(const Blocks &blocks) const {
  return all_of(blocks, [&](BasicBlock *block) {
    return all_of(block->phis(), [&](const PHINode &phi) {
      return all_of(phi.blocks(), [&](BasicBlock *from) { return blocks.contains(from); });
    });
  });
}

/// Whether what the blocks compute is used nowhere else.
bool keepTheirValues(const SmallSetVector<BasicBlock *, 32> &blocks) {
  return all_of(blocks, [&](BasicBlock *block) {
    return all_of(*block, [&](Instruction &inst) {
      return all_of(inst.users(), [&](User *user) {
        return blocks.contains(cast<Instruction>(user)->getParent());
      });
    });
  });
}

/// Whether nothing reads a variable of the thread that another loop may have written: whatever is
/// set aside with a loop is needed by it alone.
bool LoopShelf::leaveNothing() const {
  constexpr int kBeside = -1;
  DenseMap<const BasicBlock *, int> owners;
  for (const auto &[index, blocks] : enumerate(blocks_)) {
    for (const BasicBlock *block : blocks) {
      owners.try_emplace(block, index);
    }
  }
  return all_of(function_.getEntryBlock(), [&](const Instruction &inst) {
    SmallSetVector<int, 4> writers;
    SmallSetVector<int, 4> readers;
    for (const User *user :
         isa<AllocaInst>(inst) ? inst.users() : iterator_range(inst.user_end(), inst.user_end())) {
      const auto *use = cast<Instruction>(user);
      const auto *store = dyn_cast<StoreInst>(use);
      const auto *marker = dyn_cast<IntrinsicInst>(use);
      if (marker && marker->isLifetimeStartOrEnd()) {
        continue;
      }
      const auto found = owners.find(use->getParent());
      const int owner = found == owners.end() ? kBeside : found->second;
      if (!isa<LoadInst>(use) && owner != kBeside) {
        writers.insert(owner);
      }
      if (!store || store->getValueOperand() == &inst) {
        readers.insert(owner);
      }
    }
    return all_of(writers, [&](int writer) {
      return all_of(readers, [writer](int reader) { return reader == writer; });
    });
  });
}

bool LoopShelf::take(ArrayRef<SequencedLoop> loops) {
  for (const SequencedLoop &calls : loops) {
    ConductedLoop loop;
    if (calls.ends.empty() || !bracketLoop(function_, calls, loop)) {
      return false; // The blocks that are split by then do no harm.
    }
    loops_.push_back(loop);
  }
  for_each(loops_, [this](const ConductedLoop &loop) { bypass(loop); });
  const Blocks beside = reachable();
  bool isPossible = areSelfContained(beside);
  for (const ConductedLoop &loop : loops_) {
    // No loop inside of another one.
    isPossible = isPossible && beside.contains(loop.before) && beside.contains(loop.exit);
    enter(loop);
    const Blocks with = reachable();
    isPossible = isPossible && areSelfContained(with);
    blocks_.push_back(with);
    blocks_.back().set_subtract(beside);
    isPossible = isPossible && keepTheirValues(blocks_.back());
    bypass(loop);
  }
  for_each(loops_, [this](const ConductedLoop &loop) { enter(loop); });
  if (!isPossible || !leaveNothing()) {
    return false;
  }
  for_each(loops_, [this](const ConductedLoop &loop) { bypass(loop); });
  shelf_ = Function::Create(function_.getFunctionType(), GlobalValue::InternalLinkage,
                            function_.getName() + ".shelf", function_.getParent());
  for (BasicBlock &block : make_early_inc_range(function_)) {
    if (!beside.contains(&block)) {
      shelf_->splice(shelf_->end(), &function_, block.getIterator());
    }
  }
  return true;
}

/// Of the other loops.
void dropUnreadVariables(Function &copy) {
  SmallVector<AllocaInst *, 32> variables;
  for (Instruction &inst : copy.getEntryBlock()) {
    if (auto *variable = dyn_cast<AllocaInst>(&inst)) {
      variables.push_back(variable);
    }
  }
  for (AllocaInst *variable : variables) {
    if (!all_of(variable->users(), [&](const User *user) {
          const auto *store = dyn_cast<StoreInst>(user);
          const auto *marker = dyn_cast<IntrinsicInst>(user);
          return (store && store->isSimple() && store->getValueOperand() != variable) ||
                 (marker && marker->isLifetimeStartOrEnd());
        })) {
      continue;
    }
    for (User *user : make_early_inc_range(variable->users())) {
      cast<Instruction>(user)->eraseFromParent();
    }
    variable->eraseFromParent();
  }
}

Function *LoopShelf::copyWith(unsigned index) {
  enter(loops_[index]);
  for (BasicBlock *block : blocks_[index]) {
    function_.splice(function_.end(), shelf_, block->getIterator());
  }
  ValueToValueMapTy map;
  Function *copy = copyOf(function_, function_.getName() + ".loop" + Twine(index), map);
  dropUnreadVariables(*copy);
  for (BasicBlock *block : blocks_[index]) {
    shelf_->splice(shelf_->end(), &function_, block->getIterator());
  }
  bypass(loops_[index]);
  return copy;
}

/// Others may still call the function.
LoopShelf::~LoopShelf() {
  if (shelf_) {
    function_.splice(function_.end(), shelf_);
    for_each(loops_, [this](const ConductedLoop &loop) { enter(loop); });
    shelf_->eraseFromParent();
  }
}

SmallVector<Function *, 4> copiesOf(Function &outlined, unsigned count) {
  SmallVector<Function *, 4> copies;
  LoopShelf shelf(outlined);
  const bool isTaken = shelf.take(sequencedLoops(outlined));
  for (unsigned index = 0; index < count; ++index) {
    copies.push_back(isTaken ? shelf.copyWith(index) : copyWith(outlined, index));
  }
  return copies;
}

/// Where `loop` is, as a place in the function of `fork`.
DebugLoc placeOf(const SequencedLoop &loop, const CallInst &fork) {
  const DebugLoc &own = loop.init->getDebugLoc();
  const DebugLoc &outer = fork.getDebugLoc();
  if (!own || !outer) {
    return outer;
  }
  return DILocation::get(fork.getContext(), own.getLine(), own.getCol(), outer.getScope(),
                         outer.getInlinedAt());
}

void split(Function &outlined, ArrayRef<CallInst *> forks) {
  const SmallVector<SequencedLoop, 4> loops = sequencedLoops(outlined);
  const SmallVector<Function *, 4> copies = copiesOf(outlined, loops.size());
  for (CallInst *fork : forks) {
    const ThreadRequests requests = threadRequests(*fork);
    for (unsigned index = 0; index < loops.size(); ++index) {
      if (index > 0) {
        IRBuilder<> build(fork);
        requests.repeat(build);
      }
      auto *one = cast<CallInst>(fork->clone());
      setOperand(*one, Role::Outlined, copies[index]);
      one->setDebugLoc(placeOf(loops[index], *fork));
      one->insertBefore(fork);
    }
    fork->eraseFromParent();
  }
}

/// Why the construct with `count` loops cannot be split.
std::string whyNotSplit(Function &outlined, std::size_t count, FunctionAnalysisManager &functions) {
  // What copies would show, too, but costs none.
  if (ConstructCode code(outlined, functions);
      code.isRegular() &&
      any_of(seq(count), [&](unsigned loop) { return code.isRepeated(loop); })) {
    return kRepeated;
  }
  Function *copy = promotedCopy(outlined, outlined.getName() + ".promoted", functions);
  std::string reason = sequencedLoops(*copy).size() == count ? whyNotApart(*copy, functions)
                                                             : "a function that it calls holds one";
  functions.clear(*copy, copy->getName());
  copy->eraseFromParent();
  return reason;
}

} // namespace

PreservedAnalyses SplitConstructsPass::run(Module &module, ModuleAnalysisManager &analyses) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  MapVector<Function *, SmallVector<CallInst *, 1>> constructs;
  for (CallInst *fork : findForks(module, CallKind::Fork)) {
    constructs[outlinedOf(*fork)].push_back(fork);
  }
  bool changed = false;
  for (auto &[outlined, forks] : constructs) {
    const std::size_t count = sequencedLoops(*outlined).size();
    if (count < 2) {
      continue;
    }
    changed = true;
    const std::string reason = whyNotSplit(*outlined, count, functions);
    if (reason.empty()) {
      split(*outlined, forks);
    } else {
      outlined->addFnAttr(kWholeConstruct, reason);
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace tutti::compiler
