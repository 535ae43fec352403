// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/library_functions.h"

#include "compiler/ir/private_memory.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tutti::compiler {

namespace {

constexpr unsigned kNone = 0;
constexpr unsigned kFirst = 1;
constexpr unsigned kSecond = 2;
constexpr unsigned kBoth = kFirst | kSecond;

/// Mathematical functions of double; with the suffixes f and l they are those of the other types.
bool isMath(StringRef name) {
  static const StringSet<> kMath = {
      "acos",      "acosh",     "asin",       "asinh", "atan",      "atan2",  "atanh",    "cabs",
      "cacos",     "cacosh",    "carg",       "casin", "casinh",    "catan",  "catanh",   "cbrt",
      "ccos",      "ccosh",     "ceil",       "cexp",  "clog",      "clog10", "copysign", "cos",
      "cosh",      "cpow",      "cproj",      "csin",  "csinh",     "csqrt",  "ctan",     "ctanh",
      "erf",       "erfc",      "exp",        "exp10", "exp2",      "expm1",  "fabs",     "fdim",
      "floor",     "fma",       "fmax",       "fmin",  "fmod",      "frexp",  "hypot",    "ilogb",
      "j0",        "j1",        "jn",         "ldexp", "lgamma",    "llrint", "llround",  "log",
      "log10",     "log1p",     "log2",       "logb",  "lrint",     "lround", "modf",     "nan",
      "nearbyint", "nextafter", "nexttoward", "pow",   "remainder", "remquo", "rint",     "round",
      "roundeven", "scalbln",   "scalbn",     "sin",   "sincos",    "sinh",   "sqrt",     "tan",
      "tanh",      "tgamma",    "trunc",      "y0",    "y1",        "yn"};
  return kMath.contains(name) ||
         ((name.ends_with("f") || name.ends_with("l")) && kMath.contains(name.drop_back()));
}

/// The other functions of the C library.
std::optional<ArgumentUse> otherUse(StringRef name) {
  static const StringMap<ArgumentUse> kOthers = {
      // Products and quotients of complex numbers; generators whose whole state is an argument.
      {"__divdc3", {}},
      {"__divsc3", {}},
      {"__divxc3", {}},
      {"__muldc3", {}},
      {"__mulsc3", {}},
      {"__mulxc3", {}},
      {"abs", {}},
      {"div", {}},
      {"ldiv", {}},
      {"labs", {}},
      {"llabs", {}},
      {"drand48_r", {}},
      {"erand48_r", {}},
      {"jrand48_r", {}},
      {"lrand48_r", {}},
      {"mrand48_r", {}},
      {"nrand48_r", {}},
      {"rand_r", {}},
      {"srand48_r", {}},
      // Numbers and order of texts, as far as they are the same in all locales.
      {"atoi", {kFirst}},
      {"atol", {kFirst}},
      {"atoll", {kFirst}},
      {"strtol", {}}, // Where the number ends is told through the second argument.
      {"strtoll", {}},
      {"strtoul", {}},
      {"strtoull", {}},
      {"__isoc23_strtol", {}},
      {"__isoc23_strtoll", {}},
      {"__isoc23_strtoul", {}},
      {"__isoc23_strtoull", {}},
      {"isdigit", {}},
      {"isxdigit", {}},
      {"memcmp", {kBoth}},
      {"bcmp", {kBoth}},
      {"strcmp", {kBoth}},
      {"strncmp", {kBoth}},
      {"strlen", {kFirst}},
      {"strnlen", {kFirst}},
      {"strspn", {kBoth}},
      {"strcspn", {kBoth}},
      {"strcpy", {kSecond, true}},
      {"strncpy", {kSecond, true}},
      {"strcat", {kSecond, true}},
      {"strncat", {kSecond, true}},
      {"strchr", {kNone, true}},
      {"strrchr", {kNone, true}},
      {"strchrnul", {kNone, true}},
      {"memchr", {kNone, true}},
      {"memrchr", {kNone, true}},
      {"strstr", {kSecond, true}},
      {"strpbrk", {kSecond, true}},
      {"stpcpy", {kSecond, true}},
      {"stpncpy", {kSecond, true}},
      {"mempcpy", {kSecond, true}},
      // Clocks, which may say what they like.
      {"clock", {}},
      {"clock_gettime", {}},
      {"difftime", {}},
      {"gettimeofday", {}},
      {"omp_get_wtick", {}},
      {"omp_get_wtime", {}},
      {"time", {}},
      // Pauses.
      {"nanosleep", {kFirst}},
      {"sched_yield", {}},
      {"sleep", {}},
      {"usleep", {}}};
  const auto found = kOthers.find(name);
  return found == kOthers.end() ? std::nullopt : std::optional(found->second);
}

/// Whether `user` of an address asks only whether there is one.
bool asksForNull(const User *user) {
  const auto *compare = dyn_cast<ICmpInst>(user);
  return compare && compare->isEquality() && isa<ConstantPointerNull>(compare->getOperand(1));
}

/// Those that follow the program's locale.
std::optional<ArgumentUse> localUse(StringRef name) {
  static const StringMap<ArgumentUse> kLocal = {{"atof", {kFirst}},
                                                {"strtod", {}},
                                                {"strtof", {}},
                                                {"strtold", {}},
                                                {"isalnum", {}},
                                                {"isalpha", {}},
                                                {"isblank", {}},
                                                {"iscntrl", {}},
                                                {"isgraph", {}},
                                                {"islower", {}},
                                                {"isprint", {}},
                                                {"ispunct", {}},
                                                {"isspace", {}},
                                                {"isupper", {}},
                                                {"tolower", {}},
                                                {"toupper", {}},
                                                {"__ctype_b_loc", {}},
                                                {"__ctype_tolower_loc", {}},
                                                {"__ctype_toupper_loc", {}},
                                                {"strcoll", {kBoth}},
                                                {"strcasecmp", {kBoth}},
                                                {"strncasecmp", {kBoth}},
                                                // All that they are told to write is an argument.
                                                {"snprintf", {}},
                                                {"sprintf", {}},
                                                {"__snprintf_chk", {}},
                                                {"__sprintf_chk", {}},
                                                {"sscanf", {}},
                                                {"__isoc99_sscanf", {}},
                                                {"__isoc23_sscanf", {}}};
  const auto found = kLocal.find(name);
  return found == kLocal.end() ? std::nullopt : std::optional(found->second);
}

/// Member functions of `std::string`, which libraries of C++ have compiled. None of them keeps an
/// address.
std::optional<ArgumentUse> stringUse(StringRef name) {
  constexpr StringLiteral kString = "7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  constexpr unsigned kThird = 4;
  constexpr unsigned kFourth = 8;
  const bool isMember = name.consume_front("_ZNSt") || name.consume_front("_ZNKSt");
  if (!isMember || !name.consume_front(kString)) {
    return std::nullopt;
  }
  ArgumentUse use;
  use.follows = kFirst;
  if (name == "9_M_createERmm") {
    use.givesFound = 0;
    return use;
  }
  static const StringMap<unsigned> kWithTexts = {{"9_M_appendEPKcm", kSecond},
                                                 {"10_M_replaceEmmPKcm", kFourth},
                                                 {"9_M_mutateEmmPKcm", kFourth},
                                                 {"6appendEPKc", kSecond},
                                                 {"6appendEPKcm", kSecond},
                                                 {"6assignEPKc", kSecond},
                                                 {"6assignEPKcm", kSecond},
                                                 {"6insertEmPKc", kThird},
                                                 {"6insertEmPKcm", kThird},
                                                 {"7replaceEmmPKc", kFourth},
                                                 {"7replaceEmmPKcm", kFourth},
                                                 {"7compareEPKc", kSecond},
                                                 {"7compareEmmPKc", kFourth},
                                                 {"7compareEmmPKcm", kFourth},
                                                 {"4findEPKcm", kSecond},
                                                 {"4findEPKcmm", kSecond},
                                                 {"5rfindEPKcm", kSecond},
                                                 {"5rfindEPKcmm", kSecond},
                                                 {"13find_first_ofEPKcm", kSecond},
                                                 {"13find_first_ofEPKcmm", kSecond},
                                                 {"12find_last_ofEPKcm", kSecond},
                                                 {"12find_last_ofEPKcmm", kSecond},
                                                 {"17find_first_not_ofEPKcm", kSecond},
                                                 {"17find_first_not_ofEPKcmm", kSecond},
                                                 {"16find_last_not_ofEPKcm", kSecond},
                                                 {"16find_last_not_ofEPKcmm", kSecond}};
  // Without texts, or with other strings.
  static const StringMap<unsigned> kWithStrings = {{"12_M_constructEmc", 0},
                                                   {"14_M_replace_auxEmmmc", 0},
                                                   {"8_M_eraseEmm", 0},
                                                   {"5eraseEmm", 0},
                                                   {"7reserveEm", 0},
                                                   {"7reserveEv", 0},
                                                   {"6resizeEm", 0},
                                                   {"6resizeEmc", 0},
                                                   {"13shrink_to_fitEv", 0},
                                                   {"9push_backEc", 0},
                                                   {"8pop_backEv", 0},
                                                   {"6appendEmc", 0},
                                                   {"6assignEmc", 0},
                                                   {"6insertEmmc", 0},
                                                   {"7replaceEmmmc", 0},
                                                   {"4findEcm", 0},
                                                   {"5rfindEcm", 0},
                                                   {"13find_first_ofEcm", 0},
                                                   {"12find_last_ofEcm", 0},
                                                   {"17find_first_not_ofEcm", 0},
                                                   {"16find_last_not_ofEcm", 0},
                                                   {"9_M_assignERKS4_", kSecond},
                                                   {"C1ERKS4_", kSecond},
                                                   {"C2ERKS4_", kSecond},
                                                   {"4swapERS4_", kSecond},
                                                   {"6appendERKS4_", kSecond},
                                                   {"6assignERKS4_", kSecond},
                                                   {"6insertEmRKS4_", kThird},
                                                   {"7compareERKS4_", kSecond},
                                                   {"4findERKS4_m", kSecond},
                                                   {"5rfindERKS4_m", kSecond}};
  if (const auto found = kWithTexts.find(name); found != kWithTexts.end()) {
    use.onlyRead = found->second;
  } else if (const auto other = kWithStrings.find(name); other != kWithStrings.end()) {
    use.follows |= other->second;
  } else {
    return std::nullopt;
  }
  // Those that give a string give this one.
  use.givesFirst = true;
  return use;
}

/// Functions of the C++ library behind its containers, and one of C that keeps a place for the next
/// call.
std::optional<ArgumentUse> containerUse(StringRef name) {
  ArgumentUse divides; // A text, into words.
  divides.onlyRead = kSecond;
  divides.follows = 4;
  divides.givesFound = 2;
  divides.keepsFirst = true;
  ArgumentUse walks; // From one node of a tree to the next.
  walks.links = kFirst;
  walks.givesFound = 0;
  ArgumentUse relinks;
  relinks.links = ~0U;
  relinks.givesFound = 0;
  static const StringMap<ArgumentUse> kContainers = {
      {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", walks},
      {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base", walks},
      {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base", walks},
      {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base", walks},
      {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_", relinks},
      {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_", relinks},
      {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_", relinks},
      {"_ZNSt8__detail15_List_node_base9_M_unhookEv", relinks},
      {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_", relinks},
      {"_ZNSt8__detail15_List_node_base10_M_reverseEv", relinks},
      {"_ZNSt8__detail15_List_node_base4swapERS0_S1_", relinks},
      {"strtok_r", divides},
      {"__strtok_r", divides},
      {"_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm", {}},
      {"_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm", {}},
      {"_ZSt11_Hash_bytesPKvmm", {kFirst}},
      {"_ZSt15_Fnv_hash_bytesPKvmm", {kFirst}}};
  const auto found = kContainers.find(name);
  return found == kContainers.end() ? std::nullopt : std::optional(found->second);
}

/// Looks at a function and all that it calls for memory that their arguments do not lead to.
class BodyUse {
public:
  /// If `goesOn`, pointers may be followed that stand in memory, but nothing is allocated.
  explicit BodyUse(bool goesOn = false) : goesOn_(goesOn) {}

  /// Nothing if there is such memory, or an exception, or something that is not known.
  std::optional<ArgumentUse> of(const Function &function, bool hasToCallItself);

private:
  /// What may be followed: arguments, variables of the function's own, constants.
  bool isKnown(const Value *pointer, bool isWritten) const;
  bool isFine(const Instruction &inst);
  bool isFineCall(const CallBase &call);
  bool isAllFine(const Function &function);

  static constexpr unsigned kMostFunctions = 32;
  static constexpr unsigned kMostInstructions = 5000;

  const bool goesOn_;
  SmallPtrSet<const Function *, 16> seen_;
  SmallVector<const Function *, 16> work_;
  const Function *begun_ = nullptr;
  bool callsItself_ = false;
  bool writes_ = false;  ///< Through an argument.
  bool numbers_ = false; ///< What it does may depend on what number an address is.
};

bool BodyUse::isKnown(const Value *pointer, bool isWritten) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return all_of(objects, [&](const Value *object) {
    const auto *variable = dyn_cast<GlobalVariable>(object);
    return isa<AllocaInst, Argument, ConstantPointerNull, UndefValue>(object) ||
           (goesOn_ && isa<LoadInst>(object)) ||
           (!isWritten && variable && variable->isConstant() && variable->hasInitializer());
  });
}

bool BodyUse::isFineCall(const CallBase &call) {
  if (const auto *memory = dyn_cast<AnyMemIntrinsic>(&call)) {
    const auto *transfer = dyn_cast<AnyMemTransferInst>(memory);
    writes_ = writes_ || !isa<AllocaInst>(getUnderlyingObject(memory->getRawDest()));
    return !memory->isVolatile() && isKnown(memory->getRawDest(), true) &&
           (!transfer || isKnown(transfer->getRawSource(), false));
  }
  if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    return intrinsic->isAssumeLikeIntrinsic() || intrinsic->doesNotAccessMemory();
  }
  const Function *callee = call.getCalledFunction();
  // Nothing that is fine throws, so it does not matter where an invoke would lead then.
  const bool isKnownForm =
      isa<CallInst>(call) || (isa<InvokeInst>(call) && callee && !callee->isDeclaration());
  if (!callee || !isKnownForm || callee->isInterposable()) {
    return false;
  }
  callsItself_ = callsItself_ || callee == begun_;
  if (!callee->isDeclaration()) {
    if (seen_.insert(callee).second) {
      work_.push_back(callee);
    }
    return all_of(call.args(), [&](const Use &arg) {
      return !arg->getType()->isPointerTy() || isKnown(arg, false);
    });
  }
  if (localUse(callee->getName())) {
    return false;
  }
  if (goesOn_ && freesMemory(call)) {
    return isKnown(call.getArgOperand(0), true);
  }
  if (call.doesNotAccessMemory() && call.doesNotThrow()) {
    return !callee->getName().starts_with("omp_");
  }
  const auto use = argumentUse(call);
  writes_ = writes_ || (use && call.arg_size() > 0); // More than that is not looked at.
  return use && (goesOn_ || !use->goesOn()) && all_of(call.args(), [&](const Use &arg) {
           return !arg->getType()->isPointerTy() || isKnown(arg, true);
         });
}

/// Whether `user` of an address as a number is the same wherever what it leads to is moved as a
/// whole.
bool isOfTwoAddresses(const User *user) {
  const auto *difference = dyn_cast<BinaryOperator>(user);
  const bool isFine =
      isa<ICmpInst>(user) || (difference && difference->getOpcode() == Instruction::Sub);
  return isFine &&
         all_of(user->operands(), [](const Use &operand) { return isa<PtrToIntInst>(operand); });
}

/// Whether `pointer` is never null, say, where that is not what an argument is.
bool isNoFixedAddress(const Use &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return all_of(objects, [](const Value *object) { return isa<AllocaInst, Argument>(object); });
}

bool BodyUse::isFine(const Instruction &inst) {
  if (const auto *call = dyn_cast<CallBase>(&inst)) {
    return isFineCall(*call);
  }
  if (const auto *load = dyn_cast<LoadInst>(&inst)) {
    return load->isSimple() && isKnown(load->getPointerOperand(), false);
  }
  if (const auto *store = dyn_cast<StoreInst>(&inst)) {
    const bool isOwn = isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand()));
    writes_ = writes_ || !isOwn;
    const Value *stored = store->getValueOperand();
    return store->isSimple() && isKnown(store->getPointerOperand(), true) &&
           (isOwn || !stored->getType()->isPtrOrPtrVectorTy() ||
            (goesOn_ && isKnown(stored, true)));
  }
  if (isa<PtrToIntInst>(inst)) {
    numbers_ = numbers_ || !all_of(inst.users(), isOfTwoAddresses);
    return true;
  }
  if (isa<ICmpInst>(inst) && inst.getOperand(0)->getType()->isPointerTy()) {
    numbers_ = numbers_ || !all_of(inst.operands(), isNoFixedAddress);
    return true;
  }
  return !isa<IntToPtrInst>(inst) && !inst.mayReadOrWriteMemory() && !inst.mayThrow();
}

/// Where an exception would lead, which nothing that is fine throws, does not count.
bool BodyUse::isAllFine(const Function &function) {
  SmallVector<const BasicBlock *, 16> blocks{&function.getEntryBlock()};
  SmallPtrSet<const BasicBlock *, 16> seen(blocks.begin(), blocks.end());
  while (!blocks.empty()) {
    const BasicBlock *block = blocks.pop_back_val();
    if (!all_of(*block, [&](const Instruction &inst) { return isFine(inst); })) {
      return false;
    }
    const auto *invoke = dyn_cast<InvokeInst>(block->getTerminator());
    for (const BasicBlock *next : successors(block)) {
      if ((!invoke || next == invoke->getNormalDest()) && seen.insert(next).second) {
        blocks.push_back(next);
      }
    }
  }
  return true;
}

std::optional<ArgumentUse> BodyUse::of(const Function &function, bool hasToCallItself) {
  begun_ = &function;
  if (function.isDeclaration() || function.isInterposable() || function.isVarArg() ||
      function.arg_size() > 31) {
    return std::nullopt;
  }
  seen_.insert(&function);
  work_.push_back(&function);
  unsigned instructionCount = 0;
  while (!work_.empty()) {
    const Function *next = work_.pop_back_val();
    instructionCount += next->getInstructionCount();
    // Pointers that a function gives back are not followed, which sees to it that all are known.
    if (seen_.size() > kMostFunctions || instructionCount > kMostInstructions ||
        next->getReturnType()->isPtrOrPtrVectorTy() || next->isVarArg() ||
        next->hasFnAttribute(Attribute::Convergent) || !isAllFine(*next)) {
      return std::nullopt;
    }
  }
  if (hasToCallItself && !callsItself_) {
    return std::nullopt;
  }
  ArgumentUse use;
  use.keepsNothing = true;
  if (goesOn_) {
    use.links = ~0U;
    return use;
  }
  for (const Argument &argument : function.args()) {
    const bool isRead = argument.getType()->isPointerTy() && !writes_ && !numbers_;
    use.onlyRead |= isRead ? 1U << argument.getArgNo() : 0;
  }
  return use;
}

} // namespace

std::optional<ArgumentUse> argumentUse(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || isa<IntrinsicInst>(call)) {
    return std::nullopt;
  }
  if (!callee->isDeclaration()) {
    const auto use = BodyUse().of(*callee, /*hasToCallItself=*/true);
    return use ? use : BodyUse(/*goesOn=*/true).of(*callee, /*hasToCallItself=*/true);
  }
  if (call.isNoBuiltin()) {
    return std::nullopt;
  }
  const StringRef name = callee->getName();
  if (name == "qsort" && call.arg_size() == 4) {
    const auto *compare = dyn_cast<Function>(call.getArgOperand(3));
    const bool isKnown = compare && BodyUse().of(*compare, /*hasToCallItself=*/false);
    return isKnown ? std::optional(ArgumentUse{kNone, false, true}) : std::nullopt;
  }
  auto use = isMath(name) ? std::optional(ArgumentUse{}) : otherUse(name);
  use = use ? use : localUse(name);
  use = use ? use : stringUse(name);
  use = use ? use : containerUse(name);
  // Whether something is found is the same wherever it is looked for.
  static const StringSet<> kSearches = {"strchr",  "strrchr", "memchr",
                                        "memrchr", "strstr",  "strpbrk"};
  if (use && kSearches.contains(name) && all_of(call.users(), asksForNull)) {
    use->onlyRead |= kFirst;
    use->givesFirst = false;
  }
  const bool tellsNoEnd = call.arg_size() > 1 && isa<ConstantPointerNull>(call.getArgOperand(1));
  if (use && tellsNoEnd && name.contains("strto")) {
    use->onlyRead = kFirst;
  }
  return use;
}

bool followsLocale(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || callee->isIntrinsic()) {
    return false;
  }
  // Those with a body call no such function, or are not called in place.
  return callee->isDeclaration() && localUse(callee->getName());
}

bool isCharacterTable(const Value &object) {
  const auto *load = dyn_cast<LoadInst>(&object);
  const Value *variable = load ? getUnderlyingObject(load->getPointerOperand()) : &object;
  const auto *call = dyn_cast<CallInst>(variable);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->isDeclaration() && callee->getName().starts_with("__ctype_") &&
         localUse(callee->getName());
}

bool isCalledInPlace(const Function &function) {
  return BodyUse().of(function, /*hasToCallItself=*/true) ||
         BodyUse(/*goesOn=*/true).of(function, /*hasToCallItself=*/true);
}

} // namespace tutti::compiler
