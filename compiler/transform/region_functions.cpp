// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/region_functions.h"

#include "abi/abi.h"
#include "abi/elements.h"
#include "abi/order.h"
#include "compiler/analysis/expressions.h"
#include "compiler/ir/entry_points.h"
#include "compiler/ir/launch_function.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What reports that follow each other have in common.
struct Reported {
  SmallVector<AccessRecord::Dim, 4> dims;                                   ///< In the slots.
  SmallVector<std::pair<AccessRecord::Assumption, Value *>, 4> assumptions; ///< Whether they hold.
};

class Writer {
public:
  Writer(ChunkModel &model, const RegionAccesses &accesses, ScalarEvolution &scev, StringRef name)
      : model_(model), accesses_(accesses), scev_(scev), name_(name),
        module_(*model.function().getParent()), context_(module_.getContext()),
        ptr_(PointerType::getUnqual(context_)), i64_(Type::getInt64Ty(context_)),
        used_(model.values().size()) {}

  const BitVector &used() const { return used_; }

  Function *gather();
  Function *trip();
  Function *accesses();

private:
  using Guards = SmallVector<AccessRecord::Guard, 4>;

  Value *holds(IRBuilder<> &build, ExpressionEmitter &emitter,
               ArrayRef<AccessRecord::Guard> guards);
  Value *fits(IRBuilder<> &build, ExpressionEmitter &emitter,
              const AccessRecord::Assumption &assumption);
  Value *restOfRow(IRBuilder<> &build, ExpressionEmitter &emitter, const ChunkModel::Row &row);
  Value *endOfPiece(IRBuilder<> &build, const ExpressionEmitter::Leaves &leaves, Value *upper);
  void reportPieces(IRBuilder<> &build, Function &function);
  void reportAll(IRBuilder<> &build, ExpressionEmitter::Leaves leaves, Value *dims);
  void reportInside(IRBuilder<> &build, ExpressionEmitter::Leaves leaves,
                    ArrayRef<AccessRecord> records, Value *dims);
  std::optional<std::int64_t> distance(const AccessRecord &from, const AccessRecord &to);
  std::vector<AccessRecord> joined(std::vector<AccessRecord> records);
  unsigned levelOf(Value *value, const Walks &walks);
  unsigned levelOf(const SCEV *expression, const Walks &walks);
  Guards guardsHere(ArrayRef<AccessRecord::Guard> guards, const ExpressionEmitter::Leaves &leaves);
  void report(IRBuilder<> &build, ExpressionEmitter &emitter, const AccessRecord &record,
              Value *sink, Value *dims, Reported &reported);

  ChunkModel &model_;
  const RegionAccesses &accesses_;
  ScalarEvolution &scev_;
  StringRef name_;
  Module &module_;
  LLVMContext &context_;
  Type *ptr_;
  Type *i64_;
  BitVector used_;
};

Function *Writer::gather() {
  Function *function = createLaunchFunction(module_, Type::getVoidTy(context_), {ptr_, ptr_, ptr_},
                                            name_ + ".gather");
  IRBuilder<> build(&function->getEntryBlock());
  Value *values = function->getArg(1);
  ExpressionEmitter emitter(build, model_, scev_,
                            {.captures = function->getArg(0), .values = values});
  const EntryPoints entryPoints(module_);
  const DataLayout &layout = module_.getDataLayout();
  for (auto [index, load] : enumerate(model_.values())) {
    Value *address = emitter.emit(load->getPointerOperand());
    const std::uint64_t bytes = layout.getTypeStoreSize(load->getType());
    Value *value = build.CreateCall(entryPoints.block(),
                                    {function->getArg(2), address, build.getInt32(bytes)});
    build.CreateStore(value, build.CreateConstInBoundsGEP1_64(i64_, values, index));
  }
  build.CreateRetVoid();
  return function;
}

Value *Writer::holds(IRBuilder<> &build, ExpressionEmitter &emitter,
                     ArrayRef<AccessRecord::Guard> guards) {
  Value *all = build.getTrue();
  for (const AccessRecord::Guard &guard : guards) {
    Value *condition = guard.condition ? emitter.emit(guard.condition)
                                       : build.CreateICmp(guard.predicate, emitter.emit(guard.left),
                                                          emitter.emit(guard.right));
    condition = build.CreateFreeze(condition);
    all = build.CreateAnd(all, guard.holds ? condition : build.CreateNot(condition));
  }
  return all;
}

Function *Writer::trip() {
  Function *function = createLaunchFunction(module_, i64_, {ptr_, ptr_}, name_ + ".trip");
  IRBuilder<> build(&function->getEntryBlock());
  ExpressionEmitter emitter(
      build, model_, scev_,
      {.captures = function->getArg(0), .values = function->getArg(1), .used = &used_});
  Value *last = emitter.emit64(accesses_.lastIteration, !model_.isUnsigned());
  Value *count = build.CreateAdd(last, build.getInt64(1));
  build.CreateRet(
      build.CreateSelect(holds(build, emitter, accesses_.tripGuards), count, build.getInt64(0)));
  return function;
}

/// Whether the lowest and the highest value of the assumption's expression fit its type.
Value *Writer::fits(IRBuilder<> &build, ExpressionEmitter &emitter,
                    const AccessRecord::Assumption &assumption) {
  Value *lowest = emitter.emit64(assumption.start, assumption.isSigned);
  Value *highest = lowest;
  for (const AccessRecord::Dim &dim : assumption.dims) {
    Value *steps = build.CreateSub(emitter.emit64(dim.count, false), build.getInt64(1));
    Value *extent = build.CreateMul(emitter.emit64(dim.stride, true), steps);
    Value *zero = build.getInt64(0);
    lowest = build.CreateAdd(lowest, build.CreateBinaryIntrinsic(Intrinsic::smin, extent, zero));
    highest = build.CreateAdd(highest, build.CreateBinaryIntrinsic(Intrinsic::smax, extent, zero));
  }
  const APInt least =
      assumption.isSigned ? APInt::getSignedMinValue(assumption.bits).sext(64) : APInt::getZero(64);
  const APInt most = assumption.isSigned ? APInt::getSignedMaxValue(assumption.bits).sext(64)
                                         : APInt::getMaxValue(assumption.bits).zext(64);
  return build.CreateAnd(build.CreateICmpSGE(lowest, build.getInt(least)),
                         build.CreateICmpSLE(highest, build.getInt(most)));
}

void Writer::report(IRBuilder<> &build, ExpressionEmitter &emitter, const AccessRecord &record,
                    Value *sink, Value *dims, Reported &reported) {
  for (const Walks::Follow &follow : record.walks.follows) {
    emitter.emit(follow.load);
  }
  if (record.flags == 0 && record.assumptions.empty()) {
    return;
  }
  StructType *dimType = EntryPoints(module_).dimType();
  for (auto [index, dim] : enumerate(record.dims)) {
    if (index < reported.dims.size() && reported.dims[index] == dim) {
      continue;
    }
    reported.dims.resize(std::max(reported.dims.size(), index + 1));
    reported.dims[index] = dim;
    Value *slot = build.CreateConstInBoundsGEP1_64(dimType, dims, index);
    build.CreateStore(emitter.emit64(dim.stride, true), build.CreateStructGEP(dimType, slot, 0));
    build.CreateStore(emitter.emit64(dim.count, false), build.CreateStructGEP(dimType, slot, 1));
  }
  Value *flags = build.getInt32(record.flags);
  flags = build.CreateSelect(emitter.isNull(record.base), build.getInt32(0), flags);
  for (const AccessRecord::Assumption &assumption : record.assumptions) {
    const auto *known =
        find_if(reported.assumptions, [&](const auto &entry) { return entry.first == assumption; });
    if (known == reported.assumptions.end()) {
      reported.assumptions.push_back({assumption, fits(build, emitter, assumption)});
      known = &reported.assumptions.back();
    }
    flags = build.CreateSelect(known->second, flags, build.getInt32(TUTTI_ANYWHERE));
  }
  build.CreateCall(EntryPoints(module_).access(),
                   {sink, flags, emitter.emit(scev_.getPointerBase(record.base)),
                    emitter.emit(record.base), emitter.emit64(record.bytes, false),
                    build.getInt32(record.dims.size()), dims});
}

/// How many levels of the walk `value` needs to be inside of.
unsigned Writer::levelOf(Value *value, const Walks &walks) {
  if (scev_.isSCEVable(value->getType()) && !isa<SCEVUnknown>(scev_.getSCEV(value))) {
    return levelOf(scev_.getSCEV(value), walks);
  }
  if (const auto *argument = dyn_cast<Argument>(value)) {
    return model_.counterIndex(argument) + 1;
  }
  if (const Walks::Follow *follow = walks.followOf(value)) {
    return levelOf(follow->address, walks);
  }
  unsigned level = 0;
  if (auto *inst = dyn_cast<Instruction>(value); inst && !isa<LoadInst>(inst)) {
    for (Use &use : inst->operands()) {
      level = std::max(level, levelOf(use.get(), walks));
    }
  }
  return level;
}

unsigned Writer::levelOf(const SCEV *expression, const Walks &walks) {
  unsigned level = 0;
  SCEVExprContains(expression, [&](const SCEV *part) {
    if (const auto *unknown = dyn_cast<SCEVUnknown>(part)) {
      level = std::max(level, levelOf(unknown->getValue(), walks));
    }
    return false;
  });
  return level;
}

/// Those of `guards` that can be told once a walk is inside of as many levels as `leaves` has
/// counters, and not before.
Writer::Guards Writer::guardsHere(ArrayRef<AccessRecord::Guard> guards,
                                  const ExpressionEmitter::Leaves &leaves) {
  Guards here;
  copy_if(guards, std::back_inserter(here), [&](const AccessRecord::Guard &guard) {
    const unsigned level = guard.condition ? levelOf(guard.condition, *leaves.walks)
                                           : std::max(levelOf(guard.left, *leaves.walks),
                                                      levelOf(guard.right, *leaves.walks));
    return level == leaves.counters.size();
  });
  return here;
}

/// `records`, which have the same guards and walk through the same, from the level on that `leaves`
/// has no counter of yet:
///
///   if (guards) for (counter = 0; counter < count; counter++) { the next level, or the reports }
///
/// Expressions are emitted anew behind each condition: a value that is computed under one must not
/// be used under another.
void Writer::reportInside(IRBuilder<> &build, ExpressionEmitter::Leaves leaves,
                          ArrayRef<AccessRecord> records, Value *dims) {
  Function *function = build.GetInsertBlock()->getParent();
  ExpressionEmitter emitter(build, model_, scev_, leaves);
  BasicBlock *then = BasicBlock::Create(context_, "access", function);
  BasicBlock *next = BasicBlock::Create(context_, "next", function);
  const Guards guards = guardsHere(records.front().guards, leaves);
  build.CreateCondBr(holds(build, emitter, guards), then, next);
  build.SetInsertPoint(then);
  const std::size_t position = leaves.counters.size();
  if (position == leaves.walks->levels.size()) {
    Reported reported;
    for (const AccessRecord &record : records) {
      report(build, emitter, record, leaves.sink, dims, reported);
    }
    build.CreateBr(next);
  } else {
    Value *count = emitter.emit64(leaves.walks->levels[position].count, false);
    BasicBlock *header = BasicBlock::Create(context_, "walk", function);
    BasicBlock *body = BasicBlock::Create(context_, "step", function);
    build.CreateBr(header);
    build.SetInsertPoint(header);
    PHINode *counter = build.CreatePHI(i64_, 2);
    counter->addIncoming(build.getInt64(0), then);
    build.CreateCondBr(build.CreateICmpSLT(counter, count), body, next);
    build.SetInsertPoint(body);
    leaves.counters.push_back(counter);
    reportInside(build, leaves, records, dims);
    counter->addIncoming(build.CreateAdd(counter, build.getInt64(1)), build.GetInsertBlock());
    build.CreateBr(header);
  }
  build.SetInsertPoint(next);
}

/// Bytes from the first element of a record to that of another, if they are always as many.
std::optional<std::int64_t> Writer::distance(const AccessRecord &from, const AccessRecord &to) {
  if (scev_.getPointerBase(from.base) != scev_.getPointerBase(to.base)) {
    return std::nullopt;
  }
  const auto *bytes = dyn_cast<SCEVConstant>(scev_.getMinusSCEV(to.base, from.base));
  return bytes ? bytes->getAPInt().trySExtValue() : std::nullopt;
}

/// Fewer records that say the same: elements of the same rows that lie side by side, as in an
/// unrolled loop or a stencil, are one larger element, and what is read and written is one record.
/// The runtime looks at each of them at every launch. All have the same guards and walks.
std::vector<AccessRecord> Writer::joined(std::vector<AccessRecord> records) {
  const auto isPlain = [](const AccessRecord &record) {
    return record.flags != 0 && (record.flags & ~unsigned{TUTTI_READ | TUTTI_WRITE}) == 0 &&
           isa<SCEVConstant>(record.bytes);
  };
  const auto sizeOf = [](const AccessRecord &record) {
    return cast<SCEVConstant>(record.bytes)->getAPInt().getSExtValue();
  };
  // If one that does not hold is reported, the others do not count.
  const auto assumeToo = [](AccessRecord &record, const AccessRecord &other) {
    for (const AccessRecord::Assumption &assumption : other.assumptions) {
      if (!is_contained(record.assumptions, assumption)) {
        record.assumptions.push_back(assumption);
      }
    }
  };
  for (std::size_t first = 0; first < records.size(); ++first) {
    if (!isPlain(records[first])) {
      continue;
    }
    std::vector<std::pair<std::int64_t, std::size_t>> row{
        {0, first}}; // By distance from the first.
    for (std::size_t other = first + 1; other < records.size(); ++other) {
      if (isPlain(records[other]) && records[other].flags == records[first].flags &&
          records[other].dims == records[first].dims) {
        if (const auto bytes = distance(records[first], records[other])) {
          row.push_back({*bytes, other});
        }
      }
    }
    llvm::sort(row);
    AccessRecord *all = nullptr;
    std::int64_t begin = 0;
    for (const auto &[at, index] : row) {
      if (all && at - begin <= sizeOf(*all)) {
        const std::int64_t size = std::max(sizeOf(*all), at - begin + sizeOf(records[index]));
        all->bytes = scev_.getConstant(all->bytes->getType(), static_cast<std::uint64_t>(size));
        assumeToo(*all, records[index]);
        records[index].flags = 0;
        records[index].assumptions.clear();
      } else {
        all = &records[index];
        begin = at;
      }
    }
  }
  std::vector<AccessRecord> joined;
  for (const AccessRecord &record : records) {
    const auto isSame = [&](const AccessRecord &other) {
      return isPlain(other) && other.base == record.base && other.bytes == record.bytes &&
             other.dims == record.dims;
    };
    const auto same = isPlain(record) ? find_if(joined, isSame) : joined.end();
    if (same == joined.end()) {
      joined.push_back(record);
    } else {
      same->flags |= record.flags;
      assumeToo(*same, record);
    }
  }
  return joined;
}

/// All records, those together that share guards and walks.
void Writer::reportAll(IRBuilder<> &build, ExpressionEmitter::Leaves leaves, Value *dims) {
  std::vector<const AccessRecord *> pending;
  for (const AccessRecord &record : accesses_.records) {
    if (none_of(pending, [&](const AccessRecord *other) { return *other == record; })) {
      pending.push_back(&record);
    }
  }
  while (!pending.empty()) {
    const AccessRecord &first = *pending.front();
    const auto isLike = [&first](const AccessRecord *record) {
      return record->guards == first.guards && record->walks == first.walks;
    };
    std::vector<AccessRecord> group;
    for (const AccessRecord *record : pending) {
      if (isLike(record)) {
        group.push_back(*record);
      }
    }
    erase_if(pending, isLike);
    leaves.walks = &first.walks;
    reportInside(build, leaves, joined(std::move(group)), dims);
  }
}

/// How many iterations behind the first one have the same quotient, and a numerator that has not
/// wrapped around.
Value *Writer::restOfRow(IRBuilder<> &build, ExpressionEmitter &emitter,
                         const ChunkModel::Row &row) {
  const unsigned bits = row.numerator->getType()->getIntegerBitWidth();
  const APInt most =
      (row.isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits)).zext(64);
  Value *numerator = build.CreateIntCast(emitter.emit(row.numerator), i64_, row.isSigned);
  Value *divisor = build.CreateIntCast(emitter.emit(row.divisor), i64_, row.isSigned);
  Value *isZero = build.CreateICmpEQ(divisor, build.getInt64(0));
  divisor = build.CreateSelect(isZero, build.getInt64(1), divisor);
  Value *inRow = nullptr;
  if (row.isSigned) {
    // Quotients are rounded towards zero: rows of negative numerators end at multiples.
    Value *length = build.CreateBinaryIntrinsic(Intrinsic::abs, divisor, build.getFalse());
    Value *rest = build.CreateSRem(numerator, length);
    Value *isNegative = build.CreateICmpSLT(numerator, build.getInt64(0));
    inRow = build.CreateSub(build.CreateSelect(isNegative, build.getInt64(0),
                                               build.CreateSub(length, build.getInt64(1))),
                            rest);
  } else {
    inRow = build.CreateSub(build.CreateSub(divisor, build.getInt64(1)),
                            build.CreateURem(numerator, divisor));
  }
  Value *inRange = build.CreateSub(build.getInt(most), numerator);
  return build.CreateBinaryIntrinsic(Intrinsic::umin, inRow, inRange);
}

/// One past the last iteration of the piece that starts at `first` and for which the records hold.
Value *Writer::endOfPiece(IRBuilder<> &build, const ExpressionEmitter::Leaves &leaves,
                          Value *upper) {
  if (accesses_.perIteration) {
    return build.CreateAdd(leaves.lower, build.getInt64(1));
  }
  ExpressionEmitter emitter(build, model_, scev_, leaves);
  Value *more = build.CreateSub(build.CreateSub(upper, build.getInt64(1)), leaves.lower);
  for (const ChunkModel::Row &row : model_.rows()) {
    more = build.CreateBinaryIntrinsic(Intrinsic::umin, more, restOfRow(build, emitter, row));
  }
  return build.CreateAdd(leaves.lower, build.CreateAdd(more, build.getInt64(1)));
}

/// What there is to say of no iterations.
void Writer::reportPieces(IRBuilder<> &build, Function &function) {
  if (accesses_.piece) {
    Argument *sink = function.getArg(5);
    ExpressionEmitter emitter(
        build, model_, scev_,
        {.captures = function.getArg(0), .values = function.getArg(1), .used = &used_});
    Value *zero = build.getInt64(0);
    build.CreateCall(EntryPoints(module_).access(),
                     {sink, build.getInt32(0), build.getInt64(TUTTI_PIECE),
                      emitter.emit64(accesses_.piece, true), zero, build.getInt32(0),
                      ConstantPointerNull::get(cast<PointerType>(ptr_))});
  }
}

/// for (first = lower; first < upper; first = end) { end = endOfPiece(first); report all; }
/// Most chunks are a single piece: an `if` then.
Function *Writer::accesses() {
  Function *function =
      createLaunchFunction(module_, Type::getVoidTy(context_), {ptr_, ptr_, i64_, i64_, i64_, ptr_},
                           name_ + ".accesses");
  Argument *lower = function->getArg(2);
  Argument *upper = function->getArg(3);
  BasicBlock *entry = &function->getEntryBlock();
  IRBuilder<> build(entry);
  std::size_t maxDims = 1;
  for (const AccessRecord &record : accesses_.records) {
    maxDims = std::max(maxDims, record.dims.size());
  }
  Value *dims = build.CreateAlloca(EntryPoints(module_).dimType(), build.getInt32(maxDims));
  BasicBlock *piece = BasicBlock::Create(context_, "piece", function);
  BasicBlock *done = BasicBlock::Create(context_, "done", function);
  BasicBlock *none = BasicBlock::Create(context_, "none", function);
  build.CreateCondBr(build.CreateICmpSLT(lower, upper), piece, none);
  ReturnInst::Create(context_, done);
  build.SetInsertPoint(none);
  reportPieces(build, *function);
  build.CreateBr(done);
  build.SetInsertPoint(piece);
  const bool hasPieces = accesses_.perIteration || !model_.rows().empty();
  PHINode *first = hasPieces ? build.CreatePHI(i64_, 2) : nullptr;
  ExpressionEmitter::Leaves leaves{.captures = function->getArg(0),
                                   .values = function->getArg(1),
                                   .lower = hasPieces ? static_cast<Value *>(first) : lower,
                                   .used = &used_,
                                   .sink = function->getArg(5)};
  Value *end = endOfPiece(build, leaves, upper);
  leaves.upper = build.CreateSub(end, build.getInt64(1));
  leaves.isLast =
      build.CreateZExt(build.CreateICmpEQ(end, function->getArg(4)), build.getInt32Ty());
  reportAll(build, leaves, dims);
  if (hasPieces) {
    first->addIncoming(lower, entry);
    first->addIncoming(end, build.GetInsertBlock());
    build.CreateCondBr(build.CreateICmpSLT(end, upper), piece, done);
  } else {
    build.CreateBr(done);
  }
  return function;
}

/// Reports by `few` where the launch has few iterations, else by `many`. Takes the name of `few`.
Function *chooseByNumber(Function &few, Function &many) {
  Module &module = *few.getParent();
  const std::string name = few.getName().str();
  few.setName(name + ".few");
  Function *function =
      createLaunchFunction(module, few.getReturnType(), few.getFunctionType()->params(), name);
  BasicBlock *entry = &function->getEntryBlock();
  IRBuilder<> build(entry);
  SmallVector<Value *, 6> arguments;
  for (Argument &argument : function->args()) {
    arguments.push_back(&argument);
  }
  Value *total = function->getArg(4);
  Value *isFew = build.CreateICmpSLE(total, build.getInt64(TUTTI_MOST_ELEMENTS));
  BasicBlock *byElement = BasicBlock::Create(module.getContext(), "few", function);
  BasicBlock *asWhole = BasicBlock::Create(module.getContext(), "many", function);
  build.CreateCondBr(isFew, byElement, asWhole);
  for (auto [block, callee] : {std::pair(byElement, &few), std::pair(asWhole, &many)}) {
    build.SetInsertPoint(block);
    build.CreateCall(callee, arguments);
    build.CreateRetVoid();
  }
  return function;
}

} // namespace

RegionFunctions emitRegionFunctions(ChunkModel &model, const RegionAccesses &accesses,
                                    ScalarEvolution &scev, StringRef name) {
  Writer writer(model, accesses, scev, name);
  RegionFunctions functions{writer.gather(), writer.trip(), writer.accesses(), {}};
  functions.shaping = writer.used();
  if (accesses.ofMany) {
    const std::string nameOfMany = (name + ".many").str();
    Writer ofMany(model, *accesses.ofMany, scev, nameOfMany);
    functions.accesses = chooseByNumber(*functions.accesses, *ofMany.accesses());
    functions.shaping |= ofMany.used();
  }
  return functions;
}

} // namespace tutti::compiler
