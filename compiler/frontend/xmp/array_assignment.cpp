// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"
#include "compiler/frontend/xmp/marks.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

Sectioned sectionedOf(Expr *expr) {
  Sectioned result;
  expr = expr->IgnoreParenImpCasts();
  while (auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    result.accesses.insert(result.accesses.begin(), access);
    expr = access->getBase()->IgnoreParenImpCasts();
  }
  result.base = expr;
  for (unsigned i = 0; i < result.accesses.size(); ++i) {
    if (numberOfMark(result.accesses[i]->getIdx(), kSection)) {
      result.sections.push_back(i);
    }
  }
  return result;
}

void collect(Stmt *statement, llvm::SmallVectorImpl<Sectioned> &found) {
  if (!statement) {
    return;
  }
  if (auto *access = dyn_cast<ArraySubscriptExpr>(statement)) {
    Sectioned sectioned = sectionedOf(access);
    if (!sectioned.sections.empty()) {
      found.push_back(std::move(sectioned));
      return;
    }
  }
  for (Stmt *child : statement->children()) {
    collect(child, found);
  }
}

const ValueDecl *arrayVariable(const Expr *base) {
  const auto *reference = dyn_cast<DeclRefExpr>(base);
  return reference && reference->getDecl()->getType()->isArrayType() ? reference->getDecl()
                                                                     : nullptr;
}

/// Whether evaluating `statement` may read what a write to `target` changes.
bool mayRead(const Stmt *statement, const ValueDecl *target) {
  if (!statement) {
    return false;
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
    const QualType type = reference->getDecl()->getType();
    return !target || reference->getDecl() == target || type->isPointerType();
  }
  if (const auto *call = dyn_cast<CallExpr>(statement)) {
    const FunctionDecl *callee = call->getDirectCallee();
    const bool isPure = callee && (numberOfMark(call, kSection) || callee->getBuiltinID() != 0);
    if (!isPure) {
      return true;
    }
    return llvm::any_of(call->arguments(),
                        [&](const Expr *argument) { return mayRead(argument, target); });
  }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return mayRead(child, target); });
}

} // namespace

/// Whether an assignment is a whole statement, as its neighbours among the tokens show.
bool Lowering::isStatement(const BinaryOperator *assignment) const {
  const unsigned begin = program_.at(assignment->getBeginLoc());
  const unsigned end = program_.at(assignment->getEndLoc()) + 1;
  const bool isBegun = begin > 0 && program_.plain[begin - 1].isOneOf(
                                        tok::semi, tok::l_brace, tok::r_brace, tok::r_paren,
                                        tok::colon, tok::kw_else, tok::kw_do);
  return isBegun && end < program_.plain.size() && program_.plain[end].is(tok::semi);
}

bool Lowering::isArrayAssignment(const Stmt *statement) const {
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(statement);
  return assignment && assignment->isAssignmentOp() &&
         !sectionedOf(assignment->getLHS()).sections.empty();
}

/// As C text; empty if nobody knows.
std::string Lowering::extentOf(ArraySubscriptExpr *access, const Entity *array,
                               unsigned dimension) {
  if (array) {
    return array->extents[dimension] == "-1" ? "" : array->extents[dimension];
  }
  if (!access->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) {
    return {};
  }
  std::string whole = text(sectionedOf(access).base);
  for (unsigned i = 0; i < dimension; ++i) {
    whole += "[0]"; // Whatever the subscripts are, which may be sections.
  }
  return "(long)(sizeof(" + whole + ") / sizeof(" + whole + "[0]))";
}

/// What a section begins with, how far its elements lie apart and, if asked for, how many it has,
/// as C text. Nothing after an error.
std::optional<Range> Lowering::rangeOf(ArraySubscriptExpr *access, const Entity *array,
                                       unsigned dimension, bool isCounted) {
  const SectionMark &mark = program_.sections[*numberOfMark(access->getIdx(), kSection)];
  const auto part = [&](const SectionMark::Part &part) {
    return "(long)(" + edits_.text(part.begin, part.end) + ")";
  };
  const auto *call = cast<CallExpr>(access->getIdx()->IgnoreParenImpCasts());
  const Constant step = mark.step.empty() ? 1 : constantOf(call->getArg(3), context_);
  const bool mayGoDown = !step || *step < 0;
  Range range{"0", mark.step.empty() ? "" : part(mark.step), ""};
  const std::string extent = extentOf(access, array, dimension);
  if (extent.empty() && ((isCounted && mark.second.empty()) || (mark.first.empty() && mayGoDown))) {
    error(mark.place, "a section of a pointer needs a begin and a length");
    return std::nullopt;
  }
  if (!mark.first.empty()) {
    range.first = part(mark.first);
  } else if (mayGoDown) {
    range.first = "(" + extent + " - 1)";
    range.first = step ? range.first : "(" + range.step + " < 0 ? " + range.first + " : 0)";
  }
  const std::string down = "(" + range.first + " / -" + range.step + " + 1)";
  const std::string left = mark.first.empty() ? extent : "(" + extent + " - " + range.first + ")";
  const std::string up =
      mark.step.empty() ? left : "(" + left + " + " + range.step + " - 1) / " + range.step;
  range.count = !mark.second.empty() ? part(mark.second)
                : !mayGoDown         ? up
                : step               ? down
                                     : "(" + range.step + " < 0 ? " + down + " : " + up + ")";
  return range;
}

/// `all` begins with the left side. Whether they can be assigned here.
bool Lowering::checkSections(const Directive *directive, const BinaryOperator *assignment,
                             llvm::ArrayRef<Sectioned> all, Shape &shape) {
  const Sectioned &left = all.front();
  for (const Sectioned &right : all) {
    if (right.sections.size() != left.sections.size()) {
      error(right.base->getBeginLoc(),
            "this section has %0 dimensions, but the assignment is to one of %1")
          << static_cast<unsigned>(right.sections.size())
          << static_cast<unsigned>(left.sections.size());
      return false;
    }
  }
  for (const Sectioned &one : all) {
    const Entity *global = scopes_.find(one.base);
    if (global && !directive) {
      error(one.base->getBeginLoc(),
            "a section of global array '%0' needs '#pragma xmp array' or '#pragma xmp gmove'")
          << global->name;
      return false;
    }
    if (const Entity *member = prototypeOf(one.base)) {
      error(one.base->getExprLoc(),
            "only elements of global array '%0' can be reached through a pointer")
          << member->name;
      return false;
    }
  }
  const auto shapeOf = [&](const Sectioned &one) {
    return constants_.section(scopes_.find(one.base), one.base, one.accesses,
                              /*mayBeShadow=*/true);
  };
  shape = shapeOf(left);
  for (const Sectioned &right : all.drop_front()) {
    constants_.conform(assignment, shape, shapeOf(right));
  }
  return true;
}

/// Puts the loops' indices where sections stand; false after an error.
bool Lowering::replaceSections(llvm::ArrayRef<Sectioned> all, const std::string &name) {
  for (const Sectioned &one : all) {
    unsigned k = 0;
    for (unsigned at : one.sections) {
      ArraySubscriptExpr *access = one.accesses[at];
      const unsigned open = program_.at(access->getLHS()->getEndLoc()) + 1;
      const unsigned close = program_.at(access->getRBracketLoc());
      const auto range = rangeOf(access, scopes_.find(one.base), at, /*isCounted=*/false);
      if (!range) {
        return false;
      }
      const std::string index = range->first + " + " + name + "_" + std::to_string(k++) +
                                (range->step.empty() ? "" : " * " + range->step);
      edits_.erase(open + 1, close);
      edits_.before(open + 1, index);
    }
  }
  return true;
}

/// The loops with the assignment in them.
std::string Lowering::assignmentText(BinaryOperator *assignment, llvm::ArrayRef<Sectioned> all,
                                     const ElementLoops &loops) const {
  const std::string &name = loops.name;
  const std::string tail(loops.lengths.size(), '}');
  const std::string target = text(assignment->getLHS());
  const std::string value = text(assignment->getRHS());
  const bool hasSections = all.size() > 1;
  if (!hasSections) {
    return "const __auto_type " + name + "_v = " + value + "; " + loops.head + target + " = " +
           name + "_v; " + tail;
  }
  if (!mayRead(assignment->getRHS(), arrayVariable(all.front().base))) {
    return loops.head + target + " = " + value + "; " + tail;
  }
  // The right side is evaluated before the left one is written.
  std::string count = "1";
  for (unsigned k = 0; k < loops.lengths.size(); ++k) {
    const std::string own = name + "_" + std::to_string(k) + "_n";
    count += " * (" + own + " > 0 ? " + own + " : 0)";
  }
  const std::string element = assignment->getType().getUnqualifiedType().getAsString();
  const std::string at = name + "_i";
  return element + " *const " + name + "_m = (" + element + " *)__builtin_malloc(sizeof(" +
         element + ") * (unsigned long)(" + count + " + 1)); long " + at + " = 0; " + loops.head +
         name + "_m[" + at + "++] = " + value + "; " + tail + " " + at + " = 0; " + loops.head +
         target + " = " + name + "_m[" + at + "++]; " + tail + " __builtin_free(" + name + "_m); ";
}

bool Lowering::arrayAssignment(const Directive *directive, BinaryOperator *assignment) {
  if (assignment->getOpcode() != BO_Assign) {
    error(assignment->getOperatorLoc(), "array sections are assigned with '=' only");
    return true;
  }
  if (!isStatement(assignment)) {
    error(assignment->getOperatorLoc(), "an array assignment must be a statement of its own");
    return true;
  }
  llvm::SmallVector<Sectioned, 8> all = {sectionedOf(assignment->getLHS())};
  collect(assignment->getRHS(), all);
  ElementLoops loops;
  if (!checkSections(directive, assignment, all, loops.shape)) {
    return true;
  }
  const Sectioned &left = all.front();
  const Entity *array = scopes_.find(left.base);
  loops.name = unique("section");
  const bool wasIn = std::exchange(inArrayAssignment_, true);
  TraverseStmt(assignment->getLHS());
  TraverseStmt(assignment->getRHS());
  inArrayAssignment_ = wasIn;
  for (unsigned at : left.sections) {
    const auto range = rangeOf(left.accesses[at], array, at, /*isCounted=*/true);
    if (!range) {
      return true;
    }
    loops.lengths.push_back(range->count);
    loops.axes.push_back(array && at < array->rank ? array->axes[at] : -1);
  }
  if (!replaceSections(all, loops.name) || !elementLoops(directive, array, loops)) {
    return true;
  }
  std::string code = assignmentText(assignment, all, loops);
  if (directive && loops.shares == 0) { // No loop is divided: all or nothing is the node's.
    const auto set = ref(*directive, directive->on);
    const std::string scope = unique("scope");
    code = "tutti_xmp_scope " + scope +
           " __attribute__((cleanup(tutti_xmp_leave))) = {{0}}; if (tutti_xmp_enter(" +
           source(directive->place) + ", &" + scope + ", " + set.value_or("0") +
           ", TUTTI_XMP_NOCOMM)) { " + code + "}";
  }
  code = "{ " + loops.declarations + code + "}";
  const unsigned begin = program_.at(assignment->getBeginLoc());
  edits_.erase(begin, statementEnd(assignment));
  edits_.before(begin, code);
  return true;
}

} // namespace tutti::compiler::xmp
