// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/launcher.h"
#include "driver/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::driver {

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

RunOptions fourRanks() {
  RunOptions options;
  options.ranks = 4;
  options.program = {"./prog", "--verbose"};
  return options;
}

Launcher launcher(LauncherKind kind) { return {kind, "/usr/bin/launch", ""}; }

LaunchHost plainHost() {
  LaunchHost host;
  host.self = "/t/tuttirun";
  return host;
}

TEST(LaunchCommand, StartsEachRankThroughTheMonitor) {
  EXPECT_THAT(launchCommand(fourRanks(), launcher(LauncherKind::Hydra), plainHost()),
              ElementsAre("/usr/bin/launch", "-n", "4", "/t/tuttirun", "--monitor", "--", "./prog",
                          "--verbose"));
}

TEST(LaunchCommand, HasRanksOfAnUnknownLauncherAnnounceThemselves) {
  EXPECT_THAT(launchCommand(fourRanks(), launcher(LauncherKind::Unknown), plainHost()),
              Contains("--announcing-monitor"));
}

TEST(LaunchCommand, LetsOpenMpiStartMoreRanksThanCores) {
  const auto command = launchCommand(fourRanks(), launcher(LauncherKind::OpenMpi), plainHost());

  EXPECT_THAT(command, Contains("--oversubscribe"));
  EXPECT_THAT(command, Not(Contains("--allow-run-as-root")));
}

TEST(LaunchCommand, KeepsToTheHostsThatTheUserNames) {
  RunOptions options = fourRanks();
  options.launcherOptions = {"--host", "a,b", "--bind-to", "socket"};

  const auto command = launchCommand(options, launcher(LauncherKind::OpenMpi), plainHost());

  EXPECT_THAT(command, Not(Contains("--oversubscribe")));
  EXPECT_THAT(command, Not(Contains("none")));
  EXPECT_THAT(command, Contains("a,b"));
}

TEST(LaunchCommand, AdaptsOpenMpiToContainers) {
  LaunchHost host = plainHost();
  host.isRoot = true;
  host.mayReadOtherProcesses = false;

  const auto command = launchCommand(fourRanks(), launcher(LauncherKind::OpenMpi), host);

  EXPECT_THAT(command, Contains("--allow-run-as-root"));
  EXPECT_THAT(command, Contains("btl_vader_single_copy_mechanism"));
}

TEST(LaunchCommand, SendsTheEnvironmentToRemoteRanks) {
  LaunchHost host = plainHost();
  host.exportedNames = {"TUTTI_STATS"};

  EXPECT_THAT(launchCommand(fourRanks(), launcher(LauncherKind::OpenMpi), host),
              Contains("TUTTI_STATS"));
}

TEST(LaunchCommand, SendsStandardInputToRankZeroUnderSlurm) {
  EXPECT_THAT(launchCommand(fourRanks(), launcher(LauncherKind::Slurm), plainHost()),
              Contains("--input=0"));
}

TEST(LauncherKind, FollowsFromWhatTheLauncherSays) {
  EXPECT_EQ(launcherKind("mpirun (Open MPI) 4.1.4"), LauncherKind::OpenMpi);
  EXPECT_EQ(launcherKind("HYDRA build details:\n    Version: 4.0.2"), LauncherKind::Hydra);
  EXPECT_EQ(launcherKind("slurm 22.05.8"), LauncherKind::Slurm);
  EXPECT_EQ(launcherKind("prterun (PRRTE) 3.0.6"), LauncherKind::OpenMpi);
  EXPECT_EQ(launcherKind("true (GNU coreutils) 9.1"), LauncherKind::Unknown);
  EXPECT_EQ(launcherKind(""), LauncherKind::Unknown);
}

TEST(Monitor, SharesTheCoresOfAHost) {
  EXPECT_EQ(threadsPerRank(16, 4), 4);
  EXPECT_EQ(threadsPerRank(2, 4), 1);
  EXPECT_EQ(threadsPerRank(7, 2), 3);
}

} // namespace

} // namespace tutti::driver
