// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/annotations.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace tutti::compiler::luna {

namespace {

constexpr auto kAnnotations = std::to_array<Annotation>({
    {"locator_cyclic", AnnotationUse::Locator, "locator_cyclic: e; or locator_cyclic x[i] => e;"},
    {"locator_rope", AnnotationUse::Locator, "locator_rope: e; or locator_rope x[i] => e;"},
    {"locator_replicating", AnnotationUse::Replication, "locator_replicating x => all;"},
    {"rope_length", AnnotationUse::Value, "rope_length: e;"},
    {"device", AnnotationUse::Value, "device: 0; or device: 1;"},
    {"priority", AnnotationUse::Value, "priority: e;"},
    {"cost", AnnotationUse::Value, "cost: e;"},
    {"request", AnnotationUse::Fragments, "request x;"},
    {"req_unlimited", AnnotationUse::Fragments, "req_unlimited x;"},
    {"delete", AnnotationUse::Fragments, "delete x, y;"},
    {"wait", AnnotationUse::Fragments, "wait x;"},
    {"drop", AnnotationUse::Fragments, "drop x;"},
    {"req_count", AnnotationUse::Counted, "req_count x = e;"},
    {"afterpush", AnnotationUse::Push, "afterpush x => label;"},
    {"nfparam", AnnotationUse::Parameter, "nfparam n; or nfparam n => e;"},
    {"merge", AnnotationUse::Merge, "merge n;"},
    {"bulk", AnnotationUse::Merge, "bulk u, v;"},
    {"left", AnnotationUse::Merge, "left l;"},
    {"right", AnnotationUse::Merge, "right r;"},
    {"start", AnnotationUse::Merge, "start s;"},
    {"stealable", AnnotationUse::Flag, "stealable;"},
    {"unroll_at_once", AnnotationUse::Flag, "unroll_at_once;"},
    {"effect", AnnotationUse::Flag, "effect;"},
});

/// Letters to change, add or leave out.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

} // namespace

const Annotation *findAnnotation(std::string_view word) {
  const auto *const found = std::ranges::find(kAnnotations, word, &Annotation::word);
  return found == kAnnotations.end() ? nullptr : found;
}

std::string_view nearestAnnotation(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string_view best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const Annotation &annotation : kAnnotations) {
    if (word.size() > kLongest) {
      break;
    }
    if (const std::size_t changes = distance(word, annotation.word); changes < least) {
      least = changes;
      best = annotation.word;
    }
  }
  return best;
}

bool hasRightForm(const Annotation &annotation, const Rule &rule) {
  switch (annotation.use) {
  case AnnotationUse::Locator:
    return rule.form == Rule::Form::Value || rule.form == Rule::Form::Mapped;
  case AnnotationUse::Value:
    return rule.form == Rule::Form::Value;
  case AnnotationUse::Fragments:
  case AnnotationUse::Merge:
    return rule.form == Rule::Form::Names;
  case AnnotationUse::Replication:
  case AnnotationUse::Counted:
  case AnnotationUse::Push:
    return rule.form == Rule::Form::Mapped;
  case AnnotationUse::Parameter:
    return rule.form == Rule::Form::Names || rule.form == Rule::Form::Mapped;
  case AnnotationUse::Flag:
    return rule.form == Rule::Form::Flag;
  }
  return false;
}

} // namespace tutti::compiler::luna
