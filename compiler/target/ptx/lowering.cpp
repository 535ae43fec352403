// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/lowering.h"

#include "compiler/ir/kernel.h"
#include "compiler/target/fast_math.h"
#include "compiler/target/math_functions.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <cstdlib>

using namespace llvm;

namespace tutti::compiler::target {

namespace {

constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;

/// Special registers of dimension 0, 1 and 2.
struct Register {
  Intrinsic::ID dimension[3];
};

constexpr Register kThread = {{Intrinsic::nvvm_read_ptx_sreg_tid_x,
                               Intrinsic::nvvm_read_ptx_sreg_tid_y,
                               Intrinsic::nvvm_read_ptx_sreg_tid_z}};
constexpr Register kBlockSize = {{Intrinsic::nvvm_read_ptx_sreg_ntid_x,
                                  Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                  Intrinsic::nvvm_read_ptx_sreg_ntid_z}};
constexpr Register kBlock = {{Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                              Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                              Intrinsic::nvvm_read_ptx_sreg_ctaid_z}};
constexpr Register kGrid = {{Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                             Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                             Intrinsic::nvvm_read_ptx_sreg_nctaid_z}};

/// Writes the helper functions of compiler/ir/kernel.h in front of a call.
class Helpers {
public:
  explicit Helpers(CallBase &call) : builder_(&call) {}

  Value *itemId(unsigned dimension) {
    Value *first = builder_.CreateMul(wide(kBlock, dimension), wide(kBlockSize, dimension), "",
                                      /*HasNUW=*/true, /*HasNSW=*/true);
    return builder_.CreateAdd(first, wide(kThread, dimension), "", true, true);
  }

  Value *itemCount(unsigned dimension) {
    return builder_.CreateMul(wide(kGrid, dimension), wide(kBlockSize, dimension), "", true, true);
  }

  Value *localId() {
    Value *row = linear(read(kThread, 2), read(kBlockSize, 1), read(kThread, 1));
    return linear(row, read(kBlockSize, 0), read(kThread, 0));
  }

  Value *localCount() {
    Value *plane = builder_.CreateMul(read(kBlockSize, 0), read(kBlockSize, 1), "", true, true);
    return builder_.CreateMul(plane, read(kBlockSize, 2), "", true, true);
  }

  Value *localExtent(unsigned dimension) { return read(kBlockSize, dimension); }

  Value *groupId() {
    Value *row = linear(wide(kBlock, 2), wide(kGrid, 1), wide(kBlock, 1));
    return linear(row, wide(kGrid, 0), wide(kBlock, 0));
  }

  Value *opaque(Value *number) {
    auto *type = FunctionType::get(number->getType(), {number->getType()}, false);
    auto *copy = InlineAsm::get(type, "mov.b64 $0, $1;", "=l,l", /*hasSideEffects=*/true);
    return builder_.CreateCall(copy, {number});
  }

  Value *barrier() { return builder_.CreateIntrinsic(Intrinsic::nvvm_barrier0, {}, {}); }

  /// Dynamic shared memory: its size is given at launch.
  Value *localMemory() {
    constexpr StringLiteral name = "tutti_local";
    Module &module = *builder_.GetInsertBlock()->getModule();
    GlobalVariable *memory = module.getNamedGlobal(name);
    if (!memory) {
      memory = new GlobalVariable(module, ArrayType::get(builder_.getInt8Ty(), 0), false,
                                  GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                  GlobalValue::NotThreadLocal, kSharedSpace);
      memory->setAlignment(Align(16));
    }
    return builder_.CreateAddrSpaceCast(memory, builder_.getPtrTy());
  }

  /// Static shared memory of the kernel.
  Value *localArray(std::uint64_t bytes) {
    Function &kernel = *builder_.GetInsertBlock()->getParent();
    Module &module = *kernel.getParent();
    const std::string name = (kernel.getName() + "_array" + Twine(bytes)).str();
    GlobalVariable *array = module.getNamedGlobal(name);
    if (!array) {
      auto *type = ArrayType::get(builder_.getInt8Ty(), bytes);
      array = new GlobalVariable(module, type, false, GlobalValue::InternalLinkage,
                                 UndefValue::get(type), name, nullptr, GlobalValue::NotThreadLocal,
                                 kSharedSpace);
      array->setAlignment(Align(16));
    }
    return builder_.CreateAddrSpaceCast(array, builder_.getPtrTy());
  }

private:
  Value *read(const Register &which, unsigned dimension) {
    return builder_.CreateIntrinsic(builder_.getInt32Ty(), which.dimension[dimension], {});
  }

  Value *wide(const Register &which, unsigned dimension) {
    // No register reaches 2^31: grids have fewer than 2^31 blocks in any dimension.
    return builder_.CreateZExt(read(which, dimension), builder_.getInt64Ty(), "",
                               /*IsNonNeg=*/true);
  }

  Value *linear(Value *outer, Value *extent, Value *inner) {
    return builder_.CreateAdd(builder_.CreateMul(outer, extent, "", true, true), inner, "", true,
                              true);
  }

  IRBuilder<> builder_;
};

/// A reciprocal root for numbers but zero, denormal ones and infinity. An instruction gives the
/// first 20 bits; a step of third order all but the last. `rsqrt.approx.f64` is the same and a
/// branch for such numbers, which nothing moves across: not the next iteration's loads.
Value *rootReciprocal(IRBuilder<> &builder, Value *number) {
  Type *type = number->getType();
  const auto fma = [&](Value *a, Value *b, Value *c) {
    return builder.CreateIntrinsic(Intrinsic::fma, {type}, {a, b, c});
  };
  const auto constant = [&](double value) { return ConstantFP::get(type, value); };
  Value *first = builder.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_ftz_d, {}, {number});
  Value *product = builder.CreateFMul(builder.CreateFNeg(number), first);
  Value *error = fma(product, first, constant(1.0));
  Value *step = fma(error, constant(0.375), constant(0.5));
  return fma(builder.CreateFMul(first, error), step, first);
}

/// What a function of fast_math.h is computed by, or null.
Value *lowerFastMath(CallBase &call) {
  const StringRef name = call.getCalledFunction()->getName();
  IRBuilder<> builder(&call);
  const SmallVector<Value *, 2> arguments(call.args());
  if (name == kFastRootReciprocal && call.hasNoInfs() && call.hasNoNaNs()) {
    return rootReciprocal(builder, call.getArgOperand(0));
  }
  if (name == kFastRootReciprocal) {
    return builder.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_d, {}, arguments);
  }
  if (name == kFastRootReciprocalF) {
    return builder.CreateIntrinsic(Intrinsic::nvvm_rsqrt_approx_f, {}, arguments);
  }
  if (name == kFastRootF) {
    return builder.CreateIntrinsic(Intrinsic::nvvm_sqrt_approx_f, {}, arguments);
  }
  if (name == kFastQuotientF) {
    // LLVM has no intrinsic for it. `div.approx` returns 0 for large divisors.
    auto *type = call.getFunctionType();
    return builder.CreateCall(InlineAsm::get(type, "div.full.f32 $0, $1, $2;", "=f,f,f", false),
                              arguments);
  }
  return nullptr;
}

Value *lowerHelper(CallBase &call) {
  const StringRef name = call.getCalledFunction()->getName();
  Helpers helpers(call);
  const auto constant = [&] {
    return static_cast<unsigned>(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue());
  };
  if (name == kernel::kItemId) {
    return helpers.itemId(constant());
  }
  if (name == kernel::kItemCount) {
    return helpers.itemCount(constant());
  }
  if (name == kernel::kLocalArray) {
    return helpers.localArray(constant());
  }
  if (name == kernel::kLocalId) {
    return helpers.localId();
  }
  if (name == kernel::kLocalCount) {
    return helpers.localCount();
  }
  if (name == kernel::kLocalExtent) {
    return helpers.localExtent(constant());
  }
  if (name == kernel::kGroupId) {
    return helpers.groupId();
  }
  if (name == kernel::kOpaque) {
    return helpers.opaque(call.getArgOperand(0));
  }
  if (name == kernel::kBarrier || name == kernel::kMemoryBarrier) {
    return helpers.barrier();
  }
  return name == kernel::kLocalMemory ? helpers.localMemory() : lowerFastMath(call);
}

/// Says that `pointer`, new behind `before`, leads to global memory.
void makeGlobal(Value &pointer, BasicBlock::iterator before) {
  IRBuilder<> builder(before->getParent(), before);
  Value *global = builder.CreateAddrSpaceCast(&pointer, builder.getPtrTy(kGlobalSpace));
  Value *generic = builder.CreateAddrSpaceCast(global, pointer.getType());
  pointer.replaceUsesWithIf(generic, [&](Use &use) { return use.getUser() != global; });
}

void makePointersGlobal(Function &function) {
  for (Argument &argument : function.args()) {
    if (argument.getType()->isPointerTy() && !argument.use_empty()) {
      makeGlobal(argument, function.getEntryBlock().getFirstInsertionPt());
    }
  }
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *cast = dyn_cast<IntToPtrInst>(&inst);
    if (!cast || !cast->getType()->isPointerTy()) {
      continue;
    }
    for (User *user : make_early_inc_range(cast->users())) {
      // Addresses of the window that are only computed with lead nowhere on the device.
      if (auto *number = dyn_cast<PtrToIntInst>(user);
          number && number->getType() == cast->getOperand(0)->getType()) {
        number->replaceAllUsesWith(cast->getOperand(0));
      }
    }
    IRBuilder<> builder(cast);
    Value *global = builder.CreateIntToPtr(cast->getOperand(0), builder.getPtrTy(kGlobalSpace));
    cast->replaceAllUsesWith(builder.CreateAddrSpaceCast(global, cast->getType()));
    cast->eraseFromParent();
  }
}

/// What libdevice calls `function`, behind `__nv_`; empty if NVPTX has an exact instruction for the
/// intrinsic.
StringRef libdeviceName(const MathFunction &function) {
  switch (function.intrinsic) {
  case Intrinsic::ceil:
  case Intrinsic::copysign:
  case Intrinsic::fabs:
  case Intrinsic::floor:
  case Intrinsic::fma:
  case Intrinsic::maxnum:
  case Intrinsic::minnum:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::roundeven:
  case Intrinsic::sqrt:
  case Intrinsic::trunc:
    return "";
  case Intrinsic::lrint:
    return "llrint";
  case Intrinsic::lround:
    return "llround";
  default:
    return function.name;
  }
}

/// The call as libdevice has it, or of an instruction that is exact.
///
/// Shape: scalars only; vectors were split before.
Value *lowerMath(CallBase &call, const MathCall &math) {
  const MathFunction &function = *math.function;
  IRBuilder<> builder(&call);
  SmallVector<Value *> arguments(call.args());
  if (isa<FPMathOperator>(call)) {
    builder.setFastMathFlags(call.getFastMathFlags());
  }
  const StringRef device = libdeviceName(function);
  if (device.empty()) {
    return isa<IntrinsicInst>(call)
               ? &call
               : builder.CreateIntrinsic(function.intrinsic, {math.type}, arguments);
  }
  const std::string name = (Twine("__nv_") + device + (math.isFloat() ? "f" : "")).str();
  // C's llrint and the like return what C's lrint does.
  Type *result = call.getType();
  SmallVector<Type *> types;
  for (Value *argument : arguments) {
    types.push_back(argument->getType());
  }
  FunctionCallee callee =
      call.getModule()->getOrInsertFunction(name, FunctionType::get(result, types, false));
  CallInst *lowered = builder.CreateCall(callee, arguments);
  lowered->setDoesNotThrow();
  return lowered;
}

/// One call per element for a math call of vectors.
void splitVectorCall(CallBase &call, const MathCall &math, SmallVectorImpl<CallBase *> &calls) {
  IRBuilder<> builder(&call);
  const unsigned count = cast<FixedVectorType>(math.type)->getNumElements();
  Value *result = PoisonValue::get(call.getType());
  for (unsigned i = 0; i < count; ++i) {
    SmallVector<Value *> arguments;
    for (Value *argument : call.args()) {
      arguments.push_back(
          argument->getType()->isVectorTy() ? builder.CreateExtractElement(argument, i) : argument);
    }
    SmallVector<Type *> overloads = {call.getType()->getScalarType()};
    if (math.function->signature.contains('i')) {
      overloads.push_back(builder.getInt32Ty());
    }
    CallInst *element = builder.CreateIntrinsic(math.function->intrinsic, overloads, arguments);
    calls.push_back(element);
    result = builder.CreateInsertElement(result, element, i);
  }
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

/// Makes calls of C's fmod of the instructions for remainders. NVPTX would divide, cut and
/// multiply, which is exact for small quotients only.
void callRemainders(Function &function) {
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    if (inst.getOpcode() != Instruction::FRem) {
      continue;
    }
    IRBuilder<> builder(&inst);
    Type *type = inst.getType()->getScalarType();
    FunctionCallee callee = function.getParent()->getOrInsertFunction(
        type->isFloatTy() ? "fmodf" : "fmod", type, type, type);
    Value *dividend = inst.getOperand(0);
    Value *divisor = inst.getOperand(1);
    Value *remainder = nullptr;
    if (auto *vector = dyn_cast<FixedVectorType>(inst.getType())) {
      remainder = PoisonValue::get(vector);
      for (unsigned i = 0; i < vector->getNumElements(); ++i) {
        Value *element = builder.CreateCall(callee, {builder.CreateExtractElement(dividend, i),
                                                     builder.CreateExtractElement(divisor, i)});
        remainder = builder.CreateInsertElement(remainder, element, i);
      }
    } else {
      remainder = builder.CreateCall(callee, {dividend, divisor});
    }
    inst.replaceAllUsesWith(remainder);
    inst.eraseFromParent();
  }
}

/// Replaces math calls. Returns whether libdevice has one of them.
bool lowerMathCalls(Function &function) {
  bool needsLibdevice = false;
  SmallVector<CallBase *> calls;
  for (Instruction &inst : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallBase>(&inst);
    const auto math = call ? findMathCall(*call) : std::nullopt;
    if (!math || (libdeviceName(*math->function).empty() && isa<IntrinsicInst>(call))) {
      continue;
    }
    if (math->type->isVectorTy()) {
      splitVectorCall(*call, *math, calls);
    } else {
      calls.push_back(call);
    }
  }
  for (CallBase *call : calls) {
    const MathCall math = *findMathCall(*call);
    needsLibdevice |= !libdeviceName(*math.function).empty();
    Value *lowered = lowerMath(*call, math);
    if (lowered != call) {
      call->replaceAllUsesWith(lowered);
      call->eraseFromParent();
    }
  }
  return needsLibdevice;
}

/// Answers libdevice's questions: code for every GPU from Volta on, in full precision.
void answerReflection(Module &module) {
  Function *reflect = module.getFunction("__nvvm_reflect");
  if (!reflect) {
    return;
  }
  for (User *user : make_early_inc_range(reflect->users())) {
    auto *call = cast<CallInst>(user);
    StringRef question;
    getConstantStringInfo(call->getArgOperand(0), question);
    const int answer = question == "__CUDA_FTZ" ? 0 : question == "__CUDA_ARCH" ? 700 : 1;
    call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

/// Its bytes, or null.
const MemoryBuffer *libdevice() {
  static const auto buffer = [] {
    const std::string path = findLibdevice();
    auto file = MemoryBuffer::getFile(path);
    return path.empty() || !file ? nullptr : std::move(*file);
  }();
  return buffer.get();
}

bool linkLibdevice(Module &module) {
  auto library = getLazyBitcodeModule(*libdevice(), module.getContext(),
                                      /*ShouldLazyLoadMetadata=*/true);
  if (!library) {
    consumeError(library.takeError());
    return false;
  }
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  const bool failed =
      Linker::linkModules(module, std::move(*library), Linker::LinkOnlyNeeded,
                          [](Module &linked, const StringSet<> &names) {
                            internalizeModule(linked, [&](const GlobalValue &value) {
                              return !value.hasName() || !names.contains(value.getName());
                            });
                          });
  answerReflection(module);
  return !failed;
}

} // namespace

std::string findLibdevice() {
  constexpr StringLiteral inToolkit = "nvvm/libdevice/libdevice.10.bc";
  SmallVector<std::string> candidates;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char *home = std::getenv(variable)) {
      candidates.push_back((Twine(home) + "/" + inToolkit).str());
    }
  }
  candidates.push_back(("/usr/local/cuda/" + inToolkit).str());
  std::error_code error;
  for (sys::fs::directory_iterator entry("/usr/local", error), end; !error && entry != end;
       entry.increment(error)) {
    if (sys::path::filename(entry->path()).starts_with("cuda-")) {
      candidates.push_back((Twine(entry->path()) + "/" + inToolkit).str());
    }
  }
  candidates.push_back(("/opt/cuda/" + inToolkit).str());
  candidates.push_back(("/usr/lib/cuda/" + inToolkit).str());
  candidates.push_back("/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc");
  const auto *found =
      find_if(candidates, [](const std::string &path) { return sys::fs::exists(path); });
  return found == candidates.end() ? "" : *found;
}

namespace {

/// `.maxnreg`
void limitRegisters(Function &function) {
  const std::uint64_t registers = function.getFnAttributeAsParsedInteger(kernel::kRegisters);
  if (registers == 0) {
    return;
  }
  LLVMContext &context = function.getContext();
  auto *count = ConstantInt::get(Type::getInt32Ty(context), registers);
  function.getParent()
      ->getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(
          MDNode::get(context, {ValueAsMetadata::get(&function), MDString::get(context, "maxnreg"),
                                ValueAsMetadata::get(count)}));
}

} // namespace

std::string missingLibrary(const Module &kernels) {
  const auto missing = [](const Twine &function) {
    return ("calls " + function + ", and the CUDA toolkit's libdevice was not found").str();
  };
  for (const Function &function : kernels) {
    for (const Instruction &inst : instructions(function)) {
      if (inst.getOpcode() == Instruction::FRem && !libdevice()) {
        return missing(inst.getType()->getScalarType()->isFloatTy() ? "fmodf" : "fmod");
      }
      const auto *call = dyn_cast<CallBase>(&inst);
      const auto math = call ? findMathCall(*call) : std::nullopt;
      if (math && !libdeviceName(*math->function).empty() && !libdevice()) {
        return missing(math->function->name + (math->isFloat() ? "f" : ""));
      }
    }
  }
  return "";
}

std::string lowerForPtx(Module &kernels) {
  bool needsLibdevice = false;
  for (Function &function : kernels) {
    if (function.isDeclaration()) {
      continue;
    }
    function.setCallingConv(CallingConv::PTX_Kernel);
    limitRegisters(function);
    for (Instruction &inst : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallInst>(&inst);
      if (Value *lowered = call && !isa<IntrinsicInst>(call) ? lowerHelper(*call) : nullptr) {
        call->replaceAllUsesWith(lowered);
        call->eraseFromParent();
      }
    }
    makePointersGlobal(function);
    callRemainders(function);
    needsLibdevice |= lowerMathCalls(function);
  }
  if (needsLibdevice && !linkLibdevice(kernels)) {
    return "cannot be linked with the CUDA toolkit's libdevice";
  }
  for (GlobalVariable &variable : kernels.globals()) {
    if (!variable.isDeclaration()) {
      variable.setLinkage(GlobalValue::InternalLinkage);
    }
  }
  return "";
}

} // namespace tutti::compiler::target
