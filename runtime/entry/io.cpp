// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of the C library's input and output: the kernel gives an error, and no fault, for a
/// buffer that is protected, so buffers are made ready first.
#include "runtime/entry/in_front.h"

#include <cstddef>
#include <cstdio>
#include <sys/random.h>
#include <sys/types.h>
#include <sys/uio.h>

namespace {

using tutti::entry::drain;
using tutti::entry::drainText;
using tutti::entry::fill;
using tutti::entry::Runtime;

void prepareAll(const iovec *parts, int count, void (*prepare)(const void *, std::size_t)) {
  if (Runtime::active() && parts && count > 0) {
    drain(parts, static_cast<std::size_t>(count) * sizeof *parts);
    for (int index = 0; index < count; ++index) {
      prepare(parts[index].iov_base, parts[index].iov_len);
    }
  }
}

/// The program's own buffer for a stream is not used, as the standard allows: the library hands it
/// to the kernel whenever it likes.
char *ownOrNone(char *buffer) {
  const Runtime *runtime = Runtime::active();
  return runtime && runtime->isShared(buffer) ? nullptr : buffer;
}

} // namespace

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
TUTTI_BEFORE(ssize_t, preadv2, (int file, const iovec *parts, int count, off_t offset, int flags),
             (file, parts, count, offset, flags), prepareAll(parts, count, fill))
TUTTI_BEFORE(ssize_t, pwritev2, (int file, const iovec *parts, int count, off_t offset, int flags),
             (file, parts, count, offset, flags), prepareAll(parts, count, drain))
TUTTI_BEFORE(ssize_t, preadv64v2,
             (int file, const iovec *parts, int count, off_t offset, int flags),
             (file, parts, count, offset, flags), prepareAll(parts, count, fill))
TUTTI_BEFORE(ssize_t, pwritev64v2,
             (int file, const iovec *parts, int count, off_t offset, int flags),
             (file, parts, count, offset, flags), prepareAll(parts, count, drain))
TUTTI_BEFORE(ssize_t, getrandom, (void *buffer, size_t bytes, unsigned flags),
             (buffer, bytes, flags), fill(buffer, bytes))
TUTTI_BEFORE(int, getentropy, (void *buffer, size_t bytes), (buffer, bytes), fill(buffer, bytes))

TUTTI_BEFORE(int, setvbuf, (FILE * file, char *buffer, int mode, size_t bytes),
             (file, buffer, mode, bytes), buffer = ownOrNone(buffer))

TUTTI_EXPORT void before_setbuffer(FILE *file, char *buffer, size_t bytes) __asm__("setbuffer");

void before_setbuffer(FILE *file, char *buffer, size_t bytes) {
  before_setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, bytes);
}

TUTTI_EXPORT void before_setbuf(FILE *file, char *buffer) __asm__("setbuf");

void before_setbuf(FILE *file, char *buffer) { before_setbuffer(file, buffer, BUFSIZ); }

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
TUTTI_BEFORE(size_t, __fread_chk,
             (void *buffer, size_t room, size_t size, size_t count, FILE *file),
             (buffer, room, size, count, file), fill(buffer, size *count))
TUTTI_BEFORE(char *, __fgets_chk, (char *buffer, size_t room, int bytes, FILE *file),
             (buffer, room, bytes, file), fill(buffer, static_cast<size_t>(bytes > 0 ? bytes : 0)))
