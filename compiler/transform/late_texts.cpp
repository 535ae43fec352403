// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/late_texts.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/GCStrategy.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Pass.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Target/TargetLoweringObjectFile.h"

#include <mutex>

using namespace llvm;

namespace tutti::compiler {

namespace {

/// Threads beside the compiler's own; there are not many more kernels than those can write.
constexpr unsigned kWriters = 2;

constexpr const char *kCollector = "tutti-late-texts";

/// LLVM makes the printer itself and hands it nothing but the module. Where nothing is printed,
/// texts are waited for when LLVM shuts down, before it destroys what their threads use.
struct Registry {
  std::mutex mutex;
  DenseMap<const Module *, std::unique_ptr<LateTexts>> texts;
};

ManagedStatic<Registry> registry;

class Collector : public GCStrategy {
public:
  Collector() { UsesMetadata = true; }
};

const GCRegistry::Add<Collector> collector(kCollector, "prints texts that come late");

} // namespace

class TextPrinter : public GCMetadataPrinter {
  void finishAssembly(Module &module, GCModuleInfo &, AsmPrinter &printer) override {
    const std::unique_ptr<LateTexts> texts = LateTexts::take(module);
    if (!texts) {
      return;
    }
    MCStreamer &out = *printer.OutStreamer;
    out.switchSection(printer.getObjFileLowering().getReadOnlySection());
    for (const LateTexts::Entry &entry : texts->entries_) {
      if (const auto *declaration = cast_or_null<GlobalVariable>(entry.declaration)) {
        out.emitLabel(printer.getSymbol(declaration));
        out.emitBytes(LateTexts::contents(entry));
      }
    }
  }
};

namespace {

const GCMetadataPrinterRegistry::Add<TextPrinter> printer(kCollector, "for tutti-late-texts");

} // namespace

LateTexts::LateTexts() : threads_(hardware_concurrency(kWriters)) {}

LateTexts &LateTexts::create(Module &module) {
  std::unique_ptr<LateTexts> texts(new LateTexts);
  LateTexts &result = *texts;
  const std::lock_guard lock(registry->mutex);
  registry->texts[&module] = std::move(texts);
  return result;
}

std::unique_ptr<LateTexts> LateTexts::take(const Module &module) {
  const std::lock_guard lock(registry->mutex);
  const auto found = registry->texts.find(&module);
  if (found == registry->texts.end()) {
    return nullptr;
  }
  std::unique_ptr<LateTexts> texts = std::move(found->second);
  registry->texts.erase(found);
  return texts;
}

LateTexts::Text LateTexts::begin(std::function<target::KernelText()> write) {
  if (TimePassesIsEnabled) { // Whose clocks are those of one thread.
    write = [text = write()] { return text; };
  }
  return threads_.async(std::move(write));
}

LateTexts::Parts LateTexts::begin(unsigned format, target::KernelDraft draft) {
  std::vector<Text> own;
  std::vector<Text> &texts = draft.form ? begun_[{format, *draft.form}] : own;
  if (texts.empty()) {
    for (auto &write : draft.parts) {
      texts.push_back(begin(std::move(write)));
    }
  }
  return {texts, std::move(draft.own)};
}

GlobalVariable *LateTexts::declare(Parts parts, const Twine &name, Function &emitted) {
  Module &module = *emitted.getParent();
  // The prefix keeps the name from the object's table of symbols.
  auto *declaration =
      new GlobalVariable(module, ArrayType::get(Type::getInt8Ty(module.getContext()), 0), true,
                         GlobalValue::ExternalLinkage, nullptr, "\1.L" + name);
  declaration->setDSOLocal(true);
  declaration->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  emitted.setGC(kCollector);
  entries_.push_back({declaration, &emitted, std::move(parts)});
  return declaration;
}

std::string LateTexts::contents(const Entry &entry) {
  std::string contents;
  for (const Text &part : entry.parts.texts) {
    const target::KernelText &text = part.get();
    if (!text.reason.empty()) {
      entry.emitted->getContext().diagnose(DiagnosticInfoUnsupported(
          *entry.emitted, "kernel " + text.reason, DiagnosticLocation(), DS_Warning));
      contents.clear();
      break;
    }
    contents += text.text;
  }
  if (entry.parts.own) {
    contents = entry.parts.own(contents);
  }
  return contents + '\0';
}

void placeTexts(Module &module) {
  const std::unique_ptr<LateTexts> texts = LateTexts::take(module);
  if (!texts) {
    return;
  }
  for (const LateTexts::Entry &entry : texts->entries_) {
    auto *declaration = cast_or_null<GlobalVariable>(entry.declaration);
    if (!declaration) {
      continue;
    }
    Constant *text = ConstantDataArray::getString(module.getContext(), LateTexts::contents(entry),
                                                  /*AddNull=*/false);
    auto *definition = new GlobalVariable(module, text->getType(), true,
                                          GlobalValue::PrivateLinkage, text, "tutti.text");
    definition->setAlignment(Align(1));
    declaration->replaceAllUsesWith(definition);
    declaration->eraseFromParent();
  }
  for (Function &function : module) {
    if (function.hasGC() && function.getGC() == kCollector) {
      function.clearGC();
    }
  }
}

bool writesModule(StringRef pass) {
  return pass == "PrintModulePass" || pass == "BitcodeWriterPass" ||
         pass == "ThinLTOBitcodeWriterPass" || pass == "EmbedBitcodePass";
}

} // namespace tutti::compiler
