// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/entry/program_symbols.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <link.h>
#include <span>
#include <vector>

namespace tutti::entry {

namespace {

/// The table at that place of the file; empty if the file is shorter.
template <typename T>
std::span<const T> tableAt(const std::vector<char> &file, std::size_t begin, std::size_t bytes) {
  if (begin > file.size() || bytes > file.size() - begin) {
    return {};
  }
  return {reinterpret_cast<const T *>(file.data() + begin), bytes / sizeof(T)};
}

} // namespace

/// Executables lie where their file says.
std::string variableNameAt(std::uint64_t address) {
  std::ifstream stream("/proc/self/exe", std::ios::binary);
  const std::vector<char> file{std::istreambuf_iterator<char>(stream), {}};
  const auto headers = tableAt<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
  if (headers.empty()) {
    return {};
  }
  const auto sections = tableAt<ElfW(Shdr)>(file, headers.front().e_shoff,
                                            headers.front().e_shnum * sizeof(ElfW(Shdr)));
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) {
      continue;
    }
    const ElfW(Shdr) &names = sections[section.sh_link];
    const auto text = tableAt<char>(file, names.sh_offset, names.sh_size);
    for (const auto &symbol : tableAt<ElfW(Sym)>(file, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
          address - symbol.st_value < symbol.st_size && symbol.st_name < text.size()) {
        return text.data() + symbol.st_name; // The table of names ends with a zero.
      }
    }
  }
  return {};
}

} // namespace tutti::entry
