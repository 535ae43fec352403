// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/openmp/libomp_calls.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace tutti::compiler::openmp {

namespace {

constexpr StringLiteral kPrefix = "__kmpc_";

/// libomp's schedule kinds (kmp.h, enum sched_type), and modifiers in its high bits.
enum : std::uint64_t {
  kStaticChunked = 33,
  kStatic = 34,
  kDynamicChunked = 35,
  kRuntime = 37,
  kLastDynamic = 47, // Beyond are ordered kinds.
  kDistributeChunked = 91,
  kDistribute = 92,
  kModifiers = (1U << 29) | (1U << 30),
};

/// Of requests for teams there are two forms: __kmpc_push_num_teams(place, thread, teams, limit),
/// and with _51 behind the name (place, thread, fewest teams, most teams, limit).
bool hasLeastTeams(StringRef callee) { return callee.ends_with("_51"); }

class LibompCalls final : public ConstructCalls {
public:
  CallKind kind(StringRef callee) const override;
  unsigned operand(StringRef callee, Role role) const override;

  unsigned counterBits(StringRef callee) const override {
    return callee.ends_with("_4") || callee.ends_with("_4u") ? 32 : 64;
  }

  bool isUnsigned(StringRef callee) const override { return callee.ends_with("u"); }

  StringRef construct(StringRef callee) const override;

  /// The hooks have libomp's names but for the beginning.
  std::string hook(StringRef callee) const override {
    callee.consume_front(kPrefix);
    callee.consume_front("for_");
    return callee.str();
  }

  Schedule schedule(std::uint64_t operand) const override;
  Pieces pieces(std::uint64_t operand) const override;

  std::uint64_t withSchedule(std::uint64_t operand, Schedule schedule) const override {
    return (operand & kModifiers) | (schedule == Schedule::Chunked ? kStaticChunked : kStatic);
  }

  FunctionCallee declare(Module &module, CallKind kind) const override;

  FunctionCallee declareEndOfOne(Module &module) const override {
    LLVMContext &context = module.getContext();
    return module.getOrInsertFunction("__kmpc_end_master", Type::getVoidTy(context),
                                      PointerType::getUnqual(context), Type::getInt32Ty(context));
  }
};

CallKind LibompCalls::kind(StringRef callee) const {
  if (callee == "tutti_fork_tasks") { // In the place of a fork (task_teams.h).
    return CallKind::OtherFork;
  }
  if (callee == "tutti_team_barrier") {
    return CallKind::Barrier;
  }
  if (!callee.consume_front(kPrefix)) {
    return CallKind::None;
  }
  return StringSwitch<CallKind>(callee)
      .Case("fork_call", CallKind::Fork)
      .Case("fork_teams", CallKind::ForkTeams)
      .StartsWith("fork", CallKind::OtherFork)
      .StartsWith("serialized", CallKind::SerialFork)
      .StartsWith("for_static_init_", CallKind::StaticInit)
      .StartsWith("for_static_fini", CallKind::StaticEnd)
      .StartsWith("dispatch_init_", CallKind::DispatchInit)
      .StartsWith("dispatch_next_", CallKind::DispatchNext)
      .StartsWith("dispatch_fini_", CallKind::DispatchPiece)
      .Case("dispatch_deinit", CallKind::DispatchEnd)
      .Cases("reduce", "reduce_nowait", CallKind::Reduce)
      .Case("end_reduce", CallKind::EndReduce)
      .StartsWith("end_reduce", CallKind::EndReduceNow)
      .Case("barrier", CallKind::Barrier)
      .Case("global_thread_num", CallKind::ThreadNumber)
      .StartsWith("push_num_threads", CallKind::RequestThreads)
      .Case("push_proc_bind", CallKind::RequestBinding)
      .StartsWith("push_num_teams", CallKind::RequestTeams)
      .StartsWith("critical", CallKind::Critical)
      .StartsWith("end_critical", CallKind::Critical)
      .StartsWith("atomic", CallKind::Atomic)
      .StartsWith("single", CallKind::Single)
      .StartsWith("master", CallKind::Single)
      .StartsWith("masked", CallKind::Single)
      .Cases("end_single", "end_master", "end_masked", CallKind::Single)
      .Case("copyprivate", CallKind::CopyPrivate)
      .StartsWith("ordered", CallKind::Ordered)
      .StartsWith("doacross", CallKind::Ordered)
      .StartsWith("omp_task", CallKind::Task)
      .StartsWith("taskloop", CallKind::Task)
      .StartsWith("threadprivate", CallKind::ThreadPrivate)
      .Case("flush", CallKind::Flush)
      .Default(CallKind::Other);
}

StringRef LibompCalls::construct(StringRef callee) const {
  callee.consume_front(kPrefix);
  return StringSwitch<StringRef>(callee)
      .Cases("alloc", "aligned_alloc", "free", "an allocate clause or directive")
      .Case("flush", "a flush construct")
      .Cases("cancel", "cancellationpoint", "cancel_barrier", "a cancel construct")
      .Cases("taskgroup", "end_taskgroup", "a taskgroup construct")
      .Cases("scope", "end_scope", "a scope construct")
      .Case("error", "an error directive")
      .Default("");
}

/// __kmpc_fork_call(place, count, outlined, captures...), and so __kmpc_fork_teams.
/// __kmpc_for_static_init_*(place, thread, schedule, last, lower, upper, stride, step, chunk)
/// __kmpc_dispatch_init_*(place, thread, schedule, lower, upper, step, chunk)
/// __kmpc_dispatch_next_*(place, thread, last, lower, upper, stride)
/// __kmpc_reduce*(place, thread, count, bytes, list, combine, lock)
/// __kmpc_push_num_threads(place, thread, number), and so __kmpc_push_proc_bind.
unsigned LibompCalls::operand(StringRef callee, Role role) const {
  const CallKind of = kind(callee);
  switch (role) {
  case Role::Place:
    return 0;
  case Role::Thread:
    return 1;
  case Role::Outlined:
  case Role::Schedule:
    return 2;
  case Role::Last:
    return of == CallKind::StaticInit ? 3 : 2;
  case Role::Lower:
    return of == CallKind::StaticInit ? 4 : 3;
  case Role::Upper:
    return of == CallKind::StaticInit ? 5 : 4;
  case Role::Stride:
    return of == CallKind::StaticInit ? 6 : 5;
  case Role::Piece:
    return of == CallKind::StaticInit ? 8 : 6;
  case Role::List:
    return 4;
  case Role::Combine:
    return 5;
  case Role::Number:
    return of == CallKind::RequestTeams && hasLeastTeams(callee) ? 3 : 2;
  case Role::Limit:
    return hasLeastTeams(callee) ? 4 : 3;
  }
  llvm_unreachable("a role");
}

Schedule LibompCalls::schedule(std::uint64_t operand) const {
  const std::uint64_t kind = operand & ~std::uint64_t{kModifiers};
  switch (kind) {
  case kStaticChunked:
    return Schedule::Chunked;
  case kStatic:
    return Schedule::Even;
  case kDistributeChunked:
    return Schedule::TeamsChunked;
  case kDistribute:
    return Schedule::TeamsEven;
  default:
    return kind > kStatic && kind <= kLastDynamic ? Schedule::Dynamic : Schedule::Undistributed;
  }
}

Pieces LibompCalls::pieces(std::uint64_t operand) const {
  switch (operand & ~std::uint64_t{kModifiers}) {
  case kStaticChunked:
  case kDynamicChunked:
  case kDistributeChunked:
    return Pieces::Fixed;
  case kRuntime:
    return Pieces::Chosen;
  default: // Of guided ones the program knows the least length, not where one begins.
    return Pieces::Open;
  }
}

FunctionCallee LibompCalls::declare(Module &module, CallKind kind) const {
  LLVMContext &context = module.getContext();
  Type *none = Type::getVoidTy(context);
  Type *i32 = Type::getInt32Ty(context);
  Type *ptr = PointerType::getUnqual(context);
  switch (kind) {
  case CallKind::Fork:
    return module.getOrInsertFunction("__kmpc_fork_call",
                                      FunctionType::get(none, {ptr, i32, ptr}, true));
  case CallKind::ThreadNumber:
    return module.getOrInsertFunction("__kmpc_global_thread_num", i32, ptr);
  case CallKind::Single:
    return module.getOrInsertFunction("__kmpc_master", i32, ptr, i32);
  case CallKind::RequestThreads:
    return module.getOrInsertFunction("__kmpc_push_num_threads", none, ptr, i32, i32);
  case CallKind::Reduce:
    return module.getOrInsertFunction("__kmpc_reduce_nowait", i32, ptr, i32, i32,
                                      Type::getInt64Ty(context), ptr, ptr, ptr);
  case CallKind::StaticInit: {
    Type *i64 = Type::getInt64Ty(context);
    return module.getOrInsertFunction("__kmpc_for_static_init_8", none, ptr, i32, i32, ptr, ptr,
                                      ptr, ptr, i64, i64);
  }
  case CallKind::StaticEnd:
    return module.getOrInsertFunction("__kmpc_for_static_fini", none, ptr, i32);
  case CallKind::EndReduceNow:
    return module.getOrInsertFunction("__kmpc_end_reduce_nowait", none, ptr, i32, ptr);
  default:
    llvm_unreachable("a call that is not made");
  }
}

} // namespace

const ConstructCalls &libompCalls() {
  static const LibompCalls calls;
  return calls;
}

} // namespace tutti::compiler::openmp
