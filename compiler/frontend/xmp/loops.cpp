// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

Format formatOf(const Entity &set, unsigned axis) {
  // An iteration on a node array is one node's, as if its elements were dealt one by one.
  return set.kind == Entity::Kind::Nodes ? Format::Cyclic : set.formats[axis];
}

void findReturns(const Stmt *statement, llvm::SmallVectorImpl<const Stmt *> &found) {
  if (!statement) {
    return;
  }
  if (isa<ReturnStmt>(statement)) {
    found.push_back(statement);
  }
  for (const Stmt *child : statement->children()) {
    findReturns(child, found);
  }
}

void findAssignments(const Stmt *statement, const ValueDecl *variable,
                     llvm::SmallVectorImpl<const BinaryOperator *> &found) {
  if (!statement) {
    return;
  }
  const auto *assignment = dyn_cast<BinaryOperator>(statement);
  const auto *target = assignment && assignment->isAssignmentOp()
                           ? dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens())
                           : nullptr;
  if (target && target->getDecl() == variable) {
    found.push_back(assignment);
  }
  for (const Stmt *child : statement->children()) {
    findAssignments(child, variable, found);
  }
}

} // namespace

/// Whether a loop over it counts iterations, from which its body computes the index.
bool Lowering::isDealtInBlocks(const Entity &set, unsigned axis) {
  return formatOf(set, axis) == Format::CyclicOf;
}

/// A node that leaves the loop would be missed by the others where they reduce.
bool Lowering::checkLoopBody(const Directive &directive, Stmt *body) {
  if (directive.reductions.empty()) {
    return true;
  }
  llvm::SmallVector<const Stmt *, 2> returns;
  findReturns(body, returns);
  for (const Stmt *jump : returns) {
    error(jump->getBeginLoc(), "a distributed loop with a reduction cannot be left by 'return'");
  }
  return returns.empty();
}

/// Declares `name[]` for the loops, and makes the text of the call that fills it in.
std::string Lowering::shareText(const Directive &directive, const Entity &set,
                                llvm::ArrayRef<const NestLoop *> loops, const std::string &name,
                                std::string &fill) {
  const Items &list = directive.on->subscripts;
  const bool isNodes = set.kind == Entity::Kind::Nodes;
  std::string subscripts;
  for (const Item &item : list.items) {
    subscripts +=
        (subscripts.empty() ? "" : ", ") +
        (item.kind == Item::Kind::Dummy ? std::string("{TUTTI_XMP_ALL, 0, 0, 1}")
                                        : subscript(directive, item, list.isRound, isNodes));
  }
  std::string indices;
  for (const NestLoop *loop : loops) {
    std::string offset =
        loop->item->first ? (loop->item->isMinus ? "-" : "") + longOf(directive, loop->item->first)
                          : "0";
    if (isNodes && list.isRound) {
      offset += " - 1";
    }
    std::string widths;
    if (directive.widths.isGiven) {
      const unsigned written = list.isRound ? list.size() - 1 - loop->axis : loop->axis;
      const Width &width = directive.widths.widths[written];
      widths = ", .widths = {" + longOf(directive, width.lower) + ", " +
               longOf(directive, width.upper ? width.upper : width.lower) + ", " +
               (width.isUnbound ? "TUTTI_XMP_UNBOUND" : "0") + "}";
    }
    indices += (indices.empty() ? "{" : ", {") + std::string(".axis = ") +
               std::to_string(loop->axis) + ", .offset = " + offset + ", .lower = " + loop->lower +
               ", .last = " + loop->last + ", .step = " + loop->step + widths + "}";
  }
  fill = source(directive.place) + ", &(const tutti_xmp_ref){" + set.handle + ", " +
         std::to_string(list.size()) + ", (const tutti_xmp_subscript[]){" + subscripts + "}}, ";
  return "tutti_xmp_index " + name + "[] = {" + indices + "};";
}

/// Sets of nodes that reduce together: those along the dimensions that indices name.
std::string Lowering::reductionRef(const Directive &directive, const Entity &set) const {
  const Items &list = directive.on->subscripts;
  std::string subscripts;
  for (const Item &item : list.items) {
    subscripts += subscripts.empty() ? "" : ", ";
    subscripts += item.kind == Item::Kind::Dummy ? "{TUTTI_XMP_ALL, 0, 0, 1}"
                  : item.kind == Item::Kind::Colon || item.kind == Item::Kind::Star
                      ? "{TUTTI_XMP_MINE, 0, 0, 1}"
                      : subscript(directive, item, list.isRound, set.kind == Entity::Kind::Nodes);
  }
  return "&(const tutti_xmp_ref){" + set.handle + ", " + std::to_string(list.size()) +
         ", (const tutti_xmp_subscript[]){" + subscripts + "}}";
}

/// What heads of loops use, copied, so that nothing in the loop can be thought to change it.
std::string Lowering::sharesConstants(const std::string &index, const std::string &prefix) const {
  return "const long " + prefix + "_b = " + index + ".begin, " + prefix + "_e = " + index +
         ".end, " + prefix + "_s = " + index + ".stride, " + prefix + "_n = " + index + ".count; ";
}

/// The same for what computes an index in a loop on devices.
std::string Lowering::blocksConstants(const std::string &index, const std::string &prefix) const {
  return "const long " + prefix + "_h = " + index + ".phase, " + prefix + "_p = " + index +
         ".per, " + prefix + "_c = " + index + ".cycle, " + prefix + "_t = " + index +
         ".step; const long *const " + prefix + "_l = " + index + ".list; ";
}

/// Writes the head of a loop over the share in `index`, a tutti_xmp_index.
void Lowering::writeHeader(const NestLoop &loop, const Entity &set, const std::string &index,
                           const std::string &prefix) {
  const unsigned open = program_.at(loop.loop->getLParenLoc());
  const unsigned close = program_.at(loop.loop->getRParenLoc());
  const std::string name = loop.variable->getName().str();
  const std::string type = loop.variable->getType().getUnqualifiedType().getAsString();
  const Format format = formatOf(set, loop.axis);
  edits_.erase(open, close + 1);
  if (format == Format::CyclicOf) {
    const std::string count = unique("k");
    edits_.before(open,
                  "(long " + count + " = 0; " + count + " < " + prefix + "_n; " + count + "++)");
    const Stmt *body = loop.loop->getBody();
    const std::string place =
        loop.isOnDevice
            ? "(" + prefix + "_l ? " + prefix + "_l[" + count + "] : " + prefix + "_b + (" + count +
                  " + " + prefix + "_h) / " + prefix + "_p * " + prefix + "_c + (" + count + " + " +
                  prefix + "_h) % " + prefix + "_p * " + prefix + "_t)"
            : "tutti_xmp_iteration(&" + index + ", " + count + ")";
    edits_.before(program_.at(body->getBeginLoc()),
                  "{ " + type + " " + name + " = (" + type + ")" + place + ";");
    edits_.after(statementEnd(body) - 1, "}");
    return;
  }
  const bool isDeclared = isa<DeclStmt>(loop.loop->getInit());
  // Below 0 is what an unsigned variable cannot be compared with.
  const bool isNarrowed = loop.isUp || loop.variable->getType()->isSignedIntegerType();
  const bool ownStep = loop.isConstantStep && format != Format::Cyclic;
  edits_.before(open, "(" + (isDeclared ? type + " " : "") + name + " = (" + type + ")" + prefix +
                          "_b; " + (isNarrowed ? name : "(long)" + name) +
                          (loop.isUp ? " < " : " > ") + (isNarrowed ? "(" + type + ")" : "") +
                          prefix + "_e; " + name + " += " + (ownStep ? loop.step : prefix + "_s") +
                          ")");
}

/// Whether the address of the variable is taken in the statement, directives aside: those only name
/// it.
bool Lowering::takesAddress(const Stmt *statement, const VarDecl *variable) {
  if (!statement || directiveOf(statement)) {
    return false;
  }
  const auto *address = dyn_cast<UnaryOperator>(statement);
  if (address && address->getOpcode() == UO_AddrOf) {
    const auto *target = dyn_cast<DeclRefExpr>(address->getSubExpr()->IgnoreParens());
    return target && target->getDecl() == variable;
  }
  return llvm::any_of(statement->children(),
                      [&](const Stmt *child) { return takesAddress(child, variable); });
}

/// Text that declares variables of the loop's own in the place of what it reduces, and sets `copy`
/// to what hands their values on. The runtime knows the addresses of the function's variables, so
/// each store to an array might change them, and they would not be kept in registers. Nobody else
/// knows the addresses, so nobody can tell the difference.
std::string Lowering::ownReduced(const Directive &directive, std::string &copy) {
  std::string addresses;
  std::string variables;
  std::string values;
  llvm::SmallPtrSet<const VarDecl *, 4> seen;
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &operand : clause.operands) {
      if (!operand.locations.empty()) {
        return {}; // Assignments to it note where they are.
      }
      const auto *named = dyn_cast_or_null<DeclRefExpr>(directive[operand.expression].expr);
      const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
      if (!variable || !variable->hasLocalStorage() || !variable->getType()->isArithmeticType() ||
          variable->getType().isVolatileQualified() || !seen.insert(variable).second ||
          takesAddress(function_->getBody(), variable)) {
        continue;
      }
      const std::string name = variable->getName().str();
      const std::string outer = unique(name);
      addresses += "__typeof__(" + name + ") *const " + outer + " = &" + name + "; ";
      variables += "__typeof__(*" + outer + ") " + name + " = *" + outer + "; ";
      values += "*" + outer + " = " + name + "; ";
    }
  }
  copy = values;
  return addresses + variables;
}

/// Notes, for FIRSTMAX and the like, in which iteration a variable was set.
void Lowering::trackPositions(const Directive &directive, Stmt *body, llvm::ArrayRef<NestLoop> nest,
                              const std::string &name) {
  std::string position;
  for (unsigned i = 0; i < nest.size(); ++i) {
    const std::string index = name + "[" + std::to_string(i) + "]";
    const std::string own = "((long)" + nest[i].variable->getName().str() + " - " + index +
                            ".lower) / " + index + ".step";
    position = position.empty() ? own
                                : "(" + position + ") * ((" + index + ".last - " + index +
                                      ".lower) / " + index + ".step + 1) + " + own;
  }
  unsigned number = 0;
  for (const ReductionClause &clause : directive.reductions) {
    for (const Operand &operand : clause.operands) {
      const unsigned own = number++;
      const auto *target = dyn_cast_or_null<DeclRefExpr>(directive[operand.expression].expr);
      if (operand.locations.empty() || !target) {
        continue;
      }
      llvm::SmallVector<const BinaryOperator *, 4> assignments;
      findAssignments(body, target->getDecl(), assignments);
      for (const BinaryOperator *assignment : assignments) {
        edits_.before(program_.at(assignment->getBeginLoc()),
                      "(" + name + "_p[" + std::to_string(own) + "] = " + position + ", ");
        edits_.after(program_.at(assignment->getEndLoc()), ")");
      }
    }
  }
}

/// Whether directives in a loop's body work on the executing set.
bool Lowering::hasCollectives(const Stmt *statement) {
  if (!statement) {
    return false;
  }
  const auto *owner = dyn_cast<WhileStmt>(statement);
  const Directive *directive = directiveOf(owner ? owner->getCond() : statement);
  if (directive &&
      (directive->kind == DirectiveKind::Task || directive->kind == DirectiveKind::Tasks)) {
    return false; // Has a set of its own.
  }
  const bool isCollective =
      directive && !directive->on &&
      (directive->kind == DirectiveKind::Barrier || directive->kind == DirectiveKind::Reduction ||
       directive->kind == DirectiveKind::Bcast || directive->kind == DirectiveKind::Gmove);
  return isCollective || llvm::any_of(statement->children(),
                                      [&](const Stmt *child) { return hasCollectives(child); });
}

/// Each iteration runs with its owners as executing set.
void Lowering::enterIterations(const Directive &directive, const Entity &set,
                               const NestLoop &innermost) {
  const Items &list = directive.on->subscripts;
  const bool isNodes = set.kind == Entity::Kind::Nodes;
  std::string subscripts;
  for (const Item &item : list.items) {
    subscripts += subscripts.empty() ? "" : ", ";
    if (item.kind == Item::Kind::Dummy) {
      const std::string offset =
          item.first ? (item.isMinus ? " - " : " + ") + longOf(directive, item.first) : "";
      subscripts += "{TUTTI_XMP_INDEX, (long)" + item.name + offset +
                    (isNodes && list.isRound ? " - 1" : "") + ", 0, 1}";
    } else {
      subscripts += item.kind == Item::Kind::Star
                        ? "{TUTTI_XMP_ALL, 0, 0, 1}"
                        : subscript(directive, item, list.isRound, isNodes);
    }
  }
  const std::string scope = unique("scope");
  const Stmt *body = innermost.loop->getBody();
  edits_.before(program_.at(body->getBeginLoc()),
                "{ tutti_xmp_scope " + scope +
                    " __attribute__((cleanup(tutti_xmp_leave))) = {{0}}; tutti_xmp_enter(" +
                    source(directive.place) + ", &" + scope + ", &(const tutti_xmp_ref){" +
                    set.handle + ", " + std::to_string(list.size()) +
                    ", (const tutti_xmp_subscript[]){" + subscripts + "}}, 0);");
  edits_.after(statementEnd(body) - 1, "}");
}

bool Lowering::loop(Directive &directive, Stmt *body) {
  const bool wasInAcc = std::exchange(inAcc_, inAcc_ || directive.isAcc);
  ++distributed_;
  scopes_.push();
  TraverseStmt(body);
  scopes_.pop();
  --distributed_;
  inAcc_ = wasInAcc;
  std::set<Entity *> pointers;
  if (distributed_ == 0) {
    pointers.swap(usedInLoop_);
  }
  std::vector<NestLoop> nest;
  const Entity *set = checkedRef(directive, *directive.on);
  if (!set || !findNest(directive, body, nest) || !checkLoopBody(directive, body)) {
    return true;
  }
  if (directive.widths.isGiven &&
      directive.widths.widths.size() != directive.on->subscripts.size()) {
    error(directive.widths.place, "'%0' has %1 dimensions, but there are %2 widths")
        << set->name << set->rank << static_cast<unsigned>(directive.widths.widths.size());
    return true;
  }
  if (directive.widths.isGiven) {
    constants_.margins(directive);
  }
  std::string prelude = "{ ";
  for (const Entity *array : pointers) {
    prelude +=
        constantsOf(*array, array->isAtFileScope ? "*" + array->handle + "_at"
                                                 : "(" + array->handle + "_t *)" + array->name) +
        " ";
  }
  const std::string name = unique("loop");
  llvm::SmallVector<const NestLoop *, 7> hoisted;
  unsigned end = statementEnd(body);
  for (auto loop = nest.rbegin(); loop != nest.rend(); ++loop) { // From the inside.
    if (loop->isInvariant) {
      continue;
    }
    if (directive.widths.isGiven || !directive.reductions.empty()) {
      for (const ReductionClause &clause : directive.reductions) {
        if (llvm::StringRef(clause.operation).starts_with("first") ||
            llvm::StringRef(clause.operation).starts_with("last")) {
          error(loop->loop->getForLoc(), "the bounds of '%0' must be the same in all iterations")
              << loop->variable->getName();
          return true;
        }
      }
    }
    if (directive.widths.isGiven) {
      error(loop->loop->getForLoc(), "the bounds of '%0' must be the same in all iterations")
          << loop->variable->getName();
      return true;
    }
  }
  std::string copies;
  if (directive.isAcc) {
    auto declared = accLoop(directive, *set, body, nest);
    if (!declared) {
      return true;
    }
    copies = *std::move(declared);
    for (NestLoop &loop : nest) {
      loop.isOnDevice = true;
    }
  }
  std::vector<std::string> names(nest.size());
  for (unsigned i = 0; i < nest.size(); ++i) {
    if (nest[i].isInvariant) {
      names[i] = name + "[" + std::to_string(hoisted.size()) + "]";
      hoisted.push_back(&nest[i]);
    }
  }
  std::string positions;
  std::string items;
  unsigned count = 0;
  if (!directive.reductions.empty()) {
    positions = name + "_p";
    const auto list = reduced(directive, positions, count);
    if (!list) {
      return true;
    }
    items = *list;
    trackPositions(directive, body, nest, name);
  }
  if (hasCollectives(body)) {
    enterIterations(directive, *set, nest.back());
  }
  for (unsigned i = nest.size(); i-- > 0;) {
    if (nest[i].isInvariant) {
      writeHeader(nest[i], *set, names[i], name + "_" + std::to_string(i));
      continue;
    }
    const std::string own = unique("loop");
    writeHeader(nest[i], *set, own + "[0]", own);
    std::string fill;
    const NestLoop *one = &nest[i];
    const std::string declared = shareText(directive, *set, {one}, own, fill);
    edits_.before(program_.at(nest[i].loop->getForLoc()), "{ " + declared + " tutti_xmp_share(" +
                                                              fill + "1, " + own + "); " +
                                                              sharesConstants(own + "[0]", own));
    edits_.after(statementEnd(nest[i].loop) - 1, "}");
  }
  std::string fill;
  std::string share;
  std::string closing = "}";
  if (!hoisted.empty()) {
    const std::string n = std::to_string(hoisted.size());
    share = shareText(directive, *set, hoisted, name, fill) + " ";
    if (directive.margin == Directive::Margin::None) {
      share += "tutti_xmp_share(" + fill + n + ", " + name + "); ";
    } else {
      const char *mode = directive.margin == Directive::Margin::Expand   ? "TUTTI_XMP_EXPAND"
                         : directive.margin == Directive::Margin::Margin ? "TUTTI_XMP_MARGIN"
                                                                         : "TUTTI_XMP_PEEL";
      const std::string async = directive.peelId ? longOf(directive, directive.peelId) : "0";
      share += "for (long " + name + "_at = 0; tutti_xmp_next_share(" + fill + mode + ", " + async +
               ", " + name + "_at, " + n + ", " + name + "); ++" + name + "_at) {";
      closing = "}" + closing;
    }
    for (unsigned i = 0; i < nest.size(); ++i) {
      const std::string prefix = name + "_" + std::to_string(i);
      share += nest[i].isInvariant ? sharesConstants(names[i], prefix) : "";
      share += nest[i].isOnDevice && isDealtInBlocks(*set, nest[i].axis)
                   ? blocksConstants(names[i], prefix)
                   : "";
    }
    share += copies;
  }
  if (!items.empty()) {
    const std::string on = reductionRef(directive, *set);
    std::string none;
    for (unsigned i = 0; i < count; ++i) {
      none += i > 0 ? ", -1" : "-1";
    }
    const std::string arguments =
        source(directive.place) + ", " + on + ", " + std::to_string(count) + ", " + items + ")";
    prelude +=
        "long " + positions + "[] = {" + none + "}; tutti_xmp_begin_reduction(" + arguments + "; ";
    std::string copy;
    const std::string own = directive.isAcc ? "" : ownReduced(directive, copy);
    if (!own.empty()) {
      share = "{ " + own + share;
      copy += "} ";
    }
    closing.insert(closing.size() - 1, copy + "tutti_xmp_end_reduction(" + arguments + "; ");
  }
  edits_.before(directive.at, prelude + share);
  edits_.after(end - 1, closing);
  return true;
}

} // namespace tutti::compiler::xmp
