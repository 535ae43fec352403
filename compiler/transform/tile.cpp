// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/tile.h"

#include "compiler/ir/kernel_calls.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <functional>
#include <numeric>

using namespace llvm;

namespace tutti::compiler {

namespace {

// Measured on H200 (bench/results/tiles-2026-11-21.md and products-2026-11-23.md): what fits into
// registers, and is enough to keep memory busy.
constexpr unsigned kProduct = 4;      ///< Along the fastest dimension, where loops share loads,
constexpr unsigned kProductRows = 8;  ///< and along the second one.
constexpr unsigned kNeighbours = 2;   ///< Along each dimension, elsewhere.
constexpr unsigned kMoreRows = 4;     ///< Along the second one, if an item loads little.
constexpr std::uint64_t kLittle = 32; ///< Bytes.
constexpr unsigned kMostInstructions = 640; ///< Of a tile's loops, or of all where it has none.
constexpr unsigned kMostOutside = 2560;     ///< Outside of its loops, executed once.
constexpr unsigned kUnrolled = 2;           ///< Times that a tile's innermost loops are.

/// Writes products of sums as sums of products: (i + 1) n and i n + n become the same.
class Distribute : public SCEVRewriteVisitor<Distribute> {
public:
  explicit Distribute(ScalarEvolution &scev) : SCEVRewriteVisitor(scev) {}

  const SCEV *visitMulExpr(const SCEVMulExpr *product) {
    constexpr std::size_t kMostTerms = 32;
    SmallVector<const SCEV *, 8> terms{SE.getOne(product->getType())};
    for (const SCEV *operand : product->operands()) {
      const SCEV *factor = visit(operand);
      const auto *sum = dyn_cast<SCEVAddExpr>(factor);
      SmallVector<const SCEV *, 4> addends{factor};
      if (sum && terms.size() * sum->getNumOperands() <= kMostTerms) {
        addends.assign(sum->operands().begin(), sum->operands().end());
      }
      SmallVector<const SCEV *, 8> products;
      for (const SCEV *term : terms) {
        for (const SCEV *addend : addends) {
          products.push_back(SE.getMulExpr(term, addend));
        }
      }
      terms = std::move(products);
    }
    return SE.getAddExpr(terms);
  }
};

} // namespace

unsigned sizeOfTile(ArrayRef<unsigned> counts) {
  return std::accumulate(counts.begin(), counts.end(), 1U, std::multiplies<>());
}

Tile::Tile(Function &item, ArrayRef<unsigned> numbers, ArrayRef<unsigned> slots)
    : item_(item), numbers_(numbers), slots_(slots) {
  for (auto [dimension, number] : enumerate(numbers_)) {
    origins_.push_back({item_.getArg(number), static_cast<unsigned>(dimension)});
  }
  findChain();
  dependences_ = ItemDependences(item_, origins_);
}

/// Everything that is computed from an accumulator. It can be multiplied if it is a straight line
/// from the load of the accumulator to its store.
void Tile::findChain() {
  SmallPtrSet<const Value *, 16> reached;
  for (const unsigned slot : slots_) {
    unsigned loads = 0;
    unsigned stores = 0;
    for (User *user : item_.getArg(slot)->users()) {
      loads += isa<LoadInst>(user) ? 1 : 0;
      stores += isa<StoreInst>(user) ? 1 : 0;
      isChainStraight_ = isChainStraight_ && isa<LoadInst, StoreInst>(user);
      reached.insert(user);
    }
    isChainStraight_ = isChainStraight_ && loads == 1 && stores == 1;
  }
  const BasicBlock *block = nullptr;
  for (Instruction &inst : instructions(item_)) {
    const bool isReached = reached.contains(&inst) || any_of(inst.operands(), [&](const Use &use) {
                             return reached.contains(use.get());
                           });
    if (!isReached) {
      continue;
    }
    reached.insert(&inst);
    chain_.insert(&inst);
    if (isa<LoadInst>(inst)) {
      continue; // Of a slot: wherever it stands, it loads the same.
    }
    isChainStraight_ = isChainStraight_ && !isa<PHINode>(inst) && !inst.isTerminator() &&
                       (isa<StoreInst>(inst) || !inst.mayReadOrWriteMemory()) &&
                       (!block || block == inst.getParent());
    block = inst.getParent();
  }
}

/// Whether all items take the same way.
bool Tile::keepsTogether() const {
  return all_of(instructions(item_), [this](const Instruction &inst) {
    return !isa<AllocaInst>(inst) && !(inst.isTerminator() && of(&inst) != 0);
  });
}

SmallVector<unsigned, 3> Tile::choose() const {
  const SmallVector<unsigned, 3> single(numbers_.size(), 1);
  SmallVector<unsigned, 3> counts = single;
  if (!isChainStraight_ || !keepsTogether()) {
    return single;
  }
  const DominatorTree dominators(item_);
  const LoopInfo loops(dominators);
  unsigned repeated = 0; ///< Instructions in loops,
  unsigned outside = 0;  ///< and all others.
  std::uint64_t loaded = 0;
  Dimensions shared = 0; ///< Along which items load the same again and again.
  for (const Instruction &inst : instructions(item_)) {
    unsigned &count = loops.getLoopFor(inst.getParent()) ? repeated : outside;
    count += of(&inst) != 0 && !isa<PHINode>(inst) ? 1 : 0;
    if (isa<LoadInst>(inst) && !isChain(inst)) {
      loaded += inst.getDataLayout().getTypeStoreSize(inst.getType());
      shared |= loops.getLoopFor(inst.getParent()) ? ~of(&inst) : 0;
    }
  }
  if (loops.empty() && loaded > 0) {
    counts[0] = kNeighbours;
    if (counts.size() > 1) {
      counts[1] = loaded <= kLittle ? kMoreRows : kNeighbours;
    }
  } else if (counts.size() > 1 && (shared & 3) == 3) {
    counts[0] = kProduct;
    counts[1] = kProductRows;
  }
  const unsigned mostOutside = loops.empty() ? kMostInstructions : kMostOutside;
  while (sizeOfTile(counts) > 1 && (repeated * sizeOfTile(counts) > kMostInstructions ||
                                    outside * sizeOfTile(counts) > mostOutside)) {
    *std::max_element(counts.begin(), counts.end()) /= 2;
  }
  // What is written must be another place for each item.
  Dimensions widened = 0;
  for (auto [dimension, count] : enumerate(counts)) {
    widened |= static_cast<Dimensions>(count > 1 ? 1U << dimension : 0U);
  }
  const bool areApart = all_of(instructions(item_), [&](const Instruction &inst) {
    return !inst.mayWriteToMemory() || isChain(inst) || (of(&inst) & widened) == widened;
  });
  return areApart ? counts : single;
}

/// The first copy that has the numbers of `copy` in `dimensions`.
unsigned Tile::projected(unsigned copy, Dimensions dimensions) const {
  unsigned result = 0;
  unsigned weight = 1;
  for (auto [dimension, count] : enumerate(counts_)) {
    result += (dimensions >> dimension & 1) != 0 ? copy % count * weight : 0;
    copy /= count;
    weight *= count;
  }
  return result;
}

Value *Tile::copyOf(Value *value, unsigned copy) const {
  const auto found = copies_.find(value);
  return copy == 0 || found == copies_.end() ? value : found->second[copy - 1];
}

/// Puts the copies of `inst` behind it. Operands of phis are still the first ones.
void Tile::multiply(Instruction &inst) {
  const unsigned total = sizeOfTile(counts_);
  SmallVector<Value *, 16> copies;
  Instruction *last = &inst;
  for (unsigned copy = 1; copy < total; ++copy) {
    const unsigned same = projected(copy, of(&inst));
    if (same != copy) {
      copies.push_back(same == 0 ? &inst : copies[same - 1]);
      continue;
    }
    Instruction *clone = inst.clone();
    clone->insertAfter(last);
    last = clone;
    copies.push_back(clone);
    if (!isa<PHINode>(clone)) {
      for (Use &use : clone->operands()) {
        use.set(copyOf(use.get(), copy));
      }
    }
  }
  copies_[&inst] = std::move(copies);
}

/// Accumulators go through the items in turn.
void Tile::multiplyChain() {
  const unsigned total = sizeOfTile(counts_);
  SmallVector<std::pair<LoadInst *, StoreInst *>, 2> ends;
  for (const unsigned slot : slots_) {
    LoadInst *load = nullptr;
    StoreInst *store = nullptr;
    for (User *user : item_.getArg(slot)->users()) {
      load = isa<LoadInst>(user) ? cast<LoadInst>(user) : load;
      store = isa<StoreInst>(user) ? cast<StoreInst>(user) : store;
    }
    ends.push_back({load, store});
  }
  if (ends.empty()) {
    return;
  }
  Instruction *end = ends.front().second->getParent()->getTerminator();
  DenseMap<const Value *, Value *> now; ///< Of the chain's values: those of the latest copy.
  for (unsigned copy = 1; copy < total; ++copy) {
    DenseMap<const Value *, Value *> next;
    for (auto [load, store] : ends) {
      Value *stored = store->getValueOperand();
      next[load] = now.contains(stored) ? now.lookup(stored) : copyOf(stored, copy - 1);
    }
    for (const Instruction *inst : chain_) {
      if (isa<LoadInst, StoreInst>(inst)) {
        continue;
      }
      Instruction *clone = inst->clone();
      clone->insertBefore(end);
      for (Use &use : clone->operands()) {
        Value *latest = next.lookup(use.get());
        use.set(latest ? latest : copyOf(use.get(), copy));
      }
      next[inst] = clone;
    }
    now = std::move(next);
  }
  for (auto [load, store] : ends) {
    Value *stored = store->getValueOperand();
    Value *last = now.lookup(stored);
    store->setOperand(0, last ? last : copyOf(stored, total - 1));
    store->moveBefore(end);
  }
}

/// What is written behind loops goes to addresses that would be in registers all the while, one for
/// each item. They are computed there instead, from numbers that nothing else knows.
void Tile::computeBehindLoops() {
  const DominatorTree dominators(item_);
  const LoopInfo loops(dominators);
  const KernelCalls calls(*item_.getParent());
  const auto isInFront = [&](const Value *value, const BasicBlock *behind) {
    const auto *inst = dyn_cast<Instruction>(value);
    return of(value) != 0 &&
           (inst ? inst->getParent() != behind && !isa<PHINode>(inst) &&
                       !loops.getLoopFor(inst->getParent()) && isSafeToSpeculativelyExecute(inst) &&
                       !inst->mayReadFromMemory()
                 : isa<Argument>(value));
  };
  for (BasicBlock &block : item_) {
    const bool isBehind =
        !loops.getLoopFor(&block) && any_of(predecessors(&block), [&](const BasicBlock *from) {
          return loops.getLoopFor(from) != nullptr;
        });
    if (!isBehind) {
      continue;
    }
    DenseMap<Value *, Value *> known;
    IRBuilder<> build(&*block.getFirstInsertionPt());
    const std::function<Value *(Value *)> here = [&](Value *value) -> Value * {
      if (!isInFront(value, &block)) {
        return value;
      }
      if (Value *found = known.lookup(value)) {
        return found;
      }
      Value *made = nullptr;
      if (auto *inst = dyn_cast<Instruction>(value)) {
        Instruction *clone = inst->clone();
        for (Use &use : clone->operands()) {
          use.set(here(use.get()));
        }
        made = build.Insert(clone);
      } else {
        made = build.CreateCall(calls.opaque(), {value});
        origins_.push_back({made, static_cast<unsigned>(Log2_32(of(value)))});
      }
      known[value] = made;
      return made;
    };
    for (Instruction &inst :
         make_early_inc_range(make_range(build.GetInsertPoint(), block.end()))) {
      for (Use &use : inst.operands()) {
        use.set(here(use.get()));
      }
    }
  }
  dependences_ = ItemDependences(item_, origins_);
}

/// The number of a copy, which may be beyond the limit.
Value *Tile::number(IRBuilderBase &build, Value *first, unsigned copy, unsigned dimension) const {
  for (unsigned before = 0; before < dimension; ++before) {
    copy /= counts_[before];
  }
  const unsigned distance = copy % counts_[dimension] * steps_[dimension];
  return distance == 0 ? first
                       : build.CreateNSWAdd(first, ConstantInt::get(first->getType(), distance));
}

void Tile::multiplyNumbers() {
  for (auto [first, dimension] : origins_) {
    auto *inst = dyn_cast<Instruction>(first);
    BasicBlock::iterator before =
        inst ? std::next(inst->getIterator()) : item_.getEntryBlock().getFirstInsertionPt();
    IRBuilder<> build(before->getParent(), before);
    SmallVector<Value *, 16> copies;
    for (unsigned copy = 1; copy < sizeOfTile(counts_); ++copy) {
      const unsigned same = projected(copy, of(first));
      if (same != copy) {
        copies.push_back(same == 0 ? first : copies[same - 1]);
        continue;
      }
      Value *own = number(build, first, copy, dimension);
      if (!limits_.empty()) {
        Value *last = build.CreateNSWSub(item_.getArg(limits_[dimension]),
                                         ConstantInt::get(own->getType(), 1));
        own = build.CreateBinaryIntrinsic(Intrinsic::smin, own, last);
      }
      copies.push_back(own);
    }
    copies_[first] = std::move(copies);
  }
}

/// Writes of items that exist only. The first one always does.
void Tile::guardWrites(ArrayRef<Instruction *> order) {
  for (Instruction *inst : order) {
    for (unsigned copy = 1; copy < sizeOfTile(counts_) && inst->mayWriteToMemory(); ++copy) {
      auto *write = cast<Instruction>(copyOf(inst, copy));
      IRBuilder<> build(write);
      Value *exists = build.getTrue();
      for (unsigned dimension = 0; dimension < numbers_.size(); ++dimension) {
        Value *first = item_.getArg(numbers_[dimension]);
        Value *own = number(build, first, copy, dimension);
        if (own != first) {
          exists =
              build.CreateAnd(exists, build.CreateICmpSLT(own, item_.getArg(limits_[dimension])));
        }
      }
      write->moveBefore(SplitBlockAndInsertIfThen(exists, write->getIterator(), false));
    }
  }
}

bool Tile::mayRepeat() const {
  const DominatorTree dominators(item_);
  return slots_.empty() && !LoopInfo(dominators).empty() &&
         all_of(instructions(item_), [](const Instruction &inst) {
           return !inst.mayReadFromMemory() || inst.hasMetadata(LLVMContext::MD_invariant_load);
         });
}

void Tile::widen(ArrayRef<unsigned> counts, ArrayRef<unsigned> steps, ArrayRef<unsigned> limits) {
  counts_.assign(counts.begin(), counts.end());
  steps_.assign(steps.begin(), steps.end());
  limits_.assign(limits.begin(), limits.end());
  const unsigned total = sizeOfTile(counts_);
  if (limits_.empty()) {
    computeBehindLoops();
  }
  SmallVector<Instruction *, 64> order;
  const ReversePostOrderTraversal<Function *> blocks(&item_);
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      const bool isOrigin = any_of(origins_, [&](auto origin) { return origin.first == &inst; });
      if (of(&inst) != 0 && !inst.isTerminator() && !isChain(inst) && !isOrigin) {
        order.push_back(&inst);
      }
    }
  }
  multiplyNumbers();
  for (Instruction *inst : order) {
    if (isa<PHINode>(inst)) {
      multiply(*inst);
    }
  }
  for (Instruction *inst : order) {
    if (!isa<PHINode>(inst)) {
      multiply(*inst);
    }
  }
  for (Instruction *inst : order) {
    for (unsigned copy = 1; copy < total && isa<PHINode>(inst); ++copy) {
      auto *phi = cast<PHINode>(copyOf(inst, copy));
      if (phi == inst || projected(copy, of(inst)) != copy) {
        continue;
      }
      for (Use &use : phi->incoming_values()) {
        use.set(copyOf(use.get(), copy));
      }
    }
  }
  multiplyChain();
  if (!limits_.empty()) {
    guardWrites(order);
  }
  mergePointers();
  unrollLoops();
}

/// Lets loads through equal addresses use one pointer: what neighbours load, passes behind join.
void Tile::mergePointers() {
  DominatorTree dominators(item_);
  LoopInfo loops(dominators);
  const Module &module = *item_.getParent();
  TargetLibraryInfoImpl libraryImpl(Triple(module.getTargetTriple()));
  TargetLibraryInfo library(libraryImpl);
  AssumptionCache assumptions(item_);
  ScalarEvolution scev(item_, library, assumptions, dominators, loops);
  Distribute distribute(scev);
  DenseMap<const SCEV *, SmallVector<Value *, 4>> known;
  const ReversePostOrderTraversal<Function *> blocks(&item_);
  for (BasicBlock *block : blocks) {
    for (Instruction &inst : *block) {
      auto *load = dyn_cast<LoadInst>(&inst);
      if (!load || !isa<Instruction>(load->getPointerOperand())) {
        continue;
      }
      auto &pointers = known[distribute.visit(scev.getSCEV(load->getPointerOperand()))];
      const auto equal =
          find_if(pointers, [&](const Value *one) { return dominators.dominates(one, load); });
      if (equal != pointers.end()) {
        load->setOperand(0, *equal);
      } else {
        pointers.push_back(load->getPointerOperand());
      }
    }
  }
}

/// Whether somebody has said how often the loop is to be unrolled.
static bool hasUnrollCount(const Loop &loop) {
  MDNode *properties = loop.getLoopID();
  return properties && (GetUnrollMetadata(properties, "llvm.loop.unroll.count") ||
                        GetUnrollMetadata(properties, "llvm.loop.unroll.disable"));
}

/// More loads are under way if loops are unrolled. At borders that would only take registers from
/// all others.
void Tile::unrollLoops() {
  const DominatorTree dominators(item_);
  const LoopInfo loops(dominators);
  for (Loop *loop : loops.getLoopsInPreorder()) {
    if (!limits_.empty()) {
      loop->setLoopAlreadyUnrolled();
    } else if (loop->isInnermost() && !hasUnrollCount(*loop)) {
      addStringMetadataToLoop(loop, "llvm.loop.unroll.count", kUnrolled);
    }
  }
}

} // namespace tutti::compiler
