// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A LuNA program as a tree. Made by the parser; what names mean is filled in by the checker.
#pragma once

#include "compiler/frontend/luna/lexer.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace tutti::compiler::luna {

struct Block;
struct Statement;
struct Sub;

/// A word of the program, and where it stands.
struct Word {
  std::string_view text;
  Position at = 0;
};

/// What is known of a value before the program runs.
enum class Type : std::uint8_t { Unknown, Int, Real, String };

enum class ParameterType : std::uint8_t { Int, Real, String, Name, Value };

struct Expression;

/// What a name stands for.
struct Declaration {
  enum class Kind : std::uint8_t {
    Fragment,  ///< `df`.
    Parameter, ///< Of a structured sub.
    Counter,   ///< Of `for` or `while`.
    Let,
    Pattern,       ///< An index in the pattern of a rule.
    NonFunctional, ///< `nfparam`.
  };

  Kind kind;
  Word name;
  ParameterType type = ParameterType::Name; ///< Of a parameter.
  Expression *value = nullptr;              ///< Of a `let`.
  Sub *sub = nullptr;                       ///< Where it stands.
  bool isFragment = false; ///< Found by the checker: it stands for a data fragment.
  bool isPoisoned = false; ///< Found by the checker: what it stands for is wrong already.
  bool isUsed = false;
  bool isWritten = false; ///< Found by the checker: some call may produce it.
};

struct Expression {
  enum class Kind : std::uint8_t {
    Integer,
    Real,
    String,
    Reference, ///< `text` with `parts` as indices.
    Unary,     ///< `text` is the operator, here and below.
    Binary,
    Choice, ///< `?:`
    Cast,   ///< `text` is the type.
  };

  Kind kind = Kind::Integer;
  std::string_view text;
  Position at = 0;    ///< Of an operator if there is one, else as `begin`.
  Position begin = 0; ///< The first character.
  Position end = 0;   ///< Behind the last.
  std::uint32_t depth = 0;
  std::vector<Expression *> parts;

  // Found by the checker.
  Type type = Type::Unknown;
  Declaration *declaration = nullptr; ///< Of a reference; null if it has none.
  bool isWrong = false;               ///< A message says so: no other should follow.
};

/// `stealable;`, `locator_cyclic: e;`, `delete x, y;`, `locator_cyclic x[i] => e;`
struct Rule {
  enum class Form : std::uint8_t { Flag, Value, Names, Mapped };

  Form form = Form::Flag;
  Word name;
  std::vector<Expression *> ids;
  Expression *value = nullptr;
  std::vector<Declaration *> patterns; ///< Indices of the mapped name, where they are patterns.
  bool isOfLabel = false;              ///< Found by the checker: the mapped name is a label's.
};

struct Block {
  Position at = 0;
  std::vector<Declaration *> fragments;
  std::vector<Statement *> statements;
  std::vector<Rule> rules;
};

struct Statement {
  enum class Kind : std::uint8_t { Call, Let, For, While, If };

  Kind kind = Kind::Call;
  Position at = 0;

  // A call.
  Word name; ///< Of what is called.
  Expression *label = nullptr;
  std::vector<Expression *> arguments;
  std::vector<Expression *> signals;   ///< `>> (...)`
  std::vector<Expression *> deletions; ///< `--> (...)`
  std::vector<Rule> rules;
  Sub *callee = nullptr; ///< Found by the checker; null if there is none.

  // The others.
  Expression *condition = nullptr; ///< Of `while` and `if`.
  Declaration *counter = nullptr;
  Expression *first = nullptr;
  Expression *last = nullptr; ///< Of a `for`; of a `while` the name behind `out`.
  std::vector<Declaration *> lets;
  Block *body = nullptr;
  Block *otherwise = nullptr;
};

/// What a parameter of an import is to merged calls.
enum class MergeRole : std::uint8_t { Same, Size, Bulk, Left, Right, Start };

struct Parameter {
  ParameterType type = ParameterType::Int;
  Word name; ///< Empty if it has none.
  Position at = 0;
  MergeRole merge = MergeRole::Same;  ///< Found by the checker.
  Declaration *declaration = nullptr; ///< Of a structured sub's.
};

/// Everything that can be called.
struct Sub {
  enum class Kind : std::uint8_t { Import, InPlace, Structured };

  Kind kind = Kind::Structured;
  Word name;
  Word code; ///< Of an import: the procedure.
  std::vector<Parameter> parameters;
  bool isForDevices = false;     ///< There is a version for devices ...
  bool isForDevicesOnly = false; ///< ... and no other.
  std::size_t foreign = 0;       ///< Of one in place: number of its text.
  std::vector<Rule> rules;       ///< Of an import.
  bool isMerged = false;         ///< Found by the checker: its calls may be merged.
  Block *body = nullptr;
  Sub *first = nullptr; ///< The first definition, if this one replaces it.
  bool isReplaced = false;
};

struct Head {
  bool isForDevices = false;
  std::size_t foreign = 0;
};

/// Use of something that the language of 2014 does not have; see `--std=luna`.
struct Addition {
  Position at;
  std::string_view what;
};

/// Ownership: owns all nodes; texts belong to the preprocessed program.
struct Program {
  std::vector<Sub *> subs; ///< In the order of the text, replaced ones too.
  std::vector<Head> heads;
  std::vector<Addition> additions;
  std::vector<Position> chains; ///< Each '?' behind the ':' of another one, without parentheses.

  std::deque<Sub> subNodes;
  std::deque<Block> blocks;
  std::deque<Statement> statements;
  std::deque<Expression> expressions;
  std::deque<Declaration> declarations;
};

} // namespace tutti::compiler::luna
