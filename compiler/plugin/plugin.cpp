// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Registers Tutti's passes with clang (`-fpass-plugin`) and opt (`-load-pass-plugin`).
#include "compiler/analysis/dealt_loops.h"
#include "compiler/analysis/parallel_loops.h"
#include "compiler/frontend/openmp/libomp_calls.h"
#include "compiler/frontend/openmp/task_loops.h"
#include "compiler/frontend/openmp/task_teams.h"
#include "compiler/frontend/openmp/tasks.h"
#include "compiler/transform/carry_code.h"
#include "compiler/transform/conduct_constructs.h"
#include "compiler/transform/derive_procedures.h"
#include "compiler/transform/derive_tasks.h"
#include "compiler/transform/drop_scopes.h"
#include "compiler/transform/expose_loops.h"
#include "compiler/transform/freeze_rows.h"
#include "compiler/transform/join_debug_functions.h"
#include "compiler/transform/keep_insertions.h"
#include "compiler/transform/late_texts.h"
#include "compiler/transform/launch_regions.h"
#include "compiler/transform/loop_phases.h"
#include "compiler/transform/merge_teams.h"
#include "compiler/transform/plain_loops.h"
#include "compiler/transform/reduce_updates.h"
#include "compiler/transform/split_constructs.h"
#include "compiler/transform/staged_loads.h"
#include "compiler/transform/target_regions.h"
#include "compiler/transform/team_loops.h"
#include "compiler/transform/thread_loops.h"
#include "compiler/transform/unify_memory.h"
#include "compiler/transform/unoptimised.h"
#include "compiler/transform/version_constructs.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;

namespace {

bool parsePass(StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
  using namespace tutti::compiler;
#define MODULE_PASS(NAME, PASS)                                                                    \
  if (name == NAME) {                                                                              \
    passes.addPass(PASS);                                                                          \
    return true;                                                                                   \
  }
#include "compiler/transform/pass_registry.def"
  return false;
}

void registerPasses(PassBuilder &builder) {
  using namespace tutti::compiler;
  registerConstructCalls(openmp::libompCalls());
  builder.registerPipelineParsingCallback(parsePass);
  const auto text = std::make_shared<ModuleText>();
  builder.registerPipelineStartEPCallback([text](ModulePassManager &passes,
                                                 OptimizationLevel level) {
    using openmp::TaskTeams;
    const bool isOptimised = level != OptimizationLevel::O0;
    if (isOptimised) {
      passes.addPass(KeepModulePass(text));
    }
    passes.addPass(openmp::LowerTasksPass());
    passes.addPass(openmp::TaskTeamsPass(isOptimised ? TaskTeams::WithoutLoops : TaskTeams::All));
    if (isOptimised) {
      passes.addPass(JoinDebugFunctionsPass());
      passes.addPass(CopyProceduresPass());
      passes.addPass(TargetRegionsPass());
      passes.addPass(VersionConstructsPass());
      passes.addPass(MergeTeamsPass());
      passes.addPass(TeamLoopsPass());
      passes.addPass(ThreadLoopsPass());
      passes.addPass(ReduceUpdatesPass());
      passes.addPass(SplitConstructsPass());
      passes.addPass(openmp::TaskLoopsPass());
      passes.addPass(ConductConstructsPass());
      passes.addPass(openmp::TaskTeamsPass(TaskTeams::All));
      passes.addPass(ReduceUpdatesPass()); // Of loops that have constructs of their own now.
      passes.addPass(KeepInsertionsPass());
      passes.addPass(KeepLoopsPass());
    } else {
      passes.addPass(UnoptimisedPass());
    }
  });
  // After simplification, when addresses are in closed form; before vectorisation, which would
  // blur them.
  builder.registerOptimizerEarlyEPCallback([](ModulePassManager &passes, OptimizationLevel level) {
    if (level != OptimizationLevel::O0) {
      passes.addPass(UnmarkLoopsPass());
      passes.addPass(DeriveProceduresPass());
      passes.addPass(DeriveTasksPass());
      passes.addPass(LaunchRegionsPass());
      passes.addPass(FormHostLoopsPass(level == OptimizationLevel::O3));
    }
    if (level == OptimizationLevel::O2 || level == OptimizationLevel::O3) {
      passes.addPass(createModuleToFunctionPassAdaptor(LoopPhasesPass()));
    }
  });
  builder.registerOptimizerLastEPCallback(
      [text](ModulePassManager &passes, OptimizationLevel level) {
        passes.addPass(UnifyMemoryPass());
        passes.addPass(DropScopesPass());
        if (level != OptimizationLevel::O0) {
          passes.addPass(CarryCodePass(text));
          passes.addPass(createModuleToFunctionPassAdaptor(FreezeRowsPass()));
        }
      });
  if (PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks()) {
    callbacks->registerBeforeNonSkippedPassCallback([](StringRef pass, Any subject) {
      const auto *module = any_cast<const Module *>(&subject);
      if (module && writesModule(pass)) {
        placeTexts(const_cast<Module &>(**module)); // Callbacks get to see all as constant.
      }
    });
  }
}

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "tutti", "0.1", registerPasses};
}
