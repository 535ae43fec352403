// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/device_code.h"

#include "abi/abi.h"
#include "compiler/ir/kernel.h"
#include "compiler/target/kernel_target.h"
#include "compiler/target/prepare.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstdlib>

using namespace llvm;

namespace tutti::compiler {

namespace {

struct Chosen {
  SmallVector<const target::KernelTarget *, 4> targets;
  bool print = false;

  bool any() const { return print || !targets.empty(); }
};

/// The only place that reads TUTTI_TARGETS.
Chosen chosenTargets() {
  const char *setting = std::getenv("TUTTI_TARGETS");
  SmallVector<StringRef, 4> names;
  StringRef(setting).split(names, ',');
  Chosen chosen;
  for (const target::KernelTarget *target : target::kernelTargets()) {
    if (!setting || is_contained(names, target::nameOf(*target))) {
      chosen.targets.push_back(target);
    }
  }
  chosen.print = is_contained(names, "print");
  return chosen;
}

/// Of printed kernels; no device takes it.
constexpr unsigned kPrintedFormat = 0;

using Text = DeviceWork::Text;

class Writer {
public:
  Writer(Module &module, StringRef name, LateTexts &lateTexts)
      : module_(module), context_(module.getContext()), build_(context_), name_(name),
        ptr_(build_.getPtrTy()), lateTexts_(lateTexts) {}

  GlobalVariable *describe(const RegionKernels &kernels, ArrayRef<Text> texts, StringRef reason);

private:
  Constant *null() const { return ConstantPointerNull::get(ptr_); }

  GlobalVariable *constant(Constant *value, const Twine &suffix);
  Constant *string(StringRef text, const Twine &suffix);
  Constant *array(ArrayRef<Constant *> elements, const Twine &suffix);
  Constant *kernels(const Function &function, ArrayRef<Text> texts, ArrayRef<Constant *> strings);
  Constant *mapping(const KernelEntry &entry, ArrayRef<Text> texts, ArrayRef<Constant *> strings);

  Module &module_;
  LLVMContext &context_;
  IRBuilder<> build_;
  StringRef name_;
  PointerType *ptr_;
  LateTexts &lateTexts_;
};

GlobalVariable *Writer::constant(Constant *value, const Twine &suffix) {
  return new GlobalVariable(module_, value->getType(), true, GlobalValue::PrivateLinkage, value,
                            name_ + suffix);
}

/// Its address counts: else the host's assembler looks at each letter of a kernel to find out
/// whether the linker may merge it with other strings.
Constant *Writer::string(StringRef text, const Twine &suffix) {
  GlobalVariable *variable = constant(ConstantDataArray::getString(context_, text), suffix);
  variable->setAlignment(Align(1));
  return variable;
}

Constant *Writer::array(ArrayRef<Constant *> elements, const Twine &suffix) {
  if (elements.empty()) {
    return null();
  }
  return constant(
      ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements),
      suffix);
}

bool hasFreeBarriers(unsigned format) {
  return any_of(target::kernelTargets(), [format](const target::KernelTarget *target) {
    return target->format == format && target->hasFreeBarriers;
  });
}

/// An array of `tutti_kernel`, one for each text; `strings` are the texts.
Constant *Writer::kernels(const Function &function, ArrayRef<Text> texts,
                          ArrayRef<Constant *> strings) {
  SmallVector<Constant *, 2> kernels;
  Constant *entryName = string(function.getName(), ".kernel.name");
  for (auto [text, source] : zip_equal(texts, strings)) {
    // Without a text the next mapping is taken.
    const bool isThere = target::isTranslated(function, hasFreeBarriers(text.format));
    const unsigned flags = text.kernels.usesFp64 ? TUTTI_KERNEL_FP64 : 0;
    kernels.push_back(
        ConstantStruct::getAnon({build_.getInt32(text.format), build_.getInt32(flags), entryName,
                                 isThere ? source : string("", ".kernel.none")}));
  }
  return array(kernels, ".kernels");
}

/// `tutti_mapping`.
Constant *Writer::mapping(const KernelEntry &entry, ArrayRef<Text> texts,
                          ArrayRef<Constant *> strings) {
  const unsigned flags =
      (entry.needsDisjoint ? TUTTI_MAPPING_DISJOINT : 0) |
      (entry.byGroups ? TUTTI_MAPPING_GROUPS : 0) |
      (entry.function->hasFnAttribute(kernel::kByTiles) ? TUTTI_MAPPING_TILES : 0);
  return ConstantStruct::getAnon({build_.getInt32(entry.dimensions), build_.getInt32(flags),
                                  build_.getInt32(texts.size()),
                                  kernels(*entry.function, texts, strings), entry.extents});
}

/// `tutti_device_code`.
GlobalVariable *Writer::describe(const RegionKernels &kernels, ArrayRef<Text> texts,
                                 StringRef reason) {
  SmallVector<Constant *, 2> mappings;
  SmallVector<Constant *, 8> symbols;
  SmallVector<Constant *, 4> sizes;
  Constant *combiner = null();
  if (reason.empty()) {
    SmallVector<Constant *, 2> strings;
    for (const Text &text : texts) {
      // What computes the extents of a mapping is part of its description, as the text is.
      strings.push_back(text.late.texts.empty()
                            ? string(text.kernels.text, ".kernel.text")
                            : lateTexts_.declare(text.late, name_ + ".kernel.late",
                                                 *kernels.entries.front().extents));
    }
    for (const KernelEntry &entry : kernels.entries) {
      mappings.push_back(mapping(entry, texts, strings));
    }
    symbols.append(kernels.symbols.begin(), kernels.symbols.end());
    for (const std::uint64_t size : kernels.slotSizes) {
      sizes.push_back(build_.getInt64(size));
    }
    if (kernels.combiner) {
      combiner = this->kernels(*kernels.combiner, texts, strings);
    }
  }
  const bool reduces = !sizes.empty();
  Constant *combine = reduces ? static_cast<Constant *>(kernels.combine) : null();
  return constant(
      ConstantStruct::getAnon({reason.empty() ? null() : string(reason, ".device.reason"),
                               build_.getInt32(mappings.size()), build_.getInt32(symbols.size()),
                               array(mappings, ".mappings"), array(symbols, ".symbols"),
                               build_.getInt32(reduces ? kernels.partialBytes : 0),
                               build_.getInt32(sizes.size()), array(sizes, ".sizes"), combine,
                               build_.getInt32(combiner == null() ? 0 : texts.size()), combiner}),
      ".device");
}

} // namespace

DeviceWork::DeviceWork(Function &prepared, const Worksharing &loop, ChunkModel &model,
                       FunctionAnalysisManager &analyses, StringRef name, LateTexts &texts,
                       bool chases, IsKnownForm isKnown) {
  const Chosen chosen = chosenTargets();
  if (!chosen.any()) {
    return;
  }
  kernels_ = buildKernels(prepared, loop, model, analyses, name, chases, isKnown);
  reason_ = kernels_.reason;
  if (!kernels_.module) {
    return;
  }
  if (chosen.print) {
    target::KernelText printed;
    raw_string_ostream(printed.text) << *kernels_.module;
    errs() << printed.text;
    add({kPrintedFormat, std::move(printed), {}});
  }
  if (chosen.targets.empty()) {
    return;
  }
  std::string reason;
  const std::unique_ptr<Module> common = target::prepareKernels(*kernels_.module, reason);
  if (!common) {
    reason_ = "it " + reason;
    return;
  }
  for (const target::KernelTarget *target : chosen.targets) {
    std::unique_ptr<Module> copy;
    if (target->changesKernels && target != chosen.targets.back()) {
      copy = CloneModule(*common);
    }
    target::KernelDraft draft = target->draft(copy ? *copy : *common);
    target::KernelText known = draft.known;
    add({target->format, std::move(known), texts.begin(target->format, std::move(draft))});
  }
}

DeviceWork::DeviceWork(std::string reason) {
  if (chosenTargets().any()) {
    reason_ = std::move(reason);
  }
}

void DeviceWork::add(Text text) {
  if (text.kernels.reason.empty()) {
    texts_.push_back(std::move(text));
  } else if (reason_.empty()) {
    reason_ = "it " + text.kernels.reason;
    lacking_ = target::titleOf(text.format).str();
  }
}

DeviceCode DeviceWork::finish(Module &module, StringRef name, LateTexts &texts) {
  DeviceCode code;
  code.reason = reason_;
  if (!texts_.empty()) {
    code.dimensions = kernels_.entries.front().byGroups ? 1 : kernels_.entries.front().dimensions;
    code.limit = kernels_.limit;
    code.byGroups =
        any_of(kernels_.entries, [](const KernelEntry &entry) { return entry.byGroups; });
    code.lacking = lacking_;
  }
  // A reason that only one of the targets has keeps the region from none of the others.
  const StringRef reason = texts_.empty() ? StringRef(code.reason) : StringRef();
  if (texts_.empty() && reason.empty()) {
    return code;
  }
  code.descriptor = Writer(module, name, texts).describe(kernels_, texts_, reason);
  return code;
}

} // namespace tutti::compiler
