// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/stretch_values.h"

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

const ThreadStretch *StretchValues::stretchOf(const BasicBlock &block) const {
  const ThreadStretch *stretch = anyStretchOf(block);
  return looped_.contains(stretch) ? stretch : nullptr;
}

const ThreadStretch *StretchValues::stretchOf(const Use &use) const {
  return stretchOf(*placeOf(use).getParent());
}

/// Whether each thread, or the one that does something for all, can compute `value` again; moves
/// what else it takes in front of the stretches that it lies in.
bool StretchValues::isAgain(Value &value, bool isForOne) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (!inst || inst == &number_) {
    return true;
  }
  if (kept_.count(inst)) {
    return !isForOne; // Who it is in the program may not be who executes the first number.
  }
  if (!dependence_.depends(value)) {
    const ThreadStretch *own = stretchOf(*inst->getParent());
    return !own || lift(value, *own);
  }
  return !isa<PHINode>(inst) && !inst->mayReadOrWriteMemory() && isHarmless(*inst) &&
         all_of(inst->operands(), [&](Use &operand) { return isAgain(*operand.get(), isForOne); });
}

Value *StretchValues::addressOf(const Kept &kept, IRBuilder<> &build, const Thread &thread) const {
  Value *begin = build.CreateNSWMul(thread.team, build.getInt64(kept.offset));
  Value *own = build.CreateNSWMul(build.CreateZExt(thread.number, build.getInt64Ty()),
                                  build.getInt64(kept.bytes));
  return build.CreateInBoundsGEP(build.getInt8Ty(), thread.memory, build.CreateNSWAdd(begin, own),
                                 "kept");
}

Value *StretchValues::compute(Value &value, Here &here) {
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

/// Brings the small variables that are kept for each thread, and whose address functions get in
/// `stretch`: they are to find memory of the thread's own.
void StretchValues::fetch(const ThreadStretch &stretch, Here &here) {
  constexpr std::uint64_t kMostBytes = 256; // Larger ones are rarely touched as a whole.
  for (const auto &[value, kept] : kept_) {
    auto *variable = dyn_cast<AllocaInst>(value);
    const Users users = variable && kept.bytes <= kMostBytes ? usersOf(*variable) : Users();
    if (!users.callers.contains(&stretch)) {
      continue;
    }
    auto *own = cast<AllocaInst>(variable->clone());
    own->insertBefore(variable);
    own->takeName(variable);
    const Fetched fetched{own, addressOf(kept, here.build, here.thread),
                          users.writers.contains(&stretch)};
    here.build.CreateLifetimeStart(own);
    here.build.CreateMemCpy(own, own->getAlign(), fetched.kept, own->getAlign(),
                            *own->getAllocationSize(function_.getDataLayout()));
    here.known[variable] = own;
    fetched_[&stretch].push_back(fetched);
  }
}

/// Whether `inst`, the same for all threads, may as well be executed in front of `stretch`.
bool StretchValues::mayLift(const Instruction &inst, const ThreadStretch &stretch) {
  if (isa<PHINode>(inst) || inst.mayWriteToMemory()) {
    return false;
  }
  const bool isAlways = dominators_.dominates(inst.getParent(), stretch.last);
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
  return none_of(stretch.blocks, [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &other) {
      return other.mayWriteToMemory() && !isLifetime(other) &&
             isModSet(aliases_.getModRefInfo(&other, location)) &&
             isPotentiallyReachable(&other, load, nullptr, &dominators_);
    });
  });
}

/// Moves `value`, with what it is computed from, in front of `stretch`.
bool StretchValues::lift(Value &value, const ThreadStretch &stretch) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (!inst || !stretch.contains(*inst)) {
    return true;
  }
  if (!mayLift(*inst, stretch) ||
      !all_of(inst->operands(), [&](Use &operand) { return lift(*operand.get(), stretch); })) {
    return false;
  }
  inst->moveBefore(stretch.before->getTerminator());
  return true;
}

/// Whether `load`, the same for all threads, finds the same behind `stretch`: each of them executes
/// it there, and writes what it reads before, if at all.
bool StretchValues::mayLower(const LoadInst &load, const ThreadStretch &stretch) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects, nullptr, 0);
  if (!load.isSimple() || !dominators_.dominates(load.getParent(), stretch.last) ||
      any_of(objects, [](const Value *object) { return isa<AllocaInst>(object); })) {
    return false;
  }
  const MemoryLocation location = MemoryLocation::get(&load);
  const auto isKept = [&](const Instruction &other) {
    return !other.mayWriteToMemory() || isLifetime(other) ||
           !isModSet(aliases_.getModRefInfo(&other, location));
  };
  // What comes behind the load, up to the end of the stretch.
  SmallVector<const BasicBlock *, 16> work(successors(load.getParent()));
  SmallPtrSet<const BasicBlock *, 16> seen;
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (!stretch.blocks.contains(block) || !seen.insert(block).second) {
      continue;
    }
    if (!all_of(*block, isKept)) {
      return false;
    }
    work.append(succ_begin(block), succ_end(block));
  }
  return std::all_of(load.getIterator(), load.getParent()->end(), isKept);
}

/// Computes `value`, the same for all threads, once more behind `stretch`: null if that cannot be.
Value *StretchValues::lower(Value &value, const ThreadStretch &stretch) {
  auto *inst = dyn_cast<Instruction>(&value);
  if (!inst || !stretch.contains(*inst)) {
    return &value;
  }
  if (Value *known = lowered_.lookup(inst)) {
    return known;
  }
  const auto *load = dyn_cast<LoadInst>(inst);
  if (stretch.exit->getSinglePredecessor() != stretch.last || isa<PHINode>(inst) ||
      dependence_.depends(*inst) ||
      (load ? !mayLower(*load, stretch) : inst->mayReadOrWriteMemory() || !isHarmless(*inst))) {
    return nullptr;
  }
  SmallVector<Value *, 4> operands;
  for (Use &operand : inst->operands()) {
    Value *there = lower(*operand.get(), stretch);
    if (!there) {
      return nullptr;
    }
    operands.push_back(there);
  }
  Instruction *copy = inst->clone();
  for (unsigned index = 0; index < operands.size(); ++index) {
    copy->setOperand(index, operands[index]);
  }
  // Behind what it is computed from, which has been put there before.
  BasicBlock::iterator place = stretch.exit->getFirstInsertionPt();
  while (any_of(lowered_, [&](const auto &each) { return each.second == &*place; })) {
    ++place;
  }
  copy->insertInto(stretch.exit, place);
  return lowered_[inst] = copy;
}

/// Keeps `value` in memory, where that can be. Whether it can.
bool StretchValues::keep(Instruction &value, bool &changed) {
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

/// Keeps `value` where its thread computes it, or of a phi between stretches, chooses it.
bool StretchValues::keepWhereFound(Instruction &value, bool &changed) {
  const auto *phi = dyn_cast<PHINode>(&value);
  if (const ThreadStretch *stretch = anyStretchOf(*value.getParent())) {
    changed |= looped_.insert(stretch);
    return keep(value, changed);
  }
  if (!phi || stretches_.isOfOne(*value.getParent())) {
    return false;
  }
  for (const BasicBlock *from : phi->blocks()) {
    const ThreadStretch *stretch = anyStretchOf(*from);
    if (!stretch || stretch->last != from) {
      return false;
    }
    changed |= looped_.insert(stretch);
  }
  return keep(value, changed);
}

/// Whether `variable` begins anew whenever `stretch` is executed.
bool StretchValues::isBegunIn(const AllocaInst &variable, const ThreadStretch &stretch) const {
  return !isPotentiallyReachable(stretch.exit, stretch.first, nullptr, &dominators_) ||
         any_of(variable.users(), [&](const User *user) {
           const auto *marker = dyn_cast<IntrinsicInst>(user);
           return marker && marker->getIntrinsicID() == Intrinsic::lifetime_start &&
                  stretch.contains(*marker);
         });
}

StretchValues::Users StretchValues::usersOf(AllocaInst &variable) const {
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
      const ThreadStretch *stretch = anyStretchOf(*inst->getParent());
      const auto *store = dyn_cast<StoreInst>(inst);
      users.stretches.insert(stretch);
      if (!isa<LoadInst>(inst)) {
        users.writers.insert(stretch);
      }
      if (isa<CallBase>(inst) && !isa<IntrinsicInst>(inst)) {
        users.callers.insert(stretch);
      }
      users.isKept |= store && store->getValueOperand() == pointers[at];
    }
  }
  return users;
}

/// A private variable is of one stretch alone, or the same for all threads and only read in loops,
/// or kept for each thread.
std::string StretchValues::settleVariable(AllocaInst &variable, bool &changed) {
  const Users users = usersOf(variable);
  const auto isLooped = [&](const ThreadStretch *stretch) { return looped_.contains(stretch); };
  const bool isChanged = any_of(users.writers, isLooped) || dependence_.holdsDependent(variable);
  if (exempt_.contains(&variable) || none_of(users.stretches, isLooped) ||
      (!isChanged && !users.isKept)) {
    return {};
  }
  if (users.stretches.size() == 1 && isBegunIn(variable, *users.stretches.front())) {
    return {};
  }
  if (users.isKept || users.stretches.contains(nullptr) || !variable.isStaticAlloca() ||
      !keep(variable, changed)) {
    return kKept;
  }
  for (const ThreadStretch *stretch : users.stretches) {
    changed |= looped_.insert(stretch);
  }
  return {};
}

std::string StretchValues::settleUse(Instruction &inst, Use &use, bool &changed) {
  const BasicBlock &place = *placeOf(use).getParent();
  auto *user = cast<Instruction>(use.getUser());
  const ThreadStretch *own = stretchOf(*inst.getParent());
  const ThreadStretch *there = stretchOf(place);
  const bool isForOne = stretches_.isOfOne(place);
  const bool isMeeting = isa<PHINode>(user) && !anyStretchOf(*user->getParent());
  if (there == own && !isForOne && !(isMeeting && own)) {
    return {};
  }
  if (!dependence_.depends(inst)) {
    if (!own || lift(inst, *own) || (there && !isMeeting && keep(inst, changed))) {
      return {};
    }
    Value *behind = lower(inst, *own);
    if (behind) {
      use.set(behind);
    }
    return behind ? "" : kLeft;
  }
  if (isMeeting && !kept_.count(user)) {
    return {}; // Of no effect: who uses what it chooses has it kept.
  }
  if (!there && !isForOne) {
    const ThreadStretch *stretch = anyStretchOf(place);
    if (!own) {
      return {}; // Nor has this.
    }
    if (!stretch) {
      return kLeft;
    }
    changed |= looped_.insert(stretch);
    return {};
  }
  if (there == own || isAgain(inst, isForOne)) {
    return {};
  }
  return there && keepWhereFound(inst, changed) ? "" : kLeft;
}

/// What `inst` leaves to other stretches.
std::string StretchValues::settleValue(Instruction &inst, bool &changed) {
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

std::string StretchValues::prepare(DebugLoc &place) {
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
void StretchValues::file() {
  SmallVector<Instruction *, 32> all;
  for (Instruction &inst : instructions(function_)) {
    all.push_back(&inst);
  }
  SmallSetVector<Instruction *, 8> markers; // Of lives that end with an iteration now.
  for (Instruction *inst : all) {
    auto *variable = dyn_cast<AllocaInst>(inst);
    const Users users = variable ? usersOf(*variable) : Users();
    const bool isAlone = users.stretches.size() == 1 && looped_.contains(users.stretches.front()) &&
                         !exempt_.contains(variable);
    if (kept_.count(inst) || isAlone) {
      for (User *user : inst->users()) {
        if (isLifetime(*user)) {
          markers.insert(cast<Instruction>(user));
        }
      }
    }
    if (variable && isAlone && !kept_.count(inst) && variable->isStaticAlloca()) {
      variables_[users.stretches.front()].push_back(variable);
    }
    const ThreadStretch *own = stretchOf(*inst->getParent());
    SmallVector<Use *, 8> ofOne;
    for (Use &use : inst->uses()) {
      const BasicBlock &place = *placeOf(use).getParent();
      const ThreadStretch *there = stretchOf(place);
      if (!dependence_.depends(*inst) || isLifetime(*use.getUser())) {
        continue;
      }
      if (stretches_.isOfOne(place)) {
        // What that one has found itself it has, as soon as that is computed from its number.
        if (!stretches_.isOfOne(*inst->getParent())) {
          ofOne.push_back(&use);
        }
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

/// Whether `use` is by a choice between stretches that nothing asks for.
bool StretchValues::isDropped(const Use &use) const {
  auto *phi = dyn_cast<PHINode>(use.getUser());
  return phi && !anyStretchOf(*phi->getParent()) && !kept_.count(phi);
}

bool StretchValues::hasEffect(const ThreadStretch &stretch) const {
  return any_of(kept_,
                [&](const auto &each) {
                  const auto *phi = dyn_cast<PHINode>(each.first);
                  return (!isa<AllocaInst>(each.first) && stretch.contains(*each.first)) ||
                         (phi && phi->getParent() == stretch.exit);
                }) ||
         any_of(stretch.blocks, [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &inst) {
             const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
             return inst.mayHaveSideEffects() &&
                    !(intrinsic &&
                      (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic()));
           });
         });
}

void StretchValues::give(IRBuilder<> &build, const ThreadStretch &stretch, const Thread &thread) {
  for (AllocaInst *variable : variables_[&stretch]) {
    build.CreateLifetimeStart(variable);
  }
  Here here{build, thread};
  fetch(stretch, here);
  SmallDenseMap<const Use *, Value *, 16> given;
  for (Use *use : needs_[&stretch]) {
    given[use] = compute(*use->get(), here);
  }
  // What others will ask for.
  for (const auto &[value, kept] : kept_) {
    if (!isa<AllocaInst>(value) && stretch.contains(*value)) {
      const bool isAtEnd = dominators_.dominates(value->getParent(), stretch.last);
      IRBuilder<> at(isAtEnd               ? stretch.last->getTerminator()
                     : isa<PHINode>(value) ? &*value->getParent()->getFirstInsertionPt()
                                           : value->getNextNode());
      at.CreateStore(value, addressOf(kept, at, thread));
    }
  }
  for (PHINode &phi : stretch.exit->phis()) {
    const Use &use = phi.getOperandUse(phi.getBasicBlockIndex(stretch.last));
    const auto *kept = kept_.find(&phi);
    if (kept != kept_.end()) {
      Value *known = given.lookup(&use);
      IRBuilder<> at(stretch.last->getTerminator());
      at.CreateStore(known ? known : use.get(), addressOf(kept->second, at, thread));
    }
    if (dependence_.depends(phi)) {
      given[&use] = PoisonValue::get(phi.getType());
    }
  }
  given_.append(given.begin(), given.end());
}

void StretchValues::settle() {
  for (const auto &[use, value] : given_) {
    const_cast<Use *>(use)->set(value);
  }
}

void StretchValues::end(IRBuilder<> &build, const ThreadStretch &stretch) {
  for (const Fetched &each : fetched_[&stretch]) {
    if (each.isChanged) {
      build.CreateMemCpy(each.kept, each.own->getAlign(), each.own, each.own->getAlign(),
                         *each.own->getAllocationSize(function_.getDataLayout()));
    }
    build.CreateLifetimeEnd(each.own);
  }
  for (AllocaInst *variable : variables_[&stretch]) {
    build.CreateLifetimeEnd(variable);
  }
}

} // namespace tutti::compiler
