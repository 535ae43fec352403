// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// System calls, other than those of input_output.c, read and write arrays that loops use.
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kCount = 1 << 18, kPart = 1 << 14 };

static unsigned char a[kCount];

static void fill(int add) {
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    a[i] = (unsigned char)(i * 7 + add);
  }
}

static unsigned long sum(int first) {
  unsigned long result = 0;
#pragma omp parallel for reduction(+ : result)
  for (int i = first; i < kCount; ++i) {
    result += (unsigned long)a[i] * (unsigned long)(i % 1000);
  }
  return result;
}

int main(void) {
  fill(1);
  const int isRandom =
      getrandom(a + kCount - kPart, kPart, 0) > 0 && getentropy(a + kCount / 2, 200) == 0;
  memset(a + kCount - kPart, 5, kPart);
  memset(a + kCount / 2, 6, 200);
  printf("random %d %lu\n", isRandom, sum(0));

  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
    return 1;
  }
  fill(2);
  struct iovec parts[2] = {{a + kCount / 3, kPart}, {a + kCount - kPart, kPart}};
  struct msghdr message = {0};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  long bytes = sendmsg(sockets[0], &message, 0);
  fill(3);
  bytes += recvmsg(sockets[1], &message, MSG_WAITALL);
  printf("message %ld %lu\n", bytes, sum(1));

  FILE *file = tmpfile();
  fill(4);
  bytes = pwritev(fileno(file), parts, 2, 100);
  fill(5);
  bytes += preadv(fileno(file), parts, 2, 100);
  printf("file %ld %lu\n", bytes, sum(2));
  fclose(file);
  return 0;
}
