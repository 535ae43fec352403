// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/carried_code.h"

#include "abi/abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Endian.h"

#include <algorithm>

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr StringLiteral kMagic = "tutticd1";
constexpr std::size_t kHeader = 3 * sizeof(std::uint64_t); // The magic is as long as a number.

std::string version() {
  return "Tutti " + utostr(TUTTI_ABI_VERSION) + ", LLVM " + std::string(LLVM_VERSION_STRING);
}

void append(std::string &names, StringRef name) {
  names += name;
  names += '\0';
}

/// Takes the first name off `names`, which ends with a zero or is empty.
StringRef takeName(StringRef &names) {
  const auto [name, rest] = names.split('\0');
  names = rest;
  return name;
}

std::vector<std::string> takeList(StringRef &names) {
  std::vector<std::string> list;
  while (!names.empty()) {
    const StringRef name = takeName(names);
    if (name.empty()) {
      break;
    }
    list.push_back(name.str());
  }
  return list;
}

std::uint64_t numberAt(StringRef text, unsigned index) {
  return support::endian::read64le(text.data() + index * sizeof(std::uint64_t));
}

} // namespace

std::string pack(const CarriedCode &code) {
  std::string names;
  append(names, version());
  for (const auto *list : {&code.provides, &code.needs}) {
    for (const std::string &name : *list) {
      append(names, name);
    }
    append(names, "");
  }
  for (const std::string &argument : code.arguments) {
    append(names, argument);
  }
  std::string entry(kHeader, '\0');
  std::copy(kMagic.begin(), kMagic.end(), entry.begin());
  support::endian::write64le(entry.data() + sizeof(std::uint64_t), names.size());
  support::endian::write64le(entry.data() + 2 * sizeof(std::uint64_t), code.bitcode.size());
  return entry + names + code.bitcode.str();
}

std::optional<std::vector<CarriedCode>> unpack(StringRef section) {
  std::vector<CarriedCode> all;
  while (!section.empty()) {
    if (section.size() < kHeader || !section.starts_with(kMagic)) {
      return std::nullopt;
    }
    const std::uint64_t nameBytes = numberAt(section, 1);
    const std::uint64_t codeBytes = numberAt(section, 2);
    section = section.drop_front(kHeader);
    if (nameBytes > section.size() || codeBytes > section.size() - nameBytes) {
      return std::nullopt;
    }
    StringRef names = section.take_front(nameBytes);
    if (takeName(names) != version()) {
      return std::nullopt;
    }
    CarriedCode &code = all.emplace_back();
    code.provides = takeList(names);
    code.needs = takeList(names);
    while (!names.empty()) {
      code.arguments.push_back(takeName(names).str());
    }
    code.bitcode = section.substr(nameBytes, codeBytes);
    section = section.drop_front(nameBytes + codeBytes);
  }
  return all;
}

} // namespace tutti::compiler
