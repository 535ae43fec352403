// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/model/spmd/watch.h"

#include "base/check.h"
#include "base/log.h"
#include "base/quiet_thread.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tutti::model::spmd {

namespace {

constexpr std::chrono::milliseconds kPeriod{100};
constexpr std::chrono::seconds kBetweenWords{1};

enum class Kind : std::int64_t { Late, Ask, Answer };

struct Header {
  Kind kind;
  Progress::State state;
  double seconds;
};

std::vector<std::byte> messageOf(Kind kind, const Standing &standing) {
  const Header header{kind, standing.state, standing.seconds};
  std::vector<std::byte> bytes(sizeof header + standing.source.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy_n(std::as_bytes(std::span(standing.source)).data(), standing.source.size(),
              bytes.data() + sizeof header);
  return bytes;
}

std::pair<Kind, Standing> read(std::span<const std::byte> bytes) {
  Header header{};
  TUTTI_CHECK(bytes.size() >= sizeof header);
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes = bytes.subspan(sizeof header);
  return {
      header.kind,
      {header.state, header.seconds, {reinterpret_cast<const char *>(bytes.data()), bytes.size()}}};
}

bool isLate(const Standing &node, const Patience &patience) {
  return node.state == Progress::State::Waits &&
         node.seconds >= static_cast<double>(patience.limit.count());
}

bool standAlike(const Standing &left, const Standing &right) {
  return left.state == right.state && left.source == right.source;
}

/// "node 2", "nodes 0-3, 5".
std::string listOf(const std::vector<std::size_t> &nodes) {
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t first = 0; first < nodes.size();) {
    std::size_t last = first;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) {
      ++last;
    }
    text += fmt::format("{}{}", first == 0 ? "" : ", ", nodes[first]);
    if (last > first) {
      text += fmt::format("-{}", nodes[last]);
    }
    first = last + 1;
  }
  return text;
}

std::string wordsFor(const Standing &standing, bool isOne) {
  const auto last = [&] {
    return standing.source.empty() ? std::string("before the first directive")
                                   : "after " + standing.source;
  };
  switch (standing.state) {
  case Progress::State::Waits:
    return fmt::format("{} at {}", isOne ? "waits" : "wait", standing.source);
  case Progress::State::Ended:
    return fmt::format("{} ended {}", isOne ? "has" : "have", last());
  default:
    return fmt::format("{} the program's own code {}", isOne ? "runs" : "run", last());
  }
}

} // namespace

Verdict verdictOf(std::span<const Standing> nodes, const Patience &patience) {
  const auto isTooLate = [&](const Standing &node) { return isLate(node, patience); };
  if (std::ranges::none_of(nodes, isTooLate)) {
    return Verdict::Fine;
  }
  // What goes between nodes of which none runs its own code is under way for as long as all of
  // them wait for it: a long message is not taken for one that never comes.
  const bool nobodyCanCome = std::ranges::all_of(nodes, [&](const Standing &node) {
    return node.state == Progress::State::Ended || isTooLate(node);
  });
  return patience.endsAlways || nobodyCanCome ? Verdict::Stuck : Verdict::Suspicious;
}

std::string describe(std::span<const Standing> nodes) {
  std::string text;
  std::vector<bool> isNamed(nodes.size());
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    if (isNamed[first]) {
      continue;
    }
    std::vector<std::size_t> alike;
    for (std::size_t node = first; node < nodes.size(); ++node) {
      if (standAlike(nodes[first], nodes[node])) {
        alike.push_back(node);
        isNamed[node] = true;
      }
    }
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", listOf(alike),
                        wordsFor(nodes[first], alike.size() == 1));
  }
  return text;
}

Watch::Watch(std::unique_ptr<transport::Endpoint> endpoint, const Progress &progress,
             Patience patience)
    : endpoint_(std::move(endpoint)), progress_(progress), patience_(patience),
      since_(Clock::now()), nextWord_(since_) {
  thread_ = startQuietThread([this] { run(); });
}

Watch::~Watch() { TUTTI_CHECK(!thread_.joinable(), "a watch that has not been stopped"); }

Status Watch::stop() {
  {
    const std::scoped_lock lock(mutex_);
    isToStop_ = true;
  }
  stops_.notify_one();
  thread_.join();
  return endpoint_->close();
}

void Watch::run() {
  std::unique_lock lock(mutex_);
  while (!stops_.wait_for(lock, kPeriod, [this] { return isToStop_; })) {
    lock.unlock();
    if (const Status status = look(); !status) {
      log::fatal("{}", status.error().message);
    }
    lock.lock();
  }
}

Status Watch::look() {
  const Standing standing = own();
  if (patience_.limit.count() > 0 && isLate(standing, patience_) && Clock::now() >= nextWord_) {
    nextWord_ = Clock::now() + kBetweenWords;
    TUTTI_TRY(endpoint_->rank() == 0 ? ask()
                                     : endpoint_->sendControl(0, messageOf(Kind::Late, standing)));
  }
  std::vector<transport::Control> arrived;
  TUTTI_TRY(endpoint_->pollControl(arrived));
  for (const transport::Control &message : arrived) {
    TUTTI_TRY(take(message));
  }
  return {};
}

Standing Watch::own() {
  const std::uint64_t waits = progress_.waits();
  const Progress::State state = progress_.state();
  const auto now = Clock::now();
  if (waits != std::exchange(waitsSeen_, waits) || state != Progress::State::Waits) {
    since_ = now;
  }
  const char *const source = progress_.source();
  return {state, std::chrono::duration<double>(now - since_).count(), source ? source : ""};
}

Status Watch::take(const transport::Control &message) {
  auto [kind, standing] = read(message.bytes);
  switch (kind) {
  case Kind::Late:
    return ask();
  case Kind::Ask:
    return endpoint_->sendControl(message.from, messageOf(Kind::Answer, own()));
  default:
    answers_.at(static_cast<std::size_t>(message.from)) = std::move(standing);
    if (std::ranges::all_of(answers_, [](const auto &answer) { return answer.has_value(); })) {
      judge();
    }
    return {};
  }
}

Status Watch::ask() {
  if (!answers_.empty()) {
    return {}; // Answers are under way.
  }
  answers_.resize(static_cast<std::size_t>(endpoint_->size()));
  answers_.front() = own();
  for (transport::Rank node = 1; node < endpoint_->size(); ++node) {
    TUTTI_TRY(endpoint_->sendControl(node, messageOf(Kind::Ask, {})));
  }
  return {};
}

void Watch::judge() {
  std::vector<Standing> nodes;
  for (auto &answer : std::exchange(answers_, {})) {
    nodes.push_back(*std::move(answer));
  }
  const Verdict verdict = verdictOf(nodes, patience_);
  if (verdict == Verdict::Stuck) {
    log::fatal("nodes do not meet within {} s: {}", patience_.limit.count(), describe(nodes));
  }
  if (verdict == Verdict::Suspicious && !std::exchange(hasWarned_, true)) {
    log::warn("nodes have not met for {} s: {}; TUTTI_TIMEOUT ends such a job",
              patience_.limit.count(), describe(nodes));
  }
}

} // namespace tutti::model::spmd
