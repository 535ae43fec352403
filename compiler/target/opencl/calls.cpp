// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Math functions, helper functions of compiler/ir/kernel.h and intrinsics in OpenCL C.
#include "compiler/ir/kernel.h"
#include "compiler/target/fast_math.h"
#include "compiler/target/math_functions.h"
#include "compiler/target/opencl/expressions.h"

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tutti::compiler::target::opencl {

std::string localArrayName(const CallBase &call) {
  return "tutti_array" + utostr(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue());
}

namespace {

std::string helperCall(const CallBase &call) {
  const StringRef name = call.getCalledFunction()->getName();
  const auto dimension = [&] {
    return "(" + utostr(cast<ConstantInt>(call.getArgOperand(0))->getZExtValue()) + ")";
  };
  if (name == kernel::kItemId) {
    return "get_global_id" + dimension();
  }
  if (name == kernel::kItemCount) {
    return "get_global_size" + dimension();
  }
  if (name == kernel::kLocalId) {
    return "(uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
           "get_local_id(0))";
  }
  if (name == kernel::kLocalCount) {
    return "(uint)(get_local_size(0) * get_local_size(1) * get_local_size(2))";
  }
  if (name == kernel::kLocalExtent) {
    return "(uint)get_local_size" + dimension();
  }
  if (name == kernel::kGroupId) {
    return "(get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + "
           "get_group_id(0)";
  }
  if (name == kernel::kLocalArray) {
    return "(__local uchar *)" + localArrayName(call);
  }
  return name == kernel::kLocalMemory ? "(__local uchar *)tutti_local" : "";
}

StringRef builtinName(const MathFunction &function) {
  return StringSwitch<StringRef>(function.name)
      .Cases("llrint", "lrint", "nearbyint", "roundeven", "rint")
      .Cases("llround", "lround", "round")
      .Case("powi", "pown")
      .Case("scalbn", "ldexp")
      .Default(function.name);
}

} // namespace

std::string Expressions::math(const CallBase &call) {
  const MathCall math = *findMathCall(call);
  if (math.type->isVectorTy()) {
    return refused("computes with vectors");
  }
  std::string arguments;
  for (const Value *argument : call.args()) {
    arguments += arguments.empty() ? "" : ", ";
    arguments += argument->getType()->isIntegerTy() ? asSigned(*argument) : operand(*argument);
  }
  const std::string text = (builtinName(*math.function) + "(" + arguments + ")").str();
  switch (math.function->signature[0]) {
  case 'i': {
    // ilogb: devices may give other numbers than glibc for what has no exponent.
    const std::string number = operand(*call.getArgOperand(0));
    return number + " != " + number + " || " + number + " == 0 ? 0x80000000u : (uint)(int)" + text;
  }
  case 'l':
    return "(ulong)(long)" + text;
  default:
    return text;
  }
}

/// A function of fast_math.h, or nothing.
std::string Expressions::fastMath(const CallBase &call) {
  const StringRef name = call.getCalledFunction()->getName();
  const auto text = [&](unsigned i) { return operand(*call.getArgOperand(i)); };
  if (name == kFastRootReciprocal || name == kFastRootReciprocalF) {
    return "rsqrt(" + text(0) + ")";
  }
  if (name == kFastRootF) {
    return "native_sqrt(" + text(0) + ")";
  }
  // Not `native_divide`, which may return 0 for large divisors.
  return name == kFastQuotientF ? text(0) + " / " + text(1) : "";
}

std::string Expressions::computeCall(const CallBase &call) {
  if (findMathCall(call)) {
    return math(call);
  }
  const auto *inst = dyn_cast<IntrinsicInst>(&call);
  if (!inst) {
    std::string text = helperCall(call);
    text = text.empty() ? fastMath(call) : text;
    if (call.getCalledFunction()->getName() == kernel::kOpaque) {
      return operand(*call.getArgOperand(0));
    }
    return text.empty() ? refused("calls " + call.getCalledFunction()->getName()) : text;
  }
  for (std::string (Expressions::*print)(const IntrinsicInst &) :
       {&Expressions::integerIntrinsic, &Expressions::bitIntrinsic,
        &Expressions::floatingIntrinsic}) {
    if (std::string text = (this->*print)(*inst); !text.empty()) {
      return text;
    }
  }
  return refused("calls " + call.getCalledFunction()->getName());
}

std::string Expressions::integerIntrinsic(const IntrinsicInst &inst) {
  const auto text = [&](unsigned i) { return operand(*inst.getArgOperand(i)); };
  const auto number = [&](unsigned i) { return "(" + asSigned(*inst.getArgOperand(i)) + ")"; };
  const Type &type = *inst.getType();
  const bool isOdd = type.isIntegerTy() && !fillsContainer(type.getIntegerBitWidth());
  switch (inst.getIntrinsicID()) {
  case Intrinsic::umin:
    return text(0) + " < " + text(1) + " ? " + text(0) + " : " + text(1);
  case Intrinsic::umax:
    return text(0) + " > " + text(1) + " ? " + text(0) + " : " + text(1);
  case Intrinsic::smin:
    return number(0) + " < " + number(1) + " ? " + text(0) + " : " + text(1);
  case Intrinsic::smax:
    return number(0) + " > " + number(1) + " ? " + text(0) + " : " + text(1);
  case Intrinsic::abs:
    return wrap(number(0) + " < 0 ? 0ul - " + text(0) + " : " + text(0), type);
  case Intrinsic::ucmp:
  case Intrinsic::scmp: {
    const auto side = [&](unsigned i) {
      return inst.getIntrinsicID() == Intrinsic::scmp ? number(i) : text(i);
    };
    return wrap("(int)(" + side(0) + " > " + side(1) + ") - (int)(" + side(0) + " < " + side(1) +
                    ")",
                type);
  }
  case Intrinsic::uadd_sat:
  case Intrinsic::sadd_sat:
  case Intrinsic::usub_sat:
  case Intrinsic::ssub_sat: {
    if (isOdd) {
      return "";
    }
    const Intrinsic::ID id = inst.getIntrinsicID();
    const std::string function =
        id == Intrinsic::uadd_sat || id == Intrinsic::sadd_sat ? "add_sat(" : "sub_sat(";
    const bool isSigned = id == Intrinsic::sadd_sat || id == Intrinsic::ssub_sat;
    return isSigned ? wrap(function + number(0) + ", " + number(1) + ")", type)
                    : function + text(0) + ", " + text(1) + ")";
  }
  case Intrinsic::expect:
  case Intrinsic::expect_with_probability:
  case Intrinsic::ssa_copy:
  case Intrinsic::annotation:
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::arithmetic_fence:
    return text(0);
  case Intrinsic::is_constant:
    return "false";
  default:
    return "";
  }
}

std::string Expressions::bitIntrinsic(const IntrinsicInst &inst) {
  if (inst.arg_empty() || !inst.getType()->isIntegerTy() ||
      inst.getType()->getIntegerBitWidth() > 64) {
    return "";
  }
  const Type &type = *inst.getType();
  const unsigned bits = type.getIntegerBitWidth();
  const std::string value = operand(*inst.getArgOperand(0));
  switch (inst.getIntrinsicID()) {
  case Intrinsic::ctpop:
    return wrap("popcount((ulong)" + value + ")", type);
  case Intrinsic::ctlz:
    return wrap("clz((ulong)" + value + ") - " + integer(64 - bits, 64), type);
  case Intrinsic::cttz:
    return wrap("popcount(~(ulong)" + value + " & ((ulong)" + value + " - 1ul) & " + mask(bits) +
                    ")",
                type);
  case Intrinsic::bswap:
    return wrap("as_ulong(as_uchar8((ulong)" + value + ").s76543210) >> " + utostr(64 - bits),
                type);
  case Intrinsic::bitreverse:
    used_.insert("tutti_bitreverse");
    return wrap("tutti_bitreverse((ulong)" + value + ") >> " + utostr(64 - bits), type);
  case Intrinsic::fshl:
  case Intrinsic::fshr: {
    const std::string low = operand(*inst.getArgOperand(1));
    const std::string distance =
        "(" + operand(*inst.getArgOperand(2)) + " % " + integer(bits, bits) + ")";
    const bool isLeft = inst.getIntrinsicID() == Intrinsic::fshl;
    const std::string rest = "(" + integer(bits, 32) + " - " + distance + ")";
    const std::string left = isLeft ? distance : rest;
    const std::string right = isLeft ? rest : distance;
    return wrap(distance + " == 0 ? " + (isLeft ? value : low) + " : ((ulong)" + value + " << " +
                    left + ") | ((ulong)" + low + " >> " + right + ")",
                type);
  }
  default:
    return "";
  }
}

std::string Expressions::floatingIntrinsic(const IntrinsicInst &inst) {
  const auto text = [&](unsigned i) { return operand(*inst.getArgOperand(i)); };
  const Type &type = *inst.getType();
  switch (inst.getIntrinsicID()) {
  case Intrinsic::fmuladd: {
    const std::string function = type.isFloatTy() ? "tutti_muladdf" : "tutti_muladd";
    used_.insert(function);
    return function + "(" + text(0) + ", " + text(1) + ", " + text(2) + ")";
  }
  case Intrinsic::canonicalize:
    return text(0);
  case Intrinsic::minimum:
  case Intrinsic::maximum: {
    const bool isMinimum = inst.getIntrinsicID() == Intrinsic::minimum;
    const std::string unordered = text(0) + " != " + text(0) + " || " + text(1) + " != " + text(1);
    return unordered + " ? " + text(0) + " + " + text(1) + " : " + text(0) + " == " + text(1) +
           " ? (signbit(" + text(isMinimum ? 0 : 1) + ") ? " + text(0) + " : " + text(1) +
           ") : " + text(0) + (isMinimum ? " < " : " > ") + text(1) + " ? " + text(0) + " : " +
           text(1);
  }
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat: {
    const unsigned bits = type.getIntegerBitWidth();
    const bool isSigned = inst.getIntrinsicID() == Intrinsic::fptosi_sat;
    if (!fillsContainer(bits)) {
      return "";
    }
    const std::string converted =
        "convert_" + (isSigned ? signedType(bits) : unsignedType(bits)) + "_sat(" + text(0) + ")";
    return wrap(text(0) + " != " + text(0) + " ? 0 : " + converted, type);
  }
  case Intrinsic::is_fpclass:
    return classTest(inst);
  default:
    return "";
  }
}

std::string Expressions::classTest(const IntrinsicInst &inst) {
  const Value &value = *inst.getArgOperand(0);
  const bool isFloat = value.getType()->isFloatTy();
  if (!isFloat && !value.getType()->isDoubleTy()) {
    return "";
  }
  const auto tested =
      static_cast<unsigned>(cast<ConstantInt>(inst.getArgOperand(1))->getZExtValue());
  const unsigned digits = isFloat ? 23 : 52;
  const unsigned bits = isFloat ? 32 : 64;
  const std::string number =
      isFloat ? "(ulong)as_uint(" + operand(value) + ")" : "as_ulong(" + operand(value) + ")";
  const std::string sign = "(" + number + " >> " + utostr(bits - 1) + " == ";
  const std::string magnitude = "(" + number + " & " + mask(bits - 1) + ")";
  const uint64_t least = uint64_t(1) << digits; // Normal.
  const uint64_t infinity = maskTrailingOnes<uint64_t>(bits - 1) & ~(least - 1);
  const uint64_t quiet = infinity | (least >> 1);
  std::string text;
  // Magnitudes from `from` up to but not including `to`.
  const auto range = [&](unsigned flag, StringRef negative, uint64_t from, uint64_t to) {
    if (!(tested & flag)) {
      return;
    }
    const std::string where = negative.empty() ? "" : sign + negative.str() + ") && ";
    text += (text.empty() ? "(" : " || (") + where + magnitude + " - " + integer(from, 64) + " < " +
            integer(to - from, 64) + ")";
  };
  const uint64_t end = uint64_t(1) << (bits - 1);
  range(fcSNan, "", infinity + 1, quiet);
  range(fcQNan, "", quiet, end);
  range(fcNegInf, "1", infinity, infinity + 1);
  range(fcPosInf, "0", infinity, infinity + 1);
  range(fcNegNormal, "1", least, infinity);
  range(fcPosNormal, "0", least, infinity);
  range(fcNegSubnormal, "1", 1, least);
  range(fcPosSubnormal, "0", 1, least);
  range(fcNegZero, "1", 0, 1);
  range(fcPosZero, "0", 0, 1);
  return text.empty() ? "false" : text;
}

std::pair<std::string, std::string> Expressions::computeOverflow(const WithOverflowInst &inst) {
  const Value &left = *inst.getLHS();
  const Value &right = *inst.getRHS();
  const unsigned bits = left.getType()->getIntegerBitWidth();
  if (!isPrintable(*left.getType()) || !fillsContainer(bits)) {
    refuse("checks the overflow of integers of an unusual width");
    return {};
  }
  const std::string a = operand(left);
  const std::string b = operand(right);
  const bool isSigned = inst.isSigned();
  const bool isWide = bits == 64;
  const std::string op = symbol(inst.getBinaryOp()).str();
  const std::string wide = isSigned ? "(long)(" : "(ulong)(";
  const std::string result = wrap("(ulong)" + a + op + "(ulong)" + b, *left.getType());
  if (!isWide) {
    const std::string x = wide + (isSigned ? asSigned(left) : a) + ")";
    const std::string y = wide + (isSigned ? asSigned(right) : b) + ")";
    const std::string exact = x + op + y;
    const std::string narrow =
        isSigned ? "(long)(" + signedType(bits) + ")" : "(ulong)(" + unsignedType(bits) + ")";
    return {result, exact + " != " + narrow + "(" + exact + ")"};
  }
  switch (inst.getBinaryOp()) {
  case Instruction::Add:
    return {result, isSigned ? "(long)((~(" + a + " ^ " + b + ")) & (" + a + " ^ (" + a + " + " +
                                   b + "))) < 0l"
                             : a + " + " + b + " < " + a};
  case Instruction::Sub:
    return {result, isSigned ? "(long)((" + a + " ^ " + b + ") & (" + a + " ^ (" + a + " - " + b +
                                   "))) < 0l"
                             : a + " < " + b};
  default:
    return {result, isSigned ? "mul_hi((long)" + a + ", (long)" + b + ") != (long)(" + a + " * " +
                                   b + ") >> 63"
                             : "mul_hi(" + a + ", " + b + ") != 0ul"};
  }
}

} // namespace tutti::compiler::target::opencl
