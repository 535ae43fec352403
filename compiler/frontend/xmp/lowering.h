// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Goes once through the parsed plain program, in the order of the source: binds directives to what
/// they name, checks them, and says what is to be written in their place.
#pragma once

#include "compiler/frontend/pragma/diagnostics.h"
#include "compiler/frontend/xmp/changes.h"
#include "compiler/frontend/xmp/edits.h"
#include "compiler/frontend/xmp/lowering_parts.h"
#include "compiler/frontend/xmp/program.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSet.h"

#include <map>
#include <optional>
#include <set>

namespace tutti::compiler::xmp {

class Lowering : public clang::RecursiveASTVisitor<Lowering> {
  using Base = clang::RecursiveASTVisitor<Lowering>;

public:
  Lowering(clang::ASTContext &context, clang::Preprocessor &preprocessor, Program &program,
           Edits &edits)
      : context_(context), preprocessor_(preprocessor), program_(program), edits_(edits),
        constants_(context, program) {}

  /// Returns what is to stand behind the program.
  std::string run();

  // Of the visitor.
  bool shouldVisitImplicitCode() const { return false; }

  bool TraverseCompoundStmt(clang::CompoundStmt *block, DataRecursionQueue *queue = nullptr);
  bool TraverseWhileStmt(clang::WhileStmt *statement, DataRecursionQueue *queue = nullptr);
  bool TraverseCallExpr(clang::CallExpr *call, DataRecursionQueue *queue = nullptr);
  bool TraverseArraySubscriptExpr(clang::ArraySubscriptExpr *access,
                                  DataRecursionQueue *queue = nullptr);
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *trait,
                                        DataRecursionQueue *queue = nullptr);
  bool TraverseBinaryOperator(clang::BinaryOperator *operation,
                              DataRecursionQueue *queue = nullptr);
  bool TraverseCompoundAssignOperator(clang::CompoundAssignOperator *operation,
                                      DataRecursionQueue *queue = nullptr);
  bool VisitDeclRefExpr(clang::DeclRefExpr *reference);
  bool VisitMemberExpr(clang::MemberExpr *access);
  bool TraverseUnaryOperator(clang::UnaryOperator *operation, DataRecursionQueue *queue = nullptr);
  bool VisitDeclStmt(clang::DeclStmt *statement);

private:
  // Traversal (lowering.cpp, start_up.cpp, unused_functions.cpp).
  void topLevel(clang::Decl *declaration);
  bool isInPragma(llvm::StringRef word);
  void omitUnused(const clang::FunctionDecl *function);
  void function(clang::FunctionDecl *function);
  Directive *directiveOf(const clang::Stmt *statement);
  void bindExpressions(Directive &directive, clang::CallExpr *call);
  void standing(Directive &directive);
  clang::Stmt *withoutBraces(clang::Stmt *body);
  bool owning(Directive &directive, clang::Stmt *body);
  void tasks(Directive &directive, clang::Stmt *body);
  void task(Directive &directive, clang::Stmt *body, const std::string &scopeReference);
  /// `isSubscripted`: else only the name of an array counts, not that of a pointer.
  void noteUseAsC(const clang::Expr *base, bool isSubscripted);
  /// Whether there is no use in front of the `align` at `place`; else says so.
  bool isUnusedYet(const clang::ValueDecl *declaration, clang::SourceLocation place);
  void resolveDescriptors(clang::CallExpr *call);
  void noteCall(const clang::CallExpr *call, llvm::StringRef name);

  // Declarations (declarations.cpp; of arrays arrays.cpp, alignment.cpp, declarators.cpp,
  // members.cpp, shadows.cpp).
  void nodes(const Directive &directive);
  void templates(const Directive &directive);
  void distribute(const Directive &directive);
  void align(const Directive &directive);
  void alignTarget(const Directive &directive, const Target &target, const Entity &with);
  void alignMember(const Directive &directive, const Target &target, const Entity &with);
  void membersOf(const clang::VarDecl *variable);
  bool isReachedThroughPointer(const clang::FieldDecl *field) const;
  void makePrototype(const Directive &directive, const clang::FieldDecl *field, Entity &array);
  const clang::FieldDecl *memberOf(const Target &target);
  bool readArray(const Directive &directive, const clang::DeclaratorDecl *declared, Entity &array);
  void emitArray(const Directive &directive, const Entity &array, unsigned declaration);
  std::optional<llvm::SmallVector<int, 7>> alignColons(const Directive &directive);
  std::optional<int> axisOfIndex(const Directive &directive, const Item &source);
  bool alignAxes(const Directive &directive, Entity &array);
  std::string alignmentText(const Directive &directive, const Entity &array) const;
  bool arrayStorage(const Directive &directive, const clang::DeclaratorDecl *variable,
                    Entity &array);
  void replaceDeclarator(const clang::DeclaratorDecl *variable);
  void readExtents(const clang::DeclaratorDecl *variable, Entity &array);
  unsigned declarationEnd(const clang::DeclaratorDecl *variable) const;
  void setShadow(const Directive &directive, Entity &array, clang::SourceLocation place);
  void shadow(const Directive &directive);
  void shadowMember(const Directive &directive, AlignedMember &member, clang::SourceLocation place);
  void templateFix(const Directive &directive);
  std::string formats(const Directive &directive, const Entity &entity);
  bool declareName(Entity &entity, const clang::Token &token);
  void emitDeclaration(const Directive &directive, const Entity &entity, const char *type,
                       const std::string &make);
  void emitStatement(const Directive &directive, const std::string &text);
  void makeReady(const Directive &directive, Entity &array);
  const clang::VarDecl *variableOf(const Directive &directive, const Target &target);
  bool isLastOf(const Directive &directive, const Entity &array) const;

  // Accesses (accesses.cpp).
  Entity *prototypeOf(const clang::Expr *expr) const;
  std::optional<Chain> chainOf(clang::Expr *expr) const;
  void rewrite(const Chain &chain);
  void eraseParentheses(const clang::Expr *expr);
  void checkFunction(const Entity *array, clang::SourceLocation place);
  std::string constantsOf(const Entity &array, const std::string &base) const;
  std::string baseOf(Entity &array);
  std::string axisText(Entity &array, unsigned dimension, const char *shortName,
                       const char *member);
  bool usesConstants(Entity &array);
  std::string localName(const Entity &array) const;
  std::string decayed(const Entity &array) const;

  // Loops (loops.cpp, nest.cpp, loop_shares.cpp, loop_reductions.cpp).
  bool loop(Directive &directive, clang::Stmt *body);
  bool findNest(const Directive &directive, clang::Stmt *body, std::vector<NestLoop> &nest);
  bool findLoopsAround(const clang::ForStmt *inner, clang::Stmt *body,
                       std::vector<NestLoop> &around);
  bool hasFixedBounds(const NestLoop &loop, const clang::Expr *first, const clang::Expr *bound,
                      clang::Stmt *body);
  bool readLoop(NestLoop &loop, clang::Stmt *body);
  static void delayGuarded(const Directive &directive, const clang::Stmt *body,
                           std::vector<NestLoop> &nest);
  bool readStep(NestLoop &loop);
  static bool isDealtInBlocks(const Entity &set, unsigned axis);
  bool isSeen(const Directive &directive, const NestLoop &loop);
  void writeHeader(const Directive &directive, const NestLoop &loop, const Entity &set,
                   const std::string &index, const std::string &prefix);
  std::string sharesConstants(const std::string &index, const std::string &prefix) const;
  std::string blocksConstants(const std::string &index, const std::string &prefix) const;
  std::string shareText(const Directive &directive, const Entity &set,
                        llvm::ArrayRef<const NestLoop *> loops, const std::string &name,
                        std::string &fill);
  std::string reductionRef(const Directive &directive, const Entity &set) const;
  std::set<Entity *> walkLoop(const Directive &directive, clang::Stmt *body);
  bool checkBounds(const Directive &directive, const Entity &set, llvm::ArrayRef<NestLoop> nest);
  void writeHeaders(const Directive &directive, const Entity &set, const LoopText &text);
  void addReaches(const Chain &chain, llvm::ArrayRef<NestLoop> nest, Reaches &reaches);
  void findReaches(clang::Stmt *statement, llvm::ArrayRef<NestLoop> nest, Reaches &reaches);
  std::string reachText(const Directive &directive, clang::Stmt *body, const LoopText &text);
  void findArrays(clang::Stmt *statement, std::map<std::string, bool> &arrays);
  std::string separateArrays(clang::Stmt *body);
  bool isDividedByOpenMp(const Directive &directive, const NestLoop &loop) const;
  std::string nestShares(const Directive &directive, const Entity &set, const LoopText &text,
                         std::string &closing);
  std::string wrapReductions(const Directive &directive, const Entity &set, const LoopText &text,
                             std::string &share, std::string &closing);
  bool takesAddress(const clang::Stmt *statement, const clang::VarDecl *variable);
  std::string ownReduced(const Directive &directive, std::string &copy);
  bool checkOrder(NestLoop &loop, clang::Stmt *body);
  std::optional<std::string> positionText(clang::Stmt *body, llvm::ArrayRef<NestLoop> nest,
                                          const std::string &name);
  bool trackPositions(const Directive &directive, clang::Stmt *body, llvm::ArrayRef<NestLoop> nest,
                      const std::string &name);
  bool hasCollectives(const clang::Stmt *statement);
  void enterIterations(const Directive &directive, const Entity &set, const NestLoop &innermost);
  bool checkLoopBody(const Directive &directive, clang::Stmt *body);

  // Device copies (replicas.cpp), and loops on devices (acc.cpp, acc_clauses.cpp).
  const Replica *replicaOf(const Entity *array, const clang::VarDecl *variable) const;
  std::optional<Replica> newReplica(const Directive &directive, ExpressionId id);
  void replicate(const Directive &directive, clang::Stmt *body);
  void replicateSync(const Directive &directive);
  bool listOnce(const clang::VarDecl *variable, const Expression &operand, AccBody &body);
  bool readAccVariable(const Expression &operand, AccVariable::Kind kind, AccBody &body);
  bool readAccReduction(const Directive &directive, const ReductionClause &clause,
                        const Operand &each, AccBody &body);
  bool readAccClauses(const Directive &directive, AccBody &body);
  void walkAccBody(const clang::Stmt *statement, AccBody &body);
  void useInAcc(const Entity *array, const clang::VarDecl *variable, clang::SourceLocation place,
                AccBody &body);
  std::optional<std::string> blockText(const Directive &directive);
  bool checkPragmas(const Directive &directive, bool &hasDevice);
  std::optional<std::string> accLoop(const Directive &directive, const Entity &set,
                                     clang::Stmt *statement, llvm::ArrayRef<NestLoop> nest);

  // Transfers (transfers.cpp, reductions.cpp, gmove.cpp, sections.cpp).
  void reflect(const Directive &directive);
  void reduction(const Directive &directive);
  std::optional<std::string> reduced(const Directive &directive, const std::string &positions,
                                     unsigned &count);
  void bcast(const Directive &directive);
  void barrier(const Directive &directive);
  void waitAsync(const Directive &directive);
  bool gmove(Directive &directive, clang::Stmt *body);
  Chain sectionChain(clang::Expr *whole) const;
  unsigned sectionElement(const Chain &chain, clang::QualType &element) const;
  std::string sectionSubscript(clang::Expr *index, unsigned &ranges);
  std::string localSection(const Chain &chain, unsigned rank, const std::string &code,
                           const std::string &subscripts) const;
  std::optional<SectionText> section(clang::Expr *expr);
  std::optional<SectionText> variable(const Directive &directive, ExpressionId id);
  Entity *arrayOf(const Directive &directive, ExpressionId id);
  std::string asyncText(const Directive &directive) const;

  // Array assignments (array_assignment.cpp, element_loops.cpp).
  bool isArrayAssignment(const clang::Stmt *statement) const;
  bool arrayAssignment(const Directive *directive, clang::BinaryOperator *assignment);

  std::string extentOf(clang::ArraySubscriptExpr *access, const Entity *array, unsigned dimension);
  std::optional<Range> rangeOf(clang::ArraySubscriptExpr *access, const Entity *array,
                               unsigned dimension, bool isCounted);
  bool isStatement(const clang::BinaryOperator *assignment) const;
  bool checkSections(const Directive *directive, const clang::BinaryOperator *assignment,
                     llvm::ArrayRef<Sectioned> all, Shape &shape);
  bool replaceSections(llvm::ArrayRef<Sectioned> all, const std::string &name);
  std::string assignmentText(clang::BinaryOperator *assignment, llvm::ArrayRef<Sectioned> all,
                             const ElementLoops &loops) const;
  bool divideElements(const Directive &directive, const Entity *array, ElementLoops &loops);
  std::string elementShare(const Directive &directive, const ElementLoops &loops) const;
  void elementHeads(ElementLoops &loops);
  bool elementLoops(const Directive *directive, const Entity *array, ElementLoops &loops);

  // C text (c_text.cpp).
  std::string text(const Directive &directive, ExpressionId id) const;
  std::string text(const clang::Expr *expr) const;
  std::string longOf(const Directive &directive, ExpressionId id) const;
  std::string source(clang::SourceLocation place) const;
  std::string subscript(const Directive &directive, const Item &item, bool isRound,
                        bool isNodes) const;
  std::optional<std::string> ref(const Directive &directive, const std::optional<Ref> &ref);
  Entity *find(const clang::Token &name, bool mayBeNodes, bool mayBeTemplate);
  Entity *checkedRef(const Directive &directive, const Ref &ref);
  std::string typeCode(clang::QualType type) const;
  unsigned statementEnd(const clang::Stmt *statement) const;
  std::string unique(llvm::StringRef name);
  static llvm::StringRef wordOf(const clang::Token &token);

  template <std::size_t N>
  clang::DiagnosticBuilder error(clang::SourceLocation where, const char (&text)[N]) {
    return pragma::error(context_.getDiagnostics(), where, text);
  }

  template <std::size_t N>
  clang::DiagnosticBuilder note(clang::SourceLocation where, const char (&text)[N]) {
    clang::DiagnosticsEngine &diagnostics = context_.getDiagnostics();
    return diagnostics.Report(where,
                              diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, text));
  }

  clang::ASTContext &context_;
  clang::Preprocessor &preprocessor_;
  Program &program_;
  Edits &edits_;
  ConstantChecks constants_;
  Scopes scopes_;
  std::string start_; ///< Statements of the file's start-up.
  llvm::StringSet<> pragmaWords_;
  std::set<std::string> packedWords_; ///< The sizes for which the file needs loops on devices.
  unsigned names_ = 0;

  /// Those that are aligned.
  llvm::DenseMap<const clang::FieldDecl *, AlignedMember> members_;
  /// Where variables and members that are not aligned, or not yet, were used first as C means it.
  llvm::DenseMap<const clang::ValueDecl *, clang::SourceLocation> usedAsC_;
  std::vector<Replica> replicas_; ///< Those that are visible; the innermost ones last.

  // Of the function.
  const clang::FunctionDecl *function_ = nullptr;
  std::set<Entity *> usedInFunction_;      ///< Those of file scope.
  unsigned distributed_ = 0;               ///< `loop` directives around.
  std::set<Entity *> usedInLoop_;          ///< Pointers; of the outermost `loop`.
  std::optional<Changes> changesInLoop_;   ///< Of the outermost `loop`, while there is one.
  bool inAcc_ = false;                     ///< In a loop whose arrays are device copies.
  bool inArrayAssignment_ = false;         ///< Sections may stand in subscripts.
  const clang::Expr *addressOf_ = nullptr; ///< Whose address is taken.
};

} // namespace tutti::compiler::xmp

// All of the visitor's functions are compiled once, with lowering.cpp.
extern template class clang::RecursiveASTVisitor<tutti::compiler::xmp::Lowering>;
