// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"
#include "compiler/frontend/xmp/marks.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// A variable with sections among its subscripts.
struct Sectioned {
  const Expr *base = nullptr;
  llvm::SmallVector<ArraySubscriptExpr *, 7> accesses; ///< Outermost dimension first.
  llvm::SmallVector<unsigned, 7> sections;             ///< Positions in `accesses`.
};

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

bool Lowering::isArrayAssignment(const Stmt *statement) const {
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(statement);
  return assignment && assignment->getOpcode() == BO_Assign &&
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
std::optional<Lowering::Range> Lowering::rangeOf(ArraySubscriptExpr *access, const Entity *array,
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

/// Loops for a share of elements, or for all; `head` opens them.
bool Lowering::elementLoops(const Directive *directive, const Entity *array,
                            llvm::ArrayRef<int> axes, llvm::ArrayRef<std::string> lengths,
                            const std::string &name, std::string &declarations, std::string &head) {
  const unsigned rank = lengths.size();
  llvm::SmallVector<Format, 7> formats(rank, Format::None);
  llvm::SmallVector<int, 7> divided(rank, -1);
  const Entity *set = nullptr;
  if (directive) {
    set = checkedRef(*directive, *directive->on);
    if (!set) {
      return false;
    }
    const Items &list = directive->on->subscripts;
    const bool isOwn = array && array->with == set;
    llvm::SmallVector<unsigned, 7> open;
    for (unsigned axis = 0; axis < set->rank; ++axis) {
      const bool isWhole = list.empty();
      if (isWhole || list.items[axis].kind == Item::Kind::Colon ||
          list.items[axis].kind == Item::Kind::Triplet) {
        open.push_back(axis);
      }
    }
    for (unsigned k = 0; k < rank; ++k) {
      const int axis = isOwn ? axes[k] : k < open.size() ? static_cast<int>(open[k]) : -1;
      divided[k] = axis >= 0 && llvm::is_contained(open, static_cast<unsigned>(axis)) ? axis : -1;
      if (divided[k] >= 0) {
        formats[k] = set->kind == Entity::Kind::Nodes ? Format::Cyclic : set->formats[axis];
      }
    }
    for (unsigned axis : open) {
      // All nodes have all of a dimension that is not distributed.
      const bool isWhole =
          set->kind == Entity::Kind::Template && set->formats[axis] == Format::None;
      if (!isWhole && !llvm::is_contained(divided, static_cast<int>(axis))) {
        error(directive->on->name.getLocation(),
              "dimension %0 of '%1' has no section of the assignment beside it")
            << axis + 1 << set->name;
        return false;
      }
    }
  }
  std::string indices;
  unsigned shares = 0;
  std::string constants;
  for (unsigned k = 0; k < rank; ++k) {
    const std::string own = name + "_" + std::to_string(k);
    declarations += "const long " + own + "_l = " + lengths[k] + "; ";
    const std::string begin = divided[k] >= 0 ? own + "_b" : "0";
    const std::string end = divided[k] >= 0 ? own + "_e" : own + "_l";
    if (divided[k] >= 0) {
      const std::string index = name + "[" + std::to_string(shares++) + "]";
      indices += (indices.empty() ? "{.axis = " : ", {.axis = ") + std::to_string(divided[k]) +
                 ", .offset = 0, .lower = 0, .last = " + own + "_l - 1, .step = 1}";
      constants += sharesConstants(index, own);
      if (formats[k] == Format::CyclicOf) {
        head += "for (long " + own + "_k = 0; " + own + "_k < " + own + "_n; " + own +
                "_k++) { const long " + own + " = tutti_xmp_iteration(&" + index + ", " + own +
                "_k); ";
        continue;
      }
    } else {
      constants += "const long " + own + "_n = " + own + "_l; ";
    }
    head += "for (long " + own + " = " + begin + "; " + own + " < " + end + "; " + own +
            (formats[k] == Format::Cyclic ? " += " + own + "_s" : "++") + ") { ";
  }
  if (directive) {
    std::string subscripts;
    const Items &list = directive->on->subscripts;
    for (unsigned axis = 0; axis < list.size(); ++axis) {
      const Item &item = list.items[axis];
      const auto *k = llvm::find(divided, static_cast<int>(axis));
      subscripts += subscripts.empty() ? "" : ", ";
      if (k != divided.end() && !list.isRound && item.first && item.second) {
        // Element by element beside the assignment's.
        subscripts += "{TUTTI_XMP_COUNT, " + longOf(*directive, item.first) + ", " + name + "_" +
                      std::to_string(k - divided.begin()) + "_l, " +
                      (item.step ? longOf(*directive, item.step) : "1") + "}";
        continue;
      }
      subscripts += subscript(*directive, item, list.isRound, set->kind == Entity::Kind::Nodes);
    }
    declarations +=
        (shares > 0 ? "tutti_xmp_index " + name + "[] = {" + indices + "}; " : "") +
        "tutti_xmp_share_elements(" + source(directive->place) + ", &(const tutti_xmp_ref){" +
        set->handle + ", " + std::to_string(directive->on->subscripts.size()) + ", " +
        (subscripts.empty() ? "0" : "(const tutti_xmp_subscript[]){" + subscripts + "}") + "}, " +
        std::to_string(shares) + ", " + (shares > 0 ? name : "0") + "); ";
  }
  declarations += constants;
  return true;
}

bool Lowering::arrayAssignment(const Directive *directive, BinaryOperator *assignment) {
  const Sectioned left = sectionedOf(assignment->getLHS());
  llvm::SmallVector<Sectioned, 8> all;
  collect(assignment->getRHS(), all);
  for (const Sectioned &right : all) {
    if (right.sections.size() != left.sections.size()) {
      error(right.base->getBeginLoc(),
            "this section has %0 dimensions, but the assignment is to one of %1")
          << static_cast<unsigned>(right.sections.size())
          << static_cast<unsigned>(left.sections.size());
      return true;
    }
  }
  const bool hasSections = !all.empty();
  all.insert(all.begin(), left);
  if (!directive) {
    for (const Sectioned &one : all) {
      if (const Entity *global = scopes_.find(one.base)) {
        error(one.base->getBeginLoc(),
              "a section of global array '%0' needs '#pragma xmp array' or '#pragma xmp gmove'")
            << global->name;
        return true;
      }
    }
  }
  const Shape shape =
      constants_.section(scopes_.find(left.base), left.base, left.accesses, /*mayBeShadow=*/true);
  for (const Sectioned &right : llvm::drop_begin(all)) {
    constants_.conform(assignment, shape,
                       constants_.section(scopes_.find(right.base), right.base, right.accesses,
                                          /*mayBeShadow=*/true));
  }
  const std::string name = unique("section");
  const bool wasIn = std::exchange(inArrayAssignment_, true);
  TraverseStmt(assignment->getLHS());
  TraverseStmt(assignment->getRHS());
  inArrayAssignment_ = wasIn;
  const Entity *array = scopes_.find(left.base);
  llvm::SmallVector<std::string, 7> lengths;
  llvm::SmallVector<int, 7> axes;
  for (unsigned at : left.sections) {
    const auto range = rangeOf(left.accesses[at], array, at, /*isCounted=*/true);
    if (!range) {
      return true;
    }
    lengths.push_back(range->count);
    axes.push_back(array && at < array->rank ? array->axes[at] : -1);
  }
  for (const Sectioned &one : all) {
    unsigned k = 0;
    for (unsigned at : one.sections) {
      ArraySubscriptExpr *access = one.accesses[at];
      const unsigned open = program_.at(access->getLHS()->getEndLoc()) + 1;
      const unsigned close = program_.at(access->getRBracketLoc());
      const auto range = rangeOf(access, scopes_.find(one.base), at, /*isCounted=*/false);
      if (!range) {
        return true;
      }
      const std::string index = range->first + " + " + name + "_" + std::to_string(k++) +
                                (range->step.empty() ? "" : " * " + range->step);
      edits_.erase(open + 1, close);
      edits_.before(open + 1, index);
    }
  }
  std::string declarations;
  std::string head;
  if (!elementLoops(directive, array, axes, lengths, name, declarations, head)) {
    return true;
  }
  const std::string tail(lengths.size(), '}');
  const std::string target = text(assignment->getLHS());
  const std::string value = text(assignment->getRHS());
  std::string code = "{ " + declarations;
  if (!hasSections) {
    code += "const __auto_type " + name + "_v = " + value + "; " + head + target + " = " + name +
            "_v; " + tail;
  } else if (!mayRead(assignment->getRHS(), arrayVariable(left.base))) {
    code += head + target + " = " + value + "; " + tail;
  } else { // The right side is evaluated before the left one is written.
    std::string count = "1";
    for (unsigned k = 0; k < lengths.size(); ++k) {
      count += " * (" + name + "_" + std::to_string(k) + "_n > 0 ? " + name + "_" +
               std::to_string(k) + "_n : 0)";
    }
    const std::string element = assignment->getType().getUnqualifiedType().getAsString();
    const std::string at = name + "_i";
    code += element + " *const " + name + "_m = (" + element + " *)__builtin_malloc(sizeof(" +
            element + ") * (unsigned long)(" + count + " + 1)); long " + at + " = 0; " + head +
            name + "_m[" + at + "++] = " + value + "; " + tail + " " + at + " = 0; " + head +
            target + " = " + name + "_m[" + at + "++]; " + tail + " __builtin_free(" + name +
            "_m); ";
  }
  const unsigned begin = program_.at(assignment->getBeginLoc());
  edits_.erase(begin, statementEnd(assignment));
  edits_.before(begin, code + "}");
  return true;
}

} // namespace tutti::compiler::xmp
