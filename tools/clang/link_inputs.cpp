// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/clang/link_inputs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace tutti::tools {

namespace {

/// Whether a linker's option is followed by a word that is no input.
bool takesWord(StringRef option) {
  return StringSwitch<bool>(option)
      .Cases("-o", "-m", "-z", "-e", "-u", "-y", "-h", "-T", true)
      .Cases("-dynamic-linker", "-rpath", "-rpath-link", "-soname", "-Map", "-plugin", true)
      .Cases("--dynamic-linker", "--rpath", "--soname", "--Map", "--version-script", true)
      .Default(false);
}

/// Drops the error of a file that is none of ours.
template <typename T> T valueOr(Expected<T> expected, T other) {
  if (!expected) {
    consumeError(expected.takeError());
    return other;
  }
  return std::move(*expected);
}

bool isDefinition(const object::SymbolRef &symbol) {
  const std::uint32_t flags = valueOr<std::uint32_t>(symbol.getFlags(), 0);
  return (flags & object::SymbolRef::SF_Global) != 0 &&
         (flags & object::SymbolRef::SF_Undefined) == 0;
}

} // namespace

LinkInputs::LinkInputs(ArrayRef<const char *> arguments) {
  for (unsigned at = 0; at < arguments.size(); ++at) {
    StringRef argument = arguments[at];
    const auto word = [&] { return at + 1 < arguments.size() ? arguments[++at] : ""; };
    if (takesWord(argument)) {
      word();
    } else if (argument.consume_front("-L")) {
      folders_.push_back(argument.empty() ? word() : argument.str());
    } else if (argument.consume_front("-l")) {
      addLibrary(at, argument.empty() ? word() : argument);
    } else if (!argument.starts_with("-")) {
      addFile(at, argument.str());
    }
  }
  for (unsigned at = 0; at < objects_.size(); ++at) {
    for (const compiler::CarriedCode &code : objects_[at].codes) {
      for (const std::string &name : code.provides) {
        offers_[name].push_back({at, &code});
      }
    }
  }
}

/// As linkers do: the first folder that has one, and there the shared one.
void LinkInputs::addLibrary(unsigned argument, StringRef name) {
  const bool isWhole = name.consume_front(":");
  for (const std::string &folder : folders_) {
    const std::string base = folder + (isWhole ? "/" : "/lib") + name.str();
    for (const char *ending : {".so", ".a"}) {
      const std::string path = isWhole ? base : base + ending;
      if (sys::fs::exists(path)) {
        addFile(argument, path);
        return;
      }
    }
  }
}

void LinkInputs::addFile(unsigned argument, const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) {
    return;
  }
  const MemoryBufferRef contents = (*buffer)->getMemBufferRef();
  const file_magic magic = identify_magic(contents.getBuffer());
  files_.push_back({argument, path, std::move(*buffer), nullptr, false});
  LinkedFile &file = files_.back();
  if (magic == file_magic::elf_shared_object) {
    file.isShared = true;
  } else if (magic == file_magic::elf_relocatable) {
    addObject(0, contents);
  } else if (magic == file_magic::archive) {
    file.archive = valueOr(object::Archive::create(contents), std::unique_ptr<object::Archive>());
    if (!file.archive) {
      return;
    }
    Error error = Error::success();
    unsigned member = 0;
    for (const object::Archive::Child &child : file.archive->children(error)) {
      addObject(member++, valueOr(child.getMemoryBufferRef(), MemoryBufferRef()));
    }
    consumeError(std::move(error));
  }
}

void LinkInputs::addObject(unsigned member, MemoryBufferRef buffer) {
  if (identify_magic(buffer.getBuffer()) != file_magic::elf_relocatable) {
    return;
  }
  auto object = valueOr(object::ObjectFile::createELFObjectFile(buffer),
                        std::unique_ptr<object::ObjectFile>());
  if (!object) {
    return;
  }
  LinkedObject linked{unsigned(files_.size() - 1), member, std::move(object), {}};
  for (const object::SectionRef &section : linked.object->sections()) {
    if (valueOr<StringRef>(section.getName(), "") != compiler::kCarriedSection) {
      continue;
    }
    auto codes = compiler::unpack(valueOr<StringRef>(section.getContents(), ""));
    if (codes) {
      linked.codes = std::move(*codes);
    } else {
      unread_.push_back(files_.back().path);
    }
  }
  objects_.push_back(std::move(linked));
}

bool LinkInputs::hasNeeds() const {
  return any_of(objects_, [&](const LinkedObject &object) {
    return any_of(object.codes, [&](const compiler::CarriedCode &code) {
      return any_of(code.needs, [&](const std::string &name) { return offers_.contains(name); });
    });
  });
}

void LinkInputs::countDefinitions() {
  for (const LinkedObject &linked : objects_) {
    for (const object::SymbolRef &symbol : linked.object->symbols()) {
      if (isDefinition(symbol)) {
        ++definitions_[valueOr<StringRef>(symbol.getName(), "")];
      }
    }
  }
}

bool LinkInputs::isDefinedBySharedLibraryBefore(unsigned file, StringRef name) const {
  return any_of(ArrayRef(files_).take_front(file), [&](const LinkedFile &each) {
    if (!each.isShared) {
      return false;
    }
    const auto object = valueOr(object::ObjectFile::createELFObjectFile(*each.buffer),
                                std::unique_ptr<object::ObjectFile>());
    const auto *elf = dyn_cast_or_null<object::ELFObjectFileBase>(object.get());
    return !elf || any_of(elf->getDynamicSymbolIterators(), [&](const object::SymbolRef &symbol) {
      return isDefinition(symbol) && valueOr<StringRef>(symbol.getName(), "") == name;
    });
  });
}

const compiler::CarriedCode *LinkInputs::definitionOf(StringRef name) {
  const auto found = offers_.find(name);
  if (found == offers_.end() || found->second.size() != 1) {
    return nullptr;
  }
  const Offer &offer = found->second.front();
  if (definitions_.empty()) {
    countDefinitions();
  }
  const unsigned file = objects_[offer.object].file;
  // A member of an archive is not linked if something else has defined the name before it.
  if (definitions_.lookup(name) != 1 ||
      (files_[file].archive && isDefinedBySharedLibraryBefore(file, name))) {
    return nullptr;
  }
  return offer.code;
}

} // namespace tutti::tools
