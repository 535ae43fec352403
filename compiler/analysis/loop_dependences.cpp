// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/loop_dependences.h"

#include "compiler/analysis/widen.h"
#include "compiler/ir/kernel.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace tutti::compiler {

namespace {

// A factor of a product, and any number in a sum: so no sum of a few numbers wraps around.
constexpr unsigned kFactorBits = 31;
constexpr unsigned kSumBits = 58;

bool isClosedValue(const Value *value) {
  if (value->getType()->isPointerTy()) {
    return false;
  }
  if (isa<ConstantInt>(value) || isa<ConstantFP>(value)) {
    return true;
  }
  if (const auto *argument = dyn_cast<Argument>(value)) {
    const unsigned number = argument->getArgNo();
    return number >= kernel::FirstCapture || number == kernel::Lower || number == kernel::Upper ||
           number == kernel::Total;
  }
  const auto *inst = dyn_cast<Instruction>(value);
  const bool known =
      inst && (isa<BinaryOperator>(inst) || isa<CastInst>(inst) || isa<CmpInst>(inst) ||
               isa<SelectInst>(inst) || isa<FreezeInst>(inst) || isa<MinMaxIntrinsic>(inst));
  return known && all_of(inst->operands(), [](const Use &use) {
           return isa<Function>(use.get()) || isClosedValue(use.get());
         });
}

} // namespace

LaunchConditions::LaunchConditions(ScalarEvolution &scev) : scev_(scev) {}

bool LaunchConditions::isClosed(const SCEV *expression) {
  if (!expression->getType()->isIntegerTy() || expression->getType()->getIntegerBitWidth() > 64) {
    return false;
  }
  return !SCEVExprContains(expression, [](const SCEV *part) {
    if (const auto *unknown = dyn_cast<SCEVUnknown>(part)) {
      return !isClosedValue(unknown->getValue());
    }
    return isa<SCEVAddRecExpr>(part) || isa<SCEVCouldNotCompute>(part) || isa<SCEVVScale>(part);
  });
}

const SCEV *LaunchConditions::constant(std::int64_t value) {
  return scev_.getConstant(Type::getInt64Ty(scev_.getContext()), value, /*isSigned=*/true);
}

Truth LaunchConditions::atLeast(const SCEV *left, const SCEV *right) {
  const SCEV *difference = scev_.getMinusSCEV(left, right);
  if (scev_.isKnownNonNegative(difference)) {
    return Truth::Always;
  }
  if (scev_.isKnownNegative(difference) || !isClosed(left) || !isClosed(right)) {
    return Truth::Never;
  }
  const AtLeast condition{left, right};
  if (!is_contained(list_, condition)) {
    list_.push_back(condition);
  }
  return Truth::AtLaunch;
}

/// Makes sure that `expression`, closed, lies between -2^bits and 2^bits.
bool LaunchConditions::limited(const SCEV *expression, unsigned bits) {
  const std::int64_t limit = std::int64_t{1} << bits;
  const ConstantRange range = scev_.getSignedRange(expression);
  const bool isBelow = range.getSignedMax().sle(limit);
  const bool isAbove = range.getSignedMin().sge(-limit);
  return (isBelow || atLeast(constant(limit), expression) != Truth::Never) &&
         (isAbove || atLeast(expression, constant(-limit)) != Truth::Never);
}

const SCEV *LaunchConditions::product(const SCEV *factor, const SCEV *count) {
  if (!limited(factor, kFactorBits) || !limited(count, kFactorBits)) {
    return nullptr;
  }
  const SCEV *result = scev_.getMulExpr(factor, count);
  return limited(result, kSumBits) ? result : nullptr;
}

std::optional<bool> LaunchConditions::isUpwards(const SCEV *step) {
  if (scev_.isKnownNonNegative(step)) {
    return true;
  }
  if (scev_.isKnownNonPositive(step)) {
    return false;
  }
  // Sizes are positive as a rule.
  const auto *scaled = dyn_cast<SCEVMulExpr>(step);
  const auto *scale = scaled ? dyn_cast<SCEVConstant>(scaled->getOperand(0)) : nullptr;
  const bool guess = !scale || !scale->getAPInt().isNegative();
  const SCEV *zero = constant(0);
  const Truth holds = guess ? atLeast(step, zero) : atLeast(zero, step);
  return holds == Truth::Never ? std::nullopt : std::optional<bool>(guess);
}

const SCEV *LaunchConditions::widened(const SCEV *expression, const Loop *around) {
  Widen widen(scev_, around);
  const SCEV *result = widen.visit(expression);
  for (const Widen::Assumed &assumed : widen.assumed()) {
    const SCEV *wide = widened(assumed.wide, nullptr);
    const SCEV *least = wide ? extreme(wide, false) : nullptr;
    const SCEV *most = wide ? extreme(wide, true) : nullptr;
    if (!least || !most || assumed.bits > 32) {
      return nullptr;
    }
    const std::int64_t limit = std::int64_t{1} << (assumed.bits - (assumed.isSigned ? 1 : 0));
    if (atLeast(constant(limit - 1), most) == Truth::Never ||
        atLeast(least, constant(assumed.isSigned ? -limit : 0)) == Truth::Never) {
      return nullptr;
    }
  }
  return result;
}

const SCEV *LaunchConditions::mostTaken(const Loop &loop) {
  const SCEV *taken = scev_.getBackedgeTakenCount(&loop);
  if (isa<SCEVCouldNotCompute>(taken)) {
    taken = scev_.getSymbolicMaxBackedgeTakenCount(&loop);
  }
  if (isa<SCEVCouldNotCompute>(taken) || taken->getType()->getIntegerBitWidth() > 64) {
    return nullptr;
  }
  taken = scev_.getTruncateOrZeroExtend(taken, Type::getInt64Ty(scev_.getContext()));
  if (isClosed(taken)) {
    return taken;
  }
  taken = widened(taken, nullptr);
  // Where the numerator is negative the loop does not run: it would never end.
  const auto *division = taken ? dyn_cast<SCEVUDivExpr>(taken) : nullptr;
  if (division && isa<SCEVConstant>(division->getRHS())) {
    const SCEV *most = extreme(division->getLHS(), true);
    return most ? scev_.getUDivExpr(most, division->getRHS()) : nullptr;
  }
  return taken ? extreme(taken, true) : nullptr;
}

const SCEV *LaunchConditions::extreme(const SCEV *expression, bool largest) {
  if (expression->getType() != Type::getInt64Ty(scev_.getContext())) {
    return nullptr;
  }
  if (isClosed(expression)) {
    return limited(expression, kSumBits) ? expression : nullptr;
  }
  const SCEV *result = nullptr;
  if (const auto *sum = dyn_cast<SCEVAddExpr>(expression)) {
    result = extremeOfSum(sum, largest);
  } else if (const auto *product = dyn_cast<SCEVMulExpr>(expression)) {
    result = extremeOfProduct(product, largest);
  } else if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    result = extremeOfRecurrence(recurrence, largest);
  } else if (isa<SCEVSMaxExpr>(expression) || isa<SCEVSMinExpr>(expression)) {
    result = extremeOfChoice(cast<SCEVMinMaxExpr>(expression), largest);
  }
  return result ? result : extremeInRange(expression, largest);
}

const SCEV *LaunchConditions::extremeOfSum(const SCEVAddExpr *sum, bool largest) {
  SmallVector<const SCEV *, 4> terms;
  for (const SCEV *operand : sum->operands()) {
    const SCEV *term = extreme(operand, largest);
    if (!term) {
      return nullptr;
    }
    terms.push_back(term);
  }
  return scev_.getAddExpr(terms);
}

const SCEV *LaunchConditions::extremeOfProduct(const SCEVMulExpr *multiplication, bool largest) {
  const SCEV *factor = constant(1);
  const SCEV *varying = nullptr;
  for (const SCEV *operand : multiplication->operands()) {
    if (isClosed(operand)) {
      factor = scev_.getMulExpr(factor, operand);
    } else if (varying) {
      return nullptr;
    } else {
      varying = operand;
    }
  }
  const std::optional<bool> upwards = isUpwards(factor);
  const SCEV *bound = upwards ? extreme(varying, *upwards == largest) : nullptr;
  return bound ? product(factor, bound) : nullptr;
}

const SCEV *LaunchConditions::extremeOfChoice(const SCEVMinMaxExpr *choice, bool largest) {
  SmallVector<const SCEV *, 4> choices;
  for (const SCEV *operand : choice->operands()) {
    const SCEV *bound = extreme(operand, largest);
    if (!bound) {
      return nullptr;
    }
    choices.push_back(bound);
  }
  return scev_.getMinMaxExpr(choice->getSCEVType(), choices);
}

const SCEV *LaunchConditions::extremeOfRecurrence(const SCEVAddRecExpr *recurrence, bool largest) {
  const SCEV *step = recurrence->getStepRecurrence(scev_);
  const SCEV *start = extreme(recurrence->getStart(), largest);
  const SCEV *taken = mostTaken(*recurrence->getLoop());
  if (!recurrence->isAffine() || !isClosed(step) || !start || !taken) {
    return nullptr;
  }
  const std::optional<bool> upwards = isUpwards(step);
  const SCEV *span = upwards ? product(step, taken) : nullptr;
  if (!span) {
    return nullptr;
  }
  return *upwards == largest ? scev_.getAddExpr(start, span) : start;
}

const SCEV *LaunchConditions::extremeInRange(const SCEV *expression, bool largest) {
  constexpr std::int64_t kUseful = 1 << 16; // A wider range would hardly ever satisfy a condition.
  const ConstantRange range = scev_.getSignedRange(expression);
  const APInt bound = largest ? range.getSignedMax() : range.getSignedMin();
  return bound.sge(-kUseful) && bound.sle(kUseful) ? scev_.getConstant(bound) : nullptr;
}

namespace {

/// What brings an address of the program to the device: the choice between `low` and `high`, and
/// perhaps something that is added on both sides.
struct Translation {
  const SCEV *choice;
  const SCEV *pointer; ///< The address.
  const SCEV *common;
};

Value *withoutPointer(Value *value) {
  Value *integer = nullptr;
  return match(value, m_PtrToInt(m_IntToPtr(m_Value(integer)))) &&
                 integer->getType() == value->getType()
             ? integer
             : value;
}

/// Compare compiler/transform/device_pointers.h.
std::optional<Translation> asTranslation(const SCEV *part, const Function &function,
                                         ScalarEvolution &scev) {
  const auto *unknown = dyn_cast<SCEVUnknown>(part);
  Value *pointer = nullptr;
  Value *left = nullptr;
  Value *right = nullptr;
  ICmpInst::Predicate predicate = ICmpInst::BAD_ICMP_PREDICATE;
  const APInt *limit = nullptr;
  if (!unknown || !part->getType()->isIntegerTy(64) ||
      !match(unknown->getValue(), m_Select(m_ICmp(predicate, m_Value(pointer), m_APInt(limit)),
                                           m_Value(left), m_Value(right)))) {
    return std::nullopt;
  }
  if (predicate == ICmpInst::ICMP_UGT && *limit == 0xffffffff) {
    std::swap(left, right);
  } else if (predicate != ICmpInst::ICMP_ULT || *limit != 0x100000000) {
    return std::nullopt;
  }
  const SCEV *low = scev.getSCEV(function.getArg(kernel::Low));
  const SCEV *high = scev.getSCEV(function.getArg(kernel::High));
  const SCEV *common = scev.getMinusSCEV(scev.getSCEV(left), low);
  if (common != scev.getMinusSCEV(scev.getSCEV(right), high)) {
    return std::nullopt;
  }
  return Translation{part, scev.getSCEV(withoutPointer(pointer)), common};
}

/// The only translation in `address`, if there is exactly one.
std::optional<Translation> findTranslation(const SCEV *address, const Function &function,
                                           ScalarEvolution &scev) {
  std::optional<Translation> found;
  bool isOnly = true;
  SCEVExprContains(address, [&](const SCEV *part) {
    const std::optional<Translation> translation = asTranslation(part, function, scev);
    isOnly = isOnly && !(found && translation && found->choice != translation->choice);
    found = found ? found : translation;
    return !isOnly;
  });
  return isOnly ? found : std::nullopt;
}

} // namespace

bool KernelAccess::hasParameter() const {
  const auto *unknown = dyn_cast<SCEVUnknown>(root);
  const auto *argument = unknown ? dyn_cast<Argument>(unknown->getValue()) : nullptr;
  return argument && argument->getArgNo() >= kernel::FirstCapture &&
         argument->getType()->isIntegerTy(64);
}

KernelAccess kernelAccess(Instruction &inst, Value *pointer, const SCEV *bytes, const Loop *loop,
                          ScalarEvolution &scev) {
  const Function &function = *inst.getFunction();
  const SCEV *address = scev.getSCEV(pointer);
  const auto *base = dyn_cast<SCEVUnknown>(scev.getPointerBase(address));
  KernelAccess access{&inst, loop, inst.mayWriteToMemory(), address, nullptr, bytes};
  if (!base) {
    return access;
  }
  access.root = base;
  access.offset = scev.removePointerBase(address);
  const SCEV *whole = access.offset;
  auto *cast = dyn_cast<IntToPtrInst>(base->getValue());
  if (cast && cast->getOperand(0)->getType()->isIntegerTy(64)) {
    whole = scev.getAddExpr(whole, scev.getSCEV(withoutPointer(cast->getOperand(0))));
  } else if (base->getValue() != function.getArg(kernel::Arena)) {
    return access;
  }
  const std::optional<Translation> translation = findTranslation(whole, function, scev);
  if (!translation) {
    return access;
  }
  const SCEV *offset =
      scev.getAddExpr(scev.getMinusSCEV(whole, translation->choice),
                      scev.getMinusSCEV(translation->common, translation->pointer));
  const bool remains =
      SCEVExprContains(offset, [&](const SCEV *part) { return part == translation->choice; });
  if (!remains) {
    access.root = translation->pointer;
    access.offset = offset;
  }
  return access;
}

/// Where the pointer `root` is loaded from, in the addresses of the program; null unless it is an
/// element of an array that a parameter leads to.
const SCEV *LoopDependences::placeOf(const SCEV *root) const {
  const auto *cast = dyn_cast<SCEVPtrToIntExpr>(root);
  const auto *unknown = dyn_cast<SCEVUnknown>(cast ? cast->getOperand() : root);
  auto *load = unknown ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
  if (!load || !load->getType()->isPointerTy()) {
    return nullptr; // The access functions follow pointers alone.
  }
  const SCEV *bytes = scev_.getSizeOfExpr(Type::getInt64Ty(load->getContext()), load->getType());
  const KernelAccess access = kernelAccess(*load, load->getPointerOperand(), bytes, nullptr, scev_);
  return access.hasParameter() && access.offset ? scev_.getAddExpr(access.root, access.offset)
                                                : nullptr;
}

bool LoopDependences::isDisjointObject(const KernelAccess &one, const KernelAccess &other) {
  const SCEV *place = placeOf(one.root);
  const SCEV *otherPlace = placeOf(other.root);
  if (!(place || one.hasParameter()) || !(otherPlace || other.hasParameter())) {
    return false;
  }
  if ((place != nullptr) != (otherPlace != nullptr)) {
    needsDisjoint_ = true;
    return true;
  }
  if (place) {
    // Pointers that stand at different places are different, and so are their objects: the runtime
    // sees to it.
    const SCEV *difference = scev_.getMinusSCEV(place, otherPlace);
    const SCEV *smallest = conditions_.extreme(difference, false);
    const SCEV *largest = conditions_.extreme(difference, true);
    if (!smallest || !largest) {
      return false;
    }
    const SCEV *unit = scev_.getOne(smallest->getType());
    needsDisjoint_ = true;
    return conditions_.atLeast(scev_.getSMaxExpr(smallest, scev_.getNegativeSCEV(largest)), unit) !=
           Truth::Never;
  }
  // The runtime tells objects apart by their pointers.
  const SCEV *difference = scev_.getMinusSCEV(one.root, other.root);
  const SCEV *reverse = scev_.getMinusSCEV(other.root, one.root);
  const SCEV *unit = scev_.getOne(difference->getType());
  needsDisjoint_ = true;
  return conditions_.atLeast(scev_.getSMaxExpr(difference, reverse), unit) != Truth::Never;
}

/// Whether `expression` is the same wherever `access` happens in an iteration of the loops around.
bool LoopDependences::isSettled(const SCEV *expression, const KernelAccess &access) const {
  const Loop *loop = access.loop;
  for (; loop && !isOutside(loop); loop = loop->getParentLoop()) {
    if (!scev_.isLoopInvariant(expression, loop)) {
      return false;
    }
  }
  return true;
}

const Loop *LoopDependences::own(const KernelAccess &access) const {
  const auto found = find_if(loops_, [&](const Loop *loop) { return loop->contains(access.loop); });
  return found == loops_.end() ? nullptr : *found;
}

std::optional<LoopDependences::Lane> LoopDependences::lane(const KernelAccess &access) {
  const SCEV *start = access.offset ? conditions_.widened(access.offset, &parent_) : nullptr;
  const SCEV *high = conditions_.extreme(access.bytes, true);
  if (!start || !high || !isSettled(access.root, access)) {
    return std::nullopt;
  }
  const SCEV *zero = scev_.getZero(start->getType());
  Lane lane{start, zero, zero, high};
  while (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(lane.start)) {
    if (isOutside(recurrence->getLoop())) {
      break;
    }
    const SCEV *step = recurrence->getStepRecurrence(scev_);
    if (!recurrence->isAffine() || !LaunchConditions::isClosed(step)) {
      return std::nullopt;
    }
    lane.start = recurrence->getStart();
    if (recurrence->getLoop() == own(access)) {
      lane.stride = step;
      continue;
    }
    const SCEV *taken = conditions_.mostTaken(*recurrence->getLoop());
    const SCEV *span = taken ? conditions_.product(step, taken) : nullptr;
    const std::optional<bool> upwards = conditions_.isUpwards(step);
    if (!span || !upwards) {
      return std::nullopt;
    }
    const SCEV *&end = *upwards ? lane.high : lane.low;
    end = scev_.getAddExpr(end, span);
  }
  return isSettled(lane.start, access) ? std::optional<Lane>(lane) : std::nullopt;
}

/// What all iterations of a loop touch together, as a lane of stride 0 that begins at its start.
std::optional<LoopDependences::Lane> LoopDependences::smeared(Lane lane) {
  if (!lane.stride->isZero()) {
    const SCEV *taken = mostTaken();
    const SCEV *span = taken ? conditions_.product(lane.stride, taken) : nullptr;
    const std::optional<bool> upwards = conditions_.isUpwards(lane.stride);
    if (!span || !upwards) {
      return std::nullopt;
    }
    const SCEV *&end = *upwards ? lane.high : lane.low;
    end = scev_.getAddExpr(end, span);
  }
  const SCEV *zero = scev_.getZero(lane.start->getType());
  return Lane{scev_.getAddExpr(lane.start, lane.low), zero, zero,
              scev_.getMinusSCEV(lane.high, lane.low)};
}

std::optional<LoopDependences::Distance> LoopDependences::distance(const Lane &one,
                                                                   const Lane &other) {
  const SCEV *exact = scev_.getMinusSCEV(one.start, other.start);
  Distance result{exact,
                  LaunchConditions::isClosed(exact) ? exact : nullptr,
                  conditions_.extreme(exact, false),
                  conditions_.extreme(exact, true),
                  scev_.getMinusSCEV(other.high, one.low),
                  scev_.getMinusSCEV(one.high, other.low)};
  return result.smallest && result.largest ? std::optional<Distance>(result) : std::nullopt;
}

/// `expression` divided by `factor`, where that leaves no rest whatever the values are; else null.
const SCEV *LoopDependences::quotient(const SCEV *expression, const SCEV *factor) {
  if (const auto *factors = dyn_cast<SCEVMulExpr>(factor)) {
    for (const SCEV *one : factors->operands()) {
      expression = expression ? quotient(expression, one) : nullptr;
    }
    return expression;
  }
  if (expression == factor || expression->isZero()) {
    return expression->isZero() ? expression : scev_.getOne(expression->getType());
  }
  SmallVector<const SCEV *, 4> parts;
  if (const auto *sum = dyn_cast<SCEVAddExpr>(expression)) {
    for (const SCEV *term : sum->operands()) {
      parts.push_back(quotient(term, factor));
    }
    return is_contained(parts, nullptr) ? nullptr : scev_.getAddExpr(parts);
  }
  if (const auto *product = dyn_cast<SCEVMulExpr>(expression)) {
    parts.assign(product->operands().begin(), product->operands().end());
    for (const SCEV *&part : parts) {
      if (const SCEV *divided = quotient(part, factor)) {
        part = divided;
        return scev_.getMulExpr(parts);
      }
    }
    return nullptr;
  }
  if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression)) {
    const SCEV *start = quotient(recurrence->getStart(), factor);
    const SCEV *step = quotient(recurrence->getStepRecurrence(scev_), factor);
    return recurrence->isAffine() && start && step
               ? scev_.getAddRecExpr(start, step, recurrence->getLoop(), SCEV::FlagAnyWrap)
               : nullptr;
  }
  const auto *number = dyn_cast<SCEVConstant>(expression);
  const auto *divisor = dyn_cast<SCEVConstant>(factor);
  return number && divisor && number->getAPInt().srem(divisor->getAPInt()).isZero()
             ? scev_.getConstant(number->getAPInt().sdiv(divisor->getAPInt()))
             : nullptr;
}

/// Whether lanes are the same, or a multiple of a row apart that is longer than they are. The row
/// is what an iteration of a loop around moves them by: d[i * n + j] and d[k * n + j] for any i and
/// k.
bool LoopDependences::areRowsApart(const Distance &distance, const SCEV *stride,
                                   const SCEV *reach) {
  const auto *recurrence = dyn_cast<SCEVAddRecExpr>(distance.whole);
  const SCEV *row = recurrence ? recurrence->getStepRecurrence(scev_) : nullptr;
  const SCEV *rows = row && LaunchConditions::isClosed(row) ? quotient(recurrence, row) : nullptr;
  const SCEV *least = rows ? conditions_.extreme(rows, false) : nullptr;
  const SCEV *most = rows ? conditions_.extreme(rows, true) : nullptr;
  const auto isAtLeast = [&](const SCEV *left, const SCEV *right) {
    return conditions_.atLeast(left, right) != Truth::Never;
  };
  // The products must not wrap around.
  return least && most && conditions_.product(row, least) && conditions_.product(row, most) &&
         isAtLeast(stride, distance.above) && isAtLeast(stride, distance.below) &&
         isAtLeast(row, scev_.getAddExpr(reach, distance.above)) &&
         isAtLeast(row, scev_.getAddExpr(reach, distance.below));
}

/// Whether lanes whose iterations are `stride` > 0 apart meet in no other iteration, because
/// neighbouring iterations do not.
Truth LoopDependences::areNeighbours(const Distance &distance, const SCEV *stride) {
  const Truth next =
      conditions_.atLeast(scev_.getAddExpr(distance.smallest, stride), distance.above);
  const Truth previous =
      conditions_.atLeast(scev_.getMinusSCEV(stride, distance.largest), distance.below);
  return std::min(next, previous);
}

/// Whether one lane always falls between two places of the other one: red and black.
Truth LoopDependences::areInterleaved(const Distance &distance, const SCEV *stride) {
  const auto *exact = dyn_cast_or_null<SCEVConstant>(distance.exact);
  const auto *above = dyn_cast<SCEVConstant>(distance.above);
  const auto *below = dyn_cast<SCEVConstant>(distance.below);
  const auto *period = dyn_cast<SCEVConstant>(stride);
  if (!exact || !above || !below || !period || !period->getAPInt().isStrictlyPositive()) {
    return Truth::Never;
  }
  const std::int64_t cycle = period->getAPInt().getSExtValue();
  const std::int64_t rest = exact->getAPInt().getSExtValue() % cycle;
  const std::int64_t behind = rest < 0 ? rest + cycle : rest;
  return behind >= above->getAPInt().getSExtValue() &&
                 cycle - behind >= below->getAPInt().getSExtValue()
             ? Truth::Always
             : Truth::Never;
}

/// Whether the lanes are disjoint although each moves by up to `reach` relative to the other.
Truth LoopDependences::neverMeet(const Distance &distance, const SCEV *reach) {
  const std::size_t mark = conditions_.list().size();
  const auto isAbove = [&] {
    return conditions_.atLeast(scev_.getMinusSCEV(distance.smallest, reach), distance.above);
  };
  const auto isBelow = [&] {
    const SCEV *negative = scev_.getNegativeSCEV(distance.largest);
    return conditions_.atLeast(scev_.getMinusSCEV(negative, reach), distance.below);
  };
  const Truth above = isAbove();
  if (above == Truth::Always) {
    return above;
  }
  conditions_.truncate(mark);
  const Truth below = isBelow();
  if (below == Truth::Always || above == Truth::Never) {
    return below;
  }
  conditions_.truncate(mark);
  if (below == Truth::Never || !distance.exact) {
    return isAbove();
  }
  const SCEV *far = scev_.getSMaxExpr(distance.exact, scev_.getNegativeSCEV(distance.exact));
  return conditions_.atLeast(scev_.getMinusSCEV(far, reach),
                             scev_.getSMaxExpr(distance.above, distance.below));
}

/// Whether `distance` is a few times `stride`, so that iterations not far apart meet.
bool LoopDependences::isWholeStrides(const SCEV *distance, const SCEV *stride) {
  for (int times = 1; times <= 4; ++times) {
    const SCEV *multiple = scev_.getMulExpr(stride, scev_.getConstant(stride->getType(), times));
    if (distance == multiple || scev_.getNegativeSCEV(distance) == multiple) {
      return true;
    }
  }
  return false;
}

bool LoopDependences::keepsOwnLane(const Lane &one, const Lane &other) {
  const std::optional<bool> upwards = conditions_.isUpwards(one.stride);
  const SCEV *stride = upwards && !*upwards ? scev_.getNegativeSCEV(one.stride) : one.stride;
  const SCEV *taken = mostTaken();
  const SCEV *reach = taken ? conditions_.product(stride, taken) : nullptr;
  const std::optional<Distance> between = distance(one, other);
  if (!upwards || !reach || !between) {
    return false;
  }
  const std::size_t mark = conditions_.list().size();
  const Truth neighbours = areNeighbours(*between, stride);
  if (neighbours == Truth::Always || areInterleaved(*between, stride) == Truth::Always) {
    if (neighbours != Truth::Always) {
      conditions_.truncate(mark);
    }
    return true;
  }
  conditions_.truncate(mark);
  if (rows_ == Rows::Apart && areRowsApart(*between, stride, reach)) {
    return true;
  }
  conditions_.truncate(mark);
  const Truth apart = neverMeet(*between, reach);
  if (apart == Truth::Always) {
    return true;
  }
  isGuess_ = true;
  // Choose what may hold at launch; a wrong choice costs the nest, not the result.
  const bool isFixed = between->exact && isa<SCEVConstant>(between->exact);
  const bool isFar = !isFixed && !(between->exact && isWholeStrides(between->exact, stride));
  if (isFar && apart == Truth::AtLaunch) {
    return true;
  }
  conditions_.truncate(mark);
  return (isFixed || isFar) && areNeighbours(*between, stride) != Truth::Never;
}

bool LoopDependences::areIndependent(const KernelAccess &store, const KernelAccess &other) {
  if (store.root != other.root) {
    return isDisjointObject(store, other);
  }
  const std::optional<Lane> one = lane(store);
  const std::optional<Lane> two = lane(other);
  if (!one || !two || !isSettled(store.root, store) || !isSettled(other.root, other)) {
    return false;
  }
  if (one->stride == two->stride && own(other)) {
    return keepsOwnLane(*one, *two);
  }
  const std::optional<Lane> all = smeared(*one);
  const std::optional<Lane> others = smeared(*two);
  const std::optional<Distance> between = all && others ? distance(*all, *others) : std::nullopt;
  const Truth apart =
      between ? neverMeet(*between, scev_.getZero(between->above->getType())) : Truth::Never;
  const bool isFixed = between && between->exact && isa<SCEVConstant>(between->exact);
  isGuess_ = isGuess_ || apart == Truth::AtLaunch;
  return apart == Truth::Always || (apart == Truth::AtLaunch && !isFixed);
}

} // namespace tutti::compiler
