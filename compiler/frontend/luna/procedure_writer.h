// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writes a program's procedures: those in place, and for all that are called stubs and rows of
/// their table.
///
/// A version for devices is referred to weakly: whether there is one is known when the program has
/// been linked.
#pragma once

#include "compiler/frontend/luna/ast.h"
#include "compiler/frontend/luna/foreign_writer.h"
#include "compiler/frontend/luna/tables.h"
#include "compiler/frontend/luna/writer.h"

#include <string>
#include <vector>

namespace tutti::compiler::luna {

/// Letters of abi/luna.h for the types of the parameters.
std::string lettersOf(const Sub &sub);

/// Borrows what it gets.
class ProcedureWriter {
public:
  ProcedureWriter(const PreprocessedProgram &text, const Sources &sources, Tables &tables,
                  const ForeignWriter &foreign)
      : text_(text), sources_(sources), tables_(tables), foreign_(foreign) {}

  /// The C++ text, with rows for `called` in their order. Adds what others are told of imports.
  std::string write(const Program &program, const std::vector<const Sub *> &called,
                    WrittenProgram &written);

  /// The text of the versions for devices that the program has in place, if it calls one.
  std::string writeNativesInPlace(const Program &program,
                                  const std::vector<const Sub *> &called) const;

private:
  std::string at(Position position) const;
  LineColumn placeOf(Position position, std::string &path) const;
  std::string importLine(const Sub &sub, const std::string &code, const std::string &letters) const;
  void addRow(const Sub &sub, std::size_t number, std::string &text);
  std::string writeVersion(const Sub &sub, std::size_t number, std::string &text) const;
  std::string writeNative(const Sub &sub, std::size_t number, std::string &text) const;
  std::string declareNatives(const std::vector<const Sub *> &called) const;

  const PreprocessedProgram &text_;
  const Sources &sources_;
  Tables &tables_;
  const ForeignWriter &foreign_;
};

} // namespace tutti::compiler::luna
