// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of the C library's input and output: the kernel gives an error, and no fault, for a
/// buffer that is protected, so buffers are made ready first.
#include "runtime/entry/exports.h"
#include "runtime/entry/next.h"
#include "runtime/entry/runtime.h"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#undef fgets
#undef fputs
#undef fread
#undef fread_unlocked
#undef fwrite
#undef fwrite_unlocked
#undef puts

namespace {

using tutti::entry::Runtime;

void fill(const void *buffer, std::size_t bytes) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->ready(buffer, bytes, true);
  }
}

void drain(const void *buffer, std::size_t bytes) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->ready(buffer, bytes, false);
  }
}

void drainText(const char *text) {
  if (Runtime *runtime = Runtime::active()) {
    runtime->ready(text, std::strlen(text) + 1, false);
  }
}

void prepareAll(const iovec *parts, int count, void (*prepare)(const void *, std::size_t)) {
  if (Runtime::active()) {
    for (int index = 0; index < count; ++index) {
      prepare(parts[index].iov_base, parts[index].iov_len);
    }
  }
}

} // namespace

/// Defines `name` with `parameters`, which runs `before` and then goes on with `arguments`.
#define TUTTI_BEFORE(result, name, parameters, arguments, before)                                  \
  TUTTI_EXPORT result name parameters {                                                            \
    static const auto next = tutti::entry::next<result(*) parameters>(#name);                      \
    before;                                                                                        \
    return next arguments;                                                                         \
  }

TUTTI_BEFORE(ssize_t, read, (int file, void *buffer, size_t bytes), (file, buffer, bytes),
             fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, pread, (int file, void *buffer, size_t bytes, off_t offset),
             (file, buffer, bytes, offset), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, pread64, (int file, void *buffer, size_t bytes, off_t offset),
             (file, buffer, bytes, offset), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, readv, (int file, const iovec *parts, int count), (file, parts, count),
             prepareAll(parts, count, fill))
TUTTI_BEFORE(ssize_t, preadv, (int file, const iovec *parts, int count, off_t offset),
             (file, parts, count, offset), prepareAll(parts, count, fill))
TUTTI_BEFORE(ssize_t, write, (int file, const void *buffer, size_t bytes), (file, buffer, bytes),
             drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, pwrite, (int file, const void *buffer, size_t bytes, off_t offset),
             (file, buffer, bytes, offset), drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, pwrite64, (int file, const void *buffer, size_t bytes, off_t offset),
             (file, buffer, bytes, offset), drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, writev, (int file, const iovec *parts, int count), (file, parts, count),
             prepareAll(parts, count, drain))
TUTTI_BEFORE(ssize_t, pwritev, (int file, const iovec *parts, int count, off_t offset),
             (file, parts, count, offset), prepareAll(parts, count, drain))
TUTTI_BEFORE(ssize_t, preadv64, (int file, const iovec *parts, int count, off_t offset),
             (file, parts, count, offset), prepareAll(parts, count, fill))
TUTTI_BEFORE(ssize_t, pwritev64, (int file, const iovec *parts, int count, off_t offset),
             (file, parts, count, offset), prepareAll(parts, count, drain))
TUTTI_BEFORE(ssize_t, getrandom, (void *buffer, size_t bytes, unsigned flags),
             (buffer, bytes, flags), fill(buffer, bytes))
TUTTI_BEFORE(int, getentropy, (void *buffer, size_t bytes), (buffer, bytes), fill(buffer, bytes))

TUTTI_BEFORE(ssize_t, recv, (int socket, void *buffer, size_t bytes, int flags),
             (socket, buffer, bytes, flags), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, recvfrom,
             (int socket, void *buffer, size_t bytes, int flags, sockaddr *from, socklen_t *length),
             (socket, buffer, bytes, flags, from, length), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, send, (int socket, const void *buffer, size_t bytes, int flags),
             (socket, buffer, bytes, flags), drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, sendto,
             (int socket, const void *buffer, size_t bytes, int flags, const sockaddr *to,
              socklen_t length),
             (socket, buffer, bytes, flags, to, length), drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, recvmsg, (int socket, msghdr *message, int flags), (socket, message, flags),
             prepareAll(message->msg_iov, static_cast<int>(message->msg_iovlen), fill))
TUTTI_BEFORE(ssize_t, sendmsg, (int socket, const msghdr *message, int flags),
             (socket, message, flags),
             prepareAll(message->msg_iov, static_cast<int>(message->msg_iovlen), drain))

TUTTI_BEFORE(size_t, fread, (void *buffer, size_t size, size_t count, FILE *file),
             (buffer, size, count, file), fill(buffer, size *count))
TUTTI_BEFORE(size_t, fread_unlocked, (void *buffer, size_t size, size_t count, FILE *file),
             (buffer, size, count, file), fill(buffer, size *count))
TUTTI_BEFORE(size_t, fwrite, (const void *buffer, size_t size, size_t count, FILE *file),
             (buffer, size, count, file), drain(buffer, size *count))
TUTTI_BEFORE(size_t, fwrite_unlocked, (const void *buffer, size_t size, size_t count, FILE *file),
             (buffer, size, count, file), drain(buffer, size *count))
TUTTI_BEFORE(char *, fgets, (char *buffer, int bytes, FILE *file), (buffer, bytes, file),
             fill(buffer, static_cast<size_t>(bytes > 0 ? bytes : 0)))
TUTTI_BEFORE(int, fputs, (const char *text, FILE *file), (text, file), drainText(text))
TUTTI_BEFORE(int, puts, (const char *text), (text), drainText(text))

// What a program compiled with _FORTIFY_SOURCE calls instead; `room` is the buffer's size.
TUTTI_BEFORE(ssize_t, __read_chk, (int file, void *buffer, size_t bytes, size_t room),
             (file, buffer, bytes, room), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, __pread_chk,
             (int file, void *buffer, size_t bytes, off_t offset, size_t room),
             (file, buffer, bytes, offset, room), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, __pread64_chk,
             (int file, void *buffer, size_t bytes, off_t offset, size_t room),
             (file, buffer, bytes, offset, room), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, __recv_chk, (int socket, void *buffer, size_t bytes, size_t room, int flags),
             (socket, buffer, bytes, room, flags), fill(buffer, bytes))
TUTTI_BEFORE(size_t, __fread_chk,
             (void *buffer, size_t room, size_t size, size_t count, FILE *file),
             (buffer, room, size, count, file), fill(buffer, size *count))
TUTTI_BEFORE(char *, __fgets_chk, (char *buffer, size_t room, int bytes, FILE *file),
             (buffer, room, bytes, file), fill(buffer, static_cast<size_t>(bytes > 0 ? bytes : 0)))
