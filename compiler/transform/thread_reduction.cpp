// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/thread_reduction.h"

#include "compiler/ir/construct_calls.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

/// The store of the address of a private copy into the list of `reduce`.
SmallVector<StoreInst *, 4> entriesOf(AllocaInst &list) {
  SmallVector<StoreInst *, 4> entries;
  SmallVector<Value *, 4> pointers{&list};
  while (!pointers.empty()) {
    Value *pointer = pointers.pop_back_val();
    for (User *user : pointer->users()) {
      auto *store = dyn_cast<StoreInst>(user);
      if (isa<GetElementPtrInst>(user)) {
        pointers.push_back(user);
      } else if (store && store->getPointerOperand() == pointer) {
        entries.push_back(store);
      }
    }
  }
  return entries;
}

bool isLifetime(const User *user) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(user);
  return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

/// What `copy` begins with: a constant that is stored before anything else is done with it.
StoreInst *beginOf(AllocaInst &copy, const DominatorTree &dominators) {
  for (User *user : copy.users()) {
    auto *store = dyn_cast<StoreInst>(user);
    const bool isBegin = store && store->isSimple() && store->getPointerOperand() == &copy &&
                         isa<Constant>(store->getValueOperand()) &&
                         store->getValueOperand()->getType() == copy.getAllocatedType();
    if (isBegin && all_of(copy.users(), [&](const User *other) {
          return other == store || isLifetime(other) ||
                 dominators.dominates(store, cast<Instruction>(other));
        })) {
      return store;
    }
  }
  return nullptr;
}

} // namespace

std::string accumulate(CallInst &reduce, SmallVectorImpl<Accumulator> &accumulators) {
  constexpr const char *kUnusual = "it reduces in an unusual form";
  Function &function = *reduce.getFunction();
  auto *list = dyn_cast<AllocaInst>(operandOf(reduce, Role::List)->stripPointerCasts());
  auto *combiner = dyn_cast<Function>(operandOf(reduce, Role::Combine)->stripPointerCasts());
  auto *choice = reduce.hasOneUse() ? dyn_cast<SwitchInst>(reduce.user_back()) : nullptr;
  if (!list || !combiner || combiner->isDeclaration() || !choice) {
    return kUnusual;
  }
  const DominatorTree dominators(function);
  const SmallVector<StoreInst *, 4> entries = entriesOf(*list);
  SmallVector<StoreInst *, 4> begins;
  for (StoreInst *entry : entries) {
    auto *copy = dyn_cast<AllocaInst>(entry->getValueOperand());
    StoreInst *begin = copy && copy->isStaticAlloca() ? beginOf(*copy, dominators) : nullptr;
    if (!begin || entry->getParent() != reduce.getParent()) {
      return "it reduces more than single numbers";
    }
    begins.push_back(begin);
  }

  IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().begin());
  IRBuilder<> build(&reduce);
  Value *all = entry.CreateAlloca(list->getAllocatedType(), nullptr, "all");
  Value *own = entry.CreateAlloca(list->getAllocatedType(), nullptr, "own");
  SmallVector<AllocaInst *, 4> copies;
  for (auto [number, store] : enumerate(entries)) {
    auto *copy = cast<AllocaInst>(store->getValueOperand());
    copies.push_back(copy);
    auto *sum = entry.CreateAlloca(copy->getAllocatedType(), nullptr, "sum");
    sum->setAlignment(copy->getAlign());
    StoreInst *begin =
        new StoreInst(begins[number]->getValueOperand(), sum, false, copy->getAlign(),
                      function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
    accumulators.push_back({sum, begin});
    APInt offset(64, 0);
    store->getPointerOperand()->stripAndAccumulateConstantOffsets(function.getDataLayout(), offset,
                                                                  /*AllowNonInbounds=*/true);
    Value *place = build.getInt(offset);
    build.CreateStore(sum, build.CreateGEP(build.getInt8Ty(), all, place));
    build.CreateStore(copy, build.CreateGEP(build.getInt8Ty(), own, place));
  }
  CallInst *combine = build.CreateCall(combiner, {all, own});
  for (auto [number, copy] : enumerate(copies)) {
    AllocaInst *sum = accumulators[accumulators.size() - copies.size() + number].variable;
    copy->replaceUsesWithIf(sum, [&](const Use &use) {
      const auto *user = cast<Instruction>(use.getUser());
      return user == entries[number] || (!isLifetime(user) && dominators.dominates(&reduce, user));
    });
    // The list is made where threads combine.
    if (auto *address = dyn_cast<Instruction>(entries[number]->getPointerOperand());
        address && address != list) {
      address->moveBefore(&reduce);
    }
    entries[number]->moveBefore(&reduce);
  }
  InlineFunctionInfo info;
  return InlineFunction(*combine, info).isSuccess() ? "" : kUnusual;
}

} // namespace tutti::compiler
