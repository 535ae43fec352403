// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/ptx/common_form.h"
#include "compiler/target/ptx/ptx.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace tutti::compiler::target {
namespace {

/// Two kernels of three captures, of which the first one stores `%CAPTURE` + `step`.
std::string kernels(StringRef name, StringRef target, StringRef stored, int step) {
  const std::string head = "(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, i64 %total, "
                           "ptr %partials, i64 %a, i64 %b, i64 %c) {\n";
  return ("define void @" + name + "_flat" + head + "  %to = inttoptr i64 %" + target +
          " to ptr\n  %sum = add i64 %" + stored + ", " + Twine(step) +
          "\n  store i64 %sum, ptr %to\n  ret void\n}\ndefine void @" + name + "_nest" + head +
          "  ret void\n}\n")
      .str();
}

std::unique_ptr<Module> parse(const std::string &text, LLVMContext &context) {
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module;
}

std::string formOf(const std::string &text) {
  LLVMContext context;
  return *ptx::kTarget.draft(*parse(text, context)).form;
}

TEST(CommonForm, IsTheSameForOtherNamesAndCaptures) {
  EXPECT_EQ(formOf(kernels("one", "a", "b", 1)), formOf(kernels("other", "c", "a", 1)));
}

TEST(CommonForm, DiffersWhereKernelsDo) {
  EXPECT_NE(formOf(kernels("one", "a", "b", 1)), formOf(kernels("one", "a", "b", 2)));
  EXPECT_NE(formOf(kernels("one", "a", "b", 1)), formOf(kernels("one", "a", "a", 1)));
  EXPECT_NE(formOf(kernels("one", "a", "b", 1)), formOf(kernels("one", "a", "total", 1)));
}

TEST(CommonForm, LeavesKernelsAsTheyWere) {
  LLVMContext context;
  const std::unique_ptr<Module> module = parse(kernels("one", "c", "a", 1), context);
  std::string before;
  raw_string_ostream(before) << *module;
  {
    const CommonForm form(*module);
  }
  std::string after;
  raw_string_ostream(after) << *module;
  EXPECT_EQ(after, before);
}

TEST(CommonForm, GivesATextItsNamesAndParameters) {
  LLVMContext context;
  const std::unique_ptr<Module> module = parse(kernels("one", "c", "a", 1), context);
  const std::vector<OwnEntry> entries = CommonForm(*module).entries();
  EXPECT_EQ(withOwnEntries(".entry tutti$0(\n.param tutti$0_param_7,\n.param tutti$0_param_8\n)\n"
                           "[tutti$0_param_7] [tutti$0_param_8] [tutti$0_param_0] tutti$0_array16\n"
                           ".entry tutti$1(\n.param tutti$1_param_9\n) [tutti$1_param_9]",
                           entries),
            ".entry one_flat(\n.param one_flat_param_7,\n.param one_flat_param_8\n)\n"
            "[one_flat_param_9] [one_flat_param_7] [one_flat_param_0] one_flat_array16\n"
            ".entry one_nest(\n.param one_nest_param_9\n) [one_nest_param_9]");
}

} // namespace
} // namespace tutti::compiler::target
