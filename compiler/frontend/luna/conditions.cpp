// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/luna/conditions.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::compiler::luna {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

using Lets = std::unordered_map<const Declaration *, Sum>;
using MaybeSum = std::optional<Sum>; ///< Nothing: numbers, or texts, are too large.

bool add(std::int64_t &to, std::int64_t factor, std::int64_t number) {
  to += factor * number;
  return to >= -kMost && to <= kMost;
}

/// `to` and so many times `sum`.
MaybeSum plus(Sum to, std::int64_t factor, const Sum &sum) {
  bool fits = add(to.constant, factor, sum.constant);
  for (const auto &[text, number] : sum.terms) {
    fits = add(to.terms[text], factor, number) && fits;
  }
  std::erase_if(to.terms, [](const auto &term) { return term.second == 0; });
  return fits ? MaybeSum(std::move(to)) : std::nullopt;
}

std::string textOf(const Sum &sum) {
  std::string text = std::to_string(sum.constant);
  for (const auto &[name, number] : sum.terms) {
    text += "+" + std::to_string(number) + "*" + name;
  }
  return "(" + text + ")";
}

std::optional<std::int64_t> numberOf(std::string_view text) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isOne = error == std::errc() && stopped == text.data() + text.size();
  return isOne && value <= kMost ? std::optional(value) : std::nullopt;
}

/// Finds the sums that expressions are.
class Sums {
public:
  explicit Sums(const Lets &lets) : lets_(lets) {}

  MaybeSum of(const Expression &expression) {
    switch (expression.kind) {
    case Expression::Kind::Integer: {
      const std::optional<std::int64_t> number = numberOf(expression.text);
      return number ? MaybeSum(Sum{{}, *number}) : std::nullopt;
    }
    case Expression::Kind::Unary:
    case Expression::Kind::Binary:
      return ofOperation(expression);
    case Expression::Kind::Reference: {
      const auto let = expression.parts.empty() ? lets_.find(expression.declaration) : lets_.end();
      return let != lets_.end() ? MaybeSum(let->second) : term(expression);
    }
    default:
      return term(expression);
    }
  }

private:
  MaybeSum ofOperation(const Expression &expression) {
    const std::string_view op = expression.text;
    const bool isUnary = expression.kind == Expression::Kind::Unary;
    const bool isSum = isUnary ? op == "-" : op == "+" || op == "-" || op == "*";
    if (!isSum || expression.type == Type::String) {
      return term(expression);
    }
    const MaybeSum left = of(*expression.parts[0]);
    if (isUnary) {
      return left ? plus({}, -1, *left) : std::nullopt;
    }
    const MaybeSum right = left ? of(*expression.parts[1]) : std::nullopt;
    if (!right) {
      return std::nullopt;
    }
    if (op != "*") {
      return plus(*left, op == "+" ? 1 : -1, *right);
    }
    return left->terms.empty()    ? plus({}, left->constant, *right)
           : right->terms.empty() ? plus({}, right->constant, *left)
                                  : named("*[" + textOf(*left) + "," + textOf(*right) + "]");
  }

  /// As something that nothing is known of.
  MaybeSum term(const Expression &expression) {
    const auto *name = static_cast<const void *>(expression.declaration);
    std::string text = std::to_string(static_cast<int>(expression.kind)) + " " +
                       std::string(expression.text) + " " +
                       std::to_string(reinterpret_cast<std::uintptr_t>(name)) + "[";
    for (const Expression *part : expression.parts) {
      const MaybeSum sum = of(*part);
      if (!sum) {
        return std::nullopt;
      }
      text += textOf(*sum) + ",";
    }
    return named(text + "]");
  }

  MaybeSum named(std::string text) {
    constexpr std::size_t kMostCharacters = 100000;
    characters_ += text.size();
    return characters_ < kMostCharacters ? MaybeSum(Sum{{{std::move(text), 1}}, 0}) : std::nullopt;
  }

  const Lets &lets_;
  std::size_t characters_ = 0; ///< Of names: what is nested is written again and again.
};

/// A sum without its constant, of which the first term counts up: what comparisons share.
struct Comparison {
  std::size_t which = 0; ///< Of the sums; none if it is constant.
  std::int64_t factor = 0;
  std::int64_t constant = 0;
  std::string_view op;

  bool holds(double value) const {
    const double sum = static_cast<double>(factor) * value + static_cast<double>(constant);
    return op == "<"    ? sum < 0
           : op == "<=" ? sum <= 0
           : op == ">"  ? sum > 0
           : op == ">=" ? sum >= 0
           : op == "==" ? sum == 0
                        : sum != 0;
  }
};

/// Tries a condition with all values of its sums that comparisons can tell apart.
class Trial {
public:
  explicit Trial(const Lets &lets) : expressions_(lets) {}

  std::optional<bool> run(const Expression &condition) {
    constexpr std::size_t kMostTries = 4096;
    const std::function<bool()> holds = understand(condition);
    if (!holds) {
      return std::nullopt;
    }
    std::size_t tries = 1;
    for (std::vector<double> &each : samples_) {
      std::ranges::sort(each);
      each.erase(std::ranges::unique(each).begin(), each.end());
      tries = std::min(tries * each.size(), kMostTries + 1);
    }
    if (tries > kMostTries) {
      return std::nullopt;
    }
    values_.resize(samples_.size());
    std::optional<bool> all;
    for (std::size_t turn = 0; turn < tries; ++turn) {
      std::size_t rest = turn;
      for (std::size_t at = 0; at < samples_.size(); ++at) {
        values_[at] = samples_[at][rest % samples_[at].size()];
        rest /= samples_[at].size();
      }
      const bool now = holds();
      if (all && *all != now) {
        return std::nullopt;
      }
      all = now;
    }
    return all;
  }

private:
  using Holds = std::function<bool()>;

  static bool isComparison(std::string_view op) {
    return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
  }

  /// Null if numbers are too large.
  Holds understand(const Expression &of) {
    const bool isBinary = of.kind == Expression::Kind::Binary;
    if (isBinary && (of.text == "&&" || of.text == "||")) {
      Holds left = understand(*of.parts[0]);
      Holds right = understand(*of.parts[1]);
      if (!left || !right) {
        return nullptr;
      }
      return of.text == "&&" ? Holds([=] { return left() && right(); })
                             : Holds([=] { return left() || right(); });
    }
    if (of.kind == Expression::Kind::Unary && of.text == "!") {
      Holds inner = understand(*of.parts[0]);
      return inner ? Holds([=] { return !inner(); }) : nullptr;
    }
    if (isBinary && isComparison(of.text)) {
      const MaybeSum left = expressions_.of(*of.parts[0]);
      const MaybeSum right = expressions_.of(*of.parts[1]);
      const MaybeSum both = left && right ? plus(*left, -1, *right) : std::nullopt;
      return both ? compare(*both, of.text) : nullptr;
    }
    const MaybeSum sum = expressions_.of(of);
    return sum ? compare(*sum, "!=") : nullptr;
  }

  Holds compare(Sum sum, std::string_view op) {
    constexpr double kBeside = 0.25; // Borders are at least a part of one from each other.
    Comparison comparison{0, 0, sum.constant, op};
    if (sum.terms.empty()) {
      return [=] { return comparison.holds(0); };
    }
    comparison.factor = sum.terms.begin()->second > 0 ? 1 : -1;
    sum.constant = 0;
    const std::string text = textOf(*plus({}, comparison.factor, sum));
    const auto [known, isNew] = sums_.try_emplace(text, samples_.size());
    if (isNew) {
      samples_.emplace_back();
    }
    comparison.which = known->second;
    const double border = -static_cast<double>(comparison.factor * comparison.constant);
    for (const double each : {border - kBeside, border, border + kBeside}) {
      samples_[comparison.which].push_back(each);
    }
    return [this, comparison] { return comparison.holds(values_[comparison.which]); };
  }

  Sums expressions_;
  std::map<std::string, std::size_t> sums_;
  std::vector<std::vector<double>> samples_; ///< Of each sum.
  std::vector<double> values_;               ///< Of them, in this try.
};

} // namespace

Conditions::Conditions(const Program &program) {
  constexpr std::size_t kMostTerms = 8;
  constexpr std::size_t kMostCharacters = 1000;
  for (const Declaration &declaration : program.declarations) {
    if (declaration.kind != Declaration::Kind::Let || declaration.isFragment ||
        !declaration.value) {
      continue;
    }
    const MaybeSum sum = Sums(lets_).of(*declaration.value);
    if (sum && sum->terms.size() <= kMostTerms && textOf(*sum).size() <= kMostCharacters) {
      lets_.emplace(&declaration, *sum);
    }
  }
}

std::optional<bool> Conditions::alwaysIs(const Expression &condition) const {
  return Trial(lets_).run(condition);
}

} // namespace tutti::compiler::luna
