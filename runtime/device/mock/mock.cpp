// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/mock/mock.h"

#include "runtime/device/committed.h"
#include "runtime/device/mock/native.h"
#include "runtime/device/native.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace tutti::device::mock {

namespace {

constexpr std::uint64_t kGranule = 64 << 10;

/// What memory holds that nobody has written to.
constexpr std::byte kUndefined{0xA5};

Info describe(const MachinePlan &plan, std::size_t index) {
  Info info;
  info.name = fmt::format("mock {}", index);
  info.driver = "mock";
  info.identity = fmt::format("mock:{}", index);
  info.format = plan.format;
  info.isGpu = plan.isGpu;
  info.hasFp64 = plan.hasFp64;
  info.memory = plan.memory;
  info.units = 4;
  info.maxGroup = 1024;
  info.localBytes = 48 << 10;
  info.maxGroupOf = {1024, 1024, 64};
  info.maxGroups = {(std::uint64_t{1} << 31) - 1, 65535, 65535};
  for (std::size_t other = 0; other < plan.devices && plan.hasRoutes; ++other) {
    if (other != index) {
      info.reaches.push_back(other);
    }
  }
  return info;
}

class MockKernel final : public Kernel {
public:
  MockKernel(std::string name, std::uint32_t maxGroup)
      : name_(std::move(name)), maxGroup_(maxGroup) {}

  std::uint32_t maxGroup() const override { return maxGroup_; }

  const std::string &name() const { return name_; }

private:
  std::string name_;
  std::uint32_t maxGroup_;
};

class MockHostBuffer final : public HostBuffer {
public:
  explicit MockHostBuffer(std::size_t bytes) : storage_(bytes) { bytes_ = storage_; }

private:
  std::vector<std::byte> storage_;
};

class MockSnapshot final : public Snapshot {
public:
  explicit MockSnapshot(std::uint64_t bytes) : storage_(bytes, kUndefined) {}

  std::byte *at(std::uint64_t offset) { return storage_.data() + offset; }

  const std::byte *at(std::uint64_t offset) const { return storage_.data() + offset; }

private:
  std::vector<std::byte> storage_;
};

} // namespace

/// Everything about the machine that outlives its devices.
class Machine::State {
public:
  explicit State(const MachinePlan &plan) : plan(plan), devices(plan.devices) {}

  /// Every operation begins here: records it, and gives the failure that is due.
  Status begin(const Entry &entry) {
    log.push_back(entry);
    PerDevice &device = devices[entry.device];
    ++device.operations;
    if (plan.lose > 0 && device.operations == plan.lose && !device.lost) {
      device.lost = failure(ErrorCode::DeviceLost, "mock {} is lost at operation {}", entry.device,
                            plan.lose);
    }
    return due(entry.device, entry.operation);
  }

  /// The failure of `operation` that is due, if any.
  Status due(std::size_t index, Operation operation) {
    PerDevice &device = devices[index];
    if (device.lost) {
      return *device.lost;
    }
    auto &pending = device.failures[operation];
    if (pending.empty()) {
      return {};
    }
    if (pending.front().skip > 0) {
      --pending.front().skip;
      return {};
    }
    Error error = std::move(pending.front().error);
    pending.pop_front();
    if (error.code == ErrorCode::DeviceLost) {
      device.lost = error;
    }
    return error;
  }

  struct Pending {
    std::uint32_t skip;
    Error error;
  };

  struct PerDevice {
    std::map<Operation, std::deque<Pending>> failures;
    std::uint64_t operations = 0;
    std::uint64_t commits = 0;
    std::optional<Error> lost;
  };

  const MachinePlan plan;
  std::vector<PerDevice> devices;
  std::map<std::string, Function, std::less<>> functions;
  std::vector<Entry> log;
};

class MockDevice final : public Device {
public:
  MockDevice(std::shared_ptr<Machine::State> state, std::size_t index, const Segments &window)
      : state_(std::move(state)), index_(index), info_(describe(state_->plan, index)),
        committed_(window, kGranule) {}

  const Info &info() const override { return info_; }

  std::uint64_t capacity() const override { return state_->plan.memory; }

  std::uint64_t granule() const override { return kGranule; }

  Status commit(Range bytes) override {
    const Result<Range> granules = committed_.around(bytes);
    if (!granules) {
      return granules.error();
    }
    if (committed_.holds(*granules)) {
      return {};
    }
    TUTTI_TRY(begin(Operation::Commit, bytes));
    const std::uint64_t number = ++state_->devices[index_].commits;
    const std::uint64_t full = state_->plan.failCommit;
    const RangeSet wanted = committed_.ranges().unite(RangeSet::of({*granules}));
    if ((full > 0 && number >= full) || wanted.bytes() > state_->plan.memory) {
      return failure(ErrorCode::OutOfMemory, "mock {} has no {} bytes", index_, wanted.bytes());
    }
    for (std::uint64_t at = granules->begin & ~(kGranule - 1); at < granules->end; at += kGranule) {
      auto &granule = memory_[at];
      if (granule.empty()) {
        granule.assign(kGranule, kUndefined);
      }
    }
    committed_.add(*granules);
    return {};
  }

  Status release(Range bytes) override {
    TUTTI_TRY(begin(Operation::Release, bytes));
    const Result<Range> granules = committed_.inside(bytes);
    if (!granules) {
      return granules.error();
    }
    if (granules->empty()) {
      return {};
    }
    committed_.remove(*granules);
    touched_.fill({});
    std::erase_if(memory_, [&](const auto &entry) {
      return Range{entry.first, entry.first + kGranule}.overlaps(*granules);
    });
    return {};
  }

  std::uint64_t committed() const override { return committed_.ranges().bytes(); }

  Result<Kernel *> load(const tutti_kernel &kernel) override {
    TUTTI_TRY(state_->begin({index_, Operation::Load, {}, kernel.name}));
    if (kernel.format != info_.format) {
      return failure(ErrorCode::NotSupported, "{}: not the format of mock {}", kernel.name, index_);
    }
    if ((kernel.flags & TUTTI_KERNEL_FP64) != 0 && !info_.hasFp64) {
      return failure(ErrorCode::NotSupported, "{}: mock {} has no double precision", kernel.name,
                     index_);
    }
    if (state_->plan.refusesImages) {
      return failure(ErrorCode::WrongImage, "{}: mock {} refuses all images", kernel.name, index_);
    }
    if (const std::string_view text = kernel.text; text.starts_with("#error")) {
      return failure(ErrorCode::WrongImage, "{}: mock {} reads {}", kernel.name, index_,
                     text.substr(0, text.find('\n')));
    }
    auto &known = kernels_[&kernel];
    if (!known) {
      known = std::make_unique<MockKernel>(kernel.name, info_.maxGroup);
    }
    return known.get();
  }

  Result<Kernel *> find(const tutti_task_kernel &kernel) override {
    TUTTI_TRY(state_->begin({index_, Operation::Load, {}, kernel.name}));
    if (!kernel.stubs[0] || state_->plan.refusesImages) {
      return failure(ErrorCode::WrongImage, "mock {} has no kernel {}", index_, kernel.name);
    }
    auto &known = natives_[&kernel];
    if (!known) {
      known = std::make_unique<MockNative>(kernel, info_.maxGroup);
    }
    return known.get();
  }

  Result<std::unique_ptr<Queue>> makeQueue() override;

  Result<std::unique_ptr<HostBuffer>> makeHostBuffer(std::size_t bytes) override {
    TUTTI_TRY(begin(Operation::MakeHostBuffer, {}));
    return std::make_unique<MockHostBuffer>(bytes);
  }

  Status lock(std::span<std::byte> pages) override {
    TUTTI_TRY(begin(Operation::Lock, {}));
    locked_.push_back(pages);
    return {};
  }

  /// Whether all of it has been locked at once.
  Status requireLocked(std::span<const std::byte> bytes) const {
    const auto holds = [&](std::span<std::byte> pages) {
      return pages.data() <= bytes.data() &&
             bytes.data() + bytes.size() <= pages.data() + pages.size();
    };
    return std::ranges::any_of(locked_, holds)
               ? Status()
               : failure(ErrorCode::InvalidArgument, "mock {}: {} bytes of the host are not locked",
                         index_, bytes.size());
  }

  Result<std::unique_ptr<Snapshot>> makeSnapshot(std::uint64_t bytes) override {
    TUTTI_TRY(begin(Operation::MakeSnapshot, {}));
    if (committed() + bytes > state_->plan.memory) {
      return failure(ErrorCode::OutOfMemory, "mock {} has no {} bytes more", index_, bytes);
    }
    return std::make_unique<MockSnapshot>(bytes);
  }

  Machine::State &machine() { return *state_; }

  std::size_t index() const { return index_; }

  Status begin(Operation operation, Range bytes) {
    return state_->begin({index_, operation, bytes, {}});
  }

  Status require(Range bytes) const { return committed_.require(bytes); }

  std::byte *at(std::uint64_t address) {
    const std::uint64_t granule = address & ~(kGranule - 1);
    Touched &touched = touched_[granule / kGranule % touched_.size()];
    if (granule != touched.granule) {
      if (!committed_.holds({address, address + 1})) {
        throw Fault{address};
      }
      std::byte *bytes = memory_.at(granule).data();
      if (!committed_.holds({granule, granule + kGranule})) { // At the end of a segment.
        return bytes + (address - granule);
      }
      touched = {granule, bytes};
    }
    return touched.bytes + (address - granule);
  }

  /// Calls `copy(byte *memory, offset, size)` for each piece of committed `bytes`.
  template <typename Copy> void forPieces(Range bytes, Copy &&copy) {
    for (std::uint64_t address = bytes.begin; address < bytes.end;) {
      const std::uint64_t end = std::min((address & ~(kGranule - 1)) + kGranule, bytes.end);
      copy(at(address), address - bytes.begin, end - address);
      address = end;
    }
  }

private:
  std::shared_ptr<Machine::State> state_; ///< Second owners: the machine, other devices.
  std::size_t index_;
  Info info_;
  Committed committed_;
  std::map<std::uint64_t, std::vector<std::byte>> memory_; ///< By granule.

  /// A granule all of which is committed.
  struct Touched {
    std::uint64_t granule = ~std::uint64_t{0}; ///< That is none.
    std::byte *bytes = nullptr;
  };

  std::array<Touched, 256> touched_; ///< Lately: a kernel asks for each element.
  std::map<const tutti_kernel *, std::unique_ptr<MockKernel>> kernels_;
  std::map<const tutti_task_kernel *, std::unique_ptr<MockNative>> natives_;
  std::vector<std::span<std::byte>> locked_; ///< Memory of the host, as it was locked.
};

namespace {

/// What a queue still has to do; its events share it.
class Tasks {
public:
  using Task = std::function<Status()>;

  void add(Task task) {
    ++last_;
    tasks_.push_back(std::move(task));
  }

  std::uint64_t last() const { return last_; }

  /// Does all up to `number`; after a failure nothing is done any more.
  void runTo(std::uint64_t number) {
    while (done_ < number) {
      ++done_;
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      if (failed_) {
        continue;
      }
      if (Status status = task(); !status) {
        failed_ = std::move(status).error();
        failedNumber_ = done_;
      }
    }
  }

  Status outcome(std::uint64_t number) const {
    if (failed_ && failedNumber_ <= number) {
      return *failed_;
    }
    return {};
  }

private:
  std::deque<Task> tasks_; ///< Number `done_ + 1` and on.
  std::uint64_t last_ = 0;
  std::uint64_t done_ = 0;
  std::optional<Error> failed_;
  std::uint64_t failedNumber_ = 0;
};

/// A launch whose turn has come.
class MockRun final : public KernelRun {
public:
  /// `uncombined` is what a combiner combines, else empty.
  MockRun(MockDevice &device, const KernelLaunch &launch, std::span<const std::byte> uncombined)
      : device_(device), launch_(launch), uncombined_(uncombined) {}

  const KernelLaunch &launch() const override { return launch_; }

  std::byte *at(std::uint64_t address) const override { return device_.at(address); }

  const std::byte *uncombined(std::uint64_t group) const override {
    return uncombined_.data() + group * launch_.partialBytes;
  }

private:
  MockDevice &device_;
  const KernelLaunch &launch_;
  std::span<const std::byte> uncombined_;
};

} // namespace

class MockEvent final : public Event {
public:
  MockEvent(std::shared_ptr<Tasks> tasks, std::uint32_t polls)
      : tasks_(std::move(tasks)), number_(tasks_->last()), polls_(polls) {}

  Result<bool> hasCompleted() override {
    if (polls_ > 0) {
      --polls_;
      return false;
    }
    tasks_->runTo(number_);
    TUTTI_TRY(tasks_->outcome(number_));
    return true;
  }

  const std::shared_ptr<Tasks> &tasks() const { return tasks_; }

  std::uint64_t number() const { return number_; }

private:
  std::shared_ptr<Tasks> tasks_; ///< Second owner: the queue, which may go first.
  std::uint64_t number_;
  std::uint32_t polls_;
};

class MockQueue final : public Queue {
public:
  explicit MockQueue(MockDevice &device) : device_(device) {}

  ~MockQueue() override { tasks_->runTo(tasks_->last()); }

  Status copyIn(std::span<const std::byte> source, std::uint64_t address) override {
    const Range bytes{address, address + source.size()};
    TUTTI_TRY(begin(Operation::CopyIn, bytes));
    add([this, bytes, staged = std::vector<std::byte>(source.begin(), source.end())] {
      device_.forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(memory, staged.data() + offset, size);
      });
      return Status{};
    });
    return {};
  }

  Status copyInLocked(std::span<const std::byte> source, std::uint64_t address) override {
    const Range bytes{address, address + source.size()};
    TUTTI_TRY(begin(Operation::CopyIn, bytes));
    TUTTI_TRY(device_.requireLocked(source));
    add([this, bytes, source] {
      device_.forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(memory, source.data() + offset, size);
      });
      return Status{};
    });
    return {};
  }

  Status copyOut(std::uint64_t address, std::span<std::byte> target) override {
    const Range bytes{address, address + target.size()};
    TUTTI_TRY(begin(Operation::CopyOut, bytes));
    add([this, bytes, target] {
      device_.forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(target.data() + offset, memory, size);
      });
      return Status{};
    });
    return {};
  }

  Status copyOutLocked(std::uint64_t address, std::span<std::byte> target) override {
    TUTTI_TRY(device_.requireLocked(target));
    return copyOut(address, target);
  }

  Status copyFrom(Device &from, Range bytes) override {
    TUTTI_TRY(begin(Operation::CopyFrom, bytes));
    auto *other = dynamic_cast<MockDevice *>(&from);
    if (!other || !device_.machine().plan.hasRoutes) {
      return failure(ErrorCode::NoRoute, "mock {} cannot reach {}", device_.index(),
                     from.info().name);
    }
    TUTTI_TRY(other->require(bytes));
    add([this, other, bytes] {
      std::vector<std::byte> copied(bytes.size());
      other->forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(copied.data() + offset, memory, size);
      });
      device_.forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(memory, copied.data() + offset, size);
      });
      return Status{};
    });
    return {};
  }

  Status keep(Range bytes, Snapshot &to, std::uint64_t offset) override {
    TUTTI_TRY(begin(Operation::Keep, bytes));
    std::byte *target = static_cast<MockSnapshot &>(to).at(offset);
    add([this, bytes, target] {
      device_.forPieces(bytes, [&](std::byte *memory, std::uint64_t offset, std::uint64_t size) {
        std::memcpy(target + offset, memory, size);
      });
      return Status{};
    });
    return {};
  }

  Result<std::span<const Change>> changes(Range bytes, const Snapshot &since,
                                          std::uint64_t offset) override {
    TUTTI_TRY(begin(Operation::Changes, bytes));
    tasks_->runTo(tasks_->last());
    TUTTI_TRY(tasks_->outcome(tasks_->last()));
    changes_.clear();
    const std::byte *before = static_cast<const MockSnapshot &>(since).at(offset);
    // The last first: nobody may rely on an order.
    for (std::uint64_t grain = bytes.size() / Change::kGrain; grain-- > 0;) {
      Change change{static_cast<std::uint32_t>(grain), 0, {}};
      const std::uint64_t first = grain * Change::kGrain;
      std::memcpy(change.now.data(), device_.at(bytes.begin + first), Change::kGrain);
      for (std::size_t byte = 0; byte < Change::kGrain; ++byte) {
        change.mask |= std::uint32_t{change.now[byte] != before[first + byte]} << byte;
      }
      if (change.mask != 0) {
        changes_.push_back(change);
      }
    }
    return std::span<const Change>(changes_);
  }

  Status launch(const KernelLaunch &launch) override {
    const auto *kernel = dynamic_cast<const MockKernel *>(launch.kernel);
    const auto *combiner = dynamic_cast<const MockKernel *>(launch.combiner);
    if (!kernel || (launch.combiner && !combiner)) {
      return failure(ErrorCode::InvalidArgument, "a kernel of another backend");
    }
    TUTTI_TRY(device_.machine().begin({device_.index(), Operation::Launch, {}, kernel->name()}));
    TUTTI_TRY(checkLaunch(launch));
    Function function;
    TUTTI_ASSIGN(function, functionOf(*kernel));
    if (!combiner) {
      add([this, launch, function] { return run(launch, function, {}); });
      return {};
    }
    Function combine;
    TUTTI_ASSIGN(combine, functionOf(*combiner));
    add([this, launch, function, combine] { return runBoth(launch, function, combine); });
    return {};
  }

  Status launchNative(const NativeLaunch &launch) override {
    const auto *kernel = dynamic_cast<const MockNative *>(launch.kernel);
    if (!kernel) {
      return failure(ErrorCode::InvalidArgument, "a kernel of another backend");
    }
    TUTTI_TRY(device_.machine().begin({device_.index(), Operation::Launch, {}, kernel->name()}));
    TUTTI_TRY(checkNative(
        launch, {kernel->name(), device_.info().name, device_.info(), kernel->maxGroup()}));
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (launch.arguments[i].isTranslated) {
        std::uint64_t address = 0;
        TUTTI_ASSIGN(address, pointerOf(launch, i, kernel->name()));
        TUTTI_TRY(device_.require({address, address + 1}));
      }
    }
    add([this, call = NativeCall(launch)]() -> Status {
      TUTTI_TRY(device_.machine().due(device_.index(), Operation::Run));
      try {
        call.run([this](std::uint64_t address) { return device_.at(address); });
      } catch (const Fault &fault) {
        return faultAt(fault);
      }
      return {};
    });
    return {};
  }

  Result<void *> native() override { return static_cast<void *>(this); }

  Status prefetch(std::span<const std::byte> memory) override {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    return device_.begin(Operation::Prefetch, {at, at + memory.size()});
  }

  Result<std::unique_ptr<Event>> record() override {
    TUTTI_TRY(begin(Operation::Record, {}));
    return std::make_unique<MockEvent>(tasks_, device_.machine().plan.delay);
  }

  Status wait(Event &event) override {
    TUTTI_TRY(begin(Operation::Wait, {}));
    auto *ours = dynamic_cast<MockEvent *>(&event);
    if (!ours) {
      return failure(ErrorCode::InvalidArgument, "an event of another backend");
    }
    // The event may be gone by the time; what it stands for is not.
    add([tasks = ours->tasks(), number = ours->number()] {
      tasks->runTo(number);
      return Status{};
    });
    return {};
  }

  Status finish() override {
    TUTTI_TRY(begin(Operation::Finish, {}));
    tasks_->runTo(tasks_->last());
    return tasks_->outcome(tasks_->last());
  }

private:
  Status begin(Operation operation, Range bytes) {
    TUTTI_TRY(device_.begin(operation, bytes));
    return device_.require(bytes);
  }

  void add(Tasks::Task task) { tasks_->add(std::move(task)); }

  Result<Function> functionOf(const MockKernel &kernel) const {
    const auto &functions = device_.machine().functions;
    const auto function = functions.find(kernel.name());
    if (function == functions.end()) {
      return failure(ErrorCode::WrongImage, "mock {} has no function for {}", device_.index(),
                     kernel.name());
    }
    return function->second;
  }

  Status checkGrid(const Grid &grid, std::uint32_t partialBytes) const {
    const Info &limits = device_.info();
    bool fits = true;
    std::uint64_t size = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      fits = fits && grid.group[d] > 0 && grid.groups[d] > 0 &&
             grid.group[d] <= limits.maxGroupOf[d] && grid.groups[d] <= limits.maxGroups[d];
      size *= grid.group[d];
    }
    if (!fits || size > limits.maxGroup) {
      return failure(ErrorCode::InvalidArgument, "groups of {} exceed the limits of mock {}", size,
                     device_.index());
    }
    if (partialBytes > 0 &&
        (!std::has_single_bit(size) || size * partialBytes > limits.localBytes)) {
      return failure(ErrorCode::InvalidArgument, "groups of {} cannot reduce {} bytes", size,
                     partialBytes);
    }
    return {};
  }

  Status checkLaunch(const KernelLaunch &launch) const {
    TUTTI_TRY(checkGrid(launch.grid, launch.partialBytes));
    if (launch.combiner) {
      TUTTI_TRY(checkGrid(launch.combinerGrid, launch.partialBytes));
    }
    const std::uint64_t partials = launch.partialCount() * launch.partialBytes;
    if (launch.partialBytes > 0 &&
        (!launch.partials || launch.partials->bytes().size() < partials ||
         (launch.combiner && !launch.occupiesCombiner()))) {
      return failure(ErrorCode::InvalidArgument, "{} bytes of partial results do not fit",
                     partials);
    }
    return {};
  }

  Status run(const KernelLaunch &launch, const Function &function,
             std::span<const std::byte> uncombined) {
    TUTTI_TRY(device_.machine().due(device_.index(), Operation::Run));
    try {
      function(MockRun(device_, launch, uncombined));
    } catch (const Fault &fault) {
      return faultAt(fault);
    }
    return {};
  }

  static Error faultAt(const Fault &fault) {
    return failure(ErrorCode::KernelFault, "a kernel touches {:#x}, which is not committed",
                   fault.address);
  }

  Status runBoth(const KernelLaunch &launch, const Function &function, const Function &combine) {
    MockHostBuffer partials(launch.grid.groupCount() * launch.partialBytes);
    KernelLaunch first = launch;
    first.combiner = nullptr;
    first.partials = &partials;
    TUTTI_TRY(run(first, function, {}));
    const auto count = static_cast<std::int64_t>(launch.grid.groupCount());
    const KernelLaunch second{.kernel = launch.combiner,
                              .grid = launch.combinerGrid,
                              .lower = 0,
                              .upper = count,
                              .total = count,
                              .partialBytes = launch.partialBytes,
                              .combiner = nullptr,
                              .combinerGrid = {},
                              .partials = launch.partials,
                              .arguments = {}};
    return run(second, combine, partials.bytes());
  }

  MockDevice &device_;
  std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>(); ///< Second owners: events.
  std::vector<Change> changes_;
};

Result<std::unique_ptr<Queue>> MockDevice::makeQueue() {
  TUTTI_TRY(begin(Operation::MakeQueue, {}));
  return std::make_unique<MockQueue>(*this);
}

class MockDriver final : public Driver {
public:
  explicit MockDriver(std::shared_ptr<Machine::State> state) : state_(std::move(state)) {}

  std::string_view name() const override { return "mock"; }

  Result<std::vector<Info>> list() override {
    std::vector<Info> infos;
    for (std::size_t i = 0; i < state_->plan.devices; ++i) {
      infos.push_back(describe(state_->plan, i));
    }
    return infos;
  }

  Result<std::unique_ptr<Device>> open(std::size_t index, const Segments &window) override {
    if (index >= state_->plan.devices) {
      return failure(ErrorCode::InvalidArgument, "mock {} of {}", index, state_->plan.devices);
    }
    TUTTI_TRY(state_->begin({index, Operation::Open, {}, {}}));
    return std::make_unique<MockDevice>(state_, index, window);
  }

private:
  std::shared_ptr<Machine::State> state_; ///< Second owners: the machine and its devices.
};

Machine::Machine(const MachinePlan &plan) : state_(std::make_shared<State>(plan)) {}

Machine::~Machine() = default;

std::unique_ptr<Driver> Machine::makeDriver() const { return std::make_unique<MockDriver>(state_); }

void Machine::setFunction(std::string_view name, Function function) {
  state_->functions.insert_or_assign(std::string(name), std::move(function));
}

void Machine::failNext(std::size_t device, Operation operation, Error error, std::uint32_t skip) {
  state_->devices[device].failures[operation].push_back({skip, std::move(error)});
}

const std::vector<Entry> &Machine::log() const { return state_->log; }

void Machine::clearLog() { state_->log.clear(); }

} // namespace tutti::device::mock
