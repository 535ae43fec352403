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

} // namespace

/// Whether a loop over it counts iterations, from which its body computes the index.
bool Lowering::isDealtInBlocks(const Entity &set, unsigned axis) {
  return formatOf(set, axis) == Format::CyclicOf;
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
         std::to_string(list.size()) + ", " + listText("tutti_xmp_subscript", subscripts) + "}, ";
  return "tutti_xmp_index " + name + "[] = {" + indices + "};";
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

/// Whether a pragma of OpenMP stands between the directive and a loop of its nest.
bool Lowering::isDividedByOpenMp(const Directive &directive, const NestLoop &loop) const {
  const unsigned end = std::max(directive.end, program_.at(loop.loop->getForLoc()));
  return llvm::any_of(program_.pragmas, [&](const Pragma &pragma) {
    return pragma.at >= directive.at && pragma.at <= end && !pragma.tokens.empty() &&
           wordOf(pragma.tokens.front()) == "omp";
  });
}

/// Whether others read the variable of a loop while it runs: functions, or through a pointer. What
/// OpenMP divides has a variable for each thread, which others do not see.
bool Lowering::isSeen(const Directive &directive, const NestLoop &loop) {
  return !loop.isOnDevice && !isDividedByOpenMp(directive, loop) &&
         !isa<DeclStmt>(loop.loop->getInit()) &&
         (loop.variable->hasGlobalStorage() || takesAddress(function_->getBody(), loop.variable));
}

/// Writes the head of a loop over the share in `index`, a tutti_xmp_index.
void Lowering::writeHeader(const Directive &directive, const NestLoop &loop, const Entity &set,
                           const std::string &index, const std::string &prefix) {
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
                  "{ " + (isSeen(directive, loop) ? "" : type + " ") + name + " = (" + type + ")" +
                      place + ";");
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

} // namespace tutti::compiler::xmp
