// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/directive.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Assumptions.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringRef kPrefix = "tutti:";
constexpr std::size_t kNumbers = 7; ///< device, grid, block

} // namespace

std::string encodeDirective(const Directive &directive) {
  std::string text = (kPrefix + Twine(static_cast<unsigned>(directive.device))).str();
  for (const auto &sizes : {directive.grid, directive.block}) {
    for (const std::uint32_t size : sizes) {
      text += ":" + utostr(size);
    }
  }
  return text;
}

std::optional<Directive> decodeDirective(StringRef assumption) {
  if (!assumption.consume_front(kPrefix)) {
    return std::nullopt;
  }
  SmallVector<StringRef, kNumbers> words;
  assumption.split(words, ':');
  std::array<std::uint32_t, kNumbers> numbers{};
  if (words.size() != kNumbers) {
    return std::nullopt;
  }
  for (std::size_t index = 0; index < kNumbers; ++index) {
    if (words[index].getAsInteger(10, numbers[index])) {
      return std::nullopt;
    }
  }
  return Directive{static_cast<tutti_device_kind>(numbers[0]),
                   {numbers[1], numbers[2], numbers[3]},
                   {numbers[4], numbers[5], numbers[6]}};
}

std::optional<Directive> directiveOf(const Function &function) {
  SmallVector<StringRef, 4> assumptions;
  function.getFnAttribute(AssumptionAttrKey).getValueAsString().split(assumptions, ',');
  for (StringRef assumption : assumptions) {
    if (std::optional<Directive> directive = decodeDirective(assumption)) {
      return directive;
    }
  }
  return std::nullopt;
}

void setDirective(Function &function, const Directive &directive) {
  SmallVector<StringRef, 4> assumptions;
  function.getFnAttribute(AssumptionAttrKey)
      .getValueAsString()
      .split(assumptions, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  erase_if(assumptions, [](StringRef text) { return decodeDirective(text).has_value(); });
  const std::string text = encodeDirective(directive);
  assumptions.push_back(text);
  function.addFnAttr(AssumptionAttrKey, join(assumptions, ","));
}

Constant *directiveConstant(LLVMContext &context, const Directive &directive) {
  Type *i32 = Type::getInt32Ty(context);
  return ConstantStruct::getAnon({ConstantInt::get(i32, directive.device),
                                  ConstantDataArray::get(context, directive.grid),
                                  ConstantDataArray::get(context, directive.block)});
}

} // namespace tutti::compiler
