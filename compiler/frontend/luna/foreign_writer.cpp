// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/foreign_writer.h"

#include "compiler/frontend/luna/tables.h"

namespace tutti::compiler::luna {

std::string ForeignWriter::lineMark(Location place) const {
  return "#line " + std::to_string(sources_.lineColumn(place).line) + " " +
         literal(sources_.path(place.file)) + "\n";
}

std::string ForeignWriter::lineMark(std::size_t position) const {
  return lineMark(sources_.outermost(program_.text.locate(position)));
}

std::string ForeignWriter::write(std::size_t number) const {
  const Text &text = program_.foreign[number].text;
  const std::string &characters = text.characters();
  std::string written;
  std::uint32_t expected = 0; // Line that the compiler believes to be at.
  for (std::size_t at = 0; at < characters.size();) {
    const std::size_t end = std::min(characters.find('\n', at), characters.size() - 1) + 1;
    const Location place = text.locate(at);
    const LineColumn column = sources_.lineColumn(place);
    if (column.line != expected) {
      written += lineMark(place) + std::string(column.column - 1, ' ');
    }
    written += characters.substr(at, end - at);
    expected = column.line + 1;
    at = end;
  }
  return written + "\n";
}

} // namespace tutti::compiler::luna
