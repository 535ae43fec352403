// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// One rank's part of a program that unfolds: which data fragments there are, who waits for them,
/// which calls are ready. Pure data: runs no procedure, knows neither threads nor transports.
///
/// Every rank unfolds all of the program's structure and knows where each call runs, without
/// messages: bases have the same identity everywhere, homes follow from advice and indices alone,
/// and values that the structure depends on go to all. So the home of a data fragment knows its
/// readers and sends the value without having been asked.
#pragma once

#include "runtime/model/fragments/call.h"
#include "runtime/model/fragments/frame.h"
#include "runtime/model/fragments/held.h"
#include "runtime/model/fragments/merging.h"
#include "runtime/model/fragments/parts.h"
#include "runtime/model/fragments/pool.h"
#include "runtime/model/fragments/program.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace tutti::model::fragments {

/// Why the program cannot go on: one message, several lines perhaps.
struct Failure {
  std::string text;
};

struct Counts {
  std::uint64_t calls = 0; ///< That have ended here.
  std::uint64_t made = 0;  ///< Data fragments that became values here.
  std::uint64_t live = 0;  ///< Of these and of copies, now.
  std::uint64_t peak = 0;
  std::uint64_t liveBytes = 0;
  std::uint64_t peakBytes = 0;
  std::uint64_t unfoldedPeak = 0; ///< Calls that are unfolded and not over.
  std::uint64_t skipped = 0;  ///< Iterations that do not concern this rank, and were not unfolded.
  std::uint64_t rowCalls = 0; ///< Loops whose calls were one without coming to life.
  std::uint64_t pushes = 0;   ///< Values sent to readers.
  std::uint64_t pushedBytes = 0;
  std::uint64_t messages = 0;
  std::uint64_t recuts = 0;     ///< Times that this rank has moved borders of a rope,
  std::uint64_t rounds = 0;     ///< of so many that it has heard of,
  double slowestSeconds = 0;    ///< whose slowest segments took so long together,
  double meanSeconds = 0;       ///< and segments on average.
  std::uint64_t shareMoves = 0; ///< Times that borders of parts have moved, trials included.
};

struct StateSettings {
  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  std::uint64_t most = 100000; ///< Calls that are unfolded and not over, while some can run.
  std::uint64_t ahead = 8;     ///< Older calls in front of one that reads nothing and is held back.
  Parts parts;                 ///< Of each rank's segment.
  bool wantsPositions = false; ///< Calls are to know where in it they are.
  bool balances = false;       ///< Borders between segments follow what calls take.
  std::int32_t round = 4;      ///< Iterations after which they may move.
  double moveSeconds = 500e-6; ///< What is lost before they do.
  std::optional<RunCounts> merges; ///< Calls on devices are merged where the program allows that.
  bool checksMerges = false;       ///< They are not, but compared with merged ones.
};

/// Threading: externally synchronised.
class State {
public:
  State(const Program &program, const StateSettings &settings);
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  /// Starts `main`, a sub, with values for its parameters.
  void begin(std::vector<Value> arguments);

  /// Unfolds for so many steps at most. Whether it could go on.
  bool unfold(int steps);

  /// Whether `unfold` would do something.
  bool canUnfold() const;

  /// A call that is to be run here; null if none is ready.
  Call *takeReady();

  /// A call that was taken has run; a value for each of its outputs, in their order; for each of
  /// its members', if it has some. `seconds`: that it took, if it has a bucket.
  void finish(Call &call, std::span<Value> outputs, double seconds = 0);

  /// Which part of the rank a call belongs to, if there are devices. Threading: from any thread.
  Part partOf(const Call &call) const;

  /// From now on so much of the rank's segment is the cores', and so much is dragged. Order: calls
  /// are not merged.
  void setShares(double cores, double drag);

  /// Nothing can happen here before a message arrives.
  bool isIdle() const { return stack_.empty() && ready_.empty() && running_ == 0; }

  /// Calls are held back, so that what cannot go on may only seem so.
  bool isHolding() const { return !held_.isEmpty(); }

  /// Calls wait for others to be merged with them for the first time, so that what cannot go on may
  /// only seem so.
  bool isGathering() const;

  /// Nothing goes on anywhere, and no call is held back: what is gathered runs one by one.
  void dissolve();

  /// Nothing goes on anywhere: one call is held back no longer.
  void letGo();

  /// Something waits for borders of a later round, which rank 0 knows once earlier ones are over.
  bool isGated() const;

  /// On rank 0: nothing goes on anywhere, though no call is held back. So earlier rounds need later
  /// ones, and borders move no more.
  void freeze();

  /// Nothing waits here.
  bool isDone() const { return isIdle() && all_.behind == &all_; }

  const std::optional<Failure> &failure() const { return failure_; }

  /// The program is wrong, as found from outside.
  void fail(Call &call, std::string_view text, std::string_view code);

  const Counts &counts() const { return counts_; }

  const Program &program() const { return program_; }

  std::int32_t rank() const { return settings_.rank; }

  std::string nameOf(const Entry &entry) const;

  /// @name Messages.
  /// @{

  /// What is to be sent to a rank; empties it.
  std::vector<std::byte> takeOutgoing(std::int32_t rank);

  bool hasOutgoing() const { return hasOutgoing_; }

  void receive(std::int32_t from, std::span<const std::byte> bytes);

  /// @}

  /// What waits here and for what, for whoever looks for the reason why nothing goes on.
  std::vector<std::byte> describeWaiting();

private:
  struct Ask; ///< One attempt to evaluate something.

  // evaluate.cpp
  bool evaluate(std::int32_t node, Frame *frame, Ask &ask, Value &out);
  bool evaluateSlot(std::int32_t node, Frame *frame, Ask &ask, Value &out);
  bool evaluateBinary(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out);
  bool evaluateShort(const tutti_luna_node &node, Frame *frame, Ask &ask, Value &out);
  bool calculate(const tutti_luna_node &node, const Value &a, const Value &b, Ask &ask, Value &out);
  bool calculateInts(const tutti_luna_node &node, std::int32_t a, std::int32_t b, Ask &ask,
                     Value &out);
  bool calculateReals(const tutti_luna_node &node, double a, double b, Ask &ask, Value &out);
  bool cast(const tutti_luna_node &node, Value value, Ask &ask, Value &out);
  bool truth(const Value &value, const tutti_luna_node &node, Ask &ask, bool &out);
  bool evaluateInt(std::int32_t node, Frame *frame, Ask &ask, std::int32_t &out);
  bool calculateIndex(std::int32_t node, Frame *frame, const Ask &ask, std::int32_t &out) const;
  /// The data fragment that a node names; null if something is missing.
  Entry *resolve(std::int32_t node, Frame *frame, Ask &ask);
  /// The same without finding the data fragment itself.
  bool resolveName(std::int32_t node, Frame *frame, Ask &ask, Name &out);
  bool isData(std::int32_t node, Frame *frame) const;
  bool convert(Value &value, char type, std::int32_t statement, std::size_t argument,
               std::int32_t node, Frame *frame);
  static Frame *above(Frame *frame, std::int32_t up);
  /// The attempt has succeeded: what it read has been asked for.
  bool settle(Ask &ask);
  /// Waits for what an attempt lacked; whether there was anything.
  bool park(Waiter &waiter, Ask &ask);

  // data.cpp
  Entry *find(const Base &base, const Tuple &tuple, std::uint64_t hash) const;
  Entry *lookUp(Base &base, const Tuple &tuple);
  bool hasEntry(const Base &base, const Tuple &tuple) const;
  void remove(Entry &entry);
  void use(Entry *&place, Entry *entry);
  void unuse(Entry *&place);
  void tryBury(Entry &entry);
  void keep(Entry &entry, Value value);
  void assign(Entry &entry, Value value, std::int32_t statement, std::int32_t from);
  void erase(Entry &entry);
  void deleteData(Entry &entry, std::int32_t statement);
  void deleteAtHome(Entry &entry, std::int32_t statement);
  /// Somebody asks for a data fragment that is at home here.
  bool countRequest(Entry &entry, std::int32_t statement, bool isByAll = false);

  /// Ranks do not get to a place of the program at the same time: what every one of them may ask
  /// for outlives its deletion, for those that come later.
  bool outlives(const Entry &entry) const {
    return settings_.ranks > 1 && program_.areForAll(entry.base->slot);
  }

  void forget(Entry &entry);
  void exhaust(Entry &entry);
  std::int32_t usesOf(Entry &entry);
  /// Somebody asks for a data fragment whose home is elsewhere.
  void noteRequest(Entry &entry);
  void want(Entry &entry, std::int32_t rank, std::int32_t statement);
  void wake(Entry &entry);
  void grow();
  Frame *makeFrame(Frame *parent, std::int32_t block, const FrameId &id,
                   std::shared_ptr<const Chain> chain);
  static Frame *retain(Frame *frame);
  void release(Frame *frame);
  void releaseOne(Frame *frame, std::vector<Frame *> &open);

  // skip.cpp
  bool skipOthers(Activity &activity);
  bool isSkippable(const Activity &activity);
  bool isSkippable(std::int32_t statement, Frame *frame);
  bool isOurs(const Activity &activity);
  bool isPlain(std::int32_t node, Frame *frame) const;
  bool isPlain(const Rule &rule, Frame *frame) const;

  // rope.cpp
  static constexpr std::int32_t kBuckets = 1024; ///< Of a rope.

  bool isBalanced() const { return settings_.balances && settings_.ranks > 1; }

  Rope &ropeOf(Frame &frame, std::int32_t loop);
  void forgetRopes(Frame &frame);
  bool doesMove(const Rope &rope) const;
  static const Cut &cutAt(const Rope &rope, std::int64_t step);
  bool cutOf(const Base &base, const Tuple &tuple, Ask &ask, const Cut *&out);
  const Cut *cutOf(Frame *frame);
  static Entry &gateOf(Rope &rope, std::int64_t step);
  void openGates(Rope &rope);
  void beginRope(Activity &activity);
  bool enterRound(Activity &activity, std::int64_t turn);
  void leaveRound(Activity &activity);
  static void noteSeconds(const Call &call, double seconds);
  void endRound(Scope &scope);
  void hearRound(Rope &rope, const Value &told);
  void decide(Rope &rope, std::span<const double> seconds);
  void hearCut(Rope &rope, const Value &told);
  void extend(Rope &rope, balance::Borders borders) const;
  void freezeHere();

  // place.cpp
  struct Spot {
    std::int32_t rank = -1;
    double position = -1;
    std::int32_t bucket = -1;
  };

  bool findHome(Entry &entry, Ask &ask);
  bool findPlace(Call &call, Ask &ask);
  bool rankOf(const Rule &rule, Frame *frame, const Tuple &pattern, Ask &ask, const Cut *cut,
              Spot &out);
  void findSpot(std::int64_t inside, std::int64_t length, const Cut *cut, Spot &out) const;
  bool spotOf(const Base &base, const Tuple &tuple, Ask &ask, Spot &out);
  bool homeOf(const Base &base, const Tuple &tuple, Ask &ask, std::int32_t &home);
  bool findDevice(Call &call, Ask &ask);
  std::int32_t rankWithoutData(const FrameId &frame, std::int32_t statement) const;
  bool placeByData(Call &call, Ask &ask);

  // unfold.cpp
  std::uint64_t enough() const;
  void step();
  void stepList(Activity &activity);
  void stepFor(Activity &activity);
  void stepWhile(Activity &activity);
  void stepIf(Activity &activity);
  void stepSub(Activity &activity);
  void startLimit(std::int32_t statement, std::int32_t rule, Frame *frame);
  void stepLimit(Activity &activity);
  bool takeLimit(Activity &activity);
  void guard(const Activity &activity, const Ask &ask);
  void unguard(const std::vector<Entry *> &guarded);
  void start(std::int32_t statement, Frame *frame, Scope *scope);
  bool suspend(Activity &activity, Ask &ask);

  /// Of what comes to life in a frame. On one rank nobody else has to find the same.
  FrameId idOf(const Frame &around, std::int32_t statement, std::int32_t turn) {
    return settings_.ranks == 1 ? FrameId{0, ++lastId_} : around.id.child(statement, turn);
  }

  Frame *bringToLife(Frame *around, std::int32_t block, std::int32_t statement, std::int32_t turn);
  void pushList(Frame *frame, std::int32_t block, Scope *scope);
  void takeOff(Activity &activity);
  void endActivity(Activity &activity);
  Scope *openScope(std::int32_t statement, Frame *frame, Scope *outer, Ask &ask);
  static void enter(Scope *scope);
  void leave(Scope *scope);
  void fire(Scope &scope);
  void arrive(Scope &scope);

  // calls.cpp
  void makeCall(std::int32_t statement, Frame *frame, Scope *scope);
  void advance(Call &call);
  bool place(Call &call);
  bool nameArguments(Call &call, Ask &ask);
  bool nameOthers(Call &call, Ask &ask);
  bool bind(Call &call);
  void dismiss(Call &call);

  /// It has to go on before it is known what else there is.
  static bool isStructure(const Waiter &waiter) {
    return !waiter.isCall || static_cast<const Call &>(waiter).rank < 0;
  }

  bool hold(Call &call);
  void release(Call &call);
  void demand(Waiter &waiter);
  void takeValues(Call &call);
  void makeReady(Call &call);
  void conclude(Call &call, std::span<Value> outputs);
  void produce(Entry &entry, Value value, std::int32_t statement);
  void endCall(Call &call);
  void link(Waiter &waiter);
  static void unlink(Waiter &waiter);

  // merging.cpp
  bool isMerged(std::int32_t statement) const;
  void beginGathering(const Activity &activity);
  Gathering *gatheringOf(const Call &call);
  static std::size_t placeIn(const Gathering &gathering, const Call &call);
  void gatherPlace(const Call &call);
  bool gather(Call &call);
  void forgetGathering(const Gathering &gathering);
  static std::uint64_t slabBytesOf(const Call &call, const tutti_luna_procedure &procedure);
  const Runs &runsOf(const Gathering &gathering);
  void merge(Gathering &gathering);
  void noteTrial(const Call &call);
  bool isTried(std::int32_t statement) const;
  bool hasBorders(Call &first, Call &last);
  bool isWholeBorder(Call &call, const Value &value, const std::string &name);
  bool canDissolve(const Gathering &gathering) const;
  void finishMembers(Call &call, std::span<Value> outputs);

  // rows.cpp
  void spread(Row &row);
  void spreadFor(Row &row, Call &reader);
  void readRow(Row &row, const Neighbours &read);
  void fillRow(Row &row, Value value);
  void forgetRow(const Row &row);

  // row_calls.cpp
  bool awaitTrial(Activity &activity);
  void endTrial(std::int32_t statement);
  bool beginRows(Activity &activity);
  bool canBeRows(const Activity &activity, std::int32_t statement);
  bool planRows(Call &call, std::int32_t turns);
  bool planNames(Call &call, std::int32_t node, Neighbours &out) const;
  bool planDeletes(Call &call, std::int32_t turns);
  void deleteRows(const Call &call);
  bool evaluatePlain(Call &call, std::size_t argument, std::int32_t turns);
  bool planOutput(const RowCall::Output &output, std::vector<std::int32_t> &uses);
  void bindRows(Call &call);
  void findRow(RowCall &rows, RowCall::Input &input, char letter);
  void takeRow(Call &call, RowCall::Input &input, char letter);
  void makeRowsReady(Call &call);
  void finishRows(Call &call, std::span<Value> outputs);
  void unfoldRows();

  // errors.cpp
  void failAt(std::string_view at, std::string_view text, std::string_view code);
  std::string whoIs(std::int32_t statement) const;
  std::string chainOf(const Frame *frame) const;

  // exchange.cpp
  /// What one entry of a message says.
  enum Says : std::uint8_t {
    kPush = 0,   ///< A copy for a reader.
    kAssign = 1, ///< A value for its home.
    kDelete = 2, ///< A holder has deleted it: for its home.
    kDrop = 3,   ///< It is deleted: for a holder.
    kOver = 4,   ///< All below a call is over on the sender.
    kGone = 5,   ///< It was deleted before its home saw a reader: for the reader's rank.
    kRound = 6,  ///< What a round of a rope took on the sender: for rank 0.
    kCut = 7,    ///< Borders of a round to come: of rank 0.
    kFreeze = 8, ///< Borders move no more: of rank 0.
  };

  struct Letter {
    std::uint8_t kind;
    std::int32_t slot;
    Tuple tuple;
    Value value;
    std::int32_t statement;
    std::int32_t from;
  };

  void send(std::int32_t to, std::uint8_t kind, const Entry &entry, const Value &value,
            std::int32_t statement);
  void sendOfRope(std::int32_t to, std::uint8_t kind, const Rope &rope, const Value &value);
  void push(Entry &entry, std::int32_t to);
  void pushToAll(Entry &entry);
  void handle(Frame &frame, Letter letter);
  void drop(Entry &entry, std::int32_t statement);

  /// Another rank will say something about it: until then its frame lives.
  static void expect(Entry &entry) { ++entry.base->frame->expected; }

  void tellGone(const Entry &entry, std::int32_t rank, std::int32_t statement);
  void tellOver(const FrameId &scope);
  void replay(Frame &frame);

  bool isHome(const Entry &entry) const { return entry.home == settings_.rank; }

  const Program &program_;
  const StateSettings settings_;
  std::atomic<double> coresShare_; ///< Of the rank's segment; see `setShares`.
  std::atomic<double> dragShare_;
  Pool<Call> calls_;
  Pool<Activity> activities_;
  Pool<Frame> framePool_;
  Pool<Entry> entryPool_;
  /// Lists of arguments and outputs: empty; for their memory.
  std::vector<std::pair<std::vector<Argument>, std::vector<Value>>> spareLists_;
  std::vector<Activity *> stack_;
  std::deque<Call *> ready_;
  std::uint64_t running_ = 0;
  std::uint64_t unfinished_ = 0;
  bool isFull_ = false; ///< So many that nothing has come to life since.
  Held held_;
  Frame *firstFrame_ = nullptr;
  std::uint64_t lastId_ = 1; ///< Of one rank; that of `main` is the first.
  Waiter all_;               ///< Ring of calls and of activities that wait.
  std::vector<Entry *> buckets_;
  /// What rules ask for that wait for something, by activity.
  std::unordered_map<const Activity *, std::vector<Entry *>> guarded_;
  std::size_t entries_ = 0;
  /// By the frame in which the loop stands, and the statement.
  std::map<std::pair<const Frame *, std::int32_t>, Gathering> gatherings_;
  std::vector<std::unique_ptr<Call>> merged_; ///< That are ready or run.
  std::unordered_set<std::int32_t> separate_; ///< Statements whose calls wait for one another.

  struct KnownRuns {
    std::int32_t first = 0;
    std::vector<std::optional<Part>> parts;
    Runs runs;
    double position = -1;    ///< Of the first call,
    std::int8_t device = -1; ///< and what advice says of it.
  };

  std::unordered_map<std::int32_t, KnownRuns> knownRuns_; ///< By statement.
  /// Whether devices have taken all calls of a statement so far, of which none has been merged.
  std::unordered_map<std::int32_t, bool> trials_;
  /// How many loops have gathered calls of a statement of which none has been merged,
  std::unordered_map<std::int32_t, int> gathered_;
  /// and those that wait until some are, the youngest last.
  std::unordered_map<std::int32_t, std::vector<Activity *>> awaiting_;
  std::unordered_set<Call *> rowCalls_; ///< Of rows, that wait for something.
  /// Statements whose loops come to life though their calls might be one.
  std::unordered_set<std::int32_t> rowless_;
  std::uint64_t merges_ = 0;
  std::optional<Failure> failure_;
  Counts counts_;
  // Of several ranks.
  std::unordered_map<FrameId, Frame *, FrameIdHash> frames_;
  std::unordered_map<FrameId, std::vector<Letter>, FrameIdHash> early_; ///< For frames to come.
  std::unordered_map<FrameId, Scope *, FrameIdHash> scopes_;
  std::unordered_map<FrameId, std::int32_t, FrameIdHash> earlyOver_;
  std::vector<std::vector<std::byte>> outgoing_;
  bool hasOutgoing_ = false;
  std::unordered_set<Rope *> ropes_; ///< All of them.
  bool isFrozen_ = false;            ///< Borders move no more.
};

/// What one attempt to evaluate found missing.
struct State::Ask {
  std::int32_t statement; ///< Who asks.
  bool isShared = false;  ///< All ranks ask.
  const Tuple *pattern = nullptr;
  Few<Entry *, 4> missing = {};
  Few<Entry *, 4> read = {}; ///< Of those that are there.
  bool hasFailed = false;
};

/// Whether messages of several ranks' waiting work say why nothing goes on, and what they say.
std::string explainHang(const Program &program, std::span<const std::vector<std::byte>> waiting);

} // namespace tutti::model::fragments
