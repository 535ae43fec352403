// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/accesses.h"

#include "abi/abi.h"
#include "abi/order.h"
#include "abi/updates.h"
#include "compiler/analysis/choices.h"
#include "compiler/analysis/earlier_writes.h"
#include "compiler/analysis/expressions.h"
#include "compiler/analysis/guards.h"
#include "compiler/analysis/shared_flags.h"
#include "compiler/analysis/source_names.h"
#include "compiler/analysis/widen.h"
#include "compiler/ir/entry_points.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

#include <memory>
#include <optional>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What says how elements are updated.
constexpr unsigned kUpdate =
    TUTTI_UPDATED | (unsigned{TUTTI_UPDATE_OPERATIONS} | unsigned{TUTTI_UPDATE_TYPES})
                        << TUTTI_UPDATE_SHIFT;

/// Replaces recurrences of one loop by their first value.
class AtFirstIteration : public SCEVRewriteVisitor<AtFirstIteration> {
public:
  AtFirstIteration(ScalarEvolution &scev, const Loop *loop)
      : SCEVRewriteVisitor(scev), loop_(loop) {}

  const SCEV *visitAddRecExpr(const SCEVAddRecExpr *recurrence) {
    if (recurrence->getLoop() == loop_) {
      return visit(recurrence->getStart());
    }
    SmallVector<const SCEV *, 2> operands;
    for (const SCEV *operand : recurrence->operands()) {
      operands.push_back(visit(operand));
    }
    return SE.getAddRecExpr(operands, recurrence->getLoop(), SCEV::FlagAnyWrap);
  }

private:
  const Loop *loop_;
};

class Analyser {
public:
  Analyser(ChunkModel &model, FunctionAnalysisManager &analyses, ArrayRef<std::uint64_t> captured,
           bool perIteration)
      : model_(model), captured_(captured),
        loops_(analyses.getResult<LoopAnalysis>(model.function())),
        scev_(analyses.getResult<ScalarEvolutionAnalysis>(model.function())), forms_(model, scev_),
        guards_(model, forms_, analyses) {
    result_.perIteration = perIteration;
    chunkLoop_ = findChunkLoop();
  }

  RegionAccesses run() {
    addBounds();
    for (Instruction &inst : instructions(model_.function())) {
      if (!result_.reason.empty()) {
        break;
      }
      visit(inst);
    }
    shareFlags();
    dropCoveredReads();
    return std::move(result_);
  }

  /// The loop's extents depend on its iteration: looking at single iterations may help.
  bool wantsPerIteration() const { return wantsPerIteration_ || guards_.wantsPerIteration(); }

  /// Whether an iteration goes through loops of its own, so that there are fewer iterations than
  /// elements by far.
  bool hasInnerLoops() const {
    return chunkLoop_ ? !chunkLoop_->getSubLoops().empty() : !loops_.empty();
  }

private:
  void fail(const Instruction &inst, const Twine &reason) {
    if (result_.reason.empty()) {
      result_.reason = reason.str();
      result_.location = inst.getDebugLoc();
    }
  }

  bool dependsOnChunk(const SCEV *expression) const {
    return SCEVExprContains(expression, [this](const SCEV *part) {
      const auto *unknown = dyn_cast<SCEVUnknown>(part);
      return unknown &&
             (unknown->getValue() == model_.lower() || unknown->getValue() == model_.upper());
    });
  }

  Loop *findChunkLoop() const {
    for (Loop *loop : loops_) {
      const SCEV *count = scev_.getBackedgeTakenCount(loop);
      if (!isa<SCEVCouldNotCompute>(count) && dependsOnChunk(count)) {
        return loop;
      }
    }
    return nullptr;
  }

  /// `expression` as it is in the iterations that are looked at.
  const SCEV *seen(const SCEV *expression) {
    if (result_.perIteration && chunkLoop_) {
      expression = AtFirstIteration(scev_, chunkLoop_).visit(expression);
    }
    return counters_.empty() ? expression
                             : SCEVLoopAddRecRewriter::rewrite(expression, counters_, scev_);
  }

  void addBounds();
  void visit(Instruction &inst);
  void addRaised(Instruction &inst, Value *pointer);
  void walk(const BasicBlock &block, ArrayRef<const SCEV *> expressions);
  void stopWalking();
  bool isFollowed(const SCEV &pointer) const;
  void add(AccessRecord record);
  void addAccess(CallInst &touch, Value *pointer, const SCEV *bytes, unsigned flags);
  void addChosen(CallInst &touch, ArrayRef<Choice> choices, const SCEV *bytes, unsigned flags);
  std::optional<AccessRecord> regular(CallInst &touch, const Choice &choice, const SCEV *bytes,
                                      unsigned flags);
  void addIrregular(Instruction &inst, const SCEV *address, unsigned flags);
  void addFound(Instruction &inst, const SCEVUnknown *pointer, bool isWritten);
  SmallVector<LoadInst *, 2> foundBy(const Value *pointer);
  std::string tableOf(const SCEVUnknown *pointer);
  std::string nameOfObject(const SCEVUnknown &pointer);
  void dropCoveredReads();
  bool isInAllIterations(const BasicBlock &block) const;
  bool isSharedFlag(const CallInst &touch, const AccessRecord &record) const;
  void shareFlags();
  std::optional<std::uint64_t> objectBytes(const Value *root) const;
  void addLaunchGuards(AccessRecord &record, BasicBlock *block);
  bool addDims(AccessRecord &record, const SCEV *address, const BasicBlock &block);
  bool addAssumptions(AccessRecord &record, const Widen &widen, const BasicBlock &block);
  const SCEV *peel(const SCEV *expression, const BasicBlock &block,
                   SmallVectorImpl<AccessRecord::Dim> &dims, unsigned &flags);
  std::optional<const SCEV *> countOf(const Loop *loop, unsigned &flags);
  const SCEV *largest(const SCEV *count);

  bool addGuards(AccessRecord &record, BasicBlock *block) {
    return guards_.addAll(record.guards, block,
                          [this](const SCEV *expression) { return seen(expression); });
  }

  ChunkModel &model_;
  ArrayRef<std::uint64_t> captured_;
  LoopInfo &loops_;
  ScalarEvolution &scev_;
  ClosedForms forms_;
  GuardFinder guards_;
  Loop *chunkLoop_ = nullptr;
  RegionAccesses result_;
  bool wantsPerIteration_ = false;
  SmallPtrSet<const SCEV *, 4> wholeObjects_[2]; ///< Pointers to those that are read, and written.
  MapVector<CallInst *, unsigned> records_; ///< Of accesses in closed form: positions in `result_`.
  Walks walks_;                             ///< Of the record that is being made.
  LoopToScevMapT counters_;                 ///< Of the loops that it walks through.
};

void Analyser::addBounds() {
  CallInst *marker = model_.tripMarker();
  AccessRecord record;
  const bool exact = marker && addGuards(record, marker->getParent());
  if (exact && forms_.isClosed(marker->getArgOperand(0))) {
    result_.lastIteration = scev_.getSCEV(marker->getArgOperand(0));
    result_.tripGuards = std::move(record.guards);
  } else {
    result_.reason = "its number of iterations is not in closed form";
    return;
  }
  const SCEV *piece = scev_.getSCEV(marker->getArgOperand(1));
  if (!piece->isOne()) {
    result_.piece =
        forms_.isClosed(piece) ? piece : scev_.getConstant(piece->getType(), TUTTI_PIECE_UNKNOWN);
  }
}

void Analyser::visit(Instruction &inst) {
  if (CallInst *touch = ChunkModel::asTouch(inst)) {
    addAccess(*touch, touch->getArgOperand(0), scev_.getSCEV(touch->getArgOperand(1)),
              cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue());
  } else if (Value *pointer = ChunkModel::asRaised(inst)) {
    addRaised(inst, pointer);
  }
}

/// Looks at single iterations of those loops in which pointers vary that `expressions`, used in
/// `block`, depend on, until `stopWalking`. If they cannot be followed, nothing changes.
void Analyser::walk(const BasicBlock &block, ArrayRef<const SCEV *> expressions) {
  WalkFinder::Found found =
      WalkFinder(model_, loops_, scev_).find(expressions, block, [this](const SCEV *expression) {
        return seen(expression);
      });
  auto loops = found.loops.takeVector();
  if (found.loads.empty() || loops.size() > ChunkModel::kCounters) {
    return;
  }
  sort(loops, [](const Loop *one, const Loop *other) {
    return one->getLoopDepth() < other->getLoopDepth();
  });
  for (auto [position, loop] : enumerate(loops)) {
    counters_[loop] = scev_.getSCEV(model_.counter(position));
  }
  forms_.setFollowed(found.loads.getArrayRef());
  bool isClosed = true;
  for (LoadInst *load : found.loads) {
    walks_.follows.push_back({load, seen(scev_.getSCEV(load->getPointerOperand()))});
    isClosed = isClosed && forms_.isClosed(walks_.follows.back().address);
  }
  Type *i64 = Type::getInt64Ty(model_.function().getContext());
  for (const Loop *loop : loops) {
    const SCEV *taken = scev_.getTruncateOrZeroExtend(seen(scev_.getBackedgeTakenCount(loop)), i64);
    walks_.levels.push_back({loop, scev_.getAddExpr(taken, scev_.getOne(i64))});
    isClosed = isClosed && forms_.isClosed(taken);
  }
  if (!isClosed) {
    stopWalking();
  }
}

void Analyser::stopWalking() {
  walks_ = {};
  counters_.clear();
  forms_.setFollowed({});
}

/// Whether the record that is being made looks `pointer` up.
bool Analyser::isFollowed(const SCEV &pointer) const {
  const auto *unknown = dyn_cast<SCEVUnknown>(&pointer);
  return unknown && walks_.followOf(unknown->getValue());
}

void Analyser::add(AccessRecord record) {
  record.walks = walks_;
  const bool isRow = record.flags != 0 && isFollowed(*scev_.getPointerBase(record.base));
  record.flags |= isRow ? TUTTI_FOLLOWED : 0;
  result_.follows = result_.follows || !walks_.empty();
  result_.records.push_back(std::move(record));
}

/// The model took it that the loop does not change what was loaded: the runtime has to see to it.
void Analyser::addRaised(Instruction &inst, Value *pointer) {
  auto *load = dyn_cast<LoadInst>(pointer);
  if (!load || is_contained(model_.values(), load)) {
    return; // It is not from memory any more, or checked with the values.
  }
  const SCEV *expression = scev_.getSCEV(pointer);
  AccessRecord record;
  record.flags = 0;
  record.base = expression;
  record.bytes = scev_.getZero(Type::getInt64Ty(inst.getContext()));
  walk(*inst.getParent(), {expression});
  if (!walks_.empty()) {
    addGuards(record, inst.getParent());
    add(std::move(record));
  } else {
    fail(inst, "it follows pointers that it finds in memory while it runs");
  }
  stopWalking();
}

/// The access of `touch` at `choice`, if that is in closed form. Always: its walks are under way.
std::optional<AccessRecord> Analyser::regular(CallInst &touch, const Choice &choice,
                                              const SCEV *bytes, unsigned flags) {
  walk(*touch.getParent(), {choice.expression, bytes});
  AccessRecord record;
  record.touch = &touch;
  record.flags = flags;
  record.bytes = seen(bytes);
  bool exact = addGuards(record, touch.getParent()) && choice.isExact;
  for (BasicBlock *block : choice.through) {
    exact = addGuards(record, block) && exact;
  }
  for (const auto &[condition, holds] : choice.conditions) {
    exact = guards_.add(record.guards, condition, holds, [this](const SCEV *expression) {
      return seen(expression);
    }) && exact;
  }
  record.flags |= exact ? 0 : TUTTI_AT_MOST;
  const bool isRegular =
      forms_.isClosed(record.bytes) && addDims(record, seen(choice.expression), *touch.getParent());
  return isRegular ? std::optional(std::move(record)) : std::nullopt;
}

void Analyser::addAccess(CallInst &touch, Value *pointer, const SCEV *bytes, unsigned flags) {
  if ((flags & TUTTI_UPDATED) && !(chunkLoop_ && chunkLoop_->contains(&touch))) {
    fail(touch, "it updates a shared variable atomically beside its loop"); // For each thread.
    return;
  }
  // Of loops that have ended, their last value.
  const SCEV *address = scev_.getSCEVAtScope(pointer, loops_.getLoopFor(touch.getParent()));
  const auto choices = choicesOf(address, loops_, scev_, [this](const SCEV *expression) {
    return forms_.isClosed(expression);
  });
  if (choices.size() > 1) {
    addChosen(touch, choices, bytes, flags);
    return;
  }
  const Choice only = choices.empty() ? Choice{address, {}, {}} : choices.front();
  if (std::optional<AccessRecord> record = regular(touch, only, bytes, flags)) {
    records_[&touch] = result_.records.size();
    add(std::move(*record));
  } else {
    addIrregular(touch, only.expression == address ? scev_.getSCEV(pointer) : only.expression,
                 flags);
  }
  stopWalking();
}

/// A record of each address that it may be. Where one of them may be anywhere in an object, so may
/// be the others that begin at the same pointer.
void Analyser::addChosen(CallInst &touch, ArrayRef<Choice> choices, const SCEV *bytes,
                         unsigned flags) {
  const auto baseOf = [&](const Choice &choice) { return scev_.getPointerBase(choice.expression); };
  // A counter without a sign may be at its end where it is not chosen.
  const auto isSound = [](const AccessRecord &record) {
    return all_of(record.assumptions,
                  [](const AccessRecord::Assumption &assumption) { return assumption.isSigned; });
  };
  SmallSetVector<const SCEV *, 4> irregular;
  for (const Choice &choice : choices) {
    const std::optional<AccessRecord> record = regular(touch, choice, bytes, flags);
    if (!record || !isSound(*record)) {
      irregular.insert(baseOf(choice));
    }
    stopWalking();
  }
  for (const Choice &choice : choices) {
    if (irregular.contains(baseOf(choice))) {
      continue;
    }
    add(*regular(touch, choice, bytes, flags));
    stopWalking();
  }
  for (const SCEV *base : irregular) {
    const auto *choice =
        find_if(choices, [&](const Choice &other) { return baseOf(other) == base; });
    walk(*touch.getParent(), {choice->expression, bytes});
    addIrregular(touch, choice->expression, flags);
    stopWalking();
  }
}

/// Of reads that find what their own iteration has written, nothing is asked for but what their
/// addresses assume. That the writes' assumptions hold is asked for with them.
void Analyser::dropCoveredReads() {
  if (!chunkLoop_) {
    return;
  }
  EarlierWrites earlier(*chunkLoop_, loops_, scev_);
  const auto flagsOf = [&](CallInst *touch) {
    return cast<ConstantInt>(touch->getArgOperand(2))->getZExtValue();
  };
  const auto addressOf = [&](CallInst *touch) { return scev_.getSCEV(touch->getArgOperand(0)); };
  for (auto [read, position] : records_) {
    const auto covers = [&, read = read](bool atSameAddress) {
      return any_of(records_, [&](const auto &entry) {
        return flagsOf(entry.first) == TUTTI_WRITE &&
               (addressOf(entry.first) == addressOf(read)) == atSameAddress &&
               earlier.cover(*entry.first, *read);
      });
    };
    // Most find what was written just where they look, and others take longer to compare.
    if (flagsOf(read) == TUTTI_READ && (covers(true) || covers(false))) {
      result_.records[position].flags = 0;
    }
  }
  erase_if(result_.records, [](const AccessRecord &record) {
    return record.flags == 0 && record.assumptions.empty() && record.walks.empty();
  });
}

bool Analyser::isInAllIterations(const BasicBlock &block) const {
  const BasicBlock *latch = chunkLoop_->getLoopLatch();
  return latch && DominatorTree(model_.function()).dominates(&block, latch);
}

/// Whether `touch` stores a constant where iterations of all chunks may store. If it is known which
/// iterations do, that record is exact.
bool Analyser::isSharedFlag(const CallInst &touch, const AccessRecord &record) const {
  constexpr unsigned kUnlike = TUTTI_READ | TUTTI_REDUCED | TUTTI_ALLOCATION | TUTTI_FOLLOWED;
  return storedConstant(touch) && chunkLoop_ && chunkLoop_->contains(&touch) &&
         (record.flags & TUTTI_WRITE) != 0 && (record.flags & kUnlike) == 0 &&
         record.dims.empty() && record.walks.empty() && !dependsOnChunk(record.base) &&
         ((record.flags & TUTTI_AT_MOST) != 0 || isInAllIterations(*touch.getParent()));
}

/// Variables in which all that write store one constant may be written by several parts of the
/// loop: whichever of them counts, it is the same value.
void Analyser::shareFlags() {
  for (auto [flag, position] : records_) {
    AccessRecord &record = result_.records[position];
    if (!isSharedFlag(*flag, record)) {
      continue;
    }
    const auto agrees = [&, flag = flag](const auto &entry) {
      const AccessRecord &other = result_.records[entry.second];
      return (other.flags & TUTTI_WRITE) == 0 || other.base != record.base ||
             (isSharedFlag(*entry.first, other) && other.bytes == record.bytes &&
              storedConstant(*entry.first) == storedConstant(*flag));
    };
    if (all_of(records_, agrees)) {
      record.flags |= TUTTI_AT_MOST | TUTTI_SCATTERED;
    }
  }
}

/// The conditions that are the same for all chunks: rank 0 looks the object up once, for the whole
/// loop.
void Analyser::addLaunchGuards(AccessRecord &record, BasicBlock *block) {
  addGuards(record, block);
  guards_.dropOfChunks(record.guards);
}

/// Size of the object that begins at `root`, if the compiler knows it.
std::optional<std::uint64_t> Analyser::objectBytes(const Value *root) const {
  if (const auto *global = dyn_cast<GlobalVariable>(root)) {
    // Elsewhere it may be longer: an array of unknown size, say.
    return global->hasInitializer() && !global->isInterposable()
               ? std::optional(model_.function()
                                   .getDataLayout()
                                   .getTypeAllocSize(global->getValueType())
                                   .getFixedValue())
               : std::nullopt;
  }
  const auto *argument = dyn_cast<Argument>(root);
  const int capture = argument ? model_.captureIndex(argument) : -1;
  return capture >= 0 && captured_[capture] > 0 ? std::optional(captured_[capture]) : std::nullopt;
}

/// Name of the object in which the loop finds `pointer`, or the pointer that leads to it, and so
/// on.
std::string Analyser::tableOf(const SCEVUnknown *pointer) {
  constexpr std::size_t kMost = 8;
  SmallVector<const SCEVUnknown *, 8> seen{pointer};
  for (std::size_t at = 0; at < seen.size() && at < kMost; ++at) {
    if (forms_.isClosed(seen[at])) {
      return nameOf(*seen[at]->getValue());
    }
    for (LoadInst *load : foundBy(seen[at]->getValue())) {
      const auto *base =
          dyn_cast<SCEVUnknown>(scev_.getPointerBase(scev_.getSCEV(load->getPointerOperand())));
      if (base && !is_contained(seen, base)) {
        seen.push_back(base);
      }
    }
  }
  return {};
}

/// Name of the object that `pointer` leads to; of a row, its table's with "[...]" behind.
std::string Analyser::nameOfObject(const SCEVUnknown &pointer) {
  if (!isFollowed(pointer)) {
    return nameOf(*pointer.getValue());
  }
  Value *place = cast<LoadInst>(pointer.getValue())->getPointerOperand();
  const std::string table =
      tableOf(dyn_cast<SCEVUnknown>(scev_.getPointerBase(scev_.getSCEV(place))));
  return table.empty() ? table : table + "[...]";
}

/// The loads by which `pointer` is found while the loop runs; none if it is one of several that are
/// known before.
SmallVector<LoadInst *, 2> Analyser::foundBy(const Value *pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  SmallVector<LoadInst *, 2> loads;
  for (const Value *object : objects) {
    auto *load = dyn_cast<LoadInst>(const_cast<Value *>(object));
    if (load && !forms_.isClosed(load)) {
      loads.push_back(load);
    }
  }
  return loads;
}

/// Pointers that are found in memory may lead anywhere: all of unified memory is read.
void Analyser::addFound(Instruction &inst, const SCEVUnknown *pointer, bool isWritten) {
  stopWalking();
  if (!pointer || foundBy(pointer->getValue()).empty()) {
    fail(inst, pointer ? "it chooses between pointers while it runs"
                       : "it follows pointers that it finds in memory while it runs");
    return;
  }
  const std::string table = tableOf(pointer);
  if (isWritten) {
    fail(inst, "it writes through pointers that it finds in " +
                   (table.empty() ? "memory" : "'" + table + "'") + " while it runs");
    return;
  }
  AccessRecord record;
  record.flags = TUTTI_EVERYWHERE;
  record.base = scev_.getSCEV(EntryPoints(*inst.getModule()).reach());
  record.bytes = scev_.getOne(Type::getInt64Ty(inst.getContext()));
  addLaunchGuards(record, inst.getParent());
  result_.records.push_back(std::move(record));
  const auto isSame = [&](const FoundPointers &found) { return found.table == table; };
  if (none_of(result_.found, isSame)) {
    result_.found.push_back({table, describePlace(inst.getDebugLoc())});
  }
}

/// Accesses with no closed form may fall anywhere in the object that their base points into. What
/// they may write is the same for all parts of the loop.
void Analyser::addIrregular(Instruction &inst, const SCEV *address, unsigned flags) {
  const SCEV *base = seen(scev_.getPointerBase(address));
  const bool isWritten = (flags & TUTTI_WRITE) != 0;
  if (isWritten && (flags & TUTTI_REDUCED)) {
    fail(inst, "it writes at addresses that are not in closed form");
    return;
  }
  const auto *unknown = dyn_cast<SCEVUnknown>(base);
  if (!unknown || !forms_.isClosed(base)) {
    addFound(inst, unknown, isWritten);
    return;
  }
  AccessRecord record;
  record.touch = dyn_cast<CallInst>(&inst);
  record.isWhole = true;
  record.base = base;
  // That all of an object is read is a guess, but never one that reaches beyond it.
  const std::optional<std::uint64_t> bytes = objectBytes(unknown->getValue());
  record.flags = isWritten ? TUTTI_WRITE | TUTTI_AT_MOST | TUTTI_SCATTERED : TUTTI_READ;
  record.flags |= bytes ? 0 : TUTTI_AT_MOST | TUTTI_ALLOCATION;
  record.flags |= flags & (TUTTI_REDUCED | TUTTI_CONSTANT | kUpdate);
  record.bytes = scev_.getConstant(Type::getInt64Ty(inst.getContext()), bytes.value_or(1));
  addLaunchGuards(record, inst.getParent());
  add(std::move(record));
  if (wholeObjects_[isWritten].insert(base).second) {
    WholeObject object{nameOfObject(*unknown), describePlace(inst.getDebugLoc()), isWritten};
    if (!is_contained(result_.wholeObjects, object)) {
      result_.wholeObjects.push_back(std::move(object));
    }
  }
  result_.scatters = result_.scatters || (isWritten && (flags & TUTTI_UPDATED) == 0);
}

/// Takes the loops off `expression`, which is used in `block`, innermost first: what remains is its
/// first value, or null.
const SCEV *Analyser::peel(const SCEV *expression, const BasicBlock &block,
                           SmallVectorImpl<AccessRecord::Dim> &dims, unsigned &flags) {
  while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    if (!recurrence->isAffine()) {
      return nullptr;
    }
    const std::optional<const SCEV *> count = countOf(recurrence->getLoop(), flags);
    const SCEV *stride = recurrence->getStepRecurrence(scev_);
    if (!count || !forms_.isClosed(stride)) {
      wantsPerIteration_ = true;
      return nullptr;
    }
    // Behind a loop it is one of the values that it had there.
    flags |= recurrence->getLoop()->contains(&block) ? 0 : TUTTI_AT_MOST;
    dims.push_back({stride, *count});
    expression = recurrence->getStart();
  }
  if (!forms_.isClosed(expression)) {
    wantsPerIteration_ = true;
    return nullptr;
  }
  return expression;
}

bool Analyser::addDims(AccessRecord &record, const SCEV *address, const BasicBlock &block) {
  Widen widen(scev_, nullptr);
  record.base = peel(widen.visit(address), block, record.dims, record.flags);
  return record.base && addAssumptions(record, widen, block);
}

bool Analyser::addAssumptions(AccessRecord &record, const Widen &widen, const BasicBlock &block) {
  for (const Widen::Assumed &assumed : widen.assumed()) {
    AccessRecord::Assumption assumption{nullptr, {}, assumed.bits, assumed.isSigned};
    assumption.start = peel(assumed.wide, block, assumption.dims, record.flags);
    if (!assumption.start) {
      return false;
    }
    record.assumptions.push_back(std::move(assumption));
  }
  return true;
}

std::optional<const SCEV *> Analyser::countOf(const Loop *loop, unsigned &flags) {
  const SCEV *taken = scev_.getBackedgeTakenCount(loop);
  if (isa<SCEVCouldNotCompute>(taken)) {
    return std::nullopt;
  }
  Type *i64 = Type::getInt64Ty(model_.function().getContext());
  taken = scev_.getTruncateOrZeroExtend(seen(taken), i64);
  if (!forms_.isClosed(taken)) {
    wantsPerIteration_ = true;
    taken = largest(taken);
    flags |= TUTTI_AT_MOST;
    if (!forms_.isClosed(taken)) {
      return std::nullopt;
    }
  }
  return scev_.getAddExpr(taken, scev_.getOne(i64));
}

/// An upper bound of `count` over the iterations of the loops around it, if it is linear in them.
const SCEV *Analyser::largest(const SCEV *count) {
  while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(count)) {
    const SCEV *taken = scev_.getBackedgeTakenCount(recurrence->getLoop());
    if (isa<SCEVCouldNotCompute>(taken) || !recurrence->isAffine()) {
      return count;
    }
    taken = scev_.getTruncateOrZeroExtend(seen(taken), recurrence->getType());
    const SCEV *atEnd = recurrence->evaluateAtIteration(taken, scev_);
    count = scev_.getSMaxExpr(recurrence->getStart(), atEnd);
  }
  return count;
}

} // namespace

RegionAccesses analyseAccesses(ChunkModel &model, FunctionAnalysisManager &analyses,
                               ArrayRef<std::uint64_t> captured) {
  if (model.isOfOneIteration()) {
    return Analyser(model, analyses, captured, true).run();
  }
  Analyser whole(model, analyses, captured, false);
  RegionAccesses result = whole.run();
  if (!whole.wantsPerIteration()) {
    return result;
  }
  // Reads may be over-estimated; looking at every iteration for their sake would cost more.
  constexpr unsigned kVague = TUTTI_WRITE | TUTTI_AT_MOST;
  const auto vague = [](const RegionAccesses &accesses) {
    return count_if(accesses.records,
                    [](const AccessRecord &record) { return (record.flags & kVague) == kVague; });
  };
  const auto limits = [](const RegionAccesses &accesses) {
    return !accesses.reason.empty() ? 3 : !accesses.found.empty() ? 2 : accesses.scatters ? 1 : 0;
  };
  Analyser single(model, analyses, captured, true);
  RegionAccesses byIteration = single.run();
  const bool better =
      limits(byIteration) < limits(result) ||
      (limits(result) == 0 && limits(byIteration) == 0 && vague(byIteration) < vague(result));
  if (!better) {
    return result;
  }
  if (!single.hasInnerLoops()) {
    byIteration.isByElement = true;
    if (limits(result) == 0 && result.follows == byIteration.follows) {
      byIteration.ofMany = std::make_shared<const RegionAccesses>(std::move(result));
    }
  }
  return byIteration;
}

} // namespace tutti::compiler
