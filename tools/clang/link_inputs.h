// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What a linker's command line links: objects, archives and shared libraries, and the code that
/// the objects carry (compiler/ir/carried_code.h).
#pragma once

#include "compiler/ir/carried_code.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace tutti::tools {

/// One object: a file, or a member of an archive.
struct LinkedObject {
  unsigned file;   ///< Position in `LinkInputs::files`.
  unsigned member; ///< Number of the member; 0 for a file.
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::vector<compiler::CarriedCode> codes;
};

/// A file as the command line names it.
struct LinkedFile {
  unsigned argument; ///< Position in the command line.
  std::string path;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::unique_ptr<llvm::object::Archive> archive; ///< If it is one.
  bool isShared = false;
};

/// Threading: confined to one thread.
class LinkInputs {
public:
  /// Reads what `arguments`, the linker's, name. What is no ELF file for this machine, or is not
  /// there, is the linker's to complain about.
  explicit LinkInputs(llvm::ArrayRef<const char *> arguments);

  const std::vector<LinkedFile> &files() const { return files_; }

  const std::vector<LinkedObject> &objects() const { return objects_; }

  /// Whether a loop of some object calls what another one offers.
  bool hasNeeds() const;

  /// Files of which objects carry code that this version does not read.
  llvm::ArrayRef<std::string> unread() const { return unread_; }

  /// The code of the object that defines the function `name` in the program; null if none that
  /// carries code does, or if it is not sure that its definition is the program's.
  const compiler::CarriedCode *definitionOf(llvm::StringRef name);

private:
  struct Offer {
    unsigned object;
    const compiler::CarriedCode *code;
  };

  void addFile(unsigned argument, const std::string &path);
  void addLibrary(unsigned argument, llvm::StringRef name);
  void addObject(unsigned member, llvm::MemoryBufferRef buffer);
  void countDefinitions();
  bool isDefinedBySharedLibraryBefore(unsigned file, llvm::StringRef name) const;

  std::vector<std::string> folders_; ///< Where libraries are looked for.
  std::vector<LinkedFile> files_;
  std::vector<LinkedObject> objects_;
  std::vector<std::string> unread_;
  llvm::StringMap<std::vector<Offer>> offers_;
  llvm::StringMap<unsigned> definitions_; ///< How many objects define it; counted when asked.
};

} // namespace tutti::tools
