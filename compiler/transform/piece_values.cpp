// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/piece_values.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Where `use` takes place: of a phi, at the end of the way that it is for.
const Instruction &placeOf(const Use &use) {
  const auto *user = cast<Instruction>(use.getUser());
  const auto *phi = dyn_cast<PHINode>(user);
  return phi ? *phi->getIncomingBlock(use)->getTerminator() : *user;
}

/// Whether `inst` may be executed where the program does not.
bool isHarmless(const Instruction &inst) {
  if (inst.isIntDivRem()) {
    const SimplifyQuery query(inst.getDataLayout());
    const KnownBits divisor = computeKnownBits(inst.getOperand(1), 0, query);
    return divisor.isNonNegative() && isKnownNonZero(inst.getOperand(1), query);
  }
  return isSafeToSpeculativelyExecute(&inst);
}

bool isLifetime(const Value &value) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&value);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

constexpr const char *kLeft = "a thread leaves a private value to what follows";
constexpr const char *kKept = "a private variable keeps for later what a thread has found";

} // namespace

const ThreadPiece *PieceValues::anyPieceOf(const BasicBlock &block) const {
  const auto *piece = find_if(
      pieces_.pieces(), [&](const ThreadPiece &each) { return each.blocks.contains(&block); });
  return piece == pieces_.pieces().end() ? nullptr : piece;
}

const ThreadPiece *PieceValues::pieceOf(const BasicBlock &block) const {
  const ThreadPiece *piece = anyPieceOf(block);
  return looped_.contains(piece) ? piece : nullptr;
}

const ThreadPiece *PieceValues::pieceOf(const Use &use) const {
  return pieceOf(*placeOf(use).getParent());
}

/// Whether each thread, or the one that does something for all, can compute `value` again; moves
/// what else it takes in front of the pieces that it lies in.
bool PieceValues::isAgain(Value &value, bool isForOne) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (!inst || inst == &number_) {
    return true;
  }
  if (kept_.count(inst)) {
    return !isForOne; // Who it is in the program may not be who executes the first number.
  }
  if (!dependence_.depends(value)) {
    const ThreadPiece *own = pieceOf(*inst->getParent());
    return !own || lift(value, *own);
  }
  return !isa<PHINode>(inst) && !inst->mayReadOrWriteMemory() && isHarmless(*inst) &&
         all_of(inst->operands(), [&](Use &operand) { return isAgain(*operand.get(), isForOne); });
}

Value *PieceValues::addressOf(const Kept &kept, IRBuilder<> &build, const Thread &thread) const {
  Value *begin = build.CreateNSWMul(thread.team, build.getInt64(kept.offset));
  Value *own = build.CreateNSWMul(build.CreateZExt(thread.number, build.getInt64Ty()),
                                  build.getInt64(kept.bytes));
  return build.CreateInBoundsGEP(build.getInt8Ty(), thread.memory, build.CreateNSWAdd(begin, own),
                                 "kept");
}

Value *PieceValues::compute(Value &value, Here &here) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (Value *done = inst ? here.known.lookup(inst) : nullptr) {
    return done;
  }
  if (inst == &number_) {
    return here.thread.number;
  }
  const auto *kept = inst ? kept_.find(inst) : kept_.end();
  if (kept != kept_.end()) {
    Value *address = addressOf(kept->second, here.build, here.thread);
    return here.known[inst] =
               isa<AllocaInst>(inst) ? address : here.build.CreateLoad(inst->getType(), address);
  }
  if (!inst || !dependence_.depends(value)) {
    return &value;
  }
  Instruction *copy = inst->clone();
  for (Use &operand : copy->operands()) {
    operand.set(compute(*operand.get(), here));
  }
  here.build.Insert(copy, inst->getName());
  return here.known[inst] = copy;
}

/// Whether `inst`, the same for all threads, may as well be executed in front of `piece`.
bool PieceValues::mayLift(const Instruction &inst, const ThreadPiece &piece) {
  if (isa<PHINode>(inst) || inst.mayWriteToMemory()) {
    return false;
  }
  const bool isAlways = dominators_.dominates(inst.getParent(), piece.last);
  if (!isAlways && !isHarmless(inst)) {
    return false;
  }
  if (!inst.mayReadFromMemory()) {
    return true;
  }
  const auto *load = dyn_cast<LoadInst>(&inst);
  if (!load || !load->isSimple() || !isAlways) {
    return false;
  }
  const MemoryLocation location = MemoryLocation::get(load);
  return none_of(piece.blocks, [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &other) {
      return other.mayWriteToMemory() && !isLifetime(other) &&
             isModSet(aliases_.getModRefInfo(&other, location)) &&
             isPotentiallyReachable(&other, load, nullptr, &dominators_);
    });
  });
}

/// Moves `value`, with what it is computed from, in front of `piece`.
bool PieceValues::lift(Value &value, const ThreadPiece &piece) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (!inst || !piece.contains(*inst)) {
    return true;
  }
  if (!mayLift(*inst, piece) ||
      !all_of(inst->operands(), [&](Use &operand) { return lift(*operand.get(), piece); })) {
    return false;
  }
  inst->moveBefore(piece.before->getTerminator());
  return true;
}

/// Keeps `value` in memory, where that can be. Whether it can.
bool PieceValues::keep(Instruction &value, bool &changed) {
  if (kept_.count(&value)) {
    return true;
  }
  const DataLayout &layout = function_.getDataLayout();
  const auto *variable = dyn_cast<AllocaInst>(&value);
  const std::optional<TypeSize> size =
      variable ? variable->getAllocationSize(layout) : layout.getTypeStoreSize(value.getType());
  constexpr std::uint64_t kAlign = 16;
  if (!size || size->isScalable() || (variable && variable->getAlign().value() > kAlign)) {
    return false;
  }
  const std::uint64_t bytes = alignTo(size->getFixedValue(), variable ? kAlign : 8);
  kept_.insert({&value, {bytes_, bytes}});
  bytes_ += alignTo(bytes, kAlign);
  dependence_.add(value);
  changed = true;
  return true;
}

/// Keeps `value` where its thread computes it, or of a phi between pieces, chooses it.
bool PieceValues::keepWhereFound(Instruction &value, bool &changed) {
  const auto *phi = dyn_cast<PHINode>(&value);
  if (const ThreadPiece *piece = anyPieceOf(*value.getParent())) {
    changed |= looped_.insert(piece);
    return keep(value, changed);
  }
  if (!phi || pieces_.isOfOne(*value.getParent())) {
    return false;
  }
  for (const BasicBlock *from : phi->blocks()) {
    const ThreadPiece *piece = anyPieceOf(*from);
    if (!piece || piece->last != from) {
      return false;
    }
    changed |= looped_.insert(piece);
  }
  return keep(value, changed);
}

/// Whether `variable` begins anew whenever `piece` is executed.
bool PieceValues::isBegunIn(const AllocaInst &variable, const ThreadPiece &piece) const {
  return !isPotentiallyReachable(piece.exit, piece.first, nullptr, &dominators_) ||
         any_of(variable.users(), [&](const User *user) {
           const auto *marker = dyn_cast<IntrinsicInst>(user);
           return marker && marker->getIntrinsicID() == Intrinsic::lifetime_start &&
                  piece.contains(*marker);
         });
}

PieceValues::Users PieceValues::usersOf(AllocaInst &variable) const {
  Users users;
  SmallSetVector<Instruction *, 8> pointers;
  pointers.insert(&variable);
  for (unsigned at = 0; at < pointers.size(); ++at) {
    for (User *user : pointers[at]->users()) {
      auto *inst = cast<Instruction>(user);
      if (isLifetime(*inst)) {
        continue;
      }
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst>(inst)) {
        pointers.insert(inst);
        continue;
      }
      const ThreadPiece *piece = anyPieceOf(*inst->getParent());
      const auto *store = dyn_cast<StoreInst>(inst);
      users.pieces.insert(piece);
      if (!isa<LoadInst>(inst)) {
        users.writers.insert(piece);
      }
      users.isKept |= store && store->getValueOperand() == pointers[at];
    }
  }
  return users;
}

/// A private variable is of one piece alone, or the same for all threads and only read in loops, or
/// kept for each thread.
std::string PieceValues::settleVariable(AllocaInst &variable, bool &changed) {
  const Users users = usersOf(variable);
  const auto isLooped = [&](const ThreadPiece *piece) { return looped_.contains(piece); };
  const bool isChanged = any_of(users.writers, isLooped) || dependence_.holdsDependent(variable);
  if (exempt_.contains(&variable) || none_of(users.pieces, isLooped) ||
      (!isChanged && !users.isKept)) {
    return {};
  }
  if (users.pieces.size() == 1 && isBegunIn(variable, *users.pieces.front())) {
    return {};
  }
  if (users.isKept || users.pieces.contains(nullptr) || !variable.isStaticAlloca() ||
      !keep(variable, changed)) {
    return kKept;
  }
  for (const ThreadPiece *piece : users.pieces) {
    changed |= looped_.insert(piece);
  }
  return {};
}

std::string PieceValues::settleUse(Instruction &inst, Use &use, bool &changed) {
  const BasicBlock &place = *placeOf(use).getParent();
  auto *user = cast<Instruction>(use.getUser());
  const ThreadPiece *own = pieceOf(*inst.getParent());
  const ThreadPiece *there = pieceOf(place);
  const bool isForOne = pieces_.isOfOne(place);
  const bool isMeeting = isa<PHINode>(user) && !anyPieceOf(*user->getParent());
  if (there == own && !isForOne && !(isMeeting && own)) {
    return {};
  }
  if (!dependence_.depends(inst)) {
    return !own || lift(inst, *own) || (there && !isMeeting && keep(inst, changed)) ? "" : kLeft;
  }
  if (isMeeting && !kept_.count(user)) {
    return {}; // Of no effect: who uses what it chooses has it kept.
  }
  if (!there && !isForOne) {
    const ThreadPiece *piece = anyPieceOf(place);
    if (!own) {
      return {}; // Nor has this.
    }
    if (!piece) {
      return kLeft;
    }
    changed |= looped_.insert(piece);
    return {};
  }
  if (there == own || isAgain(inst, isForOne)) {
    return {};
  }
  return there && keepWhereFound(inst, changed) ? "" : kLeft;
}

/// What `inst` leaves to other pieces.
std::string PieceValues::settleValue(Instruction &inst, bool &changed) {
  SmallVector<Use *, 8> uses;
  for (Use &use : inst.uses()) {
    uses.push_back(&use);
  }
  for (Use *use : uses) {
    if (std::string reason = settleUse(inst, *use, changed); !reason.empty()) {
      return reason;
    }
  }
  return {};
}

std::string PieceValues::prepare(DebugLoc &place) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Instruction *, 32> all;
    for (Instruction &inst : instructions(function_)) {
      all.push_back(&inst);
    }
    for (Instruction *inst : all) {
      auto *variable = dyn_cast<AllocaInst>(inst);
      const std::string reason =
          variable ? settleVariable(*variable, changed) : settleValue(*inst, changed);
      if (!reason.empty()) {
        place = inst->getDebugLoc();
        return reason;
      }
    }
  }
  file();
  return {};
}

/// Notes what each loop has to be given.
void PieceValues::file() {
  SmallVector<Instruction *, 32> all;
  for (Instruction &inst : instructions(function_)) {
    all.push_back(&inst);
  }
  SmallSetVector<Instruction *, 8> markers; // Of lives that end with an iteration now.
  for (Instruction *inst : all) {
    auto *variable = dyn_cast<AllocaInst>(inst);
    const Users users = variable ? usersOf(*variable) : Users();
    const bool isAlone = users.pieces.size() == 1 && looped_.contains(users.pieces.front()) &&
                         !exempt_.contains(variable);
    if (kept_.count(inst) || isAlone) {
      for (User *user : inst->users()) {
        if (isLifetime(*user)) {
          markers.insert(cast<Instruction>(user));
        }
      }
    }
    if (variable && isAlone && !kept_.count(inst) && variable->isStaticAlloca()) {
      variables_[users.pieces.front()].push_back(variable);
    }
    const ThreadPiece *own = pieceOf(*inst->getParent());
    SmallVector<Use *, 8> ofOne;
    for (Use &use : inst->uses()) {
      const BasicBlock &place = *placeOf(use).getParent();
      const ThreadPiece *there = pieceOf(place);
      if (!dependence_.depends(*inst) || isLifetime(*use.getUser())) {
        continue;
      }
      if (pieces_.isOfOne(place)) {
        ofOne.push_back(&use);
      } else if (there && there != own && !isDropped(use)) {
        needs_[there].push_back(&use);
      }
    }
    for (Use *use : ofOne) {
      IRBuilder<> build(const_cast<Instruction *>(&placeOf(*use)));
      Here here{build, {build.getInt32(0), nullptr, nullptr}};
      use->set(compute(*inst, here));
    }
  }
  for (Instruction *marker : markers) {
    marker->eraseFromParent();
  }
}

/// Whether `use` is by a choice between pieces that nothing asks for.
bool PieceValues::isDropped(const Use &use) const {
  auto *phi = dyn_cast<PHINode>(use.getUser());
  return phi && !anyPieceOf(*phi->getParent()) && !kept_.count(phi);
}

bool PieceValues::hasEffect(const ThreadPiece &piece) const {
  return any_of(kept_,
                [&](const auto &each) {
                  const auto *phi = dyn_cast<PHINode>(each.first);
                  return (!isa<AllocaInst>(each.first) && piece.contains(*each.first)) ||
                         (phi && phi->getParent() == piece.exit);
                }) ||
         any_of(piece.blocks, [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &inst) {
             const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
             return inst.mayHaveSideEffects() &&
                    !(intrinsic &&
                      (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic()));
           });
         });
}

void PieceValues::give(IRBuilder<> &build, const ThreadPiece &piece, const Thread &thread) {
  for (AllocaInst *variable : variables_[&piece]) {
    build.CreateLifetimeStart(variable);
  }
  Here here{build, thread};
  SmallDenseMap<const Use *, Value *, 16> given;
  for (Use *use : needs_[&piece]) {
    given[use] = compute(*use->get(), here);
  }
  // What others will ask for.
  for (const auto &[value, kept] : kept_) {
    if (!isa<AllocaInst>(value) && piece.contains(*value)) {
      const bool isAtEnd = dominators_.dominates(value->getParent(), piece.last);
      IRBuilder<> at(isAtEnd               ? piece.last->getTerminator()
                     : isa<PHINode>(value) ? &*value->getParent()->getFirstInsertionPt()
                                           : value->getNextNode());
      at.CreateStore(value, addressOf(kept, at, thread));
    }
  }
  for (PHINode &phi : piece.exit->phis()) {
    const Use &use = phi.getOperandUse(phi.getBasicBlockIndex(piece.last));
    const auto *kept = kept_.find(&phi);
    if (kept != kept_.end()) {
      Value *known = given.lookup(&use);
      IRBuilder<> at(piece.last->getTerminator());
      at.CreateStore(known ? known : use.get(), addressOf(kept->second, at, thread));
    }
    if (dependence_.depends(phi)) {
      given[&use] = PoisonValue::get(phi.getType());
    }
  }
  given_.append(given.begin(), given.end());
}

void PieceValues::settle() {
  for (const auto &[use, value] : given_) {
    const_cast<Use *>(use)->set(value);
  }
}

void PieceValues::end(IRBuilder<> &build, const ThreadPiece &piece) {
  for (AllocaInst *variable : variables_[&piece]) {
    build.CreateLifetimeEnd(variable);
  }
}

} // namespace tutti::compiler
