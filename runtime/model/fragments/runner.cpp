// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/fragments/runner.h"

#include "base/check.h"
#include "base/format.h"
#include "runtime/model/fragments/handle.h"
#include "runtime/model/fragments/merged.h"
#include "runtime/model/fragments/signal_stack.h"
#include "runtime/model/fragments/wire.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

namespace tutti::model::fragments {

thread_local constinit const Running *running = nullptr;

namespace {

/// Steps of unfolding before what has become ready comes first; at least so many, if a call that
/// has ended waits for the lock.
constexpr int kSteps = 16;
constexpr int kFewestSteps = 4;

/// That the calling thread has used: who shares its processor does not count.
double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Of a clock that goes on.
double secondsNow() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return now.count();
}

std::string objectsCannotBeMerged(const tutti_luna_procedure &procedure) {
  return fmt::format("calls of '{}' cannot be merged: what they read is no slab but an object",
                     procedure.name);
}

} // namespace

Runner::Runner(const Program &program, transport::Endpoint &endpoint,
               const engine::EngineSettings &engine, const StateSettings &state,
               DeviceCalls *devices)
    : program_(program), devices_(devices), names_(state_), endpoint_(endpoint),
      state_(program, state), reports_(static_cast<std::size_t>(state.ranks)),
      replies_(static_cast<std::size_t>(state.ranks)),
      waiting_(static_cast<std::size_t>(state.ranks)), engine_(*this, engine) {
  // Whoever has nothing else to run unfolds: so no more is unfolded than is needed.
  unfolding_.priority = -1;
  if (devices_ && state.parts.follow != 0) {
    shares_.emplace(state.parts.cores, state.parts.drag);
    state_.setShares(shares_->cores(), shares_->drag());
  }
}

std::optional<std::string> Runner::run(std::vector<Value> arguments) {
  if (endpoint_.size() > 1) {
    engine_.startPolling();
  }
  {
    const ScopedLock lock(mutex_);
    state_.begin(std::move(arguments));
    follow(nullptr);
  }
  done_.wait();
  const ScopedLock lock(mutex_);
  return why_;
}

void Runner::probe() {
  const ScopedLock lock(mutex_);
  probe_.emplace();
}

double Runner::probedSeconds() {
  const ScopedLock lock(mutex_);
  return probe_ ? probe_->seconds() : 0;
}

void Runner::countCalls(bool areKept) {
  countsCalls_ = true;
  keepsEvents_ = areKept;
}

CallTally Runner::takeTally() {
  const ScopedLock lock(mutex_);
  return std::move(tally_);
}

Counts Runner::counts() {
  const ScopedLock lock(mutex_);
  Counts counts = state_.counts();
  counts.messages = sent_;
  return counts;
}

engine::Work *Runner::run(engine::Worker &worker, engine::Work &work) {
  if (&work == &unfolding_) {
    return unfold();
  }
  auto &call = static_cast<Call &>(work);
  std::vector<Value> &outputs = call.outputs;
  const bool isTimed = call.bucket >= 0;
  const double before = isTimed ? processorSeconds() : 0;
  const double begin = countsCalls_ ? secondsNow() : 0;
  const std::optional<Trouble> why = call.rows              ? runRows(call, outputs)
                                     : call.members.empty() ? runProcedure(call, outputs)
                                                            : runMembers(call, outputs);
  const double seconds = isTimed ? processorSeconds() - before : 0;
  const double took = countsCalls_ ? secondsNow() - begin : 0;
  ending_.fetch_add(1, std::memory_order_relaxed);
  Call *next = nullptr;
  bool isGivers = false;
  {
    const ScopedLock lock(mutex_);
    isGivers = call.isGivers;
    noteWhoRan(call);
    noteEnd(call.statement, call.position);
    noteStep(call);
    if (countsCalls_) {
      tally_.add(call, {call.statement, worker.number(), call.ranOnDevice, begin, took},
                 keepsEvents_);
    }
    if (why) {
      state_.fail(call, why->text, why->code);
    } else {
      state_.finish(call, outputs, seconds);
    }
    follow(isGivers ? nullptr : &next);
  }
  ending_.fetch_sub(1, std::memory_order_relaxed);
  return isGivers ? goOnGiving() : next;
}

/// Calls that have ended go first: others wait for what they have made, a device for the next one.
void Runner::letOthersEnd() {
  constexpr int kPatience = 16;
  for (int turn = 0; turn < kPatience && isAnyEnding(); ++turn) {
    std::this_thread::yield();
  }
}

void Runner::unfoldSome() {
  state_.unfold(kFewestSteps);
  for (int step = kFewestSteps; step < kSteps && !isAnyEnding() && state_.unfold(1); ++step) {
  }
}

engine::Work *Runner::unfold() {
  letOthersEnd();
  const ScopedLock lock(mutex_);
  isUnfolding_ = false;
  unfoldSome();
  Call *next = nullptr;
  follow(&next);
  return next;
}

void Runner::queueUnfolding() {
  if (!isUnfolding_ && state_.canUnfold()) {
    isUnfolding_ = true;
    engine_.submit(unfolding_);
  }
}

/// Shares follow what steps take: each of them ends the same calls.
void Runner::noteEnd(std::int32_t statement, double position) {
  if (shares_ && position >= 0) {
    if (shares_->add(statement, position, secondsNow())) {
      state_.setShares(shares_->cores(), shares_->drag());
    }
  }
}

/// Where a probe begins and ends, what devices have been given is to be over, and nothing new
/// begins until then. Calls that read no data fragment wait for nothing: those of all steps may be
/// over at once.
void Runner::noteStep(const Call &call) {
  if (!probe_ || call.position < 0) {
    return;
  }
  const char *types = program_.unit().procedures[program_.statement(call.statement).callee].types;
  if (!std::strchr(types, TUTTI_LUNA_TYPE_VALUE)) {
    return;
  }
  const balance::Probe::Mark mark = probe_->add(call.statement, call.position);
  if (mark == balance::Probe::Mark::None) {
    return;
  }
  if (devices_) {
    devices_->await();
  }
  probe_->over(secondsNow());
  if (mark == balance::Probe::Mark::End) {
    end(std::nullopt);
  }
}

void Runner::noteWhoRan(const Call &call) {
  if (!devices_ || partOf(call) == Part::Cores) { // That says nothing of other parts.
    return;
  }
  if (const std::int32_t callee = program_.statement(call.statement).callee; call.ranOnDevice) {
    givenBefore_.insert(callee);
  } else {
    givenBefore_.erase(callee);
  }
}

/// Whether a device will most likely take the call at once. Ranks that hear of others run the
/// engine's loop between calls.
bool Runner::isForGiver(const Call &call) {
  constexpr std::size_t kMuch = std::size_t{64} << 10;
  const std::int32_t callee = program_.statement(call.statement).callee;
  if (!devices_ || endpoint_.size() > 1 || call.priority != 0 || !call.members.empty() ||
      !givenBefore_.contains(callee)) {
    return false;
  }
  // What a program's own version drags through is waited for.
  const Part part = partOf(call);
  if (part == Part::Cores || (part == Part::Drag && program_.unit().procedures[callee].native)) {
    return false;
  }
  const auto takesLong = [](const Value &value) { // As devices get a copy first.
    const Buffer *buffer = value.buffer();
    return buffer && buffer->bytes > kMuch && !buffer->mirror.load(std::memory_order_relaxed);
  };
  const auto isSeveral = [&](const RowCall::Input &input) {
    return input.slabs.size() > 1 || std::ranges::any_of(input.slabs, takesLong);
  };
  return (!call.rows || std::ranges::none_of(call.rows->inputs, isSeveral)) &&
         std::ranges::none_of(call.arguments, takesLong, &Argument::value);
}

/// Whoever runs the call is the giver.
void Runner::startGiving(Call &call) {
  isGiving_ = true;
  call.isGivers = true;
}

/// Whoever finds it first does what the giver would have done.
void Runner::stopGiving() {
  isGiving_ = false;
  for (Call *call : toGive_) {
    engine_.submit(*call);
  }
  toGive_.clear();
  queueUnfolding();
}

/// Of the giver, whose call is over: the next one.
engine::Work *Runner::goOnGiving() {
  const bool mayWait = engine_.size() > 1; // Else unfolding would find no work for anybody.
  for (;;) {
    const bool areFull = mayWait && devices_->isFull();
    letOthersEnd();
    const ScopedLock lock(mutex_);
    const bool canUnfold =
        (toGive_.empty() || areFull) && !isEnded_ && state_.canUnfold() && !engine_.hasWork();
    if (!toGive_.empty() && !canUnfold) {
      Call *call = toGive_.front();
      toGive_.pop_front();
      startGiving(*call);
      return call;
    }
    if (!canUnfold) {
      stopGiving();
      return nullptr;
    }
    unfoldSome();
    follow(nullptr);
  }
}

/// One call for all members of a run.
std::optional<Runner::Trouble> Runner::runMembers(Call &call, std::vector<Value> &outputs) {
  const tutti_luna_procedure &procedure =
      program_.unit().procedures[program_.statement(call.statement).callee];
  if (hasObjects(procedure, call)) {
    return Trouble{objectsCannotBeMerged(procedure), "E-MERGE"};
  }
  const Cause cause = partOf(call) == Part::Drag ? Cause::Drag : Cause::Border;
  const std::vector<std::int32_t> sizes = mergeArguments(procedure, call, cause);
  std::vector<Value> together;
  if (auto why = runProcedure(call, together)) {
    return why;
  }
  if (!call.isChecked) {
    outputs = std::move(together);
    std::optional<std::string> why = splitOutputs(procedure, sizes, outputs);
    return why ? std::optional(Trouble{*why, "E-MERGE"}) : std::nullopt;
  }
  for (Call *member : call.members) {
    if (auto why = runProcedure(*member, outputs)) {
      return why;
    }
  }
  for (const std::vector<Value> *values : {&together, &outputs}) {
    for (const Value &value : *values) {
      value.open(Cause::Border);
    }
  }
  if (areAlike(procedure, together, outputs)) {
    return std::nullopt;
  }
  return Trouble{fmt::format("merged and separate results of '{}' differ", procedure.name),
                 "E-MERGE"};
}

/// One call for all iterations of a loop.
std::optional<Runner::Trouble> Runner::runRows(Call &call, std::vector<Value> &outputs) {
  const tutti_luna_procedure &procedure =
      program_.unit().procedures[program_.statement(call.statement).callee];
  const Cause cause = partOf(call) == Part::Drag ? Cause::Drag : Cause::Border;
  for (RowCall::Input &input : call.rows->inputs) {
    if (procedure.merge[input.argument] == TUTTI_LUNA_MERGE_BULK && areObjects(input.slabs)) {
      return Trouble{objectsCannotBeMerged(procedure), "E-MERGE"};
    }
    call.arguments[input.argument].value =
        input.slabs.size() == 1 ? input.slabs.front() : concatenated(input.slabs, cause);
    input.slabs.clear();
  }
  if (auto why = runProcedure(call, outputs)) {
    return why;
  }
  const std::vector<std::int32_t> &sizes = call.rows->sizes;
  const std::size_t units = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  for (std::size_t at = 0; at < outputs.size(); ++at) {
    if (outputs[at].isSet() && call.rows->outputs[at].letter == TUTTI_LUNA_MERGE_BULK) {
      if (auto why = wrongSlab(procedure, at, outputs[at], units)) {
        return Trouble{*why, "E-MERGE"};
      }
    }
  }
  return std::nullopt;
}

/// A procedure that is for devices only has been refused by them.
Runner::Trouble Runner::notOnDevices(const tutti_luna_procedure &procedure) {
  if (const auto shortage = devices_ ? devices_->shortage(procedure) : std::nullopt) {
    // Devices have memory in blocks, of which each data fragment may need one.
    const char *inBlocks = shortage->needed <= shortage->allowed ? ", in whole blocks" : "";
    return {fmt::format("fragment '{}' needs {} bytes of device memory{}, the budget is {}",
                        procedure.name, shortage->needed, inBlocks, shortage->allowed),
            "E-MEM"};
  }
  return {fmt::format("no device can run '{}', which is for devices only", procedure.name)};
}

std::optional<Runner::Trouble> Runner::runProcedure(Call &call, std::vector<Value> &outputs) {
  constexpr std::size_t kInside = 8;
  const tutti_luna_statement &statement = program_.statement(call.statement);
  const tutti_luna_procedure &procedure = program_.unit().procedures[statement.callee];
  const std::size_t count = call.arguments.size();
  std::array<Handle, kInside> handlesInside;
  std::array<Object, kInside> objectsInside;
  std::array<tutti_luna_argument, kInside> insides;
  std::vector<Handle> moreHandles(count > kInside ? count : 0);
  std::vector<Object> moreObjects(moreHandles.size());
  std::vector<tutti_luna_argument> more(moreHandles.size());
  Handle *handles = count > kInside ? moreHandles.data() : handlesInside.data();
  Object *objects = count > kInside ? moreObjects.data() : objectsInside.data();
  tutti_luna_argument *arguments = count > kInside ? more.data() : insides.data();
  for (std::size_t at = 0; at < count; ++at) {
    Argument &argument = call.arguments[at];
    switch (procedure.types[at]) {
    case TUTTI_LUNA_TYPE_INT:
      arguments[at].integer = argument.value.integer();
      break;
    case TUTTI_LUNA_TYPE_REAL:
      arguments[at].real = argument.value.real();
      break;
    case TUTTI_LUNA_TYPE_STRING:
      arguments[at].text = argument.value.text();
      break;
    default:
      handles[at].state = &names_;
      handles[at].entry = argument.entry;
      handles[at].value = std::move(argument.value);
      objects[at].handle = &handles[at];
      arguments[at].fragment = &objects[at];
    }
  }
  ensureSignalStack();
  const Running here{&procedure, statement.at};
  running = &here;
  try {
    call.ranOnDevice = runOnDevice(call, procedure, arguments, {handles, count});
    if (!call.ranOnDevice) {
      if (!procedure.function) {
        running = nullptr;
        return notOnDevices(procedure);
      }
      procedure.stub(arguments);
    }
  } catch (const std::exception &exception) {
    running = nullptr;
    return Trouble{fmt::format("exception in '{}', called for '{}': {}", procedure.code,
                               procedure.name, exception.what())};
  } catch (...) {
    running = nullptr;
    return Trouble{
        fmt::format("exception in '{}', called for '{}'", procedure.code, procedure.name)};
  }
  running = nullptr;
  outputs.reserve(outputs.size() + count);
  for (std::size_t at = 0; at < count; ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
      outputs.push_back(std::move(handles[at].value));
    }
  }
  return std::nullopt;
}

Part Runner::partOf(const Call &call) const { return devices_ ? names_.partOf(call) : Part::Cores; }

/// Whether the call is a device's now. If it is not, the host can read what it needs.
bool Runner::runOnDevice(Call &call, const tutti_luna_procedure &procedure,
                         const tutti_luna_argument *arguments, std::span<Handle> handles) {
  const Part part = partOf(call);
  if (devices_ && part != Part::Cores && (procedure.version || procedure.native)) {
    if (devices_->call(procedure, arguments, part, call.device == 1)) {
      return true;
    }
    for (std::size_t at = 0; at < handles.size(); ++at) {
      if (procedure.types[at] == TUTTI_LUNA_TYPE_NAME) {
        handles[at].value = Value();
      }
    }
  }
  if (call.isGivers) { // The host may take its time.
    const ScopedLock lock(mutex_);
    call.isGivers = false;
    stopGiving();
  }
  const Cause cause = part == Part::Cores  ? Cause::Border
                      : part == Part::Drag ? Cause::Drag
                                           : Cause::Spill;
  for (std::size_t at = 0; at < handles.size(); ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_VALUE) {
      handles[at].value.open(cause);
    }
  }
  return false;
}

void Runner::follow(Call **next) {
  if (isEnded_) {
    return;
  }
  if (state_.failure()) {
    end(state_.failure()->text);
    return;
  }
  while (Call *call = state_.takeReady()) {
    const bool isGivers = isForGiver(*call);
    if (isGivers && isGiving_) {
      toGive_.push_back(call);
    } else if (next && !*next) {
      *next = call;
      if (isGivers) {
        startGiving(*call);
      }
    } else {
      engine_.submit(*call);
    }
  }
  if (state_.hasOutgoing()) {
    for (std::int32_t rank = 0; rank < endpoint_.size(); ++rank) {
      if (const std::vector<std::byte> bytes = state_.takeOutgoing(rank); !bytes.empty()) {
        ++sent_;
        post(rank, Says::Data, bytes);
      }
    }
  }
  if (!isGiving_) {
    queueUnfolding();
  }
  if (state_.isIdle()) {
    settle();
  }
}

/// Nothing can happen here before a message comes.
void Runner::settle() {
  if (endpoint_.size() == 1) {
    if (state_.isDone()) {
      end(std::nullopt);
    } else if (state_.isHolding() || state_.isGathering()) {
      letGo(state_.isHolding());
      follow(nullptr);
    } else {
      waiting_[0] = state_.describeWaiting();
      end(explainHang(program_, waiting_));
    }
    return;
  }
  const Report now = report();
  if (hasTold_ && now == told_) {
    return;
  }
  told_ = now;
  hasTold_ = true;
  if (endpoint_.rank() == 0) {
    hear(0, Says::Idle, now);
  } else {
    post(0, Says::Idle, std::as_bytes(std::span(&now, 1)));
  }
}

Runner::Report Runner::report() {
  return {sent_,
          received_,
          letGo_,
          state_.isIdle(),
          state_.isDone(),
          state_.isHolding(),
          state_.isGathering(),
          state_.isGated()};
}

void Runner::end(std::optional<std::string> why) {
  if (!isEnded_) {
    isEnded_ = true;
    why_ = std::move(why);
    isOver_.store(true, std::memory_order_release); // Pairs with the acquire in `poll`.
    done_.set();
  }
}

void Runner::post(std::int32_t to, Says says, std::span<const std::byte> bytes) {
  std::vector<std::byte> message{static_cast<std::byte>(says)};
  message.insert(message.end(), bytes.begin(), bytes.end());
  if (const Status status = endpoint_.sendControl(to, message); !status) {
    end(std::string(status.error().message));
  }
}

bool Runner::poll() {
  if (isOver_.load(std::memory_order_acquire)) {
    return false;
  }
  const ScopedLock lock(mutex_);
  std::vector<transport::Control> messages;
  if (isEnded_) {
    return false;
  }
  if (const Status status = endpoint_.pollControl(messages); !status) {
    end(std::string(status.error().message));
    return false;
  }
  for (const transport::Control &message : messages) {
    receive(message);
  }
  if (!messages.empty()) {
    follow(nullptr);
  }
  return !isEnded_;
}

void Runner::receive(const transport::Control &message) {
  const auto says = static_cast<Says>(message.bytes.front());
  const std::span<const std::byte> rest = std::span(message.bytes).subspan(1);
  Reader reader(rest);
  switch (says) {
  case Says::Data:
    ++received_;
    state_.receive(message.from, rest);
    break;
  case Says::Idle:
  case Says::Reply:
    hear(message.from, says, reader.take<Report>());
    break;
  case Says::Probe: {
    const Report now = report();
    post(0, Says::Reply, std::as_bytes(std::span(&now, 1)));
    break;
  }
  case Says::LetGo:
  case Says::Dissolve:
    letGo(says == Says::LetGo);
    break;
  case Says::End:
    end(std::nullopt);
    break;
  case Says::Collect:
    post(0, Says::Waiting, state_.describeWaiting());
    break;
  case Says::Waiting:
    waiting_[static_cast<std::size_t>(message.from)].assign(rest.begin(), rest.end());
    if (++described_ == endpoint_.size()) {
      end(explainHang(program_, waiting_));
    }
  }
}

/// On rank 0: what a rank says of itself. Whatever comes later is newer.
void Runner::hear(std::int32_t from, Says says, const Report &report) {
  reports_[static_cast<std::size_t>(from)] = report;
  if (says == Says::Reply) {
    replies_[static_cast<std::size_t>(from)] = report;
  }
  consider();
}

/// Whether all are idle, and all that was sent has been received.
bool Runner::isQuiet(const Reports &all) {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (const std::optional<Report> &each : all) {
    if (!each || !each->isIdle) {
      return false;
    }
    sent += each->sent;
    received += each->received;
  }
  return sent == received;
}

/// If ranks that were quiet say, asked once more, exactly the same, nothing is under way.
void Runner::consider() {
  if (isAgreed_) {
    return;
  }
  if (isProbing_) {
    replies_[0] = report();
    if (!std::ranges::all_of(replies_, [](const auto &each) { return each.has_value(); })) {
      return;
    }
    isProbing_ = false;
    reports_[0] = replies_[0];
    if (replies_ == asked_) {
      agree();
      return;
    }
  }
  if (isQuiet(reports_)) {
    isProbing_ = true;
    asked_ = reports_;
    replies_.assign(replies_.size(), std::nullopt);
    for (std::int32_t rank = 1; rank < endpoint_.size(); ++rank) {
      post(rank, Says::Probe, {});
    }
  }
}

/// Every rank says once more when it is idle, even if nothing was held here. `areHeld`: somewhere
/// calls are held back, else some are gathered.
void Runner::letGo(bool areHeld) {
  if (areHeld) {
    state_.letGo();
  } else {
    state_.dissolve();
  }
  ++letGo_;
}

/// Nothing goes on anywhere: it is over, or what waits can never run, or was held back.
void Runner::agree() {
  const bool areHeld =
      std::ranges::any_of(replies_, [](const auto &each) { return each->isHolding; });
  if (areHeld ||
      std::ranges::any_of(replies_, [](const auto &each) { return each->isGathering; })) {
    reports_.assign(reports_.size(), std::nullopt);
    for (std::int32_t rank = 1; rank < endpoint_.size(); ++rank) {
      post(rank, areHeld ? Says::LetGo : Says::Dissolve, {});
    }
    letGo(areHeld);
    follow(nullptr);
    return;
  }
  if (std::ranges::any_of(replies_, [](const auto &each) { return each->isGated; })) {
    reports_.assign(reports_.size(), std::nullopt);
    state_.freeze();
    follow(nullptr);
    return;
  }
  isAgreed_ = true;
  const bool isDone = std::ranges::all_of(replies_, [](const auto &each) { return each->isDone; });
  for (std::int32_t rank = 1; rank < endpoint_.size(); ++rank) {
    post(rank, isDone ? Says::End : Says::Collect, {});
  }
  if (isDone) {
    end(std::nullopt);
    return;
  }
  waiting_[0] = state_.describeWaiting();
  ++described_;
}

} // namespace tutti::model::fragments
