// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"

using namespace clang;

namespace tutti::compiler::xmp {

/// Null if the variable has no device copy here.
const Replica *Lowering::replicaOf(const Entity *array, const VarDecl *variable) const {
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
std::optional<Replica> Lowering::newReplica(const Directive &directive, ExpressionId id) {
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

} // namespace tutti::compiler::xmp
