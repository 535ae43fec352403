// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Node arrays, templates and global arrays of a program, and where their names are visible.
#pragma once

#include "compiler/frontend/xmp/constants.h"
#include "compiler/frontend/xmp/directive.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <deque>
#include <string>

namespace tutti::compiler::xmp {

enum class Format { None, Block, Cyclic, CyclicOf, Gblock };

struct Entity {
  enum class Kind { Nodes, Template, Array };
  Kind kind = Kind::Nodes;
  std::string name;
  std::string handle; ///< The C variable with the descriptor; what belongs to it begins so too.
  clang::SourceLocation place;
  unsigned rank = 0;
  bool isLasting = false;     ///< Made once in the program.
  std::vector<Bounds> bounds; ///< Of each dimension, as far as constants show; may be empty.

  // Of templates.
  bool isFixed = true;
  const Directive *distribution = nullptr;
  const Entity *onto = nullptr;
  llvm::SmallVector<Format, 4> formats;

  // Of arrays.
  enum class Storage { Own, Given, Pointer };
  Storage storage = Storage::Own;
  const Entity *with = nullptr;
  llvm::SmallVector<int, 4> axes; ///< The template's dimension of each of the array's; -1: none.
  clang::QualType element;
  clang::SourceLocation declared;           ///< The variable or member; `place` is of its `align`.
  const clang::VarDecl *variable = nullptr; ///< None of members.
  bool isReassigned = false; ///< A parameter that the function lets point to another array.
  bool hasShadow = false;
  clang::SourceLocation shadowPlace;
  std::array<bool, 7> isFull = {};
  std::array<std::pair<Constant, Constant>, 7> shadow = {}; ///< Below and above.
  llvm::SmallVector<std::string, 4> extents;
  unsigned named = 0; ///< So many of the last dimensions come from a type that has a name.
  bool isAtFileScope = false;
  const clang::FunctionDecl *function = nullptr; ///< Of file scope, but aligned in this function.
  bool isPointerNow = false;                     ///< The program's array has become a pointer.
  bool isPrototype = false; ///< Of a member that pointers lead to, wherever its memory is.
  bool isReady = false;     ///< Constants for accesses are in C variables of the block.

  /// Whether an index of this dimension needs quotient and remainder.
  bool isPacked(unsigned dimension) const {
    const int axis = axes[dimension];
    return axis >= 0 && !isFull[dimension] &&
           (with->formats[axis] == Format::Cyclic || with->formats[axis] == Format::CyclicOf);
  }
};

/// Names of node arrays and templates have a name space of their own. Arrays are found by their
/// declaration.
class Scopes {
public:
  Scopes() { push(); }

  void push() {
    names_.emplace_back();
    arrayNames_.emplace_back();
  }

  void pop() {
    names_.pop_back();
    arrayNames_.pop_back();
  }

  Entity &add() { return all_.emplace_back(); }

  void name(Entity &entity) { names_.back()[entity.name] = &entity; }

  void bind(const clang::ValueDecl *variable, Entity &entity) {
    arrays_[variable->getCanonicalDecl()] = &entity;
  }

  void bind(const clang::ValueDecl *variable, const clang::FieldDecl *member, Entity &entity) {
    members_[{variable->getCanonicalDecl(), member}] = &entity;
  }

  Entity *findHere(llvm::StringRef name) const {
    const auto found = names_.back().find(name);
    return found == names_.back().end() ? nullptr : found->second;
  }

  Entity *find(llvm::StringRef name) const {
    for (auto scope = names_.rbegin(); scope != names_.rend(); ++scope) {
      if (const auto found = scope->find(name); found != scope->end()) {
        return found->second;
      }
    }
    return nullptr;
  }

  Entity *find(const clang::Decl *variable) const {
    return variable ? arrays_.lookup(variable->getCanonicalDecl()) : nullptr;
  }

  /// The global array that an expression names: a variable, or a member of one.
  Entity *find(const clang::Expr *expr) const {
    expr = expr->IgnoreParenImpCasts();
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expr)) {
      return find(reference->getDecl());
    }
    const auto *access = llvm::dyn_cast<clang::MemberExpr>(expr);
    const auto *object =
        access ? llvm::dyn_cast<clang::DeclRefExpr>(access->getBase()->IgnoreParenImpCasts())
               : nullptr;
    const auto *member =
        access ? llvm::dyn_cast<clang::FieldDecl>(access->getMemberDecl()) : nullptr;
    return object && member && !access->isArrow()
               ? members_.lookup({object->getDecl()->getCanonicalDecl(), member})
               : nullptr;
  }

  /// Arrays by their names, for `xmp_desc_of`.
  void nameArray(Entity &array) { arrayNames_.back()[array.name] = &array; }

  /// `name`, or `variable.member`.
  Entity *findArray(llvm::StringRef key) const {
    for (auto scope = arrayNames_.rbegin(); scope != arrayNames_.rend(); ++scope) {
      if (const auto found = scope->find(key); found != scope->end()) {
        return found->second;
      }
    }
    return nullptr;
  }

  /// All that are visible, for messages.
  llvm::SmallVector<llvm::StringRef, 16> names() const {
    llvm::SmallVector<llvm::StringRef, 16> all;
    for (const auto &scope : names_) {
      for (const auto &entry : scope) {
        all.push_back(entry.getKey());
      }
    }
    return all;
  }

private:
  std::deque<Entity> all_;
  std::vector<llvm::StringMap<Entity *>> names_;
  std::vector<llvm::StringMap<Entity *>> arrayNames_;
  llvm::DenseMap<const clang::Decl *, Entity *> arrays_;
  llvm::DenseMap<std::pair<const clang::Decl *, const clang::Decl *>, Entity *> members_;
};

} // namespace tutti::compiler::xmp
