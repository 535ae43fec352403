// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/device/cuda/listing.h"

#include "runtime/device/cuda/ptx.h"
#include "runtime/device/cuda/sums.h"
#include "runtime/device/cuda/ways.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::device::cuda {

namespace {

using ptx::Instruction;
using ptx::kEnd;
using Mask = std::uint64_t;

constexpr std::size_t kMostParameters = 63;
constexpr std::size_t kMostBlocks = 200; ///< To look at them takes the third power of their number.
constexpr Mask kFromMemory = Mask{1} << kMostParameters;

/// What computes, exchanges or waits, and touches no memory that others see.
constexpr auto kComputing = std::to_array<std::string_view>(
    {"abs",   "activemask", "add",   "addc", "and",  "bar",      "barrier", "bfe",  "bfi",
     "bfind", "bra",        "brev",  "clz",  "cnot", "copysign", "cos",     "cvt",  "cvta",
     "div",   "dp2a",       "dp4a",  "ex2",  "exit", "fence",    "fma",     "fns",  "lg2",
     "lop3",  "mad",        "mad24", "madc", "max",  "membar",   "min",     "mov",  "mul",
     "mul24", "nanosleep",  "neg",   "not",  "or",   "popc",     "prmt",    "rcp",  "redux",
     "rem",   "ret",        "rsqrt", "sad",  "selp", "set",      "setp",    "shf",  "shfl",
     "shl",   "shr",        "sin",   "slct", "sqrt", "sub",      "subc",    "tanh", "testp",
     "vote",  "xor"});

/// What gives no register a value.
constexpr auto kWithoutResult = std::to_array<std::string_view>(
    {"bra", "exit", "fence", "membar", "nanosleep", "red", "ret", "st"});

bool contains(const auto &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool reads(const Instruction &each) {
  static constexpr auto kReading = std::to_array<std::string_view>({"ld", "ldu", "atom", "red"});
  return contains(kReading, each.words[0]);
}

/// Whether it uses memory that others see: without a word that says which, it may.
bool isGlobal(const Instruction &each) {
  return std::ranges::none_of(each.words, [](std::string_view word) {
    return word == "param" || word == "const" || word.starts_with("shared") || word == "local";
  });
}

std::optional<std::int64_t> numberOf(std::string_view text) {
  const bool isHex = text.starts_with("0x");
  text.remove_prefix(isHex ? 2 : 0);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, isHex ? 16 : 10);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

/// "[%rd5+-4]": %rd5 and -4.
struct Address {
  std::string_view base;
  std::int64_t offset = 0;
};

std::optional<Address> addressOf(std::string_view operand) {
  if (!operand.starts_with('[') || !operand.ends_with(']')) {
    return std::nullopt;
  }
  operand = operand.substr(1, operand.size() - 2);
  const std::size_t plus = operand.find('+');
  if (plus == std::string_view::npos) {
    return Address{operand, 0};
  }
  const auto offset = numberOf(operand.substr(plus + 1));
  return offset ? std::optional(Address{operand.substr(0, plus), *offset}) : std::nullopt;
}

/// Registers in an operand: "{%f1,%f2}" has two.
std::vector<std::string_view> registersIn(std::string_view operand) {
  std::vector<std::string_view> found;
  for (std::size_t at = operand.find('%'); at != std::string_view::npos;
       at = operand.find('%', at + 1)) {
    const std::size_t end = std::min(operand.find_first_of(",+|}]", at), operand.size());
    found.push_back(operand.substr(at, end - at));
  }
  return found;
}

/// A number, or a value that work-items have.
struct Term {
  enum class Kind { Unknown, Number, Register, Item, Group, Items, Groups };

  Kind kind = Kind::Unknown;
  std::int64_t number = 0; ///< Which register or dimension it is, else.
};

enum class Operation { Unknown, Argument, Copy, Widen, Add, Multiply, Compare, And, Or, Not };

/// How a register gets its value, if that is known.
struct Step {
  Operation operation = Operation::Unknown;
  Type type;                 ///< Of what it is made of.
  std::array<Term, 3> of;    ///< Multiply: the first two, and the third is added.
  std::int64_t times = 1;    ///< Add: of the second.
  bool isWide = false;       ///< Multiply: factors are taken as what their type says.
  std::size_t parameter = 0; ///< Argument,
  std::size_t offset = 0;    ///< in it.
  Comparison comparison{};
};

/// A condition on the way: a register that is true, or false.
struct Condition {
  Term predicate;
  bool isTrue;
};

/// A store, the conditions under which it is executed, and no others.
struct Store {
  Term address;
  std::int64_t offset;
  std::uint64_t bytes;
  std::vector<Condition> conditions;
  Mask sources; ///< Parameters that its address may come from.
};

/// Something that is read.
struct Load {
  Term address;
  std::int64_t offset;
  std::uint64_t bytes;
  Mask sources;
};

} // namespace

struct Listing::Code {
  std::size_t parameters = 0;
  std::vector<Step> steps; ///< Of each register.
  std::vector<Store> stores;
  std::vector<Load> loads;
  Mask read = 0; ///< Parameters that addresses may come from which are read.
};

namespace {

/// Makes `Code` of a kernel.
class Reader {
public:
  Reader(const ptx::Kernel &kernel, auto &code) : kernel_(kernel) {
    code.parameters = kernel.parameters.size();
    if (code.parameters > kMostParameters || !isKnown()) {
      return;
    }
    findSteps();
    findSources();
    const ptx::Ways ways(kernel);
    for (std::size_t block = 0; block < kernel.blocks.size(); ++block) {
      const auto choices = ways.choicesTo(block);
      for (std::size_t i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i) {
        const Instruction &each = kernel.instructions[i];
        if (isGlobal(each) && reads(each)) {
          addLoad(each, code.loads);
        } else if (isGlobal(each) && each.words[0] == "st") {
          addStore(each, choices, code.stores);
        }
      }
    }
    for (const Load &load : code.loads) {
      code.read |= load.sources;
    }
    if ((code.read & kFromMemory) != 0) {
      code.stores.clear();
    }
    code.steps = needed(code.stores, code.loads);
  }

private:
  bool isKnown() const {
    return kernel_.blocks.size() <= kMostBlocks &&
           std::ranges::all_of(kernel_.instructions, [](const Instruction &each) {
             return contains(kComputing, each.words[0]) || reads(each) || each.words[0] == "st";
           });
  }

  Term termOf(std::string_view operand) {
    using Kind = Term::Kind;
    if (const auto number = numberOf(operand)) {
      return {Kind::Number, *number};
    }
    if (!operand.starts_with('%')) {
      return {};
    }
    const std::size_t dot = operand.find('.');
    if (dot == std::string_view::npos) {
      const auto [known, isNew] =
          numbers_.emplace(operand, static_cast<std::int64_t>(numbers_.size()));
      if (isNew) {
        steps_.emplace_back();
        sources_.push_back(0);
      }
      return {Kind::Register, known->second};
    }
    const std::string_view what = operand.substr(1, dot - 1);
    const Kind kind = what == "tid"      ? Kind::Item
                      : what == "ctaid"  ? Kind::Group
                      : what == "ntid"   ? Kind::Items
                      : what == "nctaid" ? Kind::Groups
                                         : Kind::Unknown;
    const std::int64_t dimension = operand.size() == dot + 2 ? operand[dot + 1] - 'x' : -1;
    return dimension >= 0 && dimension < 3 ? Term{kind, dimension} : Term{};
  }

  static std::string_view resultOf(const Instruction &each) {
    return each.operands.empty() || contains(kWithoutResult, each.words[0])
               ? std::string_view()
               : std::string_view(each.operands[0]);
  }

  /// Of registers that get a value in one place only, and always.
  void findSteps() {
    std::vector<int> places;
    for (const Instruction &each : kernel_.instructions) {
      for (const std::string_view name : registersIn(resultOf(each))) {
        const Term target = termOf(name);
        const auto at = static_cast<std::size_t>(target.number);
        places.resize(std::max(places.size(), steps_.size()));
        if (target.kind == Term::Kind::Register) {
          const bool isPlain = each.guard.empty() && each.operands[0] == name;
          const Step step = isPlain && ++places[at] == 1 ? stepOf(each) : Step();
          steps_[at] = step;
          places[at] += isPlain ? 0 : 2;
        }
      }
    }
  }

  Step stepOf(const Instruction &each) {
    Step step;
    const std::string &word = each.words[0];
    const auto &operands = each.operands;
    for (std::size_t i = 1; i < operands.size() && i <= step.of.size(); ++i) {
      step.of[i - 1] = termOf(operands[i]);
    }
    step.type = Type::of(each.words.back());
    const std::size_t count = operands.size() - 1;
    if (each.words.back() == "pred" && each.words.size() == 2) {
      step.operation = word == "not" && count == 1   ? Operation::Not
                       : word == "and" && count == 2 ? Operation::And
                       : word == "or" && count == 2  ? Operation::Or
                                                     : Operation::Unknown;
    } else if (!step.type.isWhole() || each.has("sat") || each.has("hi") || each.has("cc")) {
      return {};
    } else if (word == "ld" && each.words.size() == 3 && each.has("param") && count == 1) {
      return argument(operands[1], step);
    } else if (((word == "mov" && each.words.size() == 2) || word == "cvta") && count == 1) {
      step.operation = Operation::Copy;
    } else if (word == "cvt" && each.words.size() == 3 && count == 1) {
      // A wider one has the value, a shorter one its last bits.
      const Type to = Type::of(each.words[1]);
      step.operation = !to.isWhole()              ? Operation::Unknown
                       : to.bits > step.type.bits ? Operation::Widen
                                                  : Operation::Copy;
    } else if ((word == "add" || word == "sub") && count == 2) {
      step.operation = Operation::Add;
      step.times = word == "add" ? 1 : -1;
    } else if (((word == "mul" && count == 2) || (word == "mad" && count == 3)) &&
               (each.has("lo") || each.has("wide"))) {
      step.operation = Operation::Multiply;
      step.isWide = each.has("wide");
      step.of[2] = word == "mad" ? step.of[2] : Term{Term::Kind::Number, 0};
    } else if (word == "shl" && count == 2 && step.of[1].kind == Term::Kind::Number &&
               step.of[1].number >= 0 && step.of[1].number < 32) {
      step.operation = Operation::Multiply;
      step.of[1].number = std::int64_t{1} << step.of[1].number;
      step.of[2] = {Term::Kind::Number, 0};
    } else if (word == "setp" && each.words.size() == 3 && count == 2) {
      const auto comparison = comparisonOf(each.words[1]);
      step.operation = comparison ? Operation::Compare : Operation::Unknown;
      step.comparison = comparison.value_or(Comparison());
    }
    return step;
  }

  Step argument(std::string_view operand, Step step) const {
    const auto address = addressOf(operand);
    const auto found =
        address ? std::ranges::find(kernel_.parameters, address->base) : kernel_.parameters.end();
    if (found == kernel_.parameters.end() || address->offset < 0) {
      return {};
    }
    step.operation = Operation::Argument;
    step.parameter = static_cast<std::size_t>(found - kernel_.parameters.begin());
    step.offset = static_cast<std::size_t>(address->offset);
    return step;
  }

  Mask sourcesOf(std::string_view name) {
    const Term term = termOf(name);
    return term.kind == Term::Kind::Register ? sources_[static_cast<std::size_t>(term.number)] : 0;
  }

  /// Of what the instruction gives a value.
  Mask sourcesOf(const Instruction &each) {
    if (each.words[0] == "ld" && each.has("param")) {
      const Step step = each.operands.size() == 2 ? argument(each.operands[1], {}) : Step();
      return step.operation == Operation::Argument ? Mask{1} << step.parameter : kFromMemory;
    }
    if (reads(each)) {
      return kFromMemory;
    }
    Mask mask = 0;
    // A product of what is shorter than an address is none.
    for (std::size_t i = each.has("wide") ? 3 : 1; i < each.operands.size(); ++i) {
      for (const std::string_view name : registersIn(each.operands[i])) {
        mask |= sourcesOf(name);
      }
    }
    return mask;
  }

  void findSources() {
    for (bool grows = true; grows;) {
      grows = false;
      for (const Instruction &each : kernel_.instructions) {
        for (const std::string_view name : registersIn(resultOf(each))) {
          const Term target = termOf(name);
          const Mask mask = sourcesOf(each);
          if (target.kind == Term::Kind::Register) {
            Mask &known = sources_[static_cast<std::size_t>(target.number)];
            grows = grows || (mask & ~known) != 0;
            known |= mask;
          }
        }
      }
    }
  }

  /// What it takes or gives, in bytes; 0 if that is not known.
  static std::uint64_t bytesOf(const Instruction &each) {
    const std::uint64_t bits = Type::of(each.words.back()).bits;
    const std::uint64_t count = each.has("v2") ? 2 : each.has("v4") ? 4 : each.has("v8") ? 8 : 1;
    return bits % 8 == 0 ? count * bits / 8 : 0;
  }

  void addLoad(const Instruction &each, std::vector<Load> &to) {
    const std::size_t at = each.words[0] == "red" ? 0 : 1;
    const auto address = at < each.operands.size() ? addressOf(each.operands[at]) : std::nullopt;
    to.push_back(address ? Load{termOf(address->base), address->offset, bytesOf(each),
                                sourcesOf(address->base)}
                         : Load{{}, 0, 0, kFromMemory});
  }

  void addStore(const Instruction &each, const std::optional<std::vector<ptx::Choice>> &choices,
                std::vector<Store> &to) {
    const auto address = each.operands.empty() ? std::nullopt : addressOf(each.operands[0]);
    const std::uint64_t bytes = bytesOf(each);
    if (!choices || !address || bytes == 0) {
      return;
    }
    std::vector<Condition> conditions;
    for (const ptx::Choice &choice : *choices) {
      conditions.push_back({termOf(choice.predicate), choice.isTrue});
    }
    if (!each.guard.empty()) {
      conditions.push_back({termOf(each.guard), !each.isNegated});
    }
    to.push_back({termOf(address->base), address->offset, bytes, std::move(conditions),
                  sourcesOf(address->base)});
  }

  /// Of the registers that stores come from, which get new numbers: a launch looks at these alone.
  std::vector<Step> needed(std::vector<Store> &stores, std::vector<Load> &loads) {
    std::vector<std::int64_t> places(steps_.size(), -1);
    std::vector<Step> kept;
    const auto keep = [&](Term &term) {
      if (term.kind == Term::Kind::Register) {
        std::int64_t &place = places[static_cast<std::size_t>(term.number)];
        if (place < 0) {
          place = static_cast<std::int64_t>(kept.size());
          kept.push_back(steps_[static_cast<std::size_t>(term.number)]);
        }
        term.number = place;
      }
    };
    for (Store &store : stores) {
      keep(store.address);
      for (Condition &condition : store.conditions) {
        keep(condition.predicate);
      }
    }
    for (Load &load : loads) {
      keep(load.address);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::array<Term, 3> terms = kept[i].of;
      std::ranges::for_each(terms, keep);
      kept[i].of = terms;
    }
    return kept;
  }

  const ptx::Kernel &kernel_;
  std::map<std::string, std::int64_t, std::less<>> numbers_; ///< Of registers.
  std::vector<Step> steps_;                                  ///< Of each,
  std::vector<Mask> sources_;                                ///< and what may flow into it.
};

/// One launch of the code.
class Reading {
public:
  Reading(const std::vector<Step> &steps, const NativeLaunch &launch)
      : steps_(steps), launch_(launch), values_(steps.size()) {}

  /// Nothing if it is not known, or nowhere.
  std::optional<Boxes> written(const Store &store) {
    Limits limits(launch_.grid);
    for (const Condition &condition : store.conditions) {
      if (!require(condition, limits)) {
        return std::nullopt;
      }
    }
    std::optional<Sum> address = valueOf(store.address);
    if (!address) {
      return std::nullopt;
    }
    address->constant += store.offset;
    return limits.boxes(*address, store.bytes);
  }

  /// Where it may read at most: as all work-items would; all memory if that is not known.
  Range read(const Load &load) {
    const auto address = valueOf(load.address);
    const Span all = address ? address->values(launch_.grid) : Span{-1, -1};
    const Wide first = all.first + load.offset;
    const Wide end = all.last + load.offset + static_cast<Wide>(load.bytes);
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return first < 0 || end > kMost || load.bytes == 0
               ? Range{0, kMost}
               : Range{static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end)};
  }

private:
  bool require(const Condition &condition, Limits &limits) {
    if (condition.predicate.kind != Term::Kind::Register) {
      return false;
    }
    const Step &step = steps_[static_cast<std::size_t>(condition.predicate.number)];
    switch (step.operation) {
    case Operation::Not:
      return require({step.of[0], !condition.isTrue}, limits);
    case Operation::And:
    case Operation::Or:
      return condition.isTrue == (step.operation == Operation::And) &&
             require({step.of[0], condition.isTrue}, limits) &&
             require({step.of[1], condition.isTrue}, limits);
    case Operation::Compare:
      break;
    default:
      return false;
    }
    auto left = valueOf(step.of[0]);
    const auto right = asType(valueOf(step.of[1]), step.type, launch_.grid);
    left = asType(left, step.type, launch_.grid);
    if (!left || !right) {
      return false;
    }
    const Sum difference = left->add(*right, -1);
    if (const auto wanted = wantedBy(step.comparison, condition.isTrue)) {
      return limits.require(difference, *wanted);
    }
    return !difference.values(launch_.grid).contains({0, 0});
  }

  std::optional<Sum> valueOf(const Term &term) {
    using Kind = Term::Kind;
    const auto at = static_cast<std::size_t>(term.number);
    Sum sum;
    switch (term.kind) {
    case Kind::Unknown:
      return std::nullopt;
    case Kind::Number:
      sum.constant = term.number;
      break;
    case Kind::Register:
      return valueOfRegister(at);
    case Kind::Item:
      sum.item[at] = 1;
      break;
    case Kind::Group:
      sum.group[at] = 1;
      break;
    case Kind::Items:
      sum.constant = launch_.grid.group[at];
      break;
    case Kind::Groups:
      sum.constant = static_cast<Wide>(launch_.grid.groups[at]);
      break;
    }
    return sum;
  }

  std::optional<Sum> valueOfRegister(std::size_t at) {
    Known &known = values_[at];
    if (!known.isAsked) {
      known.isAsked = true; // In case it needs itself: then nothing is known.
      const auto value = resultOf(steps_[at]);
      known.value = value && value->isSmall() ? value : std::nullopt;
    }
    return known.value;
  }

  /// Registers have the last bits of it.
  std::optional<Sum> resultOf(const Step &step) {
    switch (step.operation) {
    case Operation::Argument:
      return argument(step);
    case Operation::Copy:
      return valueOf(step.of[0]);
    case Operation::Widen:
      return asType(valueOf(step.of[0]), step.type, launch_.grid);
    case Operation::Add: {
      auto sum = valueOf(step.of[0]);
      const auto other = valueOf(step.of[1]);
      return sum && other ? std::optional(sum->add(*other, step.times)) : std::nullopt;
    }
    case Operation::Multiply: {
      auto left = valueOf(step.of[0]);
      auto right = valueOf(step.of[1]);
      if (step.isWide) {
        left = asType(left, step.type, launch_.grid);
        right = asType(right, step.type, launch_.grid);
      }
      const auto more = valueOf(step.of[2]);
      if (!left || !right || !more || (!left->isConstant() && !right->isConstant())) {
        return std::nullopt;
      }
      Sum sum = *more;
      return left->isConstant() ? sum.add(*right, left->constant) : sum.add(*left, right->constant);
    }
    default:
      return std::nullopt;
    }
  }

  /// What the program has given.
  std::optional<Sum> argument(const Step &step) const {
    const NativeArgument &given = launch_.arguments[step.parameter];
    const std::size_t bytes = step.type.bits / 8;
    if (step.offset + bytes > given.bytes) {
      return std::nullopt;
    }
    const std::byte *const from = static_cast<const std::byte *>(given.value) + step.offset;
    Sum sum;
    if (bytes == sizeof(std::uint32_t)) {
      std::uint32_t value = 0; // A register that is wider gets zeros before it, but for s32.
      std::memcpy(&value, from, sizeof value);
      sum.constant = step.type.kind == 's' ? Wide{static_cast<std::int32_t>(value)} : Wide{value};
    } else {
      std::int64_t value = 0;
      std::memcpy(&value, from, sizeof value);
      sum.constant = value;
    }
    return sum;
  }

  struct Known {
    bool isAsked = false;
    std::optional<Sum> value;
  };

  const std::vector<Step> &steps_;
  const NativeLaunch &launch_;
  std::vector<Known> values_; ///< Of each register.
};

} // namespace

Listing::Listing() = default;

Listing::~Listing() = default;

std::unique_ptr<const Listing> Listing::of(std::string_view text, std::string_view kernel) {
  const auto read = ptx::read(text, kernel);
  if (!read) {
    return nullptr;
  }
  auto code = std::make_unique<Code>();
  Reader(*read, *code);
  std::unique_ptr<Listing> listing(new Listing);
  listing->code_ = std::move(code);
  return listing;
}

RangeSet Listing::surelyWritten(const NativeLaunch &launch) const {
  const auto &arguments = launch.arguments;
  if (code_->stores.empty() || arguments.size() != code_->parameters ||
      launch.grid.groupCount() == 0) {
    return {};
  }
  Mask translated = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    translated |= arguments[i].isTranslated ? Mask{1} << i : 0;
  }
  Reading reading(code_->steps, launch);
  std::vector<Boxes> written;
  for (const Store &store : code_->stores) {
    const Mask pointers = store.sources & translated;
    if (pointers != 0 && (pointers & code_->read) == 0) {
      if (auto boxes = reading.written(store)) {
        written.push_back(std::move(*boxes));
      }
    }
  }
  std::vector<Range> found = contiguousIn(std::move(written));
  // What it reads by another pointer has to be there. Of one that it reads at places that are not
  // known it reads what the task names, which is where the pointer leads.
  for (const Load &load : code_->loads) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if ((translated & load.sources & (Mask{1} << i)) == 0) {
        continue;
      }
      std::uint64_t address = 0;
      std::memcpy(&address, arguments[i].value, sizeof address);
      Range read = reading.read(load);
      read = read.begin == 0 ? Range{address, address + 1} : read;
      std::erase_if(found, [&](const Range &range) { return range.overlaps(read); });
    }
  }
  return RangeSet::of(std::move(found));
}

} // namespace tutti::device::cuda
