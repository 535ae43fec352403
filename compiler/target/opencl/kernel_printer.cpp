// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/opencl/kernel_printer.h"

#include "compiler/ir/kernel.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

namespace {

constexpr StringLiteral kParameters[] = {"arena", "low",   "high",    "lower",
                                         "upper", "total", "partials"};
static_assert(std::size(kParameters) == kernel::FirstCapture);

/// Constant sizes up to this many accesses are written out, so that private arrays can stay in
/// registers.
constexpr uint64_t kWrittenOut = 16;

bool isIgnored(const IntrinsicInst &inst) {
  if (inst.isAssumeLikeIntrinsic() && inst.getType()->isVoidTy()) {
    return true;
  }
  switch (inst.getIntrinsicID()) {
  case Intrinsic::prefetch:
  case Intrinsic::donothing:
  case Intrinsic::stackrestore:
    return true;
  case Intrinsic::stacksave:
    return all_of(inst.users(), [](const User *user) { return isa<IntrinsicInst>(user); });
  default:
    return false;
  }
}

/// Whether the instruction has a variable of its own.
bool hasVariable(const Instruction &inst) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&inst);
  return !inst.getType()->isVoidTy() && !(intrinsic && isIgnored(*intrinsic));
}

/// The widest unit that divides a constant size, for memory aligned to `alignment`.
unsigned unitBits(const Value &size, Align alignment) {
  const auto *constant = dyn_cast<ConstantInt>(&size);
  if (!constant || constant->isZero()) {
    return 8;
  }
  const Align common = commonAlignment(alignment, constant->getZExtValue());
  return 8 * static_cast<unsigned>(std::min<uint64_t>(8, common.value()));
}

} // namespace

KernelPrinter::KernelPrinter(const Function &kernel, Expressions &expressions)
    : kernel_(kernel), expressions_(expressions) {
  for (const Argument &argument : kernel.args()) {
    const unsigned i = argument.getArgNo();
    expressions_.name(argument, i < std::size(kParameters)
                                    ? kParameters[i].str()
                                    : "c" + utostr(i - std::size(kParameters)));
  }
  for (const BasicBlock &block : kernel) {
    labels_[&block] = "b" + utostr(labels_.size());
  }
}

void KernelPrinter::line(const Twine &text) { body_ += ("  " + text + "\n").str(); }

void KernelPrinter::assign(const Value &value, const std::string &text) {
  line(expressions_.operand(value) + " = " + text + ";");
}

std::string KernelPrinter::parameters() {
  std::string text;
  for (const Argument &argument : kernel_.args()) {
    text += text.empty() ? "" : ", ";
    text += (argument.getType()->isPointerTy() ? "__global uchar *" : "ulong ") +
            expressions_.operand(argument);
  }
  const bool usesLocal = any_of(instructions(kernel_), [](const Instruction &inst) {
    const auto *call = dyn_cast<CallBase>(&inst);
    return call && call->getCalledFunction()->getName() == kernel::kLocalMemory;
  });
  return text + (usesLocal ? ", __local ulong2 *tutti_local" : "");
}

void KernelPrinter::declare(const Instruction &inst) {
  if (!hasVariable(inst)) {
    return;
  }
  const std::string name = "v" + utostr(variables_++);
  expressions_.name(inst, name);
  if (isa<WithOverflowInst>(inst)) {
    const Type &type = *inst.getOperand(0)->getType();
    declarations_ += "  " + typeName(type) + " " + name + "_value; bool " + name + "_overflows;\n";
    return;
  }
  if (const auto *alloca = dyn_cast<AllocaInst>(&inst)) {
    const DataLayout &layout = kernel_.getParent()->getDataLayout();
    const uint64_t bytes = alloca->getAllocationSize(layout)->getFixedValue();
    declarations_ += "  ulong " + name + "_memory[" +
                     utostr(std::max<uint64_t>(1, (bytes + 7) / 8)) + "]" +
                     (alloca->getAlign() > 8
                          ? " __attribute__((aligned(" + utostr(alloca->getAlign().value()) + ")))"
                          : "") +
                     ";\n";
  }
  if (const auto *call = dyn_cast<CallInst>(&inst);
      call && call->getCalledFunction()->getName() == kernel::kLocalArray) {
    const std::string array = localArrayName(*call);
    if (localArrays_.insert(array).second) {
      const uint64_t bytes = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
      declarations_ += "  __local ulong2 " + array + "[" + utostr(divideCeil(bytes, 16)) + "];\n";
    }
  }
  const std::string type = expressions_.typeOf(inst);
  declarations_ += "  " + type + (StringRef(type).ends_with("*") ? "" : " ") + name + ";\n";
}

std::string KernelPrinter::phiCopies(const BasicBlock &from, const BasicBlock &to) {
  // All phis take their values at once: one that another one reads must not be written before.
  bool overlaps = false;
  for (const PHINode &phi : to.phis()) {
    const auto *value = dyn_cast<PHINode>(phi.getIncomingValueForBlock(&from));
    overlaps |= value && value != &phi && value->getParent() == &to;
  }
  std::string reads;
  std::string writes;
  for (const PHINode &phi : to.phis()) {
    const Value &value = *phi.getIncomingValueForBlock(&from);
    if (&value == &phi || isa<UndefValue>(value)) {
      continue;
    }
    const std::string name = expressions_.operand(phi);
    const std::string text = expressions_.operandFor(phi, value);
    if (overlaps) {
      const std::string type = expressions_.typeOf(phi);
      reads += type + (StringRef(type).ends_with("*") ? "" : " ") + name + "_next = " + text + "; ";
    }
    writes += name + " = " + (overlaps ? name + "_next" : text) + "; ";
  }
  return reads + writes;
}

std::string KernelPrinter::edge(const BasicBlock &from, const BasicBlock &to,
                                const BasicBlock *next) {
  const std::string jump = &to == next ? "" : "goto " + labels_[&to] + "; ";
  const std::string text = phiCopies(from, to) + jump;
  return text.empty() ? "" : "{ " + text + "}";
}

void KernelPrinter::printBranch(const BranchInst &branch, const BasicBlock *next) {
  const BasicBlock &block = *branch.getParent();
  const BasicBlock &first = *branch.getSuccessor(0);
  const BasicBlock *second = branch.isConditional() ? branch.getSuccessor(1) : nullptr;
  std::string last;
  if (!second || second == &first) {
    last = edge(block, first, next);
  } else {
    const std::string condition = expressions_.operand(*branch.getCondition());
    const bool isInverted = &first == next;
    line("if (" + Twine(isInverted ? "!" : "") + condition + ") " +
         edge(block, isInverted ? *second : first, nullptr));
    last = edge(block, isInverted ? first : *second, next);
  }
  if (!last.empty()) {
    line(last);
  }
}

void KernelPrinter::printSwitch(const SwitchInst &inst) {
  const BasicBlock &block = *inst.getParent();
  line("switch (" + expressions_.operand(*inst.getCondition()) + ") {");
  for (const auto &branch : inst.cases()) {
    line("case " + expressions_.operand(*branch.getCaseValue()) + ": " +
         edge(block, *branch.getCaseSuccessor(), nullptr));
  }
  line("default: " + edge(block, *inst.getDefaultDest(), nullptr));
  line("}");
}

void KernelPrinter::printCopy(const MemTransferInst &copy) {
  const Value &size = *copy.getLength();
  const Align alignment =
      std::min(copy.getDestAlign().valueOrOne(), copy.getSourceAlign().valueOrOne());
  const unsigned bits = unitBits(size, alignment);
  const std::string type = "any_" + unsignedType(bits);
  const std::string to = expressions_.operand(*copy.getRawDest());
  const std::string from = expressions_.operand(*copy.getRawSource());
  const Space toSpace = expressions_.space(*copy.getRawDest());
  const Space fromSpace = expressions_.space(*copy.getRawSource());
  const auto at = [&](Space space, const std::string &pointer, const std::string &index) {
    return Expressions::access(space, type, "(" + pointer + " + " + index + ")", copy.isVolatile());
  };
  const auto move = [&](const std::string &index) {
    return at(toSpace, to, index) + " = " + at(fromSpace, from, index) + ";";
  };
  const std::string step = utostr(bits / 8);
  const auto *constant = dyn_cast<ConstantInt>(&size);
  const std::string bytes = expressions_.operand(size);
  const bool mayOverlap = isa<MemMoveInst>(copy);
  if (constant && constant->getZExtValue() * 8 / bits <= kWrittenOut) {
    // All is read before anything is written, as memmove needs.
    std::string reads;
    std::string writes;
    for (uint64_t i = 0; i < constant->getZExtValue(); i += bits / 8) {
      const std::string moved = "m" + utostr(i);
      reads += unsignedType(bits) + " " + moved + " = " + at(fromSpace, from, utostr(i)) + "; ";
      writes += at(toSpace, to, utostr(i)) + " = " + moved + "; ";
    }
    line("{ " + reads + writes + "}");
    return;
  }
  const std::string forward =
      "for (ulong i = 0; i < " + bytes + "; i += " + step + ") " + move("i");
  if (!mayOverlap) {
    line(forward);
    return;
  }
  line("if ((ulong)" + to + " <= (ulong)" + from + ") " + forward);
  line("else for (ulong i = " + bytes + "; i > 0; ) { i -= " + step + "; " + move("i") + " }");
}

void KernelPrinter::printFill(const MemSetInst &fill) {
  const Value &size = *fill.getLength();
  const unsigned bits = unitBits(size, fill.getDestAlign().valueOrOne());
  const std::string type = unsignedType(bits);
  const std::string pointer = expressions_.operand(*fill.getRawDest());
  const std::string value =
      "(" + type + ")((ulong)" + expressions_.operand(*fill.getValue()) + " * 0x101010101010101ul)";
  const auto set = [&](const std::string &index) {
    return Expressions::access(expressions_.space(*fill.getRawDest()), "any_" + type,
                               "(" + pointer + " + " + index + ")", fill.isVolatile()) +
           " = " + value + ";";
  };
  const auto *constant = dyn_cast<ConstantInt>(&size);
  if (constant && constant->getZExtValue() * 8 / bits <= kWrittenOut) {
    for (uint64_t i = 0; i < constant->getZExtValue(); i += bits / 8) {
      line(set(utostr(i)));
    }
    return;
  }
  line("for (ulong i = 0; i < " + expressions_.operand(size) + "; i += " + utostr(bits / 8) + ") " +
       set("i"));
}

void KernelPrinter::printCall(const CallBase &call) {
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call); intrinsic && isIgnored(*intrinsic)) {
    return;
  }
  if (const auto *copy = dyn_cast<MemTransferInst>(&call)) {
    printCopy(*copy);
  } else if (const auto *fill = dyn_cast<MemSetInst>(&call)) {
    printFill(*fill);
  } else if (const auto *overflow = dyn_cast<WithOverflowInst>(&call)) {
    const auto [value, overflows] = expressions_.computeOverflow(*overflow);
    const std::string name = expressions_.operand(call);
    line(name + "_value = " + value + "; " + name + "_overflows = " + overflows + ";");
  } else if (call.getCalledFunction()->getName() == kernel::kBarrier) {
    line("barrier(CLK_LOCAL_MEM_FENCE);");
  } else if (call.getCalledFunction()->getName() == kernel::kMemoryBarrier) {
    line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);");
  } else if (call.getType()->isVoidTy()) {
    expressions_.refuse("calls " + call.getCalledFunction()->getName());
  } else {
    assign(call, expressions_.computeCall(call));
  }
}

void KernelPrinter::printInstruction(const Instruction &inst) {
  if (isa<PHINode>(inst)) {
    return;
  }
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    printCall(*call);
  } else if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    line(expressions_.store(*store));
  } else if (isa<AllocaInst>(inst)) {
    assign(inst, "(__private uchar *)" + expressions_.operand(inst) + "_memory");
  } else if (const auto *extract = dyn_cast<ExtractValueInst>(&inst);
             extract && isa<WithOverflowInst>(extract->getAggregateOperand())) {
    assign(inst, expressions_.operand(*extract->getAggregateOperand()) +
                     (extract->getIndices()[0] == 0 ? "_value" : "_overflows"));
  } else if (isa<FenceInst>(inst)) {
    expressions_.refuse("uses fences");
  } else {
    assign(inst, expressions_.compute(inst));
  }
}

void KernelPrinter::printBlock(const BasicBlock &block, const BasicBlock *next) {
  for (const Instruction &inst : block) {
    if (!inst.isTerminator()) {
      printInstruction(inst);
    } else if (const auto *branch = dyn_cast<BranchInst>(&inst)) {
      printBranch(*branch, next);
    } else if (const auto *choice = dyn_cast<SwitchInst>(&inst)) {
      printSwitch(*choice);
    } else {
      line("return;");
    }
  }
}

std::string KernelPrinter::print() {
  const ReversePostOrderTraversal<const Function *> order(&kernel_);
  const SmallVector<const BasicBlock *> blocks(order.begin(), order.end());
  for (const BasicBlock *block : blocks) {
    for_each(*block, [&](const Instruction &inst) { declare(inst); });
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i > 0) {
      body_ += labels_[blocks[i]] + ":;\n";
    }
    printBlock(*blocks[i], i + 1 < blocks.size() ? blocks[i + 1] : nullptr);
  }
  return "__kernel void " + kernel_.getName().str() + "(" + parameters() + ") {\n" + declarations_ +
         body_ + "}\n";
}

} // namespace tutti::compiler::target::opencl
