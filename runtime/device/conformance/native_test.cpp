// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What `Device::find` and `Queue::launchNative` promise, checked on every device.
#include "runtime/device/conformance/fixture.h"
#include "runtime/device/conformance/natives.h"

#include <algorithm>

namespace tutti::device {

namespace {

using namespace conformance;

/// The argument for a variable, which stays where it is.
template <typename T> NativeArgument by(const T &value) { return {&value, sizeof value, false}; }

NativeArgument at(const std::uint64_t &address) { return {&address, sizeof address, true}; }

class DeviceNative : public DeviceTest {
protected:
  Kernel *find(std::string_view name) {
    const auto found = device().find(*nativeNamed(name, device().info()));
    EXPECT_TRUE(ok(found));
    return found ? *found : nullptr;
  }

  /// Of `scaled`, in groups of 32.
  NativeLaunch scaling(const std::int64_t &n, const std::uint64_t &factor,
                       const std::uint64_t &address) {
    return {.kernel = find("scaled"),
            .grid = {{static_cast<std::uint64_t>(n + 31) / 32, 1, 1}, {32, 1, 1}},
            .localBytes = 0,
            .arguments = {by(n), by(factor), at(address)}};
  }

  /// Of `turned`, with local memory for groups of 64.
  NativeLaunch turning(const std::uint64_t &address) {
    NativeLaunch launch{.kernel = find("turned"),
                        .grid = {{4, 1, 1}, {64, 1, 1}},
                        .localBytes = 64 * sizeof(std::uint64_t),
                        .arguments = {at(address)}};
    if (comesAsText(device().info())) {
      launch.arguments.push_back(by(kNull));
    }
    return launch;
  }

  /// `words` with each 64 turned round.
  static Words turnedOf(Words words) {
    for (std::size_t group = 0; group + 64 <= words.size(); group += 64) {
      std::reverse(words.begin() + static_cast<std::ptrdiff_t>(group),
                   words.begin() + static_cast<std::ptrdiff_t>(group + 64));
    }
    return words;
  }

  static constexpr std::uint64_t kNull = 0;
};

TEST_P(DeviceNative, ReachesTheWindowBelowAndAbove4GiB) {
  constexpr std::int64_t kCount = 890;
  constexpr std::uint64_t kFactor = 3;
  for (const std::uint64_t x : {kLow.begin + 8, kHigh.begin + 16, kHeap + 100 * kMiB - 800}) {
    const Words before = pattern(1000, x);
    put(x, before);
    const std::uint64_t inside = x + 10 * sizeof(std::uint64_t);

    ASSERT_TRUE(ok(queue().launchNative(scaling(kCount, kFactor, inside))));

    Words after = before;
    for (std::size_t i = 10; i < 900; ++i) {
      after[i] *= kFactor;
    }
    EXPECT_EQ(get(x, after.size()), after) << x;
  }
}

TEST_P(DeviceNative, IsFoundAgainByItsPointer) {
  Kernel *scaled = find("scaled");

  EXPECT_EQ(find("scaled"), scaled);
  EXPECT_NE(find("turned"), scaled);
  EXPECT_GE(scaled->maxGroup(), 32U);
}

TEST_P(DeviceNative, TakesArgumentsOfAllSizes) {
  const std::uint8_t a = 200;
  const std::int16_t b = -300;
  const float f = 5000.5F;
  const Pair pair{-40000, std::int64_t{1} << 40};
  const std::uint64_t in = kHeap + 8;
  const std::uint64_t out = kHeap + 80 * kMiB;
  put(in, {1000000});
  put(out, {0});

  ASSERT_TRUE(
      ok(queue().launchNative({.kernel = find("mixed"),
                               .grid = {},
                               .localBytes = 0,
                               .arguments = {by(a), by(b), by(f), by(pair), at(in), at(out)}})));

  EXPECT_EQ(get(out, 1), Words{1000000 + 200 - 300 + 5000 - 40000 + (std::uint64_t{1} << 40)});
}

TEST_P(DeviceNative, MayHaveItsArgumentsChangedAtOnce) {
  std::int64_t n = 100;
  std::uint64_t factor = 2;
  std::uint64_t x = kHeap;
  put(kHeap, Words(100, 1));
  const NativeLaunch launch = scaling(n, factor, x);

  ASSERT_TRUE(ok(queue().launchNative(launch)));
  factor = 5;
  ASSERT_TRUE(ok(queue().launchNative(launch)));
  n = 0;
  factor = 1000;
  x = 0;

  EXPECT_EQ(get(kHeap, 100), Words(100, 10));
}

TEST_P(DeviceNative, RunsInTheQueuesOrderWithLoops) {
  constexpr std::int64_t kCount = 1000;
  constexpr std::uint64_t kFactor = 3;
  put(kHeap, Words(1000, 1));
  const KernelLaunch loop{.kernel = load("scale"),
                          .grid = {{4, 1, 1}, {32, 1, 1}},
                          .lower = 0,
                          .upper = 1000,
                          .total = 1000,
                          .arguments = {kHeap, 7}};

  ASSERT_TRUE(ok(queue().launch(loop)));
  ASSERT_TRUE(ok(queue().launchNative(scaling(kCount, kFactor, kHeap))));
  ASSERT_TRUE(ok(queue().launch(loop)));

  EXPECT_EQ(get(kHeap, 1000), Words(1000, 7 * 3 * 7));
}

TEST_P(DeviceNative, FollowsMemoryThatGrows) {
  constexpr std::int64_t kCount = 1000;
  constexpr std::uint64_t kFactor = 2;
  put(kHeap, Words(1000, 1));
  for (std::uint64_t round = 1; round <= 4; ++round) {
    ASSERT_TRUE(ok(queue().launchNative(scaling(kCount, kFactor, kHeap))));
    ASSERT_TRUE(ok(device().commit(rangeAt(kHeap + round * 60 * kMiB, kMiB))));
  }

  EXPECT_EQ(get(kHeap, 1000), Words(1000, 16));
}

TEST_P(DeviceNative, HasTheLocalMemoryThatTheLaunchGives) {
  const Words words = pattern(256, 3);
  put(kHeap, words);

  ASSERT_TRUE(ok(queue().launchNative(turning(kHeap))));

  EXPECT_EQ(get(kHeap, 256), turnedOf(words));
}

TEST_P(DeviceNative, HasTheLocalMemoryThatItDeclares) {
  constexpr std::size_t kCount = 64 * 1000;
  const Words words = pattern(kCount, 4);
  put(kHeap, words);

  ASSERT_TRUE(ok(queue().launchNative({.kernel = find("reversed"),
                                       .grid = {{kCount / 64, 1, 1}, {64, 1, 1}},
                                       .localBytes = 0,
                                       .arguments = {at(kHeap)}})));

  EXPECT_EQ(get(kHeap, kCount), turnedOf(words));
}

TEST_P(DeviceNative, RefusesGridsBeyondTheLimits) {
  constexpr std::int64_t kCount = 1000;
  constexpr std::uint64_t kFactor = 3;
  const Words words = pattern(1000, 2);
  put(kHeap, words);
  const Info &info = device().info();
  NativeLaunch launch = scaling(kCount, kFactor, kHeap);
  std::vector<std::pair<Grid, std::string>> grids{
      {{{1, 1, 1}, {launch.kernel->maxGroup(), 2, 1}}, "work-items"},
      {{{0, 1, 1}, {1, 1, 1}}, "dimension x"},
      {{{1, 1, 1}, {32, 0, 1}}, "dimension y"}};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string dimension = std::string("dimension ") + "xyz"[d];
    Grid groups;
    groups.groups[d] = info.maxGroups[d] + 1;
    grids.emplace_back(groups, dimension);
    Grid group;
    group.group[d] = info.maxGroupOf[d] + 1;
    grids.emplace_back(group, dimension);
  }

  for (const auto &[grid, words] : grids) {
    launch.grid = grid;
    const Status status = queue().launchNative(launch);
    ASSERT_TRUE(fails(status, ErrorCode::InvalidArgument));
    EXPECT_NE(status.error().message.find("kernel scaled: "), std::string::npos)
        << status.error().message;
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
  }

  EXPECT_EQ(get(kHeap, words.size()), words);
}

TEST_P(DeviceNative, RefusesMoreLocalMemoryThanThereIs) {
  put(kHeap, Words(256, 1));
  NativeLaunch launch = turning(kHeap);
  launch.localBytes = device().info().localBytes + 1;

  EXPECT_TRUE(fails(queue().launchNative(launch), ErrorCode::InvalidArgument));
  launch.localBytes = 64 * sizeof(std::uint64_t);
  EXPECT_TRUE(ok(queue().launchNative(launch)));
  EXPECT_TRUE(ok(queue().finish()));
}

TEST_P(DeviceNative, RefusesPointersOfAnotherSize) {
  constexpr std::int64_t kCount = 10;
  constexpr std::uint64_t kFactor = 3;
  put(kHeap, Words(10, 1));
  NativeLaunch launch = scaling(kCount, kFactor, kHeap);

  launch.arguments[2].bytes = 4;

  EXPECT_TRUE(fails(queue().launchNative(launch), ErrorCode::InvalidArgument));
}

TEST_P(DeviceNative, RefusesArgumentsThatAreNotTheKernels) {
  constexpr std::int64_t kCount = 10;
  constexpr std::uint64_t kFactor = 3;
  constexpr std::int32_t kShort = 10;
  put(kHeap, Words(10, 1));
  if (device().info().driver == "mock") {
    GTEST_SKIP() << "a function does not say what it takes";
  }
  const NativeLaunch good = scaling(kCount, kFactor, kHeap);
  NativeLaunch few = good;
  few.arguments.pop_back();
  NativeLaunch many = good;
  many.arguments.push_back(by(kCount));
  NativeLaunch other = good;
  other.arguments[0] = by(kShort);

  for (const NativeLaunch *launch : {&few, &many, &other}) {
    const Status status = queue().launchNative(*launch);
    ASSERT_TRUE(fails(status, ErrorCode::InvalidArgument));
    EXPECT_NE(status.error().message.find("kernel scaled: "), std::string::npos)
        << status.error().message;
  }
  EXPECT_TRUE(ok(queue().launchNative(good)));
  EXPECT_EQ(get(kHeap, 10), Words(10, 3));
}

TEST_P(DeviceNative, RefusesANameThatTheProgramDoesNotHave) {
  const auto found = device().find(*nativeNamed("nothing", device().info()));

  ASSERT_TRUE(fails(found, ErrorCode::WrongImage));
  EXPECT_NE(found.error().message.find("nothing"), std::string::npos) << found.error().message;
}

TEST_P(DeviceNative, KnowsItsQueueByTheVendorsName) {
  const auto other = makeQueue();

  const auto one = queue().native();
  const auto two = other->native();

  ASSERT_TRUE(ok(one) && ok(two));
  EXPECT_NE(*one, nullptr);
  EXPECT_NE(*one, *two);
}

TEST_P(DeviceNative, PrefetchesWhatIsNotManagedWithoutAnError) {
  const Words words = pattern(1000, 1);

  EXPECT_TRUE(ok(queue().prefetch(bytesOf(words))));
  EXPECT_TRUE(ok(queue().prefetch({})));
  EXPECT_TRUE(ok(queue().finish()));
}

TUTTI_CONFORMANCE(DeviceNative);

/// Kernels that come as text.
class DeviceNativeText : public DeviceNative {
protected:
  void SetUp() override {
    DeviceNative::SetUp();
    if (!comesAsText(device().info())) {
      GTEST_SKIP() << "kernels of such devices do not come as text";
    }
  }
};

TEST_P(DeviceNativeText, IsRefusedWithTheWordsOfTheCompiler) {
  const auto found = device().find(*nativeOfWrongText());

  ASSERT_TRUE(fails(found, ErrorCode::WrongImage));
  EXPECT_NE(found.error().message.find("wrong.cl"), std::string::npos) << found.error().message;
  EXPECT_NE(found.error().message.find("undeclared"), std::string::npos) << found.error().message;
}

TEST_P(DeviceNativeText, MayReadConstantMemory) {
  const std::uint64_t table = kHeap + 40 * kMiB + 24;
  Words expected = pattern(64, 1);
  put(kHeap, expected);
  put(table, pattern(64, 2));

  ASSERT_TRUE(ok(queue().launchNative({.kernel = find("looked_up"),
                                       .grid = {{1, 1, 1}, {64, 1, 1}},
                                       .localBytes = 0,
                                       .arguments = {at(table), at(kHeap)}})));

  std::ranges::transform(expected, pattern(64, 2), expected.begin(), std::plus<>());
  EXPECT_EQ(get(kHeap, 64), expected);
}

TEST_P(DeviceNativeText, TakesNullButNoOtherPointerOfTheHost) {
  constexpr std::uint64_t kValue = 50;
  const std::uint64_t *host = &kValue;
  put(kHeap, Words(1, 0));
  NativeLaunch launch{.kernel = find("absent"),
                      .grid = {},
                      .localBytes = 0,
                      .arguments = {at(kHeap), by(kValue), by(kNull)}};

  ASSERT_TRUE(ok(queue().launchNative(launch)));
  EXPECT_EQ(get(kHeap, 1), Words{51});
  launch.arguments[2] = at(kHeap);
  ASSERT_TRUE(ok(queue().launchNative(launch)));
  EXPECT_EQ(get(kHeap, 1), Words{50});
  launch.arguments[2] = by(host);
  EXPECT_TRUE(fails(queue().launchNative(launch), ErrorCode::InvalidArgument));
}

TEST_P(DeviceNativeText, TakesPointersToArrays) {
  put(kHeap, Words(8, 1));

  ASSERT_TRUE(ok(queue().launchNative({.kernel = find("rows"),
                                       .grid = {{2, 1, 1}, {1, 1, 1}},
                                       .localBytes = 0,
                                       .arguments = {at(kHeap)}})));

  EXPECT_EQ(get(kHeap, 8), (Words{1, 1, 1, 2, 1, 1, 1, 2}));
}

TEST_P(DeviceNativeText, HasGroupsAsItsAttributeSays) {
  put(kHeap, Words(64, 1));
  NativeLaunch launch{.kernel = find("fixed_"),
                      .grid = {{1, 1, 1}, {64, 1, 1}},
                      .localBytes = 0,
                      .arguments = {at(kHeap)}};

  EXPECT_TRUE(fails(queue().launchNative(launch), ErrorCode::InvalidArgument));
  launch.grid = {{2, 1, 1}, {32, 1, 1}};
  EXPECT_TRUE(ok(queue().launchNative(launch)));
  EXPECT_EQ(get(kHeap, 64), Words(64, 2));
}

TEST_P(DeviceNativeText, RefusesParametersThatNoTaskCanGive) {
  const auto found = device().find(*nativeNamed("pictured", device().info()));

  ASSERT_TRUE(fails(found, ErrorCode::NotSupported));
  EXPECT_NE(found.error().message.find("picture"), std::string::npos) << found.error().message;
}

TEST_P(DeviceNativeText, NeedsToBeToldOfItsLocalMemory) {
  put(kHeap, Words(256, 1));
  NativeLaunch untold = turning(kHeap);
  untold.localBytes = 0;
  NativeLaunch needless{.kernel = find("reversed"),
                        .grid = {{1, 1, 1}, {64, 1, 1}},
                        .localBytes = 8,
                        .arguments = {at(kHeap)}};

  EXPECT_TRUE(fails(queue().launchNative(untold), ErrorCode::InvalidArgument));
  EXPECT_TRUE(fails(queue().launchNative(needless), ErrorCode::InvalidArgument));
}

TUTTI_CONFORMANCE(DeviceNativeText);

} // namespace

} // namespace tutti::device
