// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/known_steps.h"

#include "compiler/analysis/conducted_code.h"
#include "compiler/analysis/worksharing.h"
#include "compiler/ir/forks.h"
#include "compiler/transform/step_function.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/FunctionComparator.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

bool isSamePlace(const DebugLoc &one, const DebugLoc &other) {
  return one && other && one.getLine() == other.getLine() && one.getCol() == other.getCol() &&
         cast<DIScope>(one.getScope())->getFile() == cast<DIScope>(other.getScope())->getFile();
}

bool doTheSame(Function &one, Function &other) {
  GlobalNumberState numbers;
  return FunctionComparator(&one, &other, &numbers).compare() == 0;
}

/// Whether all that `known` says holds for `step`, which throws nothing, too: of what it does, and
/// of its captures.
bool saysNoMore(const AttributeList &known, const AttributeList &step, unsigned params) {
  const auto holds = [](const AttributeSet &said, const AttributeSet &known) {
    return all_of(said, [&](const Attribute &attribute) {
      return attribute.isStringAttribute()
                 ? known.getAttribute(attribute.getKindAsString()) == attribute
                 : known.getAttribute(attribute.getKindAsEnum()) == attribute;
    });
  };
  return holds(known.getFnAttrs(), step.getFnAttrs()) &&
         all_of(seq(kThreadArguments, params), [&](unsigned index) {
           return holds(known.getParamAttrs(index), step.getParamAttrs(index));
         });
}

bool mayThrow(Function &function) {
  return any_of(instructions(function), [](const Instruction &inst) {
    return inst.mayThrow() && kindOf(inst) == CallKind::None;
  });
}

/// Gives `function` the body of `copy`, which is no more then.
void takeBody(Function &function, Function &copy) {
  const GlobalValue::LinkageTypes linkage = function.getLinkage();
  function.deleteBody();
  function.setLinkage(linkage);
  function.splice(function.end(), &copy);
  for (Argument &argument : function.args()) {
    copy.getArg(argument.getArgNo() + kThreadArguments)->replaceAllUsesWith(&argument);
  }
  function.copyMetadata(&copy, 0);
  if (copy.hasPersonalityFn()) {
    function.setPersonalityFn(copy.getPersonalityFn());
  }
  copy.eraseFromParent();
}

SmallVector<const Instruction *, 4> initsOf(const Function &function) {
  SmallVector<const Instruction *, 4> inits;
  for (const Instruction &inst : instructions(function)) {
    if (isInit(kindOf(inst))) {
      inits.push_back(&inst);
    }
  }
  return inits;
}

} // namespace

void KnownSteps::add(Function &step, const DebugLoc &place) {
  for (const auto &[other, otherPlace] : known_) {
    if (isSamePlace(place, otherPlace) && doTheSame(*other, step)) {
      step.replaceAllUsesWith(other);
      step.eraseFromParent();
      return;
    }
  }
  known_.emplace_back(&step, place);
}

/// The one that does what `step` does, of a function, and says no more of itself.
Function *KnownSteps::findFor(Function &step, const DebugLoc &place) const {
  if (mayThrow(step)) {
    return nullptr;
  }
  for (const auto &[known, knownPlace] : known_) {
    const AttributeList said =
        known->getAttributes().removeFnAttribute(known->getContext(), Attribute::NoUnwind);
    if (isSamePlace(place, knownPlace) && known->arg_size() == step.arg_size() &&
        saysNoMore(said, step.getAttributes(), step.arg_size())) {
      const AttributeList own = step.getAttributes();
      step.setAttributes(known->getAttributes());
      if (doTheSame(*known, step)) {
        return known;
      }
      step.setAttributes(own);
    }
  }
  return nullptr;
}

/// Takes the loops out of `copy`. Returns false if not all are known; `copy` is of no use then.
bool KnownSteps::replaceAll(Function &copy, FunctionAnalysisManager &analyses) {
  std::vector<ConductedLoop> loops;
  for (const SequencedLoop &calls : sequencedLoops(copy)) {
    if (calls.ends.empty() || !isolateLoop(copy, calls, loops.emplace_back())) {
      return false;
    }
  }
  analyses.clear(copy, copy.getName());
  const bool isApart = whyNotCut(copy, loops, analyses).empty();
  analyses.clear(copy, copy.getName());
  if (!isApart) {
    return false;
  }
  SmallVector<std::pair<Function *, Function *>, 8> found;
  bool areKnown = true;
  for (const ConductedLoop &loop : loops) {
    const DebugLoc place = loop.calls.init->getDebugLoc();
    Function *step = callStep(copy, loop, copy.getName() + ".step");
    found.emplace_back(step, findFor(*step, place));
    areKnown &= found.back().second != nullptr;
  }
  for (auto &[step, known] : found) {
    if (areKnown) {
      step->replaceAllUsesWith(known);
    } else {
      step->replaceAllUsesWith(PoisonValue::get(step->getType()));
    }
    step->eraseFromParent();
  }
  return areKnown;
}

void KnownSteps::callFrom(Function &function, FunctionAnalysisManager &analyses) {
  const auto inits = initsOf(function);
  const bool mayBeKnown = !inits.empty() && all_of(inits, [&](const Instruction *init) {
    return any_of(
        known_, [&](const Known &known) { return isSamePlace(init->getDebugLoc(), known.second); });
  });
  if (!mayBeKnown) {
    return;
  }
  Function *asThread = withThreadArguments(function);
  Function *copy = promotedCopy(*asThread, function.getName() + ".promoted", analyses);
  asThread->eraseFromParent();
  bringIntoOneForm(*copy, analyses);
  if (replaceAll(*copy, analyses)) {
    analyses.clear(function, function.getName());
    takeBody(function, *copy);
  } else {
    analyses.clear(*copy, copy->getName());
    copy->eraseFromParent();
  }
}

} // namespace tutti::compiler
