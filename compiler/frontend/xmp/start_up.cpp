// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/xmp.h"
#include "compiler/frontend/xmp/lowering.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace tutti::compiler::xmp {

namespace {

/// Functions tutti_xmp_pack8 and so on, which are tutti_xmp_packing, and the call that names them.
/// Each is a kernel for every target, so a file brings those only that it needs; one for both
/// directions, in which the sides change places.
std::pair<std::string, std::string> packingLoops(const std::set<std::string> &words) {
  std::string text = "# 1 \"reflect ... acc\" 3\n";
  std::string call;
  for (const std::string bytes : {"8", "4", "1"}) {
    call += call.empty() ? "tutti_xmp_set_packing(" : ", ";
    if (!words.contains(bytes)) {
      call += "0";
      continue;
    }
    call += "tutti_xmp_pack" + bytes;
    const std::string type = bytes == "8" ? "long" : bytes == "4" ? "int" : "char";
    const std::string word = std::string("tutti_xmp_word") + bytes;
    text += std::string("typedef ") + type + " __attribute__((may_alias)) " + word +
            ";\nstatic void tutti_xmp_pack" + bytes +
            "(void *packed, void *array, const long counts[3], const long strides[2], long "
            "direction) { const long n = counts[0], m = counts[1], c = counts[2]; "
            "const int out = direction == TUTTI_XMP_PACK; const long s = out ? m * c : strides[0], "
            "t = out ? c : strides[1], u = out ? strides[0] : m * c, v = out ? strides[1] : c; " +
            word + " *const to = out ? packed : array; const " + word +
            " *const from = out ? array : packed;\n#pragma tutti device(gpu)\n"
            "#pragma omp parallel for collapse(3)\nfor (long i = 0; i < n; ++i) "
            "for (long j = 0; j < m; ++j) for (long k = 0; k < c; ++k) "
            "to[i * s + j * t + k] = from[i * u + j * v + k]; }\n";
  }
  return {text, call + "); "};
}

/// Definitions that stand in front of MPI's. They are in the program, since other programs that are
/// linked with the runtime have no use for them, and weak, since each file brings them.
constexpr const char kMpi[] =
    "# 1 \"tutti/mpi.c\" 3\n"
    "__attribute__((weak)) int tutti_xmp_first_init(int *, char ***) __asm__(\"MPI_Init\");\n"
    "int tutti_xmp_first_init(int *count, char ***arguments) { (void)count; (void)arguments; "
    "return tutti_xmp_init_mpi(0); }\n"
    "__attribute__((weak)) int tutti_xmp_first_init_thread(int *, char ***, int, int *) "
    "__asm__(\"MPI_Init_thread\");\n"
    "int tutti_xmp_first_init_thread(int *count, char ***arguments, int required, int *provided) "
    "{ (void)count; (void)arguments; (void)required; return tutti_xmp_init_mpi(provided); }\n"
    "__attribute__((weak)) int tutti_xmp_first_finalize(void) __asm__(\"MPI_Finalize\");\n"
    "int tutti_xmp_first_finalize(void) { return tutti_xmp_finalize_mpi(); }\n";

} // namespace

std::string Lowering::run() {
  for (Decl *declaration : context_.getTranslationUnitDecl()->decls()) {
    topLevel(declaration);
  }
  const SourceManager &sources = context_.getSourceManager();
  const SourceLocation begin = sources.getLocForStartOfFile(sources.getMainFileID());
  std::string loops;
  if (!packedWords_.empty()) {
    std::string call;
    std::tie(loops, call) = packingLoops(packedWords_);
    start_ = call + start_;
  }
  return loops + kMpi + "# 1 \"tutti/start.c\" 3\nstatic void tutti_xmp_start(void) { " + start_ +
         " }\nstatic const tutti_xmp_unit tutti_xmp_this = {" + std::to_string(TUTTI_XMP_VERSION) +
         ", " + source(begin) +
         ", tutti_xmp_start};\nstatic const tutti_xmp_unit *const tutti_xmp_here "
         "__attribute__((section(\"" TUTTI_SECTION_XMP "\"), used)) = &tutti_xmp_this;\n";
}

} // namespace tutti::compiler::xmp
