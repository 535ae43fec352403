// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

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

} // namespace

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
