// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

void findJumps(const Stmt *statement, llvm::SmallVectorImpl<const Stmt *> &jumps,
               llvm::SmallPtrSetImpl<const LabelDecl *> &labels) {
  if (!statement) {
    return;
  }
  if (isa<ReturnStmt, GotoStmt>(statement)) {
    jumps.push_back(statement);
  }
  if (const auto *label = dyn_cast<LabelStmt>(statement)) {
    labels.insert(label->getDecl());
  }
  for (const Stmt *child : statement->children()) {
    findJumps(child, jumps, labels);
  }
}

} // namespace

/// A node that leaves the loop would be missed by the others where they reduce.
bool Lowering::checkLoopBody(const Directive &directive, Stmt *body) {
  if (directive.reductions.empty()) {
    return true;
  }
  llvm::SmallVector<const Stmt *, 2> jumps;
  llvm::SmallPtrSet<const LabelDecl *, 2> labels;
  findJumps(body, jumps, labels);
  bool isRight = true;
  for (const Stmt *jump : jumps) {
    const auto *to = dyn_cast<GotoStmt>(jump);
    if (!to || !labels.contains(to->getLabel())) {
      error(jump->getBeginLoc(), "a distributed loop with a reduction cannot be left by '%0'")
          << (to ? "goto" : "return");
      isRight = false;
    }
  }
  return isRight;
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
                    set.handle + ", " + std::to_string(list.size()) + ", " +
                    listText("tutti_xmp_subscript", subscripts) + "}, 0);");
  edits_.after(statementEnd(body) - 1, "}");
}

/// Goes through the body, and returns the pointers whose constants it needs.
std::set<Entity *> Lowering::walkLoop(const Directive &directive, Stmt *body) {
  const bool wasInAcc = std::exchange(inAcc_, inAcc_ || directive.isAcc);
  if (distributed_++ == 0) {
    changesInLoop_.emplace(body, nullptr);
  }
  scopes_.push();
  TraverseStmt(body);
  scopes_.pop();
  --distributed_;
  inAcc_ = wasInAcc;
  std::set<Entity *> pointers;
  if (distributed_ == 0) {
    pointers.swap(usedInLoop_);
    changesInLoop_.reset();
  }
  return pointers;
}

/// What widths and ordered reductions need of the bounds.
bool Lowering::checkBounds(const Directive &directive, const Entity &set,
                           llvm::ArrayRef<NestLoop> nest) {
  const bool hasWidths = directive.widths.isGiven;
  if (hasWidths && directive.widths.widths.size() != directive.on->subscripts.size()) {
    error(directive.widths.place, "'%0' has %1 dimensions, but there are %2 widths")
        << set.name << set.rank << static_cast<unsigned>(directive.widths.widths.size());
    return false;
  }
  if (hasWidths) {
    constants_.margins(directive);
  }
  const bool hasOrder = llvm::any_of(directive.reductions, isOrdered);
  for (const NestLoop &loop : llvm::reverse(nest)) {
    if (!loop.isInvariant && (hasWidths || hasOrder)) {
      error(loop.loop->getForLoc(), "the bounds of '%0' must be the same in all iterations")
          << loop.variable->getName();
      return false;
    }
  }
  return true;
}

/// From the inside; loops whose bounds change in the nest ask for their shares themselves.
void Lowering::writeHeaders(const Directive &directive, const Entity &set, const LoopText &text) {
  for (unsigned i = text.nest.size(); i-- > 0;) {
    const NestLoop &loop = text.nest[i];
    if (loop.isInvariant) {
      writeHeader(directive, loop, set, text.indices[i], text.name + "_" + std::to_string(i));
      continue;
    }
    const std::string own = unique("loop");
    writeHeader(directive, loop, set, own + "[0]", own);
    std::string fill;
    const std::string declared = shareText(directive, set, {&loop}, own, fill);
    edits_.before(program_.at(loop.loop->getForLoc()), "{ " + declared + " tutti_xmp_share(" +
                                                           fill + "1, " + own + "); " +
                                                           sharesConstants(own + "[0]", own));
    edits_.after(statementEnd(loop.loop) - 1, "}");
  }
}

/// The shares of the loops whose bounds do not change, in front of the nest.
std::string Lowering::nestShares(const Directive &directive, const Entity &set,
                                 const LoopText &text, std::string &closing) {
  llvm::SmallVector<const NestLoop *, 7> hoisted;
  for (const NestLoop &loop : text.nest) {
    if (loop.isInvariant) {
      hoisted.push_back(&loop);
    }
  }
  if (hoisted.empty()) {
    return {};
  }
  const std::string &name = text.name;
  const std::string count = std::to_string(hoisted.size());
  std::string fill;
  std::string share = shareText(directive, set, hoisted, name, fill) + " ";
  if (directive.margin == Directive::Margin::None) {
    share += "tutti_xmp_share(" + fill + count + ", " + name + "); ";
  } else {
    const char *mode = directive.margin == Directive::Margin::Expand   ? "TUTTI_XMP_EXPAND"
                       : directive.margin == Directive::Margin::Margin ? "TUTTI_XMP_MARGIN"
                                                                       : "TUTTI_XMP_PEEL";
    const std::string async = directive.peelId ? longOf(directive, directive.peelId) : "0";
    share += "for (long " + name + "_at = 0; tutti_xmp_next_share(" + fill + mode + ", " + async +
             ", " + name + "_at, " + count + ", " + name + "); ++" + name + "_at) {";
    closing = "}" + closing;
  }
  for (unsigned i = 0; i < text.nest.size(); ++i) {
    const std::string prefix = name + "_" + std::to_string(i);
    const NestLoop &loop = text.nest[i];
    share += loop.isInvariant ? sharesConstants(text.indices[i], prefix) : "";
    share += loop.isOnDevice && isDealtInBlocks(set, loop.axis)
                 ? blocksConstants(text.indices[i], prefix)
                 : "";
  }
  return share + text.reaches + text.copies;
}

/// What begins the reductions, in front of `share`, and ends them, in `closing`.
std::string Lowering::wrapReductions(const Directive &directive, const Entity &set,
                                     const LoopText &text, std::string &share,
                                     std::string &closing) {
  std::string none;
  for (unsigned i = 0; i < text.reduced; ++i) {
    none += i > 0 ? ", -1" : "-1";
  }
  const std::string arguments = source(directive.place) + ", " + reductionRef(directive, set) +
                                ", " + std::to_string(text.reduced) + ", " + text.items + ")";
  std::string copy;
  const std::string own = directive.isAcc ? "" : ownReduced(directive, copy);
  if (!own.empty()) {
    share = "{ " + own + share;
    copy += "} ";
  }
  closing.insert(closing.size() - 1, copy + "tutti_xmp_end_reduction(" + arguments + "; ");
  return "long " + text.name + "_p[] = {" + none + "}; tutti_xmp_begin_reduction(" + arguments +
         "; ";
}

bool Lowering::loop(Directive &directive, Stmt *body) {
  const std::set<Entity *> pointers = walkLoop(directive, body);
  LoopText text;
  const Entity *set = checkedRef(directive, *directive.on);
  if (!set || !findNest(directive, body, text.nest) || !checkLoopBody(directive, body) ||
      !checkBounds(directive, *set, text.nest)) {
    return true;
  }
  delayGuarded(directive, body, text.nest);
  std::string prelude = "{ ";
  for (const Entity *array : pointers) {
    prelude +=
        constantsOf(*array, array->isAtFileScope ? "*" + array->handle + "_at"
                                                 : "(" + array->handle + "_t *)" + array->name) +
        " ";
  }
  // Loops that become functions of their own are not told.
  if (!directive.isAcc && !isDividedByOpenMp(directive, text.nest.back())) {
    prelude += separateArrays(body);
  }
  text.name = unique("loop");
  const unsigned end = statementEnd(body);
  if (directive.isAcc) {
    auto copies = accLoop(directive, *set, body, text.nest);
    if (!copies) {
      return true;
    }
    text.copies = *std::move(copies);
  }
  unsigned hoisted = 0;
  for (const NestLoop &loop : text.nest) {
    text.indices.push_back(loop.isInvariant ? text.name + "[" + std::to_string(hoisted++) + "]"
                                            : "");
  }
  for (const NestLoop &loop : text.nest) {
    constants_.iterations(directive, *set, *loop.item, loop.axis, loop.firstIndex, loop.lastIndex);
  }
  text.reaches = reachText(directive, body, text);
  if (!directive.reductions.empty()) {
    const auto items = reduced(directive, text.name + "_p", text.reduced);
    if (!items) {
      return true;
    }
    text.items = *items;
    if (!trackPositions(directive, body, text.nest, text.name)) {
      return true;
    }
  }
  if (hasCollectives(body)) {
    enterIterations(directive, *set, text.nest.back());
  }
  writeHeaders(directive, *set, text);
  std::string closing = "}";
  std::string share = nestShares(directive, *set, text, closing);
  if (!text.items.empty()) {
    prelude += wrapReductions(directive, *set, text, share, closing);
  }
  edits_.before(directive.at, prelude + share);
  edits_.after(end - 1, closing);
  return true;
}

} // namespace tutti::compiler::xmp
