// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Who gets which message.
#include "base/log.h"
#include "runtime/protocol/job.h"
#include "runtime/transport/mock/mock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::protocol {

namespace {

/// One per process: the mappings stay.
const memory::Window &window() {
  static const auto mapped = *memory::Window::open({64 << 20, 1 << 20, {}, false});
  return *mapped;
}

/// The line that a job ends with.
struct Ended {
  std::string line;
};

/// The line that `run` ends the job with; empty if it does not.
template <typename Run> std::string lineOf(Run &&run) {
  const log::FatalHandler before = log::setFatalHandler(
      {[](void *, std::string_view line) { throw Ended{std::string(line)}; }, nullptr});
  testing::internal::CaptureStderr();
  std::string line;
  try {
    run();
  } catch (const Ended &ended) {
    line = ended.line;
  }
  log::setFatalHandler(before);
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(written, '\n'), line.empty() ? 0 : 1) << written;
  return line;
}

/// Rank 0 of two.
class MailTest : public testing::Test {
protected:
  transport::mock::Network network_{2};
  std::unique_ptr<transport::Endpoint> endpoint_ = network_.open(0);
  std::unique_ptr<transport::Endpoint> otherEnd_ = network_.open(1);
  Job job_{JobSetup{*endpoint_, window(), memory::Topology({0, 0}), {}, {}, false}};
};

TEST_F(MailTest, HasOneTakerForEachKindOfMessage) {
  std::vector<Kind> all{kAcknowledge, kBlocks,  kChanges,  kFetch,    kLaunch,  kLent,
                        kLentByHost,  kLost,    kOutput,   kPartial,  kProbe,   kRecall,
                        kRecalled,    kReserve, kReserved, kReturned, kSalvage, kSalvaged,
                        kReady,       kOver,    kShutdown, kTaskEnd,  kTimes};
  std::ranges::sort(all);

  EXPECT_EQ(job_.mail.kinds(), all);
  for (const Kind kind : all) {
    const std::string line =
        lineOf([&] { job_.mail.on(kind, [](transport::Control &, Reader &) {}); });
    EXPECT_NE(line.find("one protocol only"), std::string::npos) << line;
    EXPECT_NE(line.find('"' + kind.name() + '"'), std::string::npos) << line;
  }
}

TEST_F(MailTest, GivesAMessageOfANewProtocolToIt) {
  constexpr Kind kGreeting("greeting");
  std::vector<int> heard;
  job_.mail.on(kGreeting, [&](transport::Control &message, Reader &reader) {
    EXPECT_EQ(message.from, 1);
    heard.push_back(reader.take<int>());
    EXPECT_TRUE(reader.rest().empty());
  });
  for (const int word : {7, 8}) {
    ASSERT_TRUE(otherEnd_->sendControl(0, Writer(kGreeting).add(word).bytes()));
  }
  job_.start();

  Progress::Lock lock = job_.progress.lock();
  job_.progress.waitUntil(lock, [&] { return heard.size() == 2; });
  lock.unlock();
  job_.progress.stop();

  EXPECT_EQ(heard, (std::vector{7, 8}));
}

TEST_F(MailTest, EndsTheJobWithOneLineAtAKindThatNobodyTakes) {
  constexpr Kind kNonsense("nonsense");
  ASSERT_TRUE(otherEnd_->sendControl(0, Writer(kNonsense).bytes()));

  const std::string line = lineOf([&] {
    const Progress::Lock lock = job_.progress.lock();
    job_.mail.deliver();
  });

  EXPECT_NE(line.find("understand a control message of rank 1: no protocol takes kind "
                      "\"nonsense\""),
            std::string::npos)
      << line;
}

TEST_F(MailTest, CountsResultsNotAsControlMessages) {
  const Progress::Lock lock = job_.progress.lock();
  job_.mail.send(1, Writer(kFetch).bytes());
  job_.mail.sendResult(1, Writer(kChanges).bytes());

  EXPECT_EQ(job_.counters.controlMessages, 1U);
}

} // namespace

} // namespace tutti::protocol
