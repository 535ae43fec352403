// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The form in which parallel constructs reach analyses and transforms: calls of the library that
/// executes them at home, told apart by what they do, with operands by their roles.
///
/// A construct is an outlined function that a *fork* starts on several threads. In it a loop is
/// divided between an *init* and an *end*; a *static* init leaves the thread's share in variables,
/// a *dispatch* init is followed by a *next* for each piece. A *reduce* answers which thread
/// combines. What stays home stays as it is: its calls are never rewritten.
///
/// Which calls these are is known to the front end of a language (`ConstructCalls`), which
/// registers itself. Nothing else names them.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

#include <cstdint>
#include <optional>

namespace tutti::compiler {

enum class CallKind : std::uint8_t {
  None,          ///< No call of a front end.
  Fork,          ///< Starts an outlined function on several threads.
  ForkTeams,     ///< Starts one on several teams.
  OtherFork,     ///< Starts threads in another way.
  SerialFork,    ///< Begins a construct that the calling thread executes alone.
  StaticInit,    ///< Gives the thread its share of a loop.
  StaticEnd,     ///
  DispatchInit,  ///< Begins a loop of which threads fetch pieces.
  DispatchNext,  ///< Fetches one; its answer is 0 if there is none left.
  DispatchPiece, ///< Ends one.
  DispatchEnd,   ///
  Reduce,        ///< Answers 1 to a thread that combines, 2 where it does so atomically, else 0.
  EndReduce,     ///< And waits for all threads.
  EndReduceNow,  ///< Without waiting.
  Barrier,
  ThreadNumber,   ///< Of the calling thread, for other calls.
  RequestThreads, ///< For the next fork.
  RequestBinding, ///< For the next fork.
  RequestTeams,   ///< For the next fork of teams.
  Critical,
  Atomic,
  Single,      ///< What one thread does for all: single, master, masked. Begins or ends it.
  CopyPrivate, ///< Hands what one thread has found to all.
  Ordered,
  Task,
  ThreadPrivate,
  Flush, ///< Threads may look at each other's variables.
  Other, ///< Another construct.
};

/// Whether threads get their shares of a loop by such calls.
bool dealsIterations(CallKind kind);

/// What an operand is to a call.
enum class Role : std::uint8_t {
  Place,    ///< Where the construct stands: of all calls.
  Thread,   ///< The calling thread's number: of all calls inside of a construct.
  Outlined, ///< Of forks; operands behind it are the captures.
  Schedule, ///< Of inits.
  Last,     ///< Variable: whether the last iteration is in the share. Static init, next.
  Lower,    ///< Variable; of dispatch init, a value.
  Upper,    ///< Variable; of dispatch init, a value. The last iteration, not the one behind it.
  Stride,   ///< Variable. Static init, next.
  Piece,    ///< Of inits: iterations of a piece.
  List,     ///< Of reduce: pointers to the thread's copies.
  Combine,  ///< Of reduce: the function that adds one list to another.
  Number,   ///< What a request asks for. Of teams: the most.
  Limit,    ///< Of a request for teams: the most threads in each.
};

/// How iterations are dealt out.
enum class Schedule : std::uint8_t {
  Chunked,       ///< In pieces of fixed size, in turn.
  Even,          ///< One piece for each thread.
  Dynamic,       ///< Pieces of some size to whoever asks for one.
  TeamsChunked,  ///< As Chunked, to teams.
  TeamsEven,     ///< As Even, to teams.
  Undistributed, ///< In an order that has to be kept, or one that is not known.
};

/// What the program knows of the pieces of a loop, each of which one thread executes in order.
enum class Pieces : std::uint8_t {
  Open,   ///< Nothing: any iteration may be the first of one.
  Fixed,  ///< How long they are: an operand of the call that begins the loop.
  Chosen, ///< What it has chosen while it ran.
};

/// What the calls of one front end mean.
///
/// Threading: immutable.
/// Ownership: lives as long as the plugin.
class ConstructCalls {
public:
  ConstructCalls(const ConstructCalls &) = delete;
  ConstructCalls &operator=(const ConstructCalls &) = delete;
  virtual ~ConstructCalls() = default;

  /// None if `callee` is no function of this front end.
  virtual CallKind kind(llvm::StringRef callee) const = 0;

  /// The operand of that role in a call of `callee`, whose kind has one.
  virtual unsigned operand(llvm::StringRef callee, Role role) const = 0;

  /// The variables of a loop that `callee` begins or goes on with: bits, and whether it counts
  /// without a sign.
  virtual unsigned counterBits(llvm::StringRef callee) const = 0;
  virtual bool isUnsigned(llvm::StringRef callee) const = 0;

  /// What follows "tutti_" in the name of the hook (abi/abi.h) for `callee`, an init or a next.
  virtual std::string hook(llvm::StringRef callee) const = 0;

  /// What the program says where `callee`, of kind Flush or Other, is called: "a flush construct";
  /// or empty.
  virtual llvm::StringRef construct(llvm::StringRef callee) const = 0;

  virtual Schedule schedule(std::uint64_t operand) const = 0;

  virtual Pieces pieces(std::uint64_t operand) const = 0;

  /// `operand` with another schedule, which is Chunked or Even.
  virtual std::uint64_t withSchedule(std::uint64_t operand, Schedule schedule) const = 0;

  /// To make calls: ThreadNumber, Single (whether the thread is the first of its team),
  /// RequestThreads, Fork, Reduce without waiting, or its end; of loops that count with a sign in
  /// 64 bits, StaticInit and StaticEnd.
  virtual llvm::FunctionCallee declare(llvm::Module &module, CallKind kind) const = 0;

  /// What follows what the first thread of a team does alone.
  virtual llvm::FunctionCallee declareEndOfOne(llvm::Module &module) const = 0;

protected:
  ConstructCalls() = default;
};

/// What `declare` gives for calls that no program has made: those of the first front end.
const ConstructCalls &commonCalls();

/// Order: before any pass runs.
void registerConstructCalls(const ConstructCalls &calls);

CallKind kindOf(const llvm::Function *callee);

/// None if `inst` is no plain call; an invoke is none.
CallKind kindOf(const llvm::Instruction &inst);

/// The front end whose call `call` is.
const ConstructCalls &frontendOf(const llvm::CallBase &call);

unsigned operandNumber(const llvm::CallBase &call, Role role);
llvm::Value *operandOf(const llvm::CallBase &call, Role role);
void setOperand(llvm::CallBase &call, Role role, llvm::Value *value);

/// The functions of that kind that `module` declares.
llvm::SmallVector<llvm::Function *, 1> calleesOf(llvm::Module &module, CallKind kind);

/// Undistributed if it is not constant.
Schedule scheduleOf(const llvm::CallInst &init);
void setSchedule(llvm::CallInst &init, Schedule schedule);

/// Open if the schedule is not constant, and where pieces are single iterations.
Pieces piecesOf(const llvm::CallInst &init);

constexpr bool isInit(CallKind kind) {
  return kind == CallKind::StaticInit || kind == CallKind::DispatchInit;
}

constexpr bool isEndReduce(CallKind kind) {
  return kind == CallKind::EndReduce || kind == CallKind::EndReduceNow;
}

/// Whether the call only asks for a number or placement of threads.
constexpr bool isThreadRequest(CallKind kind) {
  return kind == CallKind::RequestThreads || kind == CallKind::RequestBinding;
}

} // namespace tutti::compiler
