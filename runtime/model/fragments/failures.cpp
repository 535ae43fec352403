// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is said of a program that is wrong.
#include "runtime/model/fragments/failures.h"

#include "base/format.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tutti::model::fragments {

void Failures::failAt(std::string_view at, std::string_view text, std::string_view code) {
  if (!failure_) {
    failure_ = Failure{fmt::format("{}: run-time error: {} [{}]", at, text, code)};
  }
}

void Failures::fail(Call &call, std::string_view text, std::string_view code) {
  failAt(program_.at(call.statement), fmt::format("{}{}", text, chainOf(call.frame)), code);
}

std::string Failures::nameOf(const Entry &entry) const {
  std::string name = program_.unit().slots[entry.base->slot].name;
  for (std::size_t at = 0; at < entry.tuple.count(); ++at) {
    name += fmt::format("[{}]", entry.tuple[at]);
  }
  return name;
}

std::string Failures::whoIs(std::int32_t statement) const {
  return fmt::format("{} at {}", program_.nameOf(statement), program_.at(statement));
}

std::string Failures::chainOf(const Frame *frame) const {
  constexpr int kMost = 4;
  std::string text;
  int depth = 0;
  for (const Chain *chain = frame->chain.get(); chain; chain = chain->outer.get()) {
    if (depth++ == kMost) {
      return text + ", ...";
    }
    text += fmt::format("{} {}", depth == 1 ? "; in" : ", in", whoIs(chain->statement));
  }
  return text;
}

} // namespace tutti::model::fragments
