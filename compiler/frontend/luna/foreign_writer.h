// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Text of another language, written so that its compiler finds errors where the user wrote them.
#pragma once

#include "compiler/frontend/luna/preprocessor.h"

#include <string>

namespace tutti::compiler::luna {

class ForeignWriter {
public:
  ForeignWriter(const PreprocessedProgram &program, const Sources &sources)
      : program_(program), sources_(sources) {}

  /// A line that says that the next one is the one of this place in the preprocessed text.
  std::string lineMark(std::size_t position) const;

  /// The text of this number, in lines of its own.
  std::string write(std::size_t number) const;

private:
  std::string lineMark(Location place) const;

  const PreprocessedProgram &program_;
  const Sources &sources_;
};

} // namespace tutti::compiler::luna
