// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/common_form.h"

#include "compiler/ir/kernel.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <utility>

using namespace llvm;

namespace tutti::compiler::target {

namespace {

/// Names of kernels have letters, digits and underscores alone.
constexpr StringLiteral kName = "tutti$";
constexpr StringLiteral kParameter = "_param_";
constexpr StringLiteral kEntry = ".entry ";

/// Exchanges what uses the parameters: those of place k are afterwards used in the place of
/// `order[k]`, or the other way round.
void exchange(Function &function, ArrayRef<unsigned> order, bool back) {
  SmallVector<SmallVector<Use *, 4>, 16> uses(order.size());
  for (auto [argument, list] : zip_equal(make_pointer_range(function.args()), uses)) {
    for (Use &use : argument->uses()) {
      list.push_back(&use);
    }
  }
  for (auto [place, parameter] : enumerate(order)) {
    const unsigned from = back ? static_cast<unsigned>(place) : parameter;
    const unsigned to = back ? parameter : static_cast<unsigned>(place);
    for (Use *use : uses[from]) {
      use->set(function.getArg(to));
    }
  }
}

/// For each place the parameter that stands there: those behind `kernel::FirstCapture` of one type
/// in the order of their first uses, then those without.
std::vector<unsigned> orderOfUses(Function &function) {
  std::vector<unsigned> order;
  for (unsigned place = 0; place < function.arg_size(); ++place) {
    order.push_back(place);
  }
  Type *type = Type::getInt64Ty(function.getContext());
  SmallVector<unsigned, 16> places;
  for (unsigned place = kernel::FirstCapture; place < function.arg_size(); ++place) {
    if (function.getArg(place)->getType() == type) {
      places.push_back(place);
    }
  }
  SmallVector<unsigned, 16> used;
  BitVector isUsed(function.arg_size());
  for (const Instruction &inst : instructions(function)) {
    for (const Use &operand : inst.operands()) {
      const auto *argument = dyn_cast<Argument>(operand);
      if (argument && is_contained(places, argument->getArgNo()) &&
          !isUsed.test(argument->getArgNo())) {
        isUsed.set(argument->getArgNo());
        used.push_back(argument->getArgNo());
      }
    }
  }
  for (const unsigned place : places) {
    if (!isUsed.test(place)) {
      used.push_back(place);
    }
  }
  for (auto [place, parameter] : zip_equal(places, used)) {
    order[place] = parameter;
  }
  return order;
}

} // namespace

CommonForm::CommonForm(Module &kernels) : kernels_(kernels), source_(kernels.getSourceFileName()) {
  kernels.setSourceFileName("");
  for (Function &function : kernels) {
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      functions_.push_back(&function);
      entries_.push_back({function.getName().str(), orderOfUses(function)});
    }
  }
  for (auto [number, function] : enumerate(functions_)) {
    exchange(*function, entries_[number].parameters, /*back=*/false);
    function->setName(kName + Twine(number));
  }
}

CommonForm::~CommonForm() {
  for (auto [function, entry] : zip_equal(functions_, entries_)) {
    exchange(*function, entry.parameters, /*back=*/true);
    function->setName(entry.name);
  }
  kernels_.setSourceFileName(source_);
}

std::string withOwnEntries(StringRef text, ArrayRef<OwnEntry> entries) {
  std::string own;
  own.reserve(text.size() + text.size() / 4);
  bool isDeclaration = false; // Between a name and the end of the list of parameters.
  while (true) {
    const std::size_t found = text.find(kName);
    const StringRef before = text.take_front(found);
    isDeclaration = (isDeclaration && !before.contains(')')) || before.ends_with(kEntry);
    own += before;
    if (found == StringRef::npos) {
      return own;
    }
    text = text.drop_front(found + kName.size());
    unsigned number = 0;
    text.consumeInteger(10, number);
    const OwnEntry &entry = entries[number];
    own += entry.name;
    unsigned place = 0;
    if (text.consume_front(kParameter) && !text.consumeInteger(10, place)) {
      own += kParameter;
      own += std::to_string(isDeclaration ? place : entry.parameters[place]);
    }
  }
}

} // namespace tutti::compiler::target
