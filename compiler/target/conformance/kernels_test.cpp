// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs kernels as OpenCL C on a device and as LLVM IR on the CPU, and compares what they write.
#include "compiler/target/conformance/kernel_cases.h"
#include "compiler/target/opencl/opencl.h"
#include "compiler/target/ptx/ptx.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

using namespace llvm;

namespace tutti::compiler::target {

namespace {

constexpr int64_t kItems = 256;
constexpr uint64_t kInAddress = 0x10000;        // Below 4 GiB,
constexpr uint64_t kOutAddress = 0x1'4000'0000; // and above.
constexpr size_t kLocalItems = 16;
constexpr size_t kPartialBytes = 16;

using Words = std::vector<uint64_t>;

/// What a kernel reads and writes: `in`, then `out`; and partial results of groups.
struct Memory {
  Words arena;
  Words partials;

  static constexpr size_t kInWords = kItems * kInputs;

  Memory()
      : arena(kInWords + kItems * kOutputs), partials(kItems * kPartialBytes / sizeof(uint64_t)) {}

  uint64_t low() const { return 0 - kInAddress; }

  uint64_t high() const { return kInWords * sizeof(uint64_t) - kOutAddress; }
};

/// Numbers at the edges of integers and of floating point, and in between.
Memory makeMemory() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::mt19937_64 random(7);
  std::vector<uint64_t> special = {0,
                                   1,
                                   2,
                                   0x7f,
                                   0x80,
                                   0xff,
                                   0x7fff,
                                   0x8000,
                                   0xffff,
                                   0x10000,
                                   0x7fffffff,
                                   0x80000000,
                                   0xffffffff,
                                   uint64_t(1) << 32,
                                   ~uint64_t(0),
                                   uint64_t(1) << 63,
                                   ~uint64_t(0) >> 1};
  for (const double number :
       {-0.0, 0.5, -1.5, 2.5, 1e300, -1e-310, infinity, -infinity, 1e10, -3e9}) {
    special.push_back(std::bit_cast<uint64_t>(number));
    special.push_back(std::bit_cast<uint32_t>(static_cast<float>(number)));
  }
  special.push_back(std::bit_cast<uint64_t>(std::nan("")));
  special.push_back(std::bit_cast<uint32_t>(std::nanf("")));
  Memory memory;
  for (size_t i = 0; i < Memory::kInWords; ++i) {
    const uint64_t choice = random() % 4;
    const double number = static_cast<double>(static_cast<int64_t>(random())) * 1e-15;
    memory.arena[i] = choice == 0   ? special[random() % special.size()]
                      : choice == 1 ? std::bit_cast<uint64_t>(number)
                      : choice == 2 ? std::bit_cast<uint32_t>(static_cast<float>(number))
                                    : random();
  }
  return memory;
}

extern "C" {
int64_t onlyItem(int32_t) { return 0; }

int64_t oneItem(int32_t) { return 1; }

int32_t firstLocal() { return 0; }

int32_t oneLocal() { return 1; }

int64_t firstGroup() { return 0; }

void noBarrier() {}

void *localMemory() {
  alignas(16) static char memory[kPartialBytes];
  return memory;
}

void *localArray(int32_t bytes) {
  alignas(16) static char memory[4096];
  return static_cast<size_t>(bytes) <= sizeof(memory) ? memory : nullptr;
}

double powi(double x, int n) { return std::pow(x, n); }

float powif(float x, int n) { return std::pow(x, static_cast<float>(n)); }
}

template <typename Result> Result valueOf(Expected<Result> result) {
  if (!result) {
    report_fatal_error(result.takeError());
  }
  return std::move(*result);
}

using Run = void (*)(void *arena, uint64_t low, uint64_t high, int64_t lower, int64_t upper,
                     int64_t total, void *partials, uint64_t in, uint64_t out, int64_t n);

void runOnCpu(const std::string &bitcode, Memory &memory) {
  auto jit = valueOf(orc::LLJITBuilder().create());
  orc::SymbolMap helpers;
  const auto define = [&](StringRef name, auto *function) {
    helpers[jit->mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                           JITSymbolFlags::Exported};
  };
  define("tutti.item.id", onlyItem);
  define("tutti.item.count", oneItem);
  define("tutti.local.id", firstLocal);
  define("tutti.local.count", oneLocal);
  define("tutti.group.id", firstGroup);
  define("tutti.barrier", noBarrier);
  define("tutti.memory.barrier", noBarrier);
  define("tutti.local.memory", localMemory);
  define("tutti.local.array", localArray);
  define("__powidf2", powi);
  define("__powisf2", powif);
  cantFail(jit->getMainJITDylib().define(orc::absoluteSymbols(helpers)));
  jit->getMainJITDylib().addGenerator(
      valueOf(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          jit->getDataLayout().getGlobalPrefix())));
  auto context = std::make_unique<LLVMContext>();
  auto module = valueOf(parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), *context));
  module->setDataLayout(jit->getDataLayout());
  cantFail(jit->addIRModule(orc::ThreadSafeModule(std::move(module), std::move(context))));
  const auto run = valueOf(jit->lookup("run")).toPtr<Run>();
  run(memory.arena.data(), memory.low(), memory.high(), 0, kItems, kItems, memory.partials.data(),
      kInAddress, kOutAddress, kItems);
}

/// One OpenCL device with double precision.
class OpenCl {
public:
  static OpenCl &instance() {
    static OpenCl only;
    return only;
  }

  bool works() const { return context_ != nullptr; }

  /// What the compiler says about `text`, or nothing.
  std::string run(const std::string &text, Memory &memory) {
    const char *source = text.c_str();
    cl_program program = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
    if (clBuildProgram(program, 1, &device_, "-cl-std=CL1.2", nullptr, nullptr) != CL_SUCCESS) {
      char log[4096] = "";
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, nullptr);
      return std::string("does not compile: ") + log;
    }
    cl_kernel kernel = clCreateKernel(program, "run", nullptr);
    cl_mem arena = buffer(memory.arena);
    cl_mem partials = buffer(memory.partials);
    const uint64_t low = memory.low();
    const uint64_t high = memory.high();
    const int64_t lower = 0;
    const int64_t items = kItems;
    const uint64_t in = kInAddress;
    const uint64_t out = kOutAddress;
    cl_uint count = 0;
    cl_int error = 0;
    const auto pass = [&](size_t size, const void *value) {
      error |= clSetKernelArg(kernel, count++, size, value);
    };
    pass(sizeof(arena), &arena);
    pass(8, &low);
    pass(8, &high);
    pass(8, &lower);
    pass(8, &items);
    pass(8, &items);
    pass(sizeof(partials), &partials);
    pass(8, &in);
    pass(8, &out);
    pass(8, &items);
    if (StringRef(text).contains("tutti_local")) {
      pass(kLocalItems * kPartialBytes, nullptr);
    }
    // Fewer work-items than iterations, and not a divisor of them.
    const size_t global[] = {kLocalItems * 3, 2};
    const size_t local[] = {kLocalItems, 1};
    error |=
        clEnqueueNDRangeKernel(queue_, kernel, StringRef(text).contains("get_global_id(1)") ? 2 : 1,
                               nullptr, global, local, 0, nullptr, nullptr);
    read(arena, memory.arena);
    read(partials, memory.partials);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return error == CL_SUCCESS ? "" : "does not run";
  }

private:
  OpenCl() {
    cl_platform_id platform = nullptr;
    cl_uint found = 0;
    if (clGetPlatformIDs(1, &platform, &found) != CL_SUCCESS || found == 0 ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, &found) != CL_SUCCESS) {
      return;
    }
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
  }

  cl_mem buffer(Words &words) {
    return clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                          words.size() * sizeof(uint64_t), words.data(), nullptr);
  }

  void read(cl_mem buffer, Words &words) {
    clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, words.size() * sizeof(uint64_t), words.data(),
                        0, nullptr, nullptr);
    clReleaseMemObject(buffer);
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

bool agree(uint64_t expected, uint64_t found, double tolerance) {
  if (expected == found || tolerance == 0) {
    return expected == found;
  }
  const double a = std::bit_cast<double>(expected);
  const double b = std::bit_cast<double>(found);
  return (a != a && b != b) || std::abs(a - b) <= tolerance * std::max(1e-3, std::abs(a));
}

void compare(const Memory &expected, const Memory &found, double tolerance) {
  for (size_t i = Memory::kInWords; i < expected.arena.size(); ++i) {
    const size_t word = i - Memory::kInWords;
    ASSERT_TRUE(agree(expected.arena[i], found.arena[i], tolerance))
        << "result " << word % kOutputs << " of item " << word / kOutputs << ": 0x" << std::hex
        << expected.arena[i] << " on the CPU, 0x" << found.arena[i] << " on the device";
  }
}

uint64_t sumOf(const Words &words) {
  return std::accumulate(words.begin(), words.end(), uint64_t(0));
}

KernelText translated(const std::string &bitcode, const KernelTarget &target) {
  LLVMContext context;
  return emitKernels(target,
                     *valueOf(parseBitcodeFile(MemoryBufferRef(bitcode, "kernel"), context)));
}

std::vector<KernelCase> allCases() {
  std::vector<KernelCase> cases = makeKernelCases();
  for (const auto &file : std::filesystem::directory_iterator(TUTTI_KERNEL_CASES)) {
    if (file.path().extension() == ".bc") {
      auto bitcode = MemoryBuffer::getFile(file.path().string());
      const bool isFloating = file.path().stem() == "matmul" || file.path().stem() == "stencil";
      cases.push_back(
          {file.path().stem().string(), (*bitcode)->getBuffer().str(), isFloating ? 1e-12 : 0});
    }
  }
  return cases;
}

class Kernels : public testing::TestWithParam<KernelCase> {};

TEST_P(Kernels, WriteOnOpenClWhatTheyWriteOnTheCpu) {
  if (!OpenCl::instance().works()) {
    GTEST_SKIP() << "no OpenCL device";
  }
  const KernelText kernel = translated(GetParam().bitcode, opencl::kTarget);
  ASSERT_EQ(kernel.reason, "");
  Memory expected = makeMemory();
  Memory found = expected;

  runOnCpu(GetParam().bitcode, expected);
  ASSERT_EQ(OpenCl::instance().run(kernel.text, found), "") << kernel.text;

  compare(expected, found, GetParam().tolerance);
  EXPECT_EQ(sumOf(expected.partials), sumOf(found.partials));
}

TEST_P(Kernels, AreAcceptedAsPtx) {
  const auto ptxas = sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  const auto path = sys::findProgramByName("ptxas");
  if (!ptxas && !path) {
    GTEST_SKIP() << "no ptxas";
  }
  const KernelText kernel = translated(GetParam().bitcode, ptx::kTarget);
  ASSERT_EQ(kernel.reason, "");
  SmallString<64> file;
  int descriptor = -1;
  ASSERT_FALSE(sys::fs::createTemporaryFile("kernel", "ptx", descriptor, file));
  raw_fd_ostream(descriptor, true) << kernel.text;

  std::string error;
  const int status =
      sys::ExecuteAndWait(path ? *path : *ptxas, {"ptxas", "-arch=sm_90", "-o", "/dev/null", file},
                          std::nullopt, {}, 0, 0, &error);

  EXPECT_EQ(status, 0) << error << kernel.text;
  sys::fs::remove(file);
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(allCases()), [](const auto &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Why there are no kernels of a module whose only entry point has these instructions.
struct Refusal {
  std::string ptx;
  std::string openCl;
};

Refusal refusalOf(const std::string &declarations, const std::string &instructions) {
  const std::string text =
      declarations +
      "\ndefine void @run(ptr %arena, i64 %low, i64 %high, i64 %lower, i64 %upper, "
      "i64 %total, ptr %partials, i64 %c) {\n" +
      instructions + "\nret void\n}\n";
  LLVMContext context;
  SMDiagnostic diagnostic;
  const auto module = parseAssemblyString(text, diagnostic, context);
  if (!module) {
    report_fatal_error(diagnostic.getMessage());
  }
  return {emitKernels(ptx::kTarget, *module).reason, emitKernels(opencl::kTarget, *module).reason};
}

void expectBoth(const Refusal &refusal, StringRef reason) {
  EXPECT_EQ(refusal.ptx, reason);
  EXPECT_EQ(refusal.openCl, reason);
}

TEST(KernelReasons, NameTheFunctionThatDevicesLack) {
  expectBoth(refusalOf("declare i32 @puts(ptr)", "call i32 @puts(ptr null)"), "calls puts");
}

TEST(KernelReasons, DependOnTheSignatureOfMathFunctions) {
  expectBoth(refusalOf("declare i32 @sin(i32)", "call i32 @sin(i32 1)"), "calls sin");
}

TEST(KernelReasons, CoverWhatOnlyTheHostHas) {
  expectBoth(refusalOf("", "call void asm sideeffect \"nop\", \"\"()"), "contains inline assembly");
  expectBoth(refusalOf("", "%x = sitofp i64 %c to x86_fp80"), "computes with long double");
  expectBoth(refusalOf("declare void @llvm.x86.sse2.lfence()", "call void @llvm.x86.sse2.lfence()"),
             "uses the host's instruction llvm.x86.sse2.lfence");
  expectBoth(refusalOf("", "%f = inttoptr i64 %c to ptr\ncall void %f()"),
             "calls a function through a pointer");
}

TEST(KernelReasons, CoverRecursion) {
  expectBoth(refusalOf("define internal void @f() {\ncall void @g()\nret void\n}\n"
                       "define internal void @g() {\ncall void @f()\nret void\n}",
                       "call void @f()"),
             "calls itself");
}

TEST(KernelReasons, CoverVariables) {
  expectBoth(refusalOf("@x = global i32 0", "store i32 1, ptr @x"), "refers to the variable x");
}

TEST(KernelReasons, CoverMemoryOfAnUnknownSize) {
  expectBoth(refusalOf("", "%x = alloca i8, i64 %c"),
             "allocates private memory inside of a loop or of variable size");
}

TEST(KernelReasons, CoverLocalMemoryOfAnUnknownSize) {
  expectBoth(
      refusalOf("declare ptr @tutti.local.array(i32)",
                "%bytes = trunc i64 %c to i32\n%x = call ptr @tutti.local.array(i32 %bytes)\n"
                "store i32 1, ptr %x"),
      "has a local array whose size is not constant");
}

TEST(KernelReasons, CoverPointersWithoutAnAddressSpaceInOpenClC) {
  const Refusal mixed = refusalOf("", "%x = alloca i64\n%p = inttoptr i64 %c to ptr\n"
                                      "%is = icmp eq i64 %c, 7\n"
                                      "%either = select i1 %is, ptr %x, ptr %p\n"
                                      "store i64 1, ptr %either");
  EXPECT_EQ(mixed.ptx, "");
  EXPECT_EQ(mixed.openCl, "has a pointer that may lead to private or to shared memory");

  const Refusal stored = refusalOf("", "%x = alloca i64\n%y = alloca ptr\nstore ptr %x, ptr %y\n"
                                       "%z = load i64, ptr %y\nstore i64 %z, ptr %x");
  EXPECT_EQ(stored.openCl, "stores a pointer to private memory");
  const Refusal followed = refusalOf("", "%p = inttoptr i64 %c to ptr\n%q = load ptr, ptr %p\n"
                                         "store i64 1, ptr %q");
  EXPECT_EQ(followed.openCl, "follows a pointer that it loaded from memory");
}

TEST(KernelReasons, AllowPointersThatAreOnlyMovedOrCompared) {
  const Refusal moved = refusalOf("", "%p = inttoptr i64 %c to ptr\n%q = load ptr, ptr %p\n"
                                      "%r = getelementptr i8, ptr %q, i64 8\n"
                                      "%is = icmp eq ptr %q, null\n"
                                      "%s = select i1 %is, ptr null, ptr %r\nstore ptr %s, ptr %p");
  expectBoth(moved, "");
}

/// Before main, for LLJIT.
const bool initialised = [] {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  return true;
}();

} // namespace

} // namespace tutti::compiler::target
