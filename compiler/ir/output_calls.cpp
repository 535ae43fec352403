// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/output_calls.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// What is known of a function by its name. Operands that it does not have are -1.
struct Shape {
  int stream;   ///< -1: standard output.
  int text;     ///< That is written as it is.
  int format;   ///< What it asks for stands behind it.
  int operands; ///< Of a function with a format: at least so many.
};

std::optional<Shape> shapeOf(StringRef name) {
  return StringSwitch<std::optional<Shape>>(name)
      .Case("printf", Shape{-1, -1, 0, 1})
      .Case("__printf_chk", Shape{-1, -1, 1, 2})
      .Case("fprintf", Shape{0, -1, 1, 2})
      .Case("__fprintf_chk", Shape{0, -1, 2, 3})
      .Case("puts", Shape{-1, 0, -1, 1})
      .Case("putchar", Shape{-1, -1, -1, 1})
      .Cases("fputc", "putc", "_IO_putc", Shape{1, -1, -1, 2})
      .Case("fputs", Shape{1, 0, -1, 2})
      .Case("fwrite", Shape{3, 0, -1, 4})
      .Case("fflush", Shape{0, -1, -1, 1})
      .Default(std::nullopt);
}

/// Goes through a format and the operands that it asks for.
class FormatReader {
public:
  FormatReader(const CallBase &call, unsigned first, OutputCall &output)
      : call_(call), next_(first), output_(output) {}

  /// Whether it asks for nothing but what is there, and writes no more than text.
  bool read(StringRef format);

private:
  bool readConversion(StringRef &rest);

  bool takeNumber() {
    return next_ < call_.arg_size() && !call_.getArgOperand(next_++)->getType()->isPointerTy();
  }

  /// Whether a number of digits, or the operand that is one, could be skipped.
  bool skipCount(StringRef &rest) {
    if (rest.consume_front("*")) {
      return takeNumber();
    }
    rest = rest.drop_while([](char letter) { return isDigit(letter); });
    return true;
  }

  const CallBase &call_;
  unsigned next_;
  OutputCall &output_;
};

bool FormatReader::readConversion(StringRef &rest) {
  rest = rest.drop_while([](char letter) { return StringRef("-+ #0").contains(letter); });
  if (!skipCount(rest) || (rest.consume_front(".") && !skipCount(rest))) {
    return false;
  }
  const StringRef length =
      rest.take_while([](char letter) { return StringRef("hlLqjzt").contains(letter); });
  rest = rest.drop_front(length.size());
  if (rest.empty()) {
    return false;
  }
  const char conversion = rest.front();
  rest = rest.drop_front();
  if (conversion == '%') {
    return true;
  }
  if (conversion == 's' && length.empty()) {
    if (next_ >= call_.arg_size() || !call_.getArgOperand(next_)->getType()->isPointerTy()) {
      return false;
    }
    output_.read.push_back(next_++);
    return true;
  }
  // Wide characters are converted, and addresses of variables of a thread differ anyway.
  const bool isNumber =
      StringRef("diouxXeEfFgGaA").contains(conversion) || (conversion == 'c' && length.empty());
  return isNumber && takeNumber();
}

bool FormatReader::read(StringRef format) {
  while (true) {
    const std::size_t begin = format.find('%');
    if (begin == StringRef::npos) {
      return true;
    }
    format = format.drop_front(begin + 1);
    if (!readConversion(format)) {
      return false;
    }
  }
}

/// The texts that `value` may be: one, or those that the optimiser chooses from where it has joined
/// calls. Nothing if one is not known.
std::optional<SmallVector<StringRef, 2>> constantTexts(const Value *value) {
  constexpr unsigned kMost = 16;
  SmallVector<StringRef, 2> texts;
  SmallSetVector<const Value *, 4> values;
  values.insert(value);
  for (unsigned at = 0; at < values.size(); ++at) {
    if (const auto *phi = dyn_cast<PHINode>(values[at])) {
      values.insert(phi->op_begin(), phi->op_end());
    } else if (const auto *choice = dyn_cast<SelectInst>(values[at])) {
      values.insert(choice->getTrueValue());
      values.insert(choice->getFalseValue());
    } else if (StringRef text; getConstantStringInfo(values[at], text)) {
      texts.push_back(text);
    } else {
      return std::nullopt;
    }
    if (values.size() > kMost) {
      return std::nullopt;
    }
  }
  return texts;
}

/// Whether all formats that `call` may have ask for nothing but what is there, and for the same
/// texts, which `output` gets.
bool readFormats(const CallBase &call, unsigned format, OutputCall &output) {
  const auto texts = constantTexts(call.getArgOperand(format));
  std::optional<SmallVector<unsigned, 2>> read;
  for (const StringRef text : texts.value_or(SmallVector<StringRef, 2>())) {
    OutputCall one;
    if (!FormatReader(call, format + 1, one).read(text) || (read && *read != one.read)) {
      return false;
    }
    read = one.read;
  }
  if (!read) {
    return false;
  }
  output.read.append(*read);
  return true;
}

/// What each of the insertions has as its second operand.
enum class Inserted { Nothing, Number, Text, Manipulator };

std::optional<Inserted> insertedBy(StringRef name) {
  // Of basic_ostream<char>: operator<< of numbers and manipulators, what these are made of, and
  // operator<< of characters, texts and setw.
  return StringSwitch<std::optional<Inserted>>(name)
      .Cases("_ZNSolsEb", "_ZNSolsEs", "_ZNSolsEt", "_ZNSolsEi", "_ZNSolsEj", Inserted::Number)
      .Cases("_ZNSolsEl", "_ZNSolsEm", "_ZNSolsEx", "_ZNSolsEy", "_ZNSolsEf", Inserted::Number)
      .Cases("_ZNSolsEd", "_ZNSolsEe", "_ZNSo3putEc", Inserted::Number)
      .Cases("_ZNSo9_M_insertIbEERSoT_", "_ZNSo9_M_insertIlEERSoT_", "_ZNSo9_M_insertImEERSoT_",
             "_ZNSo9_M_insertIxEERSoT_", "_ZNSo9_M_insertIyEERSoT_", Inserted::Number)
      .Cases("_ZNSo9_M_insertIdEERSoT_", "_ZNSo9_M_insertIeEERSoT_", Inserted::Number)
      .Case("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c", Inserted::Number)
      .Case("_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw", Inserted::Number)
      .Case("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", Inserted::Text)
      .Case("_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
            Inserted::Text)
      .Case("_ZNSo5writeEPKcl", Inserted::Text)
      .Case("_ZNSo5flushEv", Inserted::Nothing)
      .Case("_ZNSolsEPFRSoS_E", Inserted::Manipulator)
      .Default(std::nullopt);
}

/// Whether `value` is `std::endl`, `std::ends` or `std::flush`.
bool isLineEnd(const Value *value) {
  const auto *function = dyn_cast<Function>(value);
  return function && StringSwitch<bool>(function->getName())
                         .Case("_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", true)
                         .Case("_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", true)
                         .Case("_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_", true)
                         .Default(false);
}

bool callsInsertion(const Value *value) {
  const auto *call = dyn_cast<CallBase>(value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && isInsertion(*callee);
}

/// The stream to which a chain of insertions writes.
const Value *streamOf(const Value *value) {
  while (callsInsertion(value)) {
    value = cast<CallBase>(value)->getArgOperand(0);
  }
  return value;
}

std::optional<OutputCall> asInsertion(const CallBase &call) {
  const Inserted inserted = *insertedBy(call.getCalledFunction()->getName());
  const bool isChain = all_of(call.uses(), [](const Use &use) {
    return callsInsertion(use.getUser()) && use.getOperandNo() == 0;
  });
  const bool isKnown = inserted != Inserted::Manipulator || isLineEnd(call.getArgOperand(1));
  if (!isChain || !isKnown || !isStreamObject(streamOf(call.getArgOperand(0)))) {
    return std::nullopt;
  }
  OutputCall output;
  output.stream = 0;
  output.isInsertion = true;
  if (inserted == Inserted::Text) {
    output.read.push_back(1);
  }
  return output;
}

bool isObject(const Value *value, StringRef name) {
  const auto *variable = dyn_cast<GlobalVariable>(value);
  return variable && variable->isDeclaration() && variable->getName() == name;
}

bool isVariable(const Value *value, StringRef name) {
  const auto *load = dyn_cast<LoadInst>(value);
  const auto *variable = load ? dyn_cast<GlobalVariable>(load->getPointerOperand()) : nullptr;
  return variable && variable->isDeclaration() && variable->getName() == name;
}

} // namespace

std::optional<OutputCall> asOutputCall(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (callee && isInsertion(*callee)) {
    return asInsertion(call);
  }
  if (!callee || !callee->isDeclaration() || call.isNoBuiltin() || !call.use_empty()) {
    return std::nullopt;
  }
  const std::optional<Shape> shape = shapeOf(callee->getName());
  if (!shape || call.arg_size() < static_cast<unsigned>(shape->operands)) {
    return std::nullopt;
  }
  OutputCall output;
  if (shape->stream >= 0) {
    output.stream = shape->stream;
    if (!isStandardStream(call.getArgOperand(shape->stream))) {
      return std::nullopt;
    }
  }
  if (shape->text >= 0) {
    output.read.push_back(shape->text);
  }
  if (shape->format >= 0) {
    if (!readFormats(call, shape->format, output)) {
      return std::nullopt;
    }
    output.followsLocale = true;
  }
  return output;
}

std::string whyNoOutput(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  const std::optional<Shape> shape =
      callee && callee->isDeclaration() ? shapeOf(callee->getName()) : std::nullopt;
  if (!shape || call.arg_size() < static_cast<unsigned>(shape->operands)) {
    return {};
  }
  const std::string name = "'" + callee->getName().str() + "'";
  if (shape->stream >= 0 && !isStandardStream(call.getArgOperand(shape->stream))) {
    return "it writes with " + name + " to another stream than stdout and stderr";
  }
  if (!call.use_empty()) {
    return "it looks at what " + name + " returns";
  }
  return asOutputCall(call) || shape->format < 0
             ? "it prints with " + name
             : "the format of " + name +
                   " is no constant, or asks for more than numbers and plain texts";
}

void redirect(CallInst &call, Value &stream) {
  const std::optional<OutputCall> output = asOutputCall(call);
  if (output->stream) {
    call.setArgOperand(*output->stream, &stream);
    return;
  }
  IRBuilder<> build(&call);
  Module &module = *call.getModule();
  Type *i32 = build.getInt32Ty();
  Type *ptr = build.getPtrTy();
  const StringRef name = call.getCalledFunction()->getName();
  if (name == "putchar") {
    build.CreateCall(module.getOrInsertFunction("fputc", i32, i32, ptr),
                     {call.getArgOperand(0), &stream});
  } else {
    const bool isChecked = name == "__printf_chk";
    SmallVector<Type *, 3> types{ptr, ptr};
    if (isChecked) {
      types.insert(types.begin() + 1, i32);
    }
    SmallVector<Value *, 8> operands{&stream};
    if (name == "puts") {
      operands.push_back(build.CreateGlobalString("%s\n", "tutti.text"));
    }
    operands.append(call.arg_begin(), call.arg_end());
    build.CreateCall(module.getOrInsertFunction(isChecked ? "__fprintf_chk" : "fprintf",
                                                FunctionType::get(i32, types, true)),
                     operands);
  }
  call.eraseFromParent();
}

bool isInsertion(const Function &function) { return insertedBy(function.getName()).has_value(); }

bool isStreamObject(const Value *value) {
  return isObject(value, "_ZSt4cout") || isErrorObject(value);
}

bool isErrorObject(const Value *value) { return isObject(value, "_ZSt4cerr"); }

bool isStandardStream(const Value *value) {
  return isVariable(value, "stdout") || isErrorStream(value);
}

bool isErrorStream(const Value *value) { return isVariable(value, "stderr"); }

bool isExit(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return callee && callee->isDeclaration() && callee->getName() == "exit" && call.arg_size() == 1;
}

} // namespace tutti::compiler
