// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The words that rules of advice begin with.
#pragma once

#include "compiler/frontend/luna/ast.h"

#include <string_view>

namespace tutti::compiler::luna {

/// What a rule's names stand for.
enum class AnnotationUse : std::uint8_t {
  Locator,     ///< `x[i] => e`: a pattern. `: e`: a place.
  Replication, ///< `x => all`: a pattern, and a word or an expression.
  Value,       ///< `: e`
  Fragments,   ///< Data fragments, evaluated where the rule stands.
  Counted,     ///< `x[i] = e`
  Push,        ///< `x[i] => label`
  Parameter,   ///< `nfparam`
  Merge,       ///< Parameters of an import.
  Flag,
};

struct Annotation {
  std::string_view word;
  AnnotationUse use;
  std::string_view form; ///< As the user writes it.
};

/// Null if there is none of this name.
const Annotation *findAnnotation(std::string_view word);

/// The word that is most like `word`; empty if none is.
std::string_view nearestAnnotation(std::string_view word);

/// Whether the rule has a form that its word takes.
bool hasRightForm(const Annotation &annotation, const Rule &rule);

} // namespace tutti::compiler::luna
