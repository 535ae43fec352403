// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/rule_checker.h"

#include <algorithm>

namespace tutti::compiler::luna {

void RuleChecker::declareParametersForRules(Sub &sub) {
  for (const Rule &rule : sub.body->rules) {
    if (rule.name.text != "nfparam" || rule.form != Rule::Form::Names) {
      continue;
    }
    for (const Expression *id : rule.ids) {
      Declaration &declaration = program_.declarations.emplace_back();
      declaration.kind = Declaration::Kind::NonFunctional;
      declaration.name = {id->text, id->at};
      scopes_.declare(&declaration);
    }
  }
}

void RuleChecker::checkBlock(Block &block) {
  for (Rule &rule : block.rules) {
    check(rule, Place::Block, &block);
  }
}

void RuleChecker::checkCall(Statement &statement) {
  for (Rule &rule : statement.rules) {
    check(rule, Place::Call, nullptr);
  }
}

/// Names are those of the parameters.
void RuleChecker::checkImport(Sub &sub) {
  for (Parameter &parameter : sub.parameters) {
    if (!sub.rules.empty() && !parameter.name.text.empty()) {
      Declaration &declaration = program_.declarations.emplace_back();
      declaration.kind = Declaration::Kind::Parameter;
      declaration.name = parameter.name;
      declaration.type = parameter.type;
      declaration.isFragment = parameter.type == ParameterType::Name;
      declaration.isUsed = true;
      parameter.declaration = &declaration;
      if (scopes_.declare(&declaration) != nullptr) {
        messages_.error(text_.locate(parameter.name.at), "E-REDECL",
                        "'" + std::string(parameter.name.text) +
                            "' is already declared in this block");
      }
    }
  }
  for (Rule &rule : sub.rules) {
    const Annotation *annotation = annotationOf(rule);
    if (annotation == nullptr) {
      continue;
    }
    const bool isHere = annotation->use == AnnotationUse::Merge || rule.name.text == "effect" ||
                        rule.name.text == "priority" || rule.name.text == "cost";
    if (!isHere) {
      ignored(rule, "it has no meaning at an import");
      continue;
    }
    for (Expression *id : rule.ids) {
      expressions_.check(*id);
    }
    if (rule.value != nullptr) {
      expressions_.checkInt(*rule.value, "as a number", true);
    }
  }
  checkMerge(sub);
}

/// `merge n; bulk u, v; left l; right r; start s;`: what they say of the parameters.
void RuleChecker::checkMerge(Sub &sub) {
  const Rule *merge = nullptr;
  bool isRight = true;
  for (const Rule &rule : sub.rules) {
    const Annotation *annotation = findAnnotation(rule.name.text);
    if (annotation == nullptr || annotation->use != AnnotationUse::Merge ||
        !hasRightForm(*annotation, rule)) {
      continue;
    }
    merge = rule.name.text == "merge" ? &rule : merge;
    isRight = takeRoles(sub, rule) && isRight;
  }
  if (merge == nullptr) {
    for (const Rule &rule : sub.rules) {
      const Annotation *annotation = findAnnotation(rule.name.text);
      if (annotation != nullptr && annotation->use == AnnotationUse::Merge) {
        ignored(rule, "there is no 'merge', which says what the size is");
      }
    }
    return;
  }
  for (const Parameter &parameter : sub.parameters) {
    if (isRight && parameter.type == ParameterType::Name && parameter.merge == MergeRole::Same) {
      ignored(*merge,
              "output '" + std::string(parameter.name.text) + "' is none of bulk, left and right");
      isRight = false;
    }
  }
  sub.isMerged = isRight;
}

/// Whether the names of a rule can be what it says.
bool RuleChecker::takeRoles(Sub &sub, const Rule &rule) {
  const std::string_view word = rule.name.text;
  const MergeRole role = word == "merge"   ? MergeRole::Size
                         : word == "bulk"  ? MergeRole::Bulk
                         : word == "left"  ? MergeRole::Left
                         : word == "right" ? MergeRole::Right
                                           : MergeRole::Start;
  const bool isNumber = role == MergeRole::Size || role == MergeRole::Start;
  const auto isOfRole = [role](const Parameter &each) { return each.merge == role; };
  for (const Expression *id : rule.ids) {
    const auto parameter = std::ranges::find_if(sub.parameters, [&](const Parameter &each) {
      return each.declaration != nullptr && each.declaration == id->declaration;
    });
    if (parameter == sub.parameters.end() || !id->parts.empty()) {
      return false; // A message says so.
    }
    const bool isFragment =
        parameter->type == ParameterType::Value || parameter->type == ParameterType::Name;
    const bool fits = isNumber ? parameter->type == ParameterType::Int : isFragment;
    if (!fits) {
      ignored(rule, "'" + std::string(id->text) +
                        (isNumber ? "' is no int" : "' is neither a value nor a name"));
      return false;
    }
    if (parameter->merge != MergeRole::Same ||
        (isNumber && std::ranges::any_of(sub.parameters, isOfRole))) {
      ignored(rule, "'" + std::string(id->text) + "' cannot be that, too");
      return false;
    }
    parameter->merge = role;
  }
  return true;
}

const Annotation *RuleChecker::annotationOf(const Rule &rule) {
  const std::string name(rule.name.text);
  const Annotation *annotation = findAnnotation(rule.name.text);
  if (annotation == nullptr) {
    const std::string_view nearest = nearestAnnotation(rule.name.text);
    messages_.warning(
        text_.locate(rule.name.at), "W-ANN",
        "unknown annotation '" + name + "' is ignored" +
            (nearest.empty() ? std::string() : "; did you mean '" + std::string(nearest) + "'?"));
    return nullptr;
  }
  if (!hasRightForm(*annotation, rule)) {
    ignored(rule, "its form is '" + std::string(annotation->form) + "'");
    return nullptr;
  }
  return annotation;
}

void RuleChecker::ignored(const Rule &rule, const std::string &reason) {
  messages_.warning(text_.locate(rule.name.at), "W-ANN",
                    "annotation '" + std::string(rule.name.text) + "' is ignored: " + reason);
}

void RuleChecker::check(Rule &rule, Place place, const Block *block) {
  const Annotation *annotation = annotationOf(rule);
  if (annotation == nullptr) {
    return;
  }
  switch (annotation->use) {
  case AnnotationUse::Locator:
  case AnnotationUse::Replication:
    if (rule.form == Rule::Form::Mapped) {
      return checkPattern(rule, annotation->use == AnnotationUse::Replication, block);
    }
    return expressions_.checkInt(*rule.value, "as a coordinate", true);
  case AnnotationUse::Value:
    return expressions_.checkInt(*rule.value, "as a number", true);
  case AnnotationUse::Fragments:
  case AnnotationUse::Push:
    return checkFragments(rule);
  case AnnotationUse::Counted:
    checkFragments(rule);
    return expressions_.checkInt(*rule.value, "as a number", true);
  case AnnotationUse::Parameter:
    if (rule.form == Rule::Form::Mapped) {
      if (place != Place::Call) {
        return ignored(rule, "a value is given to it where the fragment is called");
      }
      return expressions_.checkInt(*rule.value, "as a number", true);
    }
    return;
  case AnnotationUse::Merge:
    return ignored(rule, "it belongs to an import");
  case AnnotationUse::Flag:
    return;
  }
}

void RuleChecker::checkFragments(Rule &rule) {
  for (Expression *id : rule.ids) {
    expressions_.checkFragment(*id, true);
  }
}

/// `x[i][j] => e`: `i` and `j` are names for the indices.
void RuleChecker::checkPattern(Rule &rule, bool hasWord, const Block *block) {
  Expression &id = *rule.ids.front();
  Declaration *declaration = scopes_.find(id.text);
  id.declaration = declaration;
  if (declaration != nullptr && !declaration->isFragment && !declaration->isPoisoned &&
      !isLabel(id.text)) {
    messages_.error(text_.locate(id.at), "E-NODF",
                    "'" + std::string(id.text) + "' is " + kindOf(*declaration) +
                        ": a data fragment is required here");
    return;
  }
  if (declaration == nullptr && !isLabel(id.text)) {
    return ignored(rule, "there is no data fragment or label '" + std::string(id.text) + "'");
  }
  const bool isOwn = block != nullptr && declaration != nullptr &&
                     std::ranges::find(block->fragments, declaration) != block->fragments.end();
  rule.isOfLabel = !isOwn && isLabel(id.text);
  if (!isOwn && !rule.isOfLabel) {
    return ignored(rule, "the block that declares '" + std::string(id.text) + "' places it");
  }
  scopes_.enter();
  for (const Expression *index : id.parts) {
    if (index->kind != Expression::Kind::Reference || !index->parts.empty()) {
      ignored(rule, "its indices must be names");
      rule.patterns.clear();
      break;
    }
    Declaration &pattern = program_.declarations.emplace_back();
    pattern.kind = Declaration::Kind::Pattern;
    pattern.name = {index->text, index->at};
    pattern.type = ParameterType::Int;
    rule.patterns.push_back(&pattern);
    scopes_.replace(&pattern);
  }
  const bool isAll = hasWord && rule.value->kind == Expression::Kind::Reference &&
                     rule.value->text == "all" && rule.value->parts.empty();
  if (rule.patterns.size() == id.parts.size() && !isAll) {
    expressions_.checkInt(*rule.value, "as a coordinate", true);
  }
  scopes_.leave();
}

bool RuleChecker::isLabel(std::string_view name) {
  if (labels_.empty()) {
    for (const Statement &statement : program_.statements) {
      if (statement.label != nullptr) {
        labels_.insert(statement.label->text);
      }
    }
  }
  return labels_.contains(name);
}

} // namespace tutti::compiler::luna
