// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The entry points of abi/luna.h: a LuNA program from its arguments to its end.
#include "abi/luna.h"

#include "abi/backends.h"
#include "abi/xmp.h"
#include "base/format.h"
#include "runtime/entry/exports.h"
#include "runtime/entry/luna.h"
#include "runtime/entry/luna_devices.h"
#include "runtime/entry/luna_trace.h"
#include "runtime/entry/nodes.h"
#include "runtime/entry/runtime.h"
#include "runtime/entry/tasks.h"
#include "runtime/exec/or_die.h"
#include "runtime/model/fragments/runner.h"
#include "runtime/model/fragments/signal_stack.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <omp.h>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

static_assert(offsetof(tutti_luna_unit, start) == offsetof(tutti_xmp_unit, start));
static_assert(offsetof(tutti_luna_unit, xmpVersion) == offsetof(tutti_xmp_unit, version));
static_assert(TUTTI_LUNA_XMP_VERSION != TUTTI_XMP_VERSION);

namespace tutti::entry::luna {

namespace {

using model::fragments::Value;

[[noreturn]] void endJob(const std::string &text) {
  std::fflush(nullptr);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::fflush(nullptr);
  if (nodes::isActive() && nodes::world().endpoint().size() > 1) {
    nodes::world().endpoint().abort(EXIT_FAILURE);
  }
  _exit(EXIT_FAILURE);
}

/// Ends the job with a message that every rank may have: then one of them speaks.
[[noreturn]] void endWith(const std::string &text) {
  // An error that all have found ends the others while they wait.
  constexpr std::chrono::seconds kTurn{2};
  if (nodes::world().endpoint().rank() != 0) {
    std::this_thread::sleep_for(kTurn);
  }
  endJob(text);
}

std::string typesText(const char *types) {
  std::string text;
  for (const char *type = types; *type; ++type) {
    text += text.empty() ? "" : ", ";
    text += *type == TUTTI_LUNA_TYPE_INT    ? "int"
            : *type == TUTTI_LUNA_TYPE_REAL ? "real"
                                            : "string";
  }
  return text;
}

/// One argument of the command line; unset if it has not that form.
Value parse(char type, const char *text) {
  char *end = nullptr;
  errno = 0;
  if (type == TUTTI_LUNA_TYPE_INT) {
    const long value = std::strtol(text, &end, 10);
    const bool fits = value >= std::numeric_limits<std::int32_t>::min() &&
                      value <= std::numeric_limits<std::int32_t>::max();
    return end != text && *end == '\0' && errno == 0 && fits
               ? Value(static_cast<std::int32_t>(value))
               : Value();
  }
  if (type == TUTTI_LUNA_TYPE_REAL) {
    const double value = std::strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 ? Value(value) : Value();
  }
  return Value::ofText(text);
}

std::vector<Value> parseAll(const char *at, const char *types, int argc, char **argv) {
  const std::size_t count = std::strlen(types);
  const auto given = static_cast<std::size_t>(argc > 0 ? argc - 1 : 0);
  if (given != count) {
    endWith(fmt::format("{}: run-time error: 'main' takes {} argument{}{}, {} given [E-ARGS]", at,
                        count, count == 1 ? "" : "s",
                        count == 0 ? "" : fmt::format(" ({})", typesText(types)), given));
  }
  std::vector<Value> values;
  for (std::size_t index = 0; index < count; ++index) {
    values.push_back(parse(types[index], argv[index + 1]));
    if (!values.back().isSet()) {
      endWith(fmt::format("{}: run-time error: argument {} of 'main' is {}, '{}' is given [E-ARGS]",
                          at, index + 1, typesText(std::string(1, types[index]).c_str()),
                          argv[index + 1]));
    }
  }
  return values;
}

/// Writes with nothing but what a signal handler may use.
void say(const char *text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

void onSignal(int number) {
  if (const model::fragments::Running *running = model::fragments::running) {
    const char *name = number == SIGSEGV  ? "SIGSEGV"
                       : number == SIGBUS ? "SIGBUS"
                       : number == SIGFPE ? "SIGFPE"
                       : number == SIGILL ? "SIGILL"
                                          : "SIGABRT";
    say(running->at);
    say(": run-time error: signal ");
    say(name);
    say(" in '");
    say(running->procedure->code);
    say("', called for '");
    say(running->procedure->name);
    say("' [E-UCODE]\n");
    _exit(EXIT_FAILURE);
  }
  std::signal(number, SIG_DFL);
  std::raise(number);
}

/// A procedure has called `exit`: other ranks would wait for this one for ever.
void onExit() {
  const model::fragments::Running *running = model::fragments::running;
  if (running && nodes::isActive() && nodes::world().endpoint().size() > 1) {
    endJob(fmt::format("{}: run-time error: exit in '{}', called for '{}' [E-UCODE]", running->at,
                       running->procedure->code, running->procedure->name));
  }
}

/// Beside devices faults are the runtime's own way to find out what is touched.
void catchSignals() {
  std::vector<int> numbers{SIGFPE, SIGILL, SIGABRT};
  if (!Runtime::active()) {
    numbers.insert(numbers.end(), {SIGSEGV, SIGBUS});
  }
  for (const int number : numbers) {
    struct sigaction action{};
    action.sa_handler = onSignal;
    action.sa_flags = SA_ONSTACK; // A procedure may have used up its own.
    sigaction(number, &action, nullptr);
  }
}

std::uint32_t workers(std::int32_t ranks) {
  return wishedWorkers() > 0 ? wishedWorkers()
         : ranks > 1         ? static_cast<std::uint32_t>(omp_get_max_threads())
                             : engine::Engine::usableProcessors();
}

/// `main` is a procedure: rank 0 calls it.
void callMain(const tutti_luna_unit &unit, const std::vector<Value> &values) {
  const tutti_luna_procedure &procedure = unit.procedures[unit.mainProcedure];
  std::vector<tutti_luna_argument> arguments(values.size());
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (procedure.types[at] == TUTTI_LUNA_TYPE_INT) {
      arguments[at].integer = values[at].integer();
    } else if (procedure.types[at] == TUTTI_LUNA_TYPE_REAL) {
      arguments[at].real = values[at].real();
    } else {
      arguments[at].text = values[at].text();
    }
  }
  model::fragments::ensureSignalStack();
  const model::fragments::Running here{&procedure, procedure.at};
  model::fragments::running = &here;
  try {
    procedure.stub(arguments.data());
  } catch (const std::exception &exception) {
    endJob(fmt::format("{}: run-time error: exception in '{}': {} [E-UCODE]", procedure.at,
                       procedure.code, exception.what()));
  } catch (...) {
    endJob(fmt::format("{}: run-time error: exception in '{}' [E-UCODE]", procedure.at,
                       procedure.code));
  }
  model::fragments::running = nullptr;
}

/// TUTTI_ROPE.
model::fragments::Parts parts() {
  const char *text = std::getenv("TUTTI_ROPE");
  return exec::orDie(model::fragments::parseParts(text ? text : ""));
}

/// TUTTI_BALANCE, of which it is known that it is right.
bool balances() {
  const char *text = std::getenv("TUTTI_BALANCE");
  return !text || *text == '\0' || std::string_view(text) == "auto";
}

/// The line of a place.
std::string_view lineOf(std::string_view at) { return at.substr(at.rfind(':') + 1); }

/// Ends the program if it calls what neither a core nor a device of this rank can run.
void checkProcedures(const tutti_luna_unit &unit) {
  for (const tutti_luna_procedure &each :
       std::span(unit.procedures, static_cast<std::size_t>(unit.procedureCount))) {
    if (each.function) {
      continue;
    }
    if (!each.native) {
      endWith(fmt::format("{}: run-time error: no procedure '{}' (imported at line {}), nor a "
                          "version of it for devices [E-CODE]",
                          each.at, each.code, lineOf(each.at)));
    }
    FragmentDevices *devices = fragmentDevices();
    if (!devices || !devices->hasDevice(each.nativeKind)) {
      // As the language calls its devices: upper case.
      std::string kind(abi::deviceKindName(each.nativeKind));
      std::ranges::transform(kind, kind.begin(), [](char letter) { return std::toupper(letter); });
      endWith(fmt::format("{0}: run-time error: '{1}' has only a {2} version (line {3}) and no GPU "
                          "is available [E-{2}]",
                          each.at, each.name, kind, lineOf(each.at)));
    }
  }
}

/// A run that was to tell what a step takes ends in the middle of the program.
[[noreturn]] void endProbe(const char *path, double seconds) {
  std::fflush(nullptr);
  bool isWritten = false;
  if (std::FILE *file = std::fopen(path, "w")) {
    isWritten = std::fprintf(file, "%.9f\n", seconds) > 0;
    isWritten = std::fclose(file) == 0 && isWritten;
  }
  _exit(isWritten ? EXIT_SUCCESS : EXIT_FAILURE);
}

void runSub(const tutti_luna_unit &unit, std::vector<Value> values) {
  transport::Endpoint &endpoint = nodes::world().endpoint();
  const model::fragments::Program program(unit);
  engine::EngineSettings engine;
  engine.workers = workers(endpoint.size());
  model::fragments::StateSettings state;
  state.rank = endpoint.rank();
  state.ranks = endpoint.size();
  state.parts = parts();
  FragmentDevices *devices = fragmentDevices();
  state.wantsPositions = devices != nullptr;
  state.balances = balances() && !devices; // What devices take is not measured.
  state.checksMerges = (unit.flags & TUTTI_LUNA_CHECK) != 0;
  // Inner borders of merged calls are not made: they have to stay inner ones.
  if (devices && !state.checksMerges && state.parts.follow == 0) {
    state.merges = {state.parts.portions, devices->count(), devices->capacity()};
  }
  auto runner =
      std::make_unique<model::fragments::Runner>(program, endpoint, engine, state, devices);
  const char *stepTime = endpoint.size() == 1 ? std::getenv("TUTTI_STEP_TIME") : nullptr;
  if (stepTime) {
    runner->probe();
  }
  const char *tracePath = std::getenv("TUTTI_TRACE");
  tracePath = tracePath && *tracePath ? tracePath : nullptr;
  if (nodes::isReporting() || tracePath) {
    runner->countCalls(tracePath != nullptr);
  }
  if (const auto why = runner->run(std::move(values))) {
    endWith(*why);
  }
  if (const double seconds = runner->probedSeconds(); seconds > 0) {
    endProbe(stepTime, seconds);
  }
  if (devices) {
    devices->settle();
  }
  const model::fragments::Counts counts = runner->counts();
  const model::fragments::CallTally tally = runner->takeTally();
  nodes::take(reportOf(program, tally.counts()));
  if (tracePath) {
    writeTrace(tracePath, program, tally.events(), state.rank);
  }
  runner.reset();
  trace::Counters &all = nodes::world().counters();
  all.fragmentCalls += counts.calls;
  all.fragmentsMade += counts.made;
  all.fragmentsPeak += counts.peak;
  all.fragmentBytesPeak += counts.peakBytes;
  all.fragmentsUnfolded += counts.unfoldedPeak;
  all.fragmentPushes += counts.pushes;
  all.fragmentPushBytes += counts.pushedBytes;
  all.fragmentMessages += counts.messages;
  all.recuts += counts.recuts + counts.shareMoves;
  if (devices) {
    const model::fragments::DeviceCounts there = devices->counts();
    all.fragmentDeviceCalls += there.calls;
    all.fragmentRepeats += there.repeats;
    all.fragmentBorderBytes += there.borderBytes;
    all.fragmentDragBytes += there.dragBytes;
    all.fragmentSpills += there.spills;
    all.fragmentSpillBytes += there.spillBytes;
  }
}

} // namespace

std::vector<std::int64_t> cutSegment(std::int64_t cells) {
  // Nobody has said what a cell is: a number before a step, and one behind it.
  constexpr std::uint64_t kBytesOfCell = 2 * sizeof(double);
  const FragmentDevices *devices = fragmentDevices();
  const std::uint64_t held = devices ? devices->capacity() / kBytesOfCell : 0;
  return parts().cut(cells, workers(ranksHere()), devices ? devices->count() : 0,
                     std::max(static_cast<std::int64_t>(held), std::int64_t{1}));
}

std::int32_t ranksHere() { return nodes::world().endpoint().size(); }

void failInProcedure(const std::string &text, const char *code) {
  const model::fragments::Running *running = model::fragments::running;
  endJob(fmt::format("{}: run-time error: {} in '{}' [{}]", running ? running->at : "?", text,
                     running ? running->procedure->code : "?", code));
}

} // namespace tutti::entry::luna

TUTTI_EXPORT int tutti_luna_main(const tutti_luna_unit *unit, int argc, char **argv) {
  using namespace tutti;
  if (unit->version != TUTTI_LUNA_VERSION) {
    entry::nodes::fail(unit->file,
                       failure(ErrorCode::WrongImage,
                               "compiled for version {} of LuNA's part of the runtime, which is {}",
                               unit->version, TUTTI_LUNA_VERSION));
  }
  entry::nodes::mustBeActive(unit->file);
  const bool isSub = unit->mainSub >= 0;
  const char *at = isSub ? unit->subs[unit->mainSub].at : unit->procedures[unit->mainProcedure].at;
  const char *types =
      isSub ? unit->subs[unit->mainSub].types : unit->procedures[unit->mainProcedure].types;
  auto values = entry::luna::parseAll(at, types, argc, argv);
  entry::luna::catchSignals();
  entry::luna::checkProcedures(*unit);
  std::atexit(entry::luna::onExit); // Runs before whatever ends the ranks' connections.
  if (isSub) {
    entry::luna::runSub(*unit, std::move(values));
  } else if (entry::nodes::world().endpoint().rank() == 0) {
    entry::luna::callMain(*unit, values);
  }
  std::fflush(nullptr);
  // Nobody sends anything else before all have stopped to look for messages of fragments.
  exec::orDie(entry::nodes::world().endpoint().allGather({}));
  return 0;
}
