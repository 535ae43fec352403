// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/xmp.h"
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// The call that names the loops that pack, of libtutti_xmp.a. Each is a kernel for every target,
/// so a program gets those only that it needs.
std::string packingCall(const std::set<std::string> &words) {
  std::string call;
  for (const char *bytes : {"8", "4", "1"}) {
    call += call.empty() ? "tutti_xmp_set_packing(" : ", ";
    call += words.contains(bytes) ? std::string("tutti_xmp_pack") + bytes : "0";
  }
  return call + "); ";
}

} // namespace

std::string Lowering::run() {
  for (Decl *declaration : context_.getTranslationUnitDecl()->decls()) {
    topLevel(declaration);
  }
  const SourceManager &sources = context_.getSourceManager();
  const SourceLocation begin = sources.getLocForStartOfFile(sources.getMainFileID());
  if (!packedWords_.empty()) {
    start_ = packingCall(packedWords_) + start_;
  }
  // It runs once: the compiler takes longer to optimise it than it takes to run.
  return "# 1 \"tutti/start.c\" 3\n__attribute__((optnone, noinline)) "
         "static void tutti_xmp_start(void) { " +
         start_ +
         " }\nstatic const char *const tutti_xmp_mpi __attribute__((used)) = "
         "&tutti_xmp_before_mpi;\nstatic const tutti_xmp_unit tutti_xmp_this = {" +
         std::to_string(TUTTI_XMP_VERSION) + ", " + source(begin) +
         ", tutti_xmp_start};\nstatic const tutti_xmp_unit *const tutti_xmp_here "
         "__attribute__((section(\"" TUTTI_SECTION_XMP "\"), used)) = &tutti_xmp_this;\n";
}

} // namespace tutti::compiler::xmp
