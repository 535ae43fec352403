// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Null if the variable has no device copy here.
const Lowering::Replica *Lowering::replicaOf(const Entity *array, const VarDecl *variable) const {
  for (const Replica &replica : replicas_) {
    const bool isSame =
        array ? replica.array == array
              : replica.variable && variable && replica.variable == variable->getCanonicalDecl();
    if (isSame) {
      return &replica;
    }
  }
  return nullptr;
}

/// The variable of a list of `acc replicate`, with the copy that it is to have; nothing after an
/// error.
std::optional<Lowering::Replica> Lowering::newReplica(const Directive &directive, ExpressionId id) {
  const Expression &operand = directive[id];
  if (!operand.expr) {
    return std::nullopt;
  }
  Replica replica;
  replica.place = operand.place();
  replica.array = scopes_.find(operand.expr);
  const auto *reference = dyn_cast<DeclRefExpr>(operand.expr->IgnoreParens());
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const llvm::StringRef name = wordOf(operand.tokens.front());
  if (!replica.array && !variable) {
    error(replica.place, "expected the name of a variable, which is replicated as a whole");
    return std::nullopt;
  }
  if (!replica.array && variable->getType()->isPointerType()) {
    error(replica.place, "'%0' is a pointer, which cannot be replicated") << name;
    note(variable->getLocation(), "'%0' is declared here") << name;
    return std::nullopt;
  }
  replica.variable = variable ? variable->getCanonicalDecl() : nullptr;
  if (const Replica *other = replicaOf(replica.array, replica.variable)) {
    error(replica.place, "'%0' is replicated already") << name;
    note(other->place, "the other 'acc replicate' is here");
    return std::nullopt;
  }
  replica.copy = unique(name) + "_copy";
  return replica;
}

/// `body` is null at file scope.
void Lowering::replicate(const Directive &directive, Stmt *body) {
  if (body && !isa<CompoundStmt>(body)) {
    error(directive.place, "'#pragma xmp acc replicate' must be followed by a block");
    return;
  }
  const std::size_t outer = replicas_.size();
  std::string declarations;
  for (const Operand &operand : directive.operands) {
    auto replica = newReplica(directive, operand.expression);
    if (!replica) {
      continue;
    }
    const std::string name = text(directive, operand.expression);
    const std::string made = "tutti_xmp_replicate(" + source(replica->place) + ", " +
                             (replica->array ? replica->array->handle + ", 0, 0"
                                             : "0, (void *)&" + name + ", sizeof " + name) +
                             ")";
    if (body) {
      declarations += "void *" + replica->copy +
                      " __attribute__((cleanup(tutti_xmp_release_copy))) = " + made + "; ";
    } else {
      edits_.after(directive.at, "static void *" + replica->copy + ";");
      start_ += replica->copy + " = " + made + "; ";
    }
    replicas_.push_back(*std::move(replica));
  }
  if (!body) {
    return;
  }
  TraverseStmt(body);
  replicas_.resize(outer);
  edits_.before(directive.at, "{ " + declarations);
  edits_.after(statementEnd(body) - 1, "}");
}

void Lowering::replicateSync(const Directive &directive) {
  std::string calls;
  for (const AccVariable &operand : directive.accVariables) {
    const Expression &variable = directive[operand.expression];
    if (!variable.expr) {
      continue;
    }
    const auto *reference = dyn_cast<DeclRefExpr>(variable.expr->IgnoreParens());
    const Replica *replica = replicaOf(
        scopes_.find(variable.expr), reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr);
    if (!replica) {
      error(variable.place(), "'%0' is not replicated here") << wordOf(variable.tokens.front());
      continue;
    }
    calls += (calls.empty() ? "" : " ") + ("tutti_xmp_replicate_sync(" + source(variable.place())) +
             ", " + replica->copy + ", " +
             (operand.kind == AccVariable::Kind::In ? "TUTTI_XMP_COPY_IN" : "TUTTI_XMP_COPY_OUT") +
             ");";
  }
  emitStatement(directive, "{ " + calls + " }");
}

namespace {

const VarDecl *namedBy(const Expression &expression) {
  const auto *reference =
      expression.expr ? dyn_cast<DeclRefExpr>(expression.expr->IgnoreParens()) : nullptr;
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  return variable ? variable->getCanonicalDecl() : nullptr;
}

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

/// What the clauses say; false after an error.
bool Lowering::readAccClauses(const Directive &directive, AccBody &body) {
  bool isRight = true;
  const auto once = [&](const VarDecl *variable, const Expression &operand) {
    if (!body.listed.insert(variable).second) {
      error(operand.place(), "'%0' is named twice") << variable->getName();
      isRight = false;
    }
  };
  for (const AccVariable &each : directive.accVariables) {
    const Expression &operand = directive[each.expression];
    const Entity *array = operand.expr ? scopes_.find(operand.expr) : nullptr;
    const VarDecl *variable = namedBy(operand);
    const bool isShared = each.kind == AccVariable::Kind::Shared;
    if (operand.expr && !variable && !(array && isShared)) {
      error(operand.place(), "expected the name of a variable");
      isRight = false;
      continue;
    }
    if (!isShared && variable && (array || !variable->getType()->isScalarType())) {
      error(operand.place(), "'%0' is not a scalar; arrays have to be replicated")
          << variable->getName();
      note(variable->getLocation(), "'%0' is declared here") << variable->getName();
      isRight = false;
      continue;
    }
    if (array) {
      body.sharedArrays.insert(array);
      continue;
    }
    if (!variable || replicaOf(nullptr, variable)) {
      if (variable && !isShared) {
        error(operand.place(), "'%0' is replicated, and so shared") << variable->getName();
        isRight = false;
      }
      continue;
    }
    once(variable, operand);
    body.clauses += std::string(each.kind == AccVariable::Kind::Private        ? " private("
                                : each.kind == AccVariable::Kind::FirstPrivate ? " firstprivate("
                                                                               : " shared(") +
                    variable->getName().str() + ")";
  }
  for (const ReductionClause &clause : directive.reductions) {
    const bool isOrdered = llvm::StringRef(clause.operation).starts_with("first") ||
                           llvm::StringRef(clause.operation).starts_with("last");
    for (const Operand &each : clause.operands) {
      const Expression &operand = directive[each.expression];
      const VarDecl *variable = namedBy(operand);
      if (isOrdered || !each.locations.empty() || !variable ||
          !variable->getType()->isArithmeticType()) {
        error(operand.place(), "a loop with 'acc' can reduce scalars only, and has no locations");
        isRight = false;
        continue;
      }
      if (replicaOf(nullptr, variable)) {
        error(operand.place(), "'%0' is replicated, and cannot be reduced") << variable->getName();
        isRight = false;
        continue;
      }
      once(variable, operand);
      body.clauses += " reduction(" + (clause.operation == "-" ? "+" : clause.operation) + ":" +
                      variable->getName().str() + ")";
    }
  }
  return isRight;
}

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

/// The clause for `#pragma tutti`; nothing after an error. Sizes that are not constant are the
/// runtime's to choose.
std::optional<std::string> Lowering::blockText(const Directive &directive) {
  constexpr std::int64_t kMost = 1024;
  if (directive.blockSizes.size() > 3) {
    error(directive.blockPlace, "'num_threads' has at most three sizes");
    return std::nullopt;
  }
  std::int64_t product = 1;
  bool isConstant = true;
  std::string sizes;
  for (const ExpressionId id : directive.blockSizes) {
    const Expression &size = directive[id];
    if (size.expr && !size.expr->getType()->isIntegerType()) {
      error(size.place(), "a size of 'num_threads' must be an integer");
      return std::nullopt;
    }
    Expr::EvalResult value;
    if (!size.expr || !size.expr->EvaluateAsInt(value, context_)) {
      isConstant = false;
      continue;
    }
    const std::int64_t number = value.Val.getInt().getExtValue();
    if (number < 1) {
      error(size.place(), "a size of 'num_threads' must be positive");
      return std::nullopt;
    }
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(number);
    product = number > kMost ? kMost + 1 : std::min(product * number, kMost + 1);
  }
  if (product > kMost) {
    error(directive.blockPlace, "'num_threads' has more than 1024 threads");
    return std::nullopt;
  }
  return directive.blockSizes.empty() || !isConstant ? "" : " block(" + sizes + ")";
}

/// Whether another pragma in front of the loop goes with what is made of it; `hasDevice` if one
/// says where it runs.
bool Lowering::checkPragmas(const Directive &directive, bool &hasDevice) {
  for (const Pragma &pragma : program_.pragmas) {
    if (pragma.at < directive.at || pragma.at > directive.end || pragma.tokens.empty()) {
      continue;
    }
    const llvm::StringRef language = wordOf(pragma.tokens.front());
    if (language == "omp") {
      error(pragma.tokens.front().getLocation(),
            "a loop with 'acc' has threads of its own, and cannot be OpenMP's");
      return false;
    }
    hasDevice |= language == "tutti" && llvm::any_of(pragma.tokens, [](const Token &token) {
                   return wordOf(token) == "device";
                 });
  }
  return true;
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
