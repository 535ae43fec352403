// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Open files from one socket to another of the same process.
#include "runtime/exec/handle_socket.h"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <sys/mman.h>
#include <vector>

namespace tutti::exec {

namespace {

HandleSocket opened() {
  auto socket = HandleSocket::open();
  EXPECT_TRUE(socket) << socket.error().text();
  return socket ? std::move(*socket) : HandleSocket();
}

/// Files that hold one byte each.
std::vector<Descriptor> files(const std::string &bytes) {
  std::vector<Descriptor> all;
  for (const char byte : bytes) {
    all.emplace_back(::memfd_create("test", MFD_CLOEXEC));
    EXPECT_EQ(::pwrite(all.back().number(), &byte, 1, 0), 1);
  }
  return all;
}

std::string bytesOf(const std::vector<Descriptor> &files) {
  std::string bytes;
  for (const Descriptor &file : files) {
    char byte = '?';
    EXPECT_EQ(::pread(file.number(), &byte, 1, 0), 1);
    bytes += byte;
  }
  return bytes;
}

std::string received(HandleSocket &socket, Rank from) {
  const auto handles = socket.receive(from);
  EXPECT_TRUE(handles) << handles.error().text();
  return handles ? bytesOf(*handles) : "";
}

bool sends(const HandleSocket &socket, const HandleSocket &to, Rank self,
           const std::string &bytes) {
  const auto sent = socket.send(to.address(), self, files(bytes));
  EXPECT_TRUE(sent) << sent.error().text();
  return sent && *sent;
}

TEST(HandleSocket, KeepsTheOrderOfEachRank) {
  HandleSocket here = opened();
  const HandleSocket there = opened();

  EXPECT_TRUE(sends(there, here, 1, "ab"));
  EXPECT_TRUE(sends(there, here, 2, "x"));
  EXPECT_TRUE(sends(there, here, 1, "c"));

  EXPECT_EQ(received(here, 2), "x");
  EXPECT_EQ(received(here, 1), "ab");
  EXPECT_EQ(received(here, 1), "c");
  EXPECT_EQ(received(here, 1), "");
}

TEST(HandleSocket, ClosesFilesWhenAProgramIsStarted) {
  HandleSocket here = opened();
  EXPECT_TRUE(sends(here, here, 0, "a"));

  const auto handles = here.receive(0);

  ASSERT_TRUE(handles);
  ASSERT_EQ(handles->size(), 1U);
  EXPECT_NE(::fcntl(handles->front().number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(HandleSocket, TakesAsManyAsItSays) {
  HandleSocket here = opened();
  const std::string many(HandleSocket::kMost, 'm');

  EXPECT_TRUE(sends(here, here, 0, many));

  EXPECT_EQ(received(here, 0), many);
}

TEST(HandleSocket, ThrowsAwayWhatComesWithoutTheSecret) {
  HandleSocket here = opened();
  HandleSocket::Address wrong = here.address();
  wrong.secret += 1;

  const auto sent = here.send(wrong, 0, files("a"));
  EXPECT_TRUE(sent && *sent);
  EXPECT_TRUE(sends(here, here, 0, "b"));

  EXPECT_EQ(received(here, 0), "b");
}

TEST(HandleSocket, DoesNotBlockWhereNobodyReceives) {
  HandleSocket here = opened();
  const HandleSocket there = opened();
  int count = 0;
  while (sends(there, here, 1, "a")) {
    ++count;
    ASSERT_LT(count, 100000);
  }

  EXPECT_EQ(received(here, 1), "a");

  EXPECT_TRUE(sends(there, here, 1, "b"));
}

TEST(HandleSocket, FailsWhereThereIsNoSuchSocket) {
  const HandleSocket here = opened();
  HandleSocket::Address gone{};
  {
    gone = opened().address();
  }

  const auto sent = here.send(gone, 0, files("a"));

  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, ErrorCode::SystemFailed);
}

} // namespace

} // namespace tutti::exec
