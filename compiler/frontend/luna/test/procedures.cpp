// The C++ types of procedures are compared with what the LuNA program says of them.
// RUN: printf 'c_real\t%s\t20\t4\tir\nc_wide\t%s\t21\t4\tii\nc_right\t%s\t22\t4\tirsvn\nc_few\t%s\t23\t4\tin\nc_value\t%s\t24\t4\tvv\nc_local\t%s\t24\t4\tr\nc_right_cuda\t%s\t22\t4\tQirsVN\nc_real_cuda\t%s\t20\t4\tQir\nc_few_cuda\t%s\t23\t4\tQVN\n' > %t.imports
// RUN: not clang++ -fsyntax-only -fno-caret-diagnostics -fplugin=%frontend -fplugin-arg-tutti-luna-imports=%t.imports %s 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: clang++ -fsyntax-only -fplugin=%frontend %s
namespace luna::ucenv {
class DF {
public:
  DF(const DF &);
  ~DF();
};
} // namespace luna::ucenv
using InputDF = luna::ucenv::DF;
using OutputDF = luna::ucenv::DF;

struct Other {};

// CHECK: procedures.cpp:20:4: error: 'c_real' has the C++ type (int, float), the import says (int, real) [E-SIG]
// CHECK: procedures.cpp:[[@LINE+12]]:6: note: the procedure is defined here
// CHECK: procedures.cpp:21:4: warning: 'c_wide' has the C++ type (unsigned long, const char *), the import says (int, int) [E-SIG]
// CHECK: procedures.cpp:23:4: error: 'c_few' has the C++ type (int), the import says (int, name) [E-SIG]
// CHECK: procedures.cpp:24:4: error: 'c_value' has the C++ type (InputDF, const Other &), the import says (value, value) [E-SIG]
// CHECK: procedures.cpp:20:4: error: 'c_real_cuda' has the C++ type (luna::gpu::Queue &, int, float), the import says (queue, int, real) [E-SIG]
// CHECK: procedures.cpp:23:4: error: 'c_few_cuda' has the C++ type (luna::gpu::Queue &, const InputDF &, luna::gpu::Out &), the import says (queue, value, name) [E-SIG]
namespace luna::gpu {
class Queue;
class In;
class Out;
} // namespace luna::gpu
extern "C" {
void c_real(int, float) {}
void c_wide(unsigned long, const char *) {}
void c_right(int, double, const char *, const InputDF &, OutputDF &) {}
void c_few(int) {}
void c_value(InputDF, const Other &) {}
void c_unknown(Other) {}
void c_right_cuda(luna::gpu::Queue &, int, double, const char *, const luna::gpu::In &, luna::gpu::Out &) {}
void c_real_cuda(luna::gpu::Queue &, int, float) {}
void c_few_cuda(luna::gpu::Queue &, const InputDF &, luna::gpu::Out &) {}
}
namespace {
void c_local(int) {}
} // namespace
void use() { c_local(1); }
