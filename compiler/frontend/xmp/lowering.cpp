// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/xmp/lowering.h"

#include "compiler/frontend/xmp/marks.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace tutti::compiler::xmp {

std::optional<unsigned> numberOfMark(const Stmt *statement, llvm::StringRef function) {
  const auto *expr = dyn_cast_or_null<Expr>(statement);
  const auto *call = expr ? dyn_cast<CallExpr>(expr->IgnoreParenImpCasts()) : nullptr;
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (!callee || !callee->getIdentifier() || callee->getName() != function) {
    return std::nullopt;
  }
  const auto *number = dyn_cast<IntegerLiteral>(call->getArg(0)->IgnoreParenImpCasts());
  return number ? std::optional<unsigned>(number->getValue().getZExtValue()) : std::nullopt;
}

Directive *Lowering::directiveOf(const Stmt *statement) {
  const auto number = numberOfMark(statement, kMark);
  return number ? &program_.directives[*number] : nullptr;
}

/// Fills in what the expressions mean, and rewrites what stands in them.
void Lowering::bindExpressions(Directive &directive, CallExpr *call) {
  directive.mark = call;
  for (unsigned i = 0; i < directive.expressions.size() && i + 1 < call->getNumArgs(); ++i) {
    Expression &expression = directive.expressions[i];
    Expr *argument = call->getArg(i + 1);
    if (!expression.isVariable) {
      expression.expr = argument->IgnoreImpCasts();
      TraverseStmt(argument);
      const QualType type = expression.expr->getType();
      if (!expression.isMap && !type->isIntegerType() && !expression.expr->containsErrors()) {
        error(expression.place(), "expected an integer, but this is of type '%0'")
            << type.getAsString(context_.getPrintingPolicy());
      }
      continue;
    }
    const auto *address = dyn_cast<UnaryOperator>(argument->IgnoreParenImpCasts());
    expression.expr = address ? address->getSubExpr()->IgnoreParens() : argument;
  }
}

void Lowering::standing(Directive &directive) {
  switch (directive.kind) {
  case DirectiveKind::Nodes:
    return nodes(directive);
  case DirectiveKind::Template:
    return templates(directive);
  case DirectiveKind::Distribute:
    return distribute(directive);
  case DirectiveKind::Align:
    return align(directive);
  case DirectiveKind::Shadow:
    return shadow(directive);
  case DirectiveKind::TemplateFix:
    return templateFix(directive);
  case DirectiveKind::Reflect:
  case DirectiveKind::ReduceShadow:
    return reflect(directive);
  case DirectiveKind::Barrier:
    return barrier(directive);
  case DirectiveKind::Reduction:
    return reduction(directive);
  case DirectiveKind::Bcast:
    return bcast(directive);
  case DirectiveKind::WaitAsync:
    return waitAsync(directive);
  case DirectiveKind::Replicate:
    return replicate(directive, nullptr);
  case DirectiveKind::ReplicateSync:
    return replicateSync(directive);
  default: // static_desc says nothing new: descriptors are found again by content.
    return emitStatement(directive, "");
  }
}

void Lowering::task(Directive &directive, Stmt *body, const std::string &set) {
  const std::string scope = unique("scope");
  edits_.before(directive.at,
                "{ tutti_xmp_scope " + scope +
                    " __attribute__((cleanup(tutti_xmp_leave))) = {{0}}; if (tutti_xmp_enter(" +
                    source(directive.place) + ", &" + scope + ", " + set + ", " +
                    (directive.isNoComm ? "TUTTI_XMP_NOCOMM" : "0") + "))");
  edits_.after(statementEnd(body) - 1, "}");
}

void Lowering::tasks(Directive &directive, Stmt *body) {
  auto *block = dyn_cast<CompoundStmt>(body);
  if (!block) {
    error(body->getBeginLoc(), "'#pragma xmp tasks' must be followed by a block");
    return;
  }
  scopes_.push();
  std::string sets;
  for (Stmt *statement : block->body()) {
    auto *owner = dyn_cast<WhileStmt>(statement);
    Directive *inner = owner ? directiveOf(owner->getCond()) : nullptr;
    if (!inner || inner->kind != DirectiveKind::Task) {
      error(statement->getBeginLoc(), "only '#pragma xmp task' can stand in a 'tasks' block");
      continue;
    }
    bindExpressions(*inner, cast<CallExpr>(owner->getCond()->IgnoreParenImpCasts()));
    const auto set = ref(*inner, inner->on);
    TraverseStmt(owner->getBody());
    if (set) {
      const std::string name = unique("set");
      sets += "const tutti_xmp_ref *const " + name + " = " + *set + "; ";
      task(*inner, owner->getBody(), name);
    }
  }
  scopes_.pop();
  edits_.before(directive.at, "{ " + sets);
  edits_.after(statementEnd(body) - 1, "}");
}

/// The loop or assignment that stands alone in a block, which programs have where the language
/// wants the statement itself; what is written has no such block. Anything else as it is.
Stmt *Lowering::withoutBraces(Stmt *body) {
  const auto *block = dyn_cast<CompoundStmt>(body);
  if (!block || block->size() != 1 || !isa<ForStmt, BinaryOperator>(block->body_front())) {
    return body;
  }
  for (const SourceLocation brace : {block->getLBracLoc(), block->getRBracLoc()}) {
    edits_.erase(program_.at(brace), program_.at(brace) + 1);
  }
  return *block->body_begin();
}

/// Returns false where the statement was not looked at yet.
bool Lowering::owning(Directive &directive, Stmt *body) {
  if (directive.isBroken) {
    return true;
  }
  switch (directive.kind) {
  case DirectiveKind::Tasks:
    tasks(directive, body);
    return true;
  case DirectiveKind::Task: {
    const auto set = ref(directive, directive.on);
    TraverseStmt(body);
    if (set) {
      task(directive, body, *set);
    }
    return true;
  }
  case DirectiveKind::Loop:
    return loop(directive, withoutBraces(body));
  case DirectiveKind::Gmove:
    return gmove(directive, withoutBraces(body));
  case DirectiveKind::Replicate:
    replicate(directive, body);
    return true;
  case DirectiveKind::Array: {
    auto *assignment = dyn_cast<BinaryOperator>(withoutBraces(body));
    if (!assignment || !isArrayAssignment(assignment)) {
      error(directive.place, "'#pragma xmp array' must be followed by an array assignment");
      return true;
    }
    return arrayAssignment(&directive, assignment);
  }
  default:
    return false;
  }
}

bool Lowering::TraverseWhileStmt(WhileStmt *statement, DataRecursionQueue *) {
  Directive *directive = directiveOf(statement->getCond());
  if (!directive) {
    return Base::TraverseWhileStmt(statement);
  }
  bindExpressions(*directive, cast<CallExpr>(statement->getCond()->IgnoreParenImpCasts()));
  if (!owning(*directive, statement->getBody())) {
    TraverseStmt(statement->getBody());
  }
  return true;
}

/// Says where functions are called in which nodes wait for others.
void Lowering::noteCall(const CallExpr *call, llvm::StringRef name) {
  static const llvm::StringSet<> kWaiting = {
      "xmp_barrier", "xmp_get_mpi_comm", "xmp_transpose", "xmp_matmul",  "xmp_gather",
      "xmp_scatter", "xmp_pack",         "xmp_unpack",    "xmp_sort_up", "xmp_sort_down"};
  if (kWaiting.contains(name)) {
    const SourceLocation at = call->getCallee()->IgnoreParenImpCasts()->getBeginLoc();
    edits_.before(program_.at(at),
                  "(tutti_xmp_call(" + source(at) + " \" (" + name.str() + ")\"), ");
    edits_.after(program_.at(call->getRParenLoc()), ")");
  }
}

bool Lowering::TraverseCallExpr(CallExpr *call, DataRecursionQueue *) {
  if (Directive *directive = directiveOf(call)) {
    bindExpressions(*directive, call);
    standing(*directive);
    return true;
  }
  if (const auto number = numberOfMark(call, kSection)) {
    if (inArrayAssignment_) {
      return Base::TraverseCallExpr(call);
    }
    error(program_.sections[*number].place, "an array section cannot stand here");
    return true;
  }
  if (numberOfMark(call, kDescriptor)) {
    resolveDescriptors(call);
    return true;
  }
  Base::TraverseCallExpr(call);
  const FunctionDecl *callee = call->getDirectCallee();
  const llvm::StringRef name = callee && callee->getIdentifier() ? callee->getName() : "";
  noteCall(call, name);
  if (name == "xmp_malloc" && call->getNumArgs() > 1) {
    std::string extents;
    for (const Expr *extent : llvm::drop_begin(call->arguments())) {
      extents += (extents.empty() ? "" : ", ") + ("(long)(" + text(extent) + ")");
    }
    const std::string made = "tutti_xmp_allocate(" + source(call->getBeginLoc()) + ", " +
                             text(call->getArg(0)) + ", " + std::to_string(call->getNumArgs() - 1) +
                             ", " + listText("long", extents) + ")";
    const unsigned begin = program_.at(call->getBeginLoc());
    edits_.erase(begin, program_.at(call->getEndLoc()) + 1);
    edits_.before(begin, made);
  }
  if (call->getNumArgs() == 2 && (name == "xmp_pack" || name == "xmp_unpack")) {
    edits_.before(program_.at(call->getEndLoc()), ", (void *)0"); // Without a mask.
  }
  return true;
}

void Lowering::resolveDescriptors(CallExpr *call) {
  const DescriptorMark &mark = program_.descriptors[*numberOfMark(call, kDescriptor)];
  const llvm::StringRef name = wordOf(mark.name);
  const Entity *entity = scopes_.find(name);
  if (!entity) { // Then it is an array, which C's scopes have: the nearest one of that name.
    entity = scopes_.findArray(
        mark.member.is(tok::unknown) ? name.str() : (name + "." + wordOf(mark.member)).str());
  }
  if (!entity) {
    const bool isMember = mark.member.isNot(tok::unknown);
    error(mark.name.getLocation(),
          "'%0' in 'xmp_desc_of' is not a node array, template or global array")
        << (isMember ? (name + "." + wordOf(mark.member)).str() : name.str());
    return;
  }
  edits_.before(mark.begin, "((void *)" + entity->handle + ")");
}

bool Lowering::TraverseCompoundStmt(CompoundStmt *block, DataRecursionQueue *) {
  scopes_.push();
  Base::TraverseCompoundStmt(block);
  scopes_.pop();
  return true;
}

void Lowering::function(FunctionDecl *function) {
  function_ = function;
  constants_.enter(function);
  usedInFunction_.clear();
  TraverseStmt(function->getBody());
  std::string constants;
  for (Entity *array : usedInFunction_) {
    constants += constantsOf(*array, "*" + array->handle + "_at");
    array->isReady = false;
  }
  if (!constants.empty()) {
    edits_.after(program_.at(function->getBody()->getBeginLoc()), constants);
  }
  function_ = nullptr;
  constants_.enter(nullptr);
}

void Lowering::topLevel(Decl *declaration) {
  if (const auto *variable = dyn_cast<VarDecl>(declaration)) {
    return membersOf(variable);
  }
  auto *defined = dyn_cast<FunctionDecl>(declaration);
  if (!defined || !defined->getIdentifier()) {
    return;
  }
  if (!defined->doesThisDeclarationHaveABody()) {
    return omitUnused(defined);
  }
  if (!defined->getName().starts_with(kAtFileScope)) {
    if (!context_.getSourceManager().isInSystemHeader(defined->getLocation())) {
      function(defined);
    }
    return;
  }
  for (Stmt *statement : cast<CompoundStmt>(defined->getBody())->body()) {
    TraverseStmt(statement);
  }
}

} // namespace tutti::compiler::xmp

template class clang::RecursiveASTVisitor<tutti::compiler::xmp::Lowering>;
