// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// The only statement of a body.
const Stmt *onlyOf(const Stmt *body) {
  while (const auto *block = dyn_cast<CompoundStmt>(body)) {
    if (block->size() != 1) {
      break;
    }
    body = block->body_front();
  }
  return body;
}

bool hasLoop(const Stmt *statement) {
  return statement && (isa<ForStmt, WhileStmt, DoStmt>(statement) ||
                       llvm::any_of(statement->children(), hasLoop));
}

} // namespace

/// Finds what a loop's body uses, and makes replicated variables their copies.
void Lowering::walkAccBody(const Stmt *statement, AccBody &body) {
  if (!statement) {
    return;
  }
  const auto *owner = dyn_cast<WhileStmt>(statement);
  if (const Directive *inner = directiveOf(owner ? owner->getCond() : statement)) {
    error(inner->place, "'#pragma xmp %0' cannot stand in a loop with 'acc'")
        << nameOf(inner->kind);
    body.isRight = false;
    return;
  }
  if (isArrayAssignment(statement)) {
    error(statement->getBeginLoc(), "an array assignment cannot stand in a loop with 'acc'");
    body.isRight = false;
    return;
  }
  const auto *loop = dyn_cast<ForStmt>(statement);
  if (loop && llvm::any_of(body.nest, [&](const NestLoop &each) { return each.loop == loop; })) {
    return walkAccBody(loop->getBody(), body);
  }
  if (isa<UnaryExprOrTypeTraitExpr>(statement)) {
    return;
  }
  const auto *member = dyn_cast<MemberExpr>(statement);
  const Entity *array = member ? scopes_.find(member) : nullptr;
  if (array) {
    return useInAcc(array, nullptr, member->getBeginLoc(), body);
  }
  if (const auto *reference = dyn_cast<DeclRefExpr>(statement)) {
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl())) {
      useInAcc(scopes_.find(variable), variable->getCanonicalDecl(), reference->getLocation(),
               body);
    }
    return;
  }
  for (const Stmt *child : statement->children()) {
    walkAccBody(child, body);
  }
}

void Lowering::useInAcc(const Entity *array, const VarDecl *variable, SourceLocation place,
                        AccBody &body) {
  if (array) {
    if (!body.sharedArrays.contains(array)) {
      if (const Replica *replica = replicaOf(array, nullptr)) {
        body.arrays[array] = replica;
      } else if (body.missing.insert(array).second) {
        error(place, "array '%0' is used in a loop with 'acc', and is not replicated here")
            << array->name;
        note(array->place, "'%0' is aligned here") << array->name;
        body.isRight = false;
      }
    }
    return;
  }
  const SourceLocation declared = variable->getLocation();
  const bool isInside = program_.has(declared) && program_.at(declared) >= body.begin &&
                        program_.at(declared) < body.end;
  const bool isIndex = llvm::any_of(body.nest, [&](const NestLoop &each) {
    return each.variable->getCanonicalDecl() == variable;
  });
  if (isInside || isIndex || body.listed.contains(variable)) {
    return;
  }
  if (const Replica *replica = replicaOf(nullptr, variable)) {
    body.variables[variable] = replica;
    edits_.replace(program_.at(place), "(*" + replica->copy + "_at)");
    return;
  }
  if (variable->getType()->isArrayType()) {
    if (body.missing.insert(variable).second) {
      error(place, "array '%0' is used in a loop with 'acc', and is not replicated here")
          << variable->getName();
      note(declared, "'%0' is declared here") << variable->getName();
      body.isRight = false;
    }
    return;
  }
  if (body.listed.insert(variable).second) { // By value.
    body.clauses += " firstprivate(" + variable->getName().str() + ")";
  }
}

/// Makes a loop nest OpenMP's, for devices. Returns declarations for in front of it; nothing after
/// an error. Bounds of the nest are known by then.
std::optional<std::string> Lowering::accLoop(const Directive &directive, const Entity &set,
                                             Stmt *statement, llvm::ArrayRef<NestLoop> nest) {
  AccBody body;
  body.nest = nest;
  body.begin = program_.at(statement->getBeginLoc());
  body.end = statementEnd(statement);
  if (nest.front().loop != statement) {
    error(statement->getBeginLoc(), "the outermost loop with 'acc' must be over an index of '%0'")
        << set.name;
    return std::nullopt;
  }
  for (const NestLoop &loop : nest) {
    if (!loop.isInvariant) {
      error(loop.loop->getForLoc(), "the bounds of '%0' must be the same in all iterations")
          << loop.variable->getName();
      return std::nullopt;
    }
  }
  bool hasDevice = false;
  const auto block = blockText(directive);
  if (!block || !checkPragmas(directive, hasDevice) || !readAccClauses(directive, body)) {
    return std::nullopt;
  }
  walkAccBody(statement, body);
  if (!body.isRight) {
    return std::nullopt;
  }
  unsigned collapsed = 1;
  while (collapsed < nest.size() && !isDealtInBlocks(set, nest[collapsed - 1].axis) &&
         onlyOf(nest[collapsed - 1].loop->getBody()) == nest[collapsed].loop) {
    ++collapsed;
  }
  // Work-items that execute several neighbours of two loops share what these load in a loop inside.
  if (collapsed > 1 && hasLoop(nest[collapsed - 1].loop->getBody())) {
    --collapsed;
  }
  const unsigned at = program_.at(statement->getBeginLoc());
  if (!hasDevice || !block->empty()) {
    edits_.pragma(at, directive.place, (hasDevice ? "tutti" : "tutti device(gpu)") + *block);
  }
  edits_.pragma(at, directive.place,
                "omp parallel for" +
                    (collapsed > 1 ? " collapse(" + std::to_string(collapsed) + ")" : "") +
                    body.clauses);
  std::string declarations;
  for (const auto &[array, replica] : body.arrays) {
    declarations += constantsOf(*array, "(" + array->handle + "_t *)" + replica->copy) + " ";
  }
  for (const auto &[variable, replica] : body.variables) {
    const std::string name = variable->getName().str();
    declarations +=
        "__typeof__(" + name + ") *const " + replica->copy + "_at = " + replica->copy + "; ";
  }
  return declarations;
}

} // namespace tutti::compiler::xmp
