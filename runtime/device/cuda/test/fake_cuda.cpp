// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/test/fake_cuda.h"

#include "base/descriptor.h"
#include "runtime/device/cuda/changes.h"
#include "runtime/device/cuda/library.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <sstream>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace tutti::device::cuda {

using Clock = std::chrono::steady_clock;

// What the handles point to.
struct ContextObject {
  int device = 0;
  int owners = 0;
};

struct ModuleObject {
  std::string text;
};

struct FunctionObject {
  std::string name;
  bool waits = false; ///< For the kernel before it, itself.
  int dynamicShared = 48 << 10;
  std::vector<std::size_t> parameters; ///< Bytes of each.
  mutable bool doesNothing = false;    ///< As was found at its first launch.
};

struct EventObject {
  int device = 0;
  StreamObject *stream = nullptr; ///< Null: not recorded, complete.
  std::uint64_t position = 0;     ///< Operations of the stream before it.
  int polls = 0;
  Clock::time_point recorded;
};

struct StreamObject {
  struct Operation {
    std::function<int()> run;
    StreamObject *awaited = nullptr;
    std::uint64_t position = 0;
  };

  int device = 0;
  std::deque<Operation> operations;
  std::uint64_t given = 0;
  std::uint64_t done = 0;
  bool endsInKernel = false;
};

namespace {

struct Block {
  std::size_t bytes = 0;
  int device = 0;                 ///< `kElsewhere` if it is another process's.
  Descriptor file = Descriptor(); ///< What holds the bytes.
  bool isShareable = false;
  Descriptor hold = Descriptor(); ///< Of memory of another process: says that it is in use.
  int mappings = 0;
};

struct Mapping {
  std::size_t bytes;
  CUmemHandle handle;
  std::set<int> access;
};

struct Failure {
  std::string call;
  int result;
  int skip;
};

constexpr std::size_t kGranule = 2 << 20;
constexpr int kSharedOptin = 227 << 10;
constexpr int kElsewhere = -1;
constexpr std::chrono::milliseconds kSlowness(2);

struct Machine {
  fake_cuda::Plan plan;
  bool isPlanned = false; ///< Else the environment says what there is.
  bool isStarted = false;
  int fault = 0;
  std::map<std::string, std::size_t> calls; ///< Once there are some of a name, for ever.
  std::size_t bytesOut = 0;
  std::map<std::uintptr_t, std::size_t> managed;
  std::size_t prefetched = 0;
  std::vector<std::unique_ptr<ModuleObject>> modulesOfProgram;
  std::vector<Failure> failures;
  std::map<std::string, fake_cuda::Function> functions;
  std::map<int, ContextObject> contexts;
  std::map<CUdeviceptr, std::size_t> reservations;
  std::map<CUmemHandle, Block> blocks;
  std::map<CUdeviceptr, Mapping> mappings;
  std::map<std::uintptr_t, std::size_t> pinned;
  std::set<StreamObject *> streams;
  std::set<EventObject *> events;
  std::vector<std::unique_ptr<FunctionObject>> loaded;
  CUmemHandle nextHandle = 1;
  bool isIdle = false; ///< Kernels without a function do nothing.
};

thread_local int depth = 0; ///< Calls that the thread is in.

struct Inside {
  Inside() { ++depth; }

  ~Inside() { --depth; }

  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;
};

thread_local CUcontext current = nullptr;
thread_local std::vector<CUcontext> below; ///< Those that are current again later.

int numberFrom(const char *variable, int fallback) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : fallback;
}

void addUsualFunctions(Machine &machine);
void printCalls();

Machine &machine() {
  static Machine *instance = [] {
    auto *made = new Machine;
    addUsualFunctions(*made);
    return made;
  }();
  return *instance;
}

/// Not when the machine is made: functions may be set before there is an environment.
void readEnvironment(Machine &machine) {
  machine.isPlanned = true;
  machine.plan.devices = numberFrom("FAKE_CUDA_DEVICES", 1);
  machine.plan.memory = static_cast<std::size_t>(numberFrom("FAKE_CUDA_MEMORY", 1024)) << 20;
  machine.plan.hasFileHandles = numberFrom("FAKE_CUDA_SHARES", 1) != 0;
  machine.plan.hasPeers = numberFrom("FAKE_CUDA_PEERS", 1) != 0;
  machine.plan.full = numberFrom("FAKE_CUDA_FULL", -1);
  machine.plan.slow = numberFrom("FAKE_CUDA_SLOW", -1);
  if (const char *text = std::getenv("FAKE_CUDA_FAIL")) {
    std::istringstream words(text);
    Failure failure{};
    words >> failure.call >> failure.result >> failure.skip;
    machine.failures.push_back(failure);
  }
  if (numberFrom("FAKE_CUDA_IDLE", 0) != 0) {
    machine.isIdle = true;
    std::atexit(printCalls);
  }
}

std::recursive_mutex &lock() {
  static auto *mutex = new std::recursive_mutex;
  return *mutex;
}

[[noreturn]] void misuse(const char *call, const char *what) {
  std::fprintf(stderr, "fake CUDA driver: %s: %s\n", call, what);
  std::abort();
}

/// Where calls of a name are counted.
std::size_t &countOf(const char *call) {
  const std::lock_guard guard(lock());
  return machine().calls[call];
}

/// Counts a call; what it is to return if it is not to happen.
int enter(const char *call, std::size_t &count, bool needsContext) {
  Machine &m = machine();
  ++count;
  for (auto failure = m.failures.begin(); failure != m.failures.end(); ++failure) {
    if (failure->call == call && failure->skip-- == 0) {
      const int result = failure->result;
      m.failures.erase(failure);
      return result;
    }
  }
  if (m.fault != 0 && needsContext) {
    return m.fault;
  }
  return needsContext && !current ? kInvalidContext : kSuccess;
}

/// The mapped memory that holds [pointer, pointer + bytes) as one run that `device` may use.
bool isMapped(CUdeviceptr pointer, std::size_t bytes, int device) {
  const auto &mappings = machine().mappings;
  for (const CUdeviceptr end = pointer + bytes; pointer < end;) {
    auto at = mappings.upper_bound(pointer);
    if (at == mappings.begin()) {
      return false;
    }
    --at;
    if (pointer >= at->first + at->second.bytes || !at->second.access.contains(device)) {
      return false;
    }
    pointer = at->first + at->second.bytes;
  }
  return true;
}

bool isIn(const std::map<std::uintptr_t, std::size_t> &ranges, std::uintptr_t address,
          std::size_t bytes) {
  auto at = ranges.upper_bound(address);
  return at != ranges.begin() && (--at, address + bytes <= at->first + at->second);
}

bool isPinned(const void *memory, std::size_t bytes) {
  return isIn(machine().pinned, reinterpret_cast<std::uintptr_t>(memory), bytes);
}

/// Of the parameters of `.entry name(...)`, from their types.
std::vector<std::size_t> parametersOf(const std::string &text, const std::string &name) {
  const std::size_t begin = text.find(".entry " + name + "(");
  std::istringstream words(text.substr(begin, text.find(')', begin) - begin));
  std::vector<std::size_t> bytes;
  for (std::string word; words >> word;) {
    const bool isType = word.size() > 2 && word[0] == '.' && std::isdigit(word.back()) != 0;
    if (isType) {
      bytes.push_back(std::strtoul(word.c_str() + 2, nullptr, 10) / 8);
    } else if (const std::size_t array = word.find('['); array != word.npos && !bytes.empty()) {
      bytes.back() *= std::strtoul(word.c_str() + array + 1, nullptr, 10);
    }
  }
  return bytes;
}

void runUpTo(StreamObject &stream, std::uint64_t position) {
  while (stream.done < position && machine().fault == 0) {
    auto operation = std::move(stream.operations.front());
    stream.operations.pop_front();
    if (operation.awaited) {
      if (operation.awaited->done < operation.position) {
        runUpTo(*operation.awaited, operation.position);
      }
    } else if (const int result = operation.run()) {
      machine().fault = result;
    }
    ++stream.done;
  }
}

void give(StreamObject &stream, std::function<int()> run) {
  stream.operations.push_back({std::move(run)});
  ++stream.given;
  stream.endsInKernel = false;
}

std::byte *at(CUdeviceptr pointer) { return reinterpret_cast<std::byte *>(pointer); }

/// A file opened anew, so that locks on it are told from those of who opened it before.
Descriptor reopened(int file) {
  return Descriptor(::open(("/proc/self/fd/" + std::to_string(file)).c_str(), O_RDWR | O_CLOEXEC));
}

/// Whether another process, or another handle in this one, has the memory.
bool isUsedElsewhere(const Block &block) {
  if (block.file.number() < 0 || block.device == kElsewhere) {
    return false;
  }
  const Descriptor file = reopened(block.file.number());
  return ::flock(file.number(), LOCK_EX | LOCK_NB) != 0;
}

/// Puts memory that nobody may touch there: the block's, or none.
void remap(CUdeviceptr pointer, std::size_t bytes, const Block &block) {
  const bool isShared = block.file.number() >= 0;
  ::mmap(at(pointer), bytes, PROT_NONE,
         (isShared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS) | MAP_NORESERVE | MAP_FIXED,
         block.file.number(), 0);
}

/// Gives a kernel to its stream.
CUresult launch(Machine &m, const CUlaunchConfig &config, const FunctionObject &function,
                void **parameters, void **extra) {
  const unsigned threads = config.blockDimX * config.blockDimY * config.blockDimZ;
  if (config.sharedMemBytes > static_cast<unsigned>(function.dynamicShared) || threads > 1024 ||
      (parameters && extra) || (!parameters && !extra && !function.parameters.empty())) {
    return kInvalidValue;
  }
  if (function.doesNothing) {
    give(*config.hStream, [] { return 0; });
    config.hStream->endsInKernel = true;
    return kSuccess;
  }
  std::vector<std::vector<std::byte>> arguments;
  if (parameters) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const auto *first = static_cast<const std::byte *>(parameters[i]);
      arguments.emplace_back(first, first + function.parameters[i]);
    }
  } else if (extra && (reinterpret_cast<std::uintptr_t>(extra[0]) != kLaunchBuffer ||
                       reinterpret_cast<std::uintptr_t>(extra[2]) != kLaunchBufferSize ||
                       reinterpret_cast<std::uintptr_t>(extra[4]) != kLaunchEnd)) {
    return kInvalidValue;
  }
  std::vector<std::uint64_t> values;
  if (extra) {
    const auto *first = static_cast<const std::uint64_t *>(extra[1]);
    values.assign(first, first + *static_cast<std::size_t *>(extra[3]) / sizeof(std::uint64_t));
  }
  auto run = m.functions.find(function.name);
  if (run == m.functions.end()) {
    // Programs bring theirs in a library.
    if (void *own = ::dlsym(RTLD_DEFAULT, ("fake_cuda_" + function.name).c_str())) {
      const auto call = reinterpret_cast<int (*)(const std::uint64_t *)>(own);
      run = m.functions
                .emplace(function.name,
                         [call](const fake_cuda::Launch &launch) {
                           std::vector<std::uint64_t> words(launch.parameters,
                                                            launch.parameters + launch.count);
                           for (const std::vector<std::byte> &argument : launch.arguments) {
                             std::memcpy(&words.emplace_back(), argument.data(),
                                         std::min(argument.size(), sizeof(std::uint64_t)));
                           }
                           return call(words.data());
                         })
                .first;
    } else if (m.isIdle) { // To look for it takes longer than to start it.
      function.doesNothing = true;
    }
  }
  if (run == m.functions.end() && !m.isIdle) {
    misuse(__func__, ("no function for kernel " + function.name).c_str());
  }
  if (run == m.functions.end()) {
    give(*config.hStream, [] { return 0; });
  } else {
    give(*config.hStream, [=, call = run->second] {
      return call({{config.gridDimX, config.gridDimY, config.gridDimZ},
                   {config.blockDimX, config.blockDimY, config.blockDimZ},
                   config.sharedMemBytes,
                   values.data(),
                   values.size(),
                   arguments});
    });
  }
  config.hStream->endsInKernel = true;
  return kSuccess;
}

} // namespace

extern "C" {

#pragma GCC visibility push(default)

#define FAKE_ENTER(needsContext)                                                                   \
  const Inside inside;                                                                             \
  const std::lock_guard guard(lock());                                                             \
  Machine &m = machine();                                                                          \
  static std::size_t &callsOfThis = countOf(__func__);                                             \
  if (const int result = enter(__func__, callsOfThis, needsContext)) {                             \
    return result;                                                                                 \
  }                                                                                                \
  (void)m

CUresult cuInit(unsigned) {
  FAKE_ENTER(false);
  if (!m.isPlanned) {
    readEnvironment(m);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(numberFrom("FAKE_CUDA_OPENING", 0)));
  m.isStarted = m.plan.initResult == 0;
  return m.plan.initResult;
}

CUresult cuDriverGetVersion(int *version) {
  FAKE_ENTER(false);
  *version = m.plan.version;
  return kSuccess;
}

CUresult cuGetErrorName(CUresult result, const char **name) {
  *name = nullptr;
#define NAME(ours, value, theirs)                                                                  \
  if (result == (value) && std::strncmp(#theirs, "CUDA_", 5) == 0) {                               \
    *name = #theirs;                                                                               \
    return kSuccess;                                                                               \
  }
  TUTTI_CUDA_CONSTANTS(NAME)
#undef NAME
  return kInvalidValue;
}

CUresult cuGetErrorString(CUresult result, const char **text) {
  *text = result == kIllegalAddress ? "an illegal memory access was encountered" : "fake";
  return kSuccess;
}

CUresult cuDeviceGetCount(int *count) {
  FAKE_ENTER(false);
  *count = m.plan.devices;
  return m.isStarted ? kSuccess : 3;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  FAKE_ENTER(false);
  *device = ordinal;
  return ordinal < m.plan.devices ? kSuccess : 101;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  FAKE_ENTER(false);
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU");
  return kSuccess;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  FAKE_ENTER(false);
  std::memset(uuid->bytes, device + 1, sizeof uuid->bytes);
  return kSuccess;
}

CUresult cuDeviceTotalMem_v2(std::size_t *bytes, CUdevice) {
  FAKE_ENTER(false);
  *bytes = m.plan.memory;
  return kSuccess;
}

CUresult cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
  FAKE_ENTER(true);
  *total = m.plan.memory;
  *free = m.plan.memory;
  for (const auto &[id, block] : m.blocks) {
    *free -= block.device == current->device ? block.bytes : 0;
  }
  return kSuccess;
}

CUresult cuDeviceGetAttribute(int *value, CUattribute attribute, CUdevice device) {
  FAKE_ENTER(false);
  const std::map<int, int> values = {
      {kMaxThreadsPerBlock, 1024},
      {kMaxBlockDimX, 1024},
      {kMaxBlockDimX + 1, 1024},
      {kMaxBlockDimX + 2, 64},
      {kMaxGridDimX, 0x7FFFFFFF},
      {kMaxGridDimX + 1, 65535},
      {kMaxGridDimX + 2, 65535},
      {kMultiprocessorCount, 4},
      {kComputeMode, 0},
      {kPciBusId, 0x41 + device},
      {kPciDeviceId, 0},
      {kPciDomainId, 0},
      {kCapabilityMajor, m.plan.capability / 10},
      {kCapabilityMinor, m.plan.capability % 10},
      {kMaxSharedOptin, kSharedOptin},
      {kConcurrentManagedAccess, m.plan.hasConcurrentManaged ? 1 : 0},
      {kHasVirtualMemory, m.plan.hasVirtualMemory ? 1 : 0},
      {kHasFileHandles, m.plan.hasFileHandles ? 1 : 0},
  };
  const auto found = values.find(attribute);
  if (found == values.end()) {
    return kInvalidValue;
  }
  *value = found->second;
  return kSuccess;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice one, CUdevice other) {
  FAKE_ENTER(false);
  *can = one != other && m.plan.hasPeers ? 1 : 0;
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  FAKE_ENTER(false);
  ContextObject &made = m.contexts[device];
  made.device = device;
  ++made.owners;
  *context = &made;
  return kSuccess;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  FAKE_ENTER(false);
  --m.contexts.at(device).owners;
  return kSuccess;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  FAKE_ENTER(false);
  current = context;
  return kSuccess;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  FAKE_ENTER(false);
  below.push_back(std::exchange(current, context));
  return kSuccess;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  FAKE_ENTER(false);
  if (below.empty()) {
    return kInvalidContext;
  }
  *context = std::exchange(current, below.back());
  below.pop_back();
  return kSuccess;
}

CUresult cuMemGetAllocationGranularity(std::size_t *granule, const CUmemAllocationProp *wanted,
                                       CUgranularity) {
  FAKE_ENTER(false);
  *granule = kGranule;
  return wanted->type == kAllocationPinned && wanted->location.type == kLocationDevice
             ? kSuccess
             : kInvalidValue;
}

CUresult cuMemAddressReserve(CUdeviceptr *pointer, std::size_t bytes, std::size_t, CUdeviceptr,
                             unsigned long long) {
  FAKE_ENTER(false);
  if (bytes % kGranule != 0 || bytes == 0) {
    return kInvalidValue;
  }
  if (bytes > m.plan.mostAddresses) {
    return kOutOfMemory;
  }
  void *memory = ::mmap(nullptr, bytes + kGranule, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return kOutOfMemory;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  *pointer = (first + kGranule - 1) / kGranule * kGranule;
  ::munmap(memory, *pointer - first);
  const std::size_t tail = first + kGranule - *pointer;
  if (tail > 0) {
    ::munmap(at(*pointer + bytes), tail);
  }
  m.reservations[*pointer] = bytes;
  return kSuccess;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, std::size_t bytes) {
  FAKE_ENTER(false);
  const auto found = m.reservations.find(pointer);
  if (found == m.reservations.end() || found->second != bytes) {
    misuse(__func__, "not what was reserved");
  }
  m.reservations.erase(found);
  ::munmap(at(pointer), bytes);
  return kSuccess;
}

CUresult cuMemCreate(CUmemHandle *handle, std::size_t bytes, const CUmemAllocationProp *wanted,
                     unsigned long long) {
  FAKE_ENTER(true);
  std::size_t used = bytes;
  for (const auto &[id, block] : m.blocks) {
    used += block.device == wanted->location.id ? block.bytes : 0;
  }
  if (used > (wanted->location.id == m.plan.full ? 2 * kGranule : m.plan.memory)) {
    return kOutOfMemory;
  }
  if (bytes % kGranule != 0) {
    return kInvalidValue;
  }
  const bool isShareable = wanted->requestedHandleTypes == kHandleFile;
  if (isShareable && !m.plan.hasFileHandles) {
    return kNotSupported;
  }
  Descriptor file(::memfd_create("fake_cuda", MFD_CLOEXEC));
  if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0) {
    return kOutOfMemory;
  }
  *handle = m.nextHandle++;
  m.blocks[*handle] = {bytes, wanted->location.id, std::move(file), isShareable};
  return kSuccess;
}

CUresult cuMemExportToShareableHandle(void *shareable, CUmemHandle handle, CUmemHandleType type,
                                      unsigned long long) {
  FAKE_ENTER(true);
  const auto found = m.blocks.find(handle);
  if (found == m.blocks.end() || !found->second.isShareable || type != kHandleFile) {
    return kInvalidValue;
  }
  *static_cast<int *>(shareable) = ::fcntl(found->second.file.number(), F_DUPFD_CLOEXEC, 0);
  return kSuccess;
}

CUresult cuMemImportFromShareableHandle(CUmemHandle *handle, void *shareable,
                                        CUmemHandleType type) {
  FAKE_ENTER(true);
  const int file = static_cast<int>(reinterpret_cast<std::uintptr_t>(shareable));
  struct stat status = {};
  if (type != kHandleFile || ::fstat(file, &status) != 0 || status.st_size % kGranule != 0 ||
      status.st_size == 0) {
    return kInvalidValue;
  }
  Descriptor hold = reopened(file);
  ::flock(hold.number(), LOCK_SH);
  *handle = m.nextHandle++;
  m.blocks[*handle] = {static_cast<std::size_t>(status.st_size), kElsewhere,
                       Descriptor(::fcntl(file, F_DUPFD_CLOEXEC, 0)), true, std::move(hold)};
  return kSuccess;
}

CUresult cuMemRelease(CUmemHandle handle) {
  FAKE_ENTER(false);
  const auto found = m.blocks.find(handle);
  if (found == m.blocks.end() || found->second.mappings > 0) {
    misuse(__func__, "not an allocation, or mapped");
  }
  if (isUsedElsewhere(found->second)) {
    misuse(__func__, "another process has it mapped");
  }
  m.blocks.erase(found);
  return kSuccess;
}

CUresult cuMemMap(CUdeviceptr pointer, std::size_t bytes, std::size_t offset, CUmemHandle handle,
                  unsigned long long) {
  FAKE_ENTER(true);
  Block &block = m.blocks.at(handle);
  auto home = m.reservations.upper_bound(pointer);
  const bool isReserved =
      home != m.reservations.begin() &&
      (--home, pointer >= home->first && pointer + bytes <= home->first + home->second);
  const auto next = m.mappings.lower_bound(pointer);
  const bool overlaps = (next != m.mappings.end() && next->first < pointer + bytes) ||
                        (next != m.mappings.begin() &&
                         std::prev(next)->first + std::prev(next)->second.bytes > pointer);
  if (!isReserved || overlaps || offset != 0 || bytes != block.bytes) {
    return kInvalidValue;
  }
  remap(pointer, bytes, block);
  ++block.mappings;
  m.mappings[pointer] = {bytes, handle, {}};
  return kSuccess;
}

CUresult cuMemUnmap(CUdeviceptr pointer, std::size_t bytes) {
  FAKE_ENTER(false);
  const auto found = m.mappings.find(pointer);
  if (found == m.mappings.end() || found->second.bytes != bytes) {
    misuse(__func__, "not one mapping");
  }
  --m.blocks.at(found->second.handle).mappings;
  m.mappings.erase(found);
  remap(pointer, bytes, {});
  return kSuccess;
}

CUresult cuMemSetAccess(CUdeviceptr pointer, std::size_t bytes, const CUmemAccessDesc *access,
                        std::size_t count) {
  FAKE_ENTER(true);
  const auto found = m.mappings.find(pointer);
  if (found == m.mappings.end() || found->second.bytes != bytes) {
    return kInvalidValue;
  }
  const bool isNew =
      found->second.access.empty() && m.blocks.at(found->second.handle).device != kElsewhere;
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].flags != kAccessReadWrite || access[i].location.type != kLocationDevice) {
      return kInvalidValue;
    }
    found->second.access.insert(access[i].location.id);
  }
  ::mprotect(at(pointer), bytes, PROT_READ | PROT_WRITE);
  if (isNew) {
    std::memset(at(pointer), 0xDB, std::min<std::size_t>(bytes, kGranule));
  }
  return kSuccess;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, std::size_t bytes) {
  FAKE_ENTER(true);
  const std::size_t whole = (bytes + kGranule - 1) / kGranule * kGranule;
  const CUmemAllocationProp wanted{
      kAllocationPinned, kHandleNone, {kLocationDevice, current->device}, nullptr, {}};
  const CUmemAccessDesc access{wanted.location, kAccessReadWrite};
  CUmemHandle handle = 0;
  if (const CUresult result = cuMemCreate(&handle, whole, &wanted, 0)) {
    return result;
  }
  cuMemAddressReserve(pointer, whole, 0, 0, 0);
  cuMemMap(*pointer, whole, 0, handle, 0);
  return cuMemSetAccess(*pointer, whole, &access, 1);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  FAKE_ENTER(false);
  const auto found = m.mappings.find(pointer);
  if (found == m.mappings.end()) {
    misuse(__func__, "not an allocation");
  }
  const auto [bytes, handle, access] = found->second;
  for (StreamObject *stream : m.streams) {
    runUpTo(*stream, stream->given); // The real one waits, too.
  }
  cuMemUnmap(pointer, bytes);
  cuMemRelease(handle);
  return cuMemAddressFree(pointer, bytes);
}

CUresult cuMemHostAlloc(void **memory, std::size_t bytes, unsigned) {
  FAKE_ENTER(true);
  *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  m.pinned[reinterpret_cast<std::uintptr_t>(*memory)] = bytes;
  return *memory ? kSuccess : kOutOfMemory;
}

CUresult cuMemFreeHost(void *memory) {
  FAKE_ENTER(false);
  if (m.pinned.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) {
    misuse(__func__, "not an allocation");
  }
  std::free(memory);
  return kSuccess;
}

CUresult cuMemHostRegister_v2(void *memory, std::size_t bytes, unsigned) {
  FAKE_ENTER(true);
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes == 0 || address % 4096 != 0 || bytes % 4096 != 0) {
    return kInvalidValue;
  }
  if (isPinned(memory, bytes)) {
    return kAlreadyRegistered;
  }
  m.pinned[address] = bytes;
  return kSuccess;
}

CUresult cuMemHostUnregister(void *memory) {
  FAKE_ENTER(false);
  if (m.pinned.erase(reinterpret_cast<std::uintptr_t>(memory)) == 0) {
    misuse(__func__, "not locked");
  }
  return kSuccess;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *pointer, void *memory, unsigned) {
  FAKE_ENTER(true);
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return isPinned(memory, 1) ? kSuccess : kInvalidValue;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, std::size_t bytes,
                              CUstream stream) {
  FAKE_ENTER(true);
  if (!isPinned(source, bytes) || !isMapped(target, bytes, stream->device)) {
    return kInvalidValue; // The real one takes pageable memory, and waits.
  }
  give(*stream, [=] { return std::memcpy(at(target), source, bytes), 0; });
  return kSuccess;
}

CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, std::size_t bytes,
                              CUstream stream) {
  FAKE_ENTER(true);
  if (!isPinned(target, bytes) || !isMapped(source, bytes, stream->device)) {
    return kInvalidValue;
  }
  m.bytesOut += bytes;
  give(*stream, [=] { return std::memcpy(target, at(source), bytes), 0; });
  return kSuccess;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, std::size_t bytes,
                              CUstream stream) {
  FAKE_ENTER(true);
  if (!isMapped(target, bytes, stream->device) || !isMapped(source, bytes, stream->device)) {
    return kInvalidValue;
  }
  give(*stream, [=] { return std::memcpy(at(target), at(source), bytes), 0; });
  return kSuccess;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjitOption *options, void **values) {
  FAKE_ENTER(true);
  const std::string text = static_cast<const char *>(image);
  const std::size_t version = text.find(".version ");
  if (version != std::string::npos && std::atof(text.c_str() + version + 9) > 9.0) {
    return kUnsupportedPtxVersion;
  }
  if (version == std::string::npos) {
    for (unsigned i = 0; i + 1 < count; ++i) {
      if (options[i] == kJitErrorLog && options[i + 1] == kJitErrorLogBytes) {
        std::snprintf(static_cast<char *>(values[i]), reinterpret_cast<std::size_t>(values[i + 1]),
                      "ptxas application ptx input, line 1; fatal   : Missing .version\n"
                      "ptxas fatal   : Ptx assembly aborted due to errors\n");
      }
    }
    return kInvalidPtx;
  }
  *module = new ModuleObject{text};
  return kSuccess;
}

CUresult cuPointerGetAttribute(void *value, CUpointerAttribute attribute, CUdeviceptr pointer) {
  FAKE_ENTER(true);
  const bool isAnswered = attribute == kPointerIsManaged || attribute == kPointerMemoryType;
  if (!isAnswered || !isIn(m.managed, pointer, 1)) {
    return kInvalidValue; // As for memory that the real one does not know.
  }
  *static_cast<std::uint32_t *>(value) = 1;
  return kSuccess;
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t bytes, CUdevice device,
                            CUstream stream) {
  FAKE_ENTER(true);
  if (!isIn(m.managed, pointer, bytes) || device != stream->device ||
      !m.plan.hasConcurrentManaged) {
    return kInvalidValue;
  }
  m.prefetched += bytes;
  give(*stream, [] { return 0; });
  return kSuccess;
}

CUresult cuModuleUnload(CUmodule module) {
  FAKE_ENTER(false);
  delete module;
  return kSuccess;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  FAKE_ENTER(true);
  if (module->text.find(".entry " + std::string(name) + "(") == std::string::npos) {
    return kNotFound;
  }
  m.loaded.push_back(std::make_unique<FunctionObject>(
      FunctionObject{.name = name,
                     .waits = module->text.find("griddepcontrol.wait") != std::string::npos,
                     .parameters = parametersOf(module->text, name)}));
  *function = m.loaded.back().get();
  return kSuccess;
}

CUresult cuFuncGetAttribute(int *value, CUfunctionAttribute attribute, CUfunction) {
  FAKE_ENTER(true);
  *value = attribute == kFunctionMaxThreads ? 640 : 0;
  return attribute == kFunctionMaxThreads || attribute == kFunctionSharedBytes ? kSuccess
                                                                               : kInvalidValue;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t *offset,
                            std::size_t *bytes) {
  FAKE_ENTER(true);
  if (index >= function->parameters.size()) {
    return kInvalidValue;
  }
  *offset = 0;
  *bytes = function->parameters[index];
  return kSuccess;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunctionAttribute attribute, int value) {
  FAKE_ENTER(true);
  if (attribute != kFunctionMaxDynamicShared || value > kSharedOptin) {
    return kInvalidValue;
  }
  function->dynamicShared = value;
  return kSuccess;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void **parameters, void **extra) {
  FAKE_ENTER(true);
  const CUlaunchConfig config{gx, gy, gz, bx, by, bz, shared, stream, nullptr, 0};
  return launch(m, config, *function, parameters, extra);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters,
                          void **extra) {
  FAKE_ENTER(true);
  if (config->numAttrs != 1 || config->attrs[0].id != kLaunchSerialization) {
    return kInvalidValue;
  }
  // What is not a kernel does not wait for kernels that overlap.
  if (config->attrs[0].value.programmaticStreamSerializationAllowed != 0 &&
      !(function->waits && config->hStream->endsInKernel)) {
    misuse(__func__, ("nothing waits for what kernel " + function->name + " is behind").c_str());
  }
  return launch(m, *config, *function, parameters, extra);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  FAKE_ENTER(true);
  *stream = new StreamObject;
  (*stream)->device = current->device;
  m.streams.insert(*stream);
  return flags == kStreamNonBlocking ? kSuccess : kInvalidValue;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  FAKE_ENTER(false);
  if (!stream->operations.empty() && m.fault == 0) {
    misuse(__func__, "work is under way");
  }
  for (EventObject *event : m.events) {
    if (event->stream == stream) {
      event->stream = nullptr;
    }
  }
  m.streams.erase(stream);
  delete stream;
  return kSuccess;
}

CUresult cuStreamSynchronize(CUstream stream) {
  FAKE_ENTER(true);
  runUpTo(*stream, stream->given);
  return m.fault;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  FAKE_ENTER(true);
  if (event->stream) {
    stream->operations.push_back({{}, event->stream, event->position});
    ++stream->given;
    stream->endsInKernel = false;
  }
  return kSuccess;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  FAKE_ENTER(true);
  *event = new EventObject;
  (*event)->device = current->device;
  m.events.insert(*event);
  return flags == kEventDisableTiming ? kSuccess : kInvalidValue;
}

CUresult cuEventDestroy_v2(CUevent event) {
  FAKE_ENTER(false);
  if (m.events.erase(event) == 0) {
    misuse(__func__, "not an event");
  }
  delete event;
  return kSuccess;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  FAKE_ENTER(true);
  stream->endsInKernel = false;
  event->stream = stream;
  event->position = stream->given;
  event->polls = 0;
  event->recorded = Clock::now();
  return event->device == stream->device ? kSuccess : kInvalidValue;
}

CUresult cuEventQuery(CUevent event) {
  FAKE_ENTER(true);
  if (!event->stream || event->stream->done >= event->position) {
    return kSuccess;
  }
  const bool isEarly = event->device == m.plan.slow && Clock::now() < event->recorded + kSlowness;
  if (m.plan.delay < 0 || event->polls++ < m.plan.delay || isEarly) {
    return kNotReady;
  }
  runUpTo(*event->stream, event->position);
  return m.fault;
}

CUresult cuEventSynchronize(CUevent event) {
  FAKE_ENTER(true);
  if (event->stream) {
    runUpTo(*event->stream, event->position);
  }
  return m.fault;
}

#pragma GCC visibility pop

} // extern "C"

namespace {

// The kernels of runtime/device/conformance/kernels.h, on the parameters of `tutti_kernel`.

enum Parameter { Low = 1, High, Lower, Upper, Total, Partials, First };

template <typename T> T &element(const fake_cuda::Launch &launch, std::uint64_t index) {
  const std::uint64_t address = launch.parameters[First] + index * sizeof(T);
  const bool isLow = address < std::uint64_t{1} << 32;
  return *reinterpret_cast<T *>(address + launch.parameters[isLow ? Low : High]);
}

int scale(const fake_cuda::Launch &launch) {
  for (std::uint64_t i = launch.parameters[Lower]; i < launch.parameters[Upper]; ++i) {
    element<std::uint64_t>(launch, i) *= launch.parameters[First + 1];
  }
  return 0;
}

int halve(const fake_cuda::Launch &launch) {
  for (std::uint64_t i = launch.parameters[Lower]; i < launch.parameters[Upper]; ++i) {
    element<double>(launch, i) = element<double>(launch, i) * 0.5 + 1.0;
  }
  return 0;
}

int sum(const fake_cuda::Launch &launch) {
  constexpr std::size_t kPartialBytes = 16;
  if (launch.shared != kPartialBytes * launch.group[0]) {
    return kLaunchFailed;
  }
  for (std::uint64_t group = 0; group < launch.groups[0]; ++group) {
    std::uint64_t result = 0;
    for (std::uint64_t i = launch.parameters[Lower]; i < launch.parameters[Upper]; ++i) {
      const std::uint64_t item = (i - launch.parameters[Lower]) / launch.group[0];
      result += item % launch.groups[0] == group ? element<std::uint64_t>(launch, i) : 0;
    }
    std::memcpy(at(launch.parameters[Partials] + group * kPartialBytes), &result, sizeof result);
  }
  return 0;
}

int add(const fake_cuda::Launch &launch) {
  constexpr std::size_t kPartialBytes = 16;
  if (launch.shared != kPartialBytes * launch.group[0]) {
    return kLaunchFailed;
  }
  for (std::uint64_t group = 0; group < launch.groups[0]; ++group) {
    std::uint64_t result = 0;
    for (std::uint64_t i = 0; i < launch.parameters[Upper]; ++i) {
      std::uint64_t partial = 0;
      std::memcpy(&partial, at(launch.parameters[0] + i * kPartialBytes), sizeof partial);
      result += i / launch.group[0] % launch.groups[0] == group ? partial : 0;
    }
    std::memcpy(at(launch.parameters[Partials] + group * kPartialBytes), &result, sizeof result);
  }
  return 0;
}

int place(const fake_cuda::Launch &launch) {
  const std::uint64_t nx = launch.parameters[First + 1];
  const std::uint64_t ny = launch.parameters[First + 2];
  for (std::uint64_t z = 0; z < launch.groups[2] * launch.group[2]; ++z) {
    for (std::uint64_t y = 0; y < launch.groups[1] * launch.group[1]; ++y) {
      for (std::uint64_t x = 0; x < launch.groups[0] * launch.group[0]; ++x) {
        const std::uint64_t index = (z * ny + y) * nx + x;
        element<std::uint64_t>(launch, index) = index;
      }
    }
  }
  return 0;
}

// Those of runtime/device/conformance/natives.h, whose arguments are addresses on the device.

int scaled(const fake_cuda::Launch &launch) {
  auto *x = reinterpret_cast<std::uint64_t *>(at(launch.argument<CUdeviceptr>(2)));
  const auto n = static_cast<std::uint64_t>(launch.argument<std::int64_t>(0));
  for (std::uint64_t i = 0; i < std::min(n, launch.groups[0] * launch.group[0]); ++i) {
    x[i] *= launch.argument<std::uint64_t>(1);
  }
  return 0;
}

int mixed(const fake_cuda::Launch &launch) {
  struct Pair {
    std::int32_t i;
    std::int64_t l;
  };

  const auto pair = launch.argument<Pair>(3);
  std::uint64_t sum = 0;
  std::memcpy(&sum, at(launch.argument<CUdeviceptr>(4)), sizeof sum);
  sum += launch.argument<std::uint8_t>(0);
  sum += static_cast<std::uint64_t>(launch.argument<std::int16_t>(1));
  sum += static_cast<std::uint64_t>(launch.argument<float>(2));
  sum += static_cast<std::uint64_t>(pair.i) + static_cast<std::uint64_t>(pair.l);
  std::memcpy(at(launch.argument<CUdeviceptr>(5)), &sum, sizeof sum);
  return 0;
}

int turned(const fake_cuda::Launch &launch) {
  auto *x = reinterpret_cast<std::uint64_t *>(at(launch.argument<CUdeviceptr>(0)));
  for (std::uint64_t group = 0; group < launch.groups[0]; ++group) {
    std::reverse(x + group * launch.group[0], x + (group + 1) * launch.group[0]);
  }
  return 0;
}

/// That of the backend's changes.cpp.
int changes(const fake_cuda::Launch &launch) {
  const std::span parameters(launch.parameters, launch.count);
  const std::byte *now = at(parameters[0]);
  const std::byte *before = at(parameters[1]);
  const std::uint64_t grains = parameters[2];
  auto &count = *reinterpret_cast<std::uint32_t *>(at(parameters[3]));
  std::byte *out = at(parameters[3] + kChangesBegin);
  for (std::uint64_t grain = 0; grain < std::min(grains, launch.groups[0] * launch.group[0]);
       ++grain) {
    Change change{static_cast<std::uint32_t>(grain), 0, {}};
    std::memcpy(change.now.data(), now + grain * Change::kGrain, Change::kGrain);
    for (std::size_t byte = 0; byte < Change::kGrain; ++byte) {
      const bool differs = change.now[byte] != before[grain * Change::kGrain + byte];
      change.mask |= std::uint32_t{differs} << byte;
    }
    if (change.mask != 0) {
      std::memcpy(out + count++ * sizeof change, &change, sizeof change);
    }
  }
  return 0;
}

void printCalls() {
  for (const auto &[call, count] : machine().calls) {
    if (count > 0) {
      std::fprintf(stderr, "fake CUDA driver: %s %zu\n", call.c_str(), count);
    }
  }
}

void addUsualFunctions(Machine &machine) {
  machine.functions = {{"scale", scale},    {"halve", halve}, {"sum", sum},
                       {"add", add},        {"place", place}, {"tutti_changes", changes},
                       {"scaled", scaled},  {"mixed", mixed}, {"turned", turned},
                       {"reversed", turned}};
}

} // namespace

} // namespace tutti::device::cuda

namespace fake_cuda {

#pragma GCC visibility push(default)

using namespace tutti::device::cuda;

void reset(const Plan &plan) {
  const std::lock_guard guard(lock());
  Machine &m = machine();
  if (m.fault != 0) {
    // A lost device keeps what it had.
    for (const auto &[pointer, bytes] : m.reservations) {
      ::munmap(at(pointer), bytes);
    }
  } else if (!m.reservations.empty() || !m.blocks.empty() || !m.streams.empty() ||
             !m.events.empty() || !m.pinned.empty()) {
    misuse("reset", "something is still there");
  }
  auto calls = std::move(m.calls);
  m = Machine{};
  m.calls = std::move(calls);
  clearCalls();
  m.plan = plan;
  m.isPlanned = true;
  addUsualFunctions(m);
}

void setFunction(const std::string &name, Function function) {
  machine().functions[name] = std::move(function);
}

void failNext(const std::string &call, int result, int skip) {
  machine().failures.push_back({call, result, skip});
}

std::size_t calls(const std::string &name) {
  if (!name.empty()) {
    return machine().calls[name];
  }
  std::size_t sum = 0;
  for (const auto &[call, count] : machine().calls) {
    sum += count;
  }
  return sum;
}

int functionBySymbol(CUfunction *function, const void *stub) {
  const std::lock_guard guard(lock());
  const std::string text = static_cast<const char *>(stub);
  const std::size_t entry = text.find(".entry ") + 7;
  CUmodule module = nullptr;
  if (const CUresult result = cuModuleLoadDataEx(&module, stub, 0, nullptr, nullptr)) {
    return result;
  }
  machine().modulesOfProgram.emplace_back(module);
  return cuModuleGetFunction(function, module,
                             text.substr(entry, text.find('(', entry) - entry).c_str());
}

void setCurrent(int device) { current = &machine().contexts.at(device); }

int currentDevice() { return current ? current->device : -1; }

void setManaged(const void *memory, std::size_t bytes) {
  machine().managed[reinterpret_cast<std::uintptr_t>(memory)] = bytes;
}

void clearManaged() { machine().managed.clear(); }

std::size_t prefetched() { return machine().prefetched; }

std::size_t bytesOut() { return machine().bytesOut; }

void clearCalls() {
  for (auto &[call, count] : machine().calls) {
    count = 0;
  }
  machine().bytesOut = 0;
  machine().prefetched = 0;
}

bool isInside() { return depth > 0; }

std::size_t allocated() {
  std::size_t sum = 0;
  for (const auto &[handle, block] : machine().blocks) {
    sum += block.bytes;
  }
  return sum;
}

std::size_t reserved() {
  std::size_t sum = 0;
  for (const auto &[pointer, bytes] : machine().reservations) {
    sum += bytes;
  }
  return sum;
}

std::size_t objects() { return machine().streams.size() + machine().events.size(); }

void run() {
  for (StreamObject *stream : machine().streams) {
    runUpTo(*stream, stream->given);
  }
}

} // namespace fake_cuda

std::size_t fake_cuda_calls(const char *name) {
  const std::lock_guard guard(tutti::device::cuda::lock());
  return fake_cuda::calls(name);
}

#pragma GCC visibility pop
