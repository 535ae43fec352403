// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Paths and structures that system calls read and write lie where other ranks have written, or
/// where loops follow pointers.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kBytes = 1 << 19, kFromEnd = 1 << 16, kPage = 4096, kLists = 64, kNodes = 8 };

/// A system call about a node gives what `status` is filled with.
struct Node {
  struct Node *next;
  double value;
  struct stat status;
};

extern char **environ;

static unsigned char *image;
static unsigned char *bytes;
static struct Node *lists[kLists];

/// `content`, written by the last rank, across the end of a page.
static void *away(const void *content, size_t size) {
  const uintptr_t end = (uintptr_t)(bytes + kBytes - kFromEnd) & ~(uintptr_t)(kPage - 1);
  unsigned char *place = (unsigned char *)end - 8;
  memset(image, 0, kBytes);
  if (content) {
    memcpy(image + (place - bytes), content, size);
  }
#pragma omp parallel for
  for (int i = 0; i < kBytes; ++i) {
    bytes[i] = image[i];
  }
  return place;
}

static char *text(const char *content) { return away(content, strlen(content) + 1); }

static void *room(void) { return away(NULL, 0); }

#define AWAY(object) away(&(object), sizeof(object))

static double chase(void) {
  double sum = 0.0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kLists; ++i) {
    for (const struct Node *node = lists[i]; node; node = node->next) {
      sum += node->value;
    }
  }
  return sum;
}

static void show(const char *name, long result) {
  printf("%s %ld %s\n", name, result, result < 0 ? strerror(errno) : "");
}

static void nodes(void) {
  for (int i = 0; i < kLists * kNodes; ++i) {
    struct Node *node = calloc(1, sizeof *node);
    node->next = lists[i % kLists];
    node->value = i;
    lists[i % kLists] = node;
  }
  const int file = open("/", O_RDONLY | O_DIRECTORY);
  for (int i = 0; i < 4; ++i) {
    printf("chased %g\n", chase());
    struct Node *node = lists[i * 11]->next;
    show("fstat", fstat(file, &node->status));
    show("folder", S_ISDIR(node->status.st_mode));
  }
  close(file);
}

static void paths(void) {
  static char folder[] = "/tmp/tutti-system-calls-XXXXXX";
  const char *made = mkdtemp(text(folder));
  show("mkdtemp", made ? 0 : -1);
  strcpy(folder, made ? made : "/");
  show("chdir", chdir(text(folder)));
  show("mkdir", mkdir(text("some-other-folder"), 0700));
  show("access", access(text("some-other-folder"), R_OK));
  show("faccessat", faccessat(AT_FDCWD, text("some-other-folder"), R_OK, 0));
  const int created = open(text("a-new-file"), O_CREAT | O_RDWR, 0640);
  show("open", created >= 0 ? 0 : -1);
  show("write", write(created, "words", 5));
  close(created);
  const int found = openat(AT_FDCWD, text("a-new-file"), O_RDONLY);
  show("openat", found >= 0 ? 0 : -1);
  close(found);
  FILE *stream = fopen(text("a-new-file"), "r");
  show("fopen", stream ? fgetc(stream) : -1);
  stream = freopen(text("a-new-file"), "r", stream ? stream : tmpfile());
  show("freopen", stream ? fgetc(stream) : -1);
  if (stream) {
    fclose(stream);
  }
  struct stat status;
  show("stat", stat(text("a-new-file"), &status));
  show("lstat", lstat(text("a-new-file"), &status));
  show("fstatat", fstatat(AT_FDCWD, text("a-new-file"), &status, 0));
  struct stat *farStatus = room();
  show("stat structure", stat("a-new-file", farStatus));
  show("size", (long)farStatus->st_size);
  struct statx *farStatx = room();
  show("statx", statx(AT_FDCWD, "a-new-file", 0, STATX_SIZE, farStatx));
  show("size", (long)farStatx->stx_size);
  show("statfs", statfs("/", room()));
  show("statvfs", statvfs(text("a-new-file"), &(struct statvfs){0}));
  show("statvfs structure", statvfs("/", room()));
  show("chmod", chmod(text("a-new-file"), 0600));
  show("truncate", truncate(text("a-new-file"), 3));
  const struct timespec times[2] = {{.tv_sec = 100}, {.tv_sec = 200}};
  show("utimensat", utimensat(AT_FDCWD, "a-new-file", AWAY(times), 0));
  show("link", link("a-new-file", text("another-file")));
  show("symlink", symlink(text("a-new-file"), "a-link"));
  char *target = room();
  show("readlink", readlink("a-link", target, 100));
  printf("%s\n", target);
  show("readlink path", readlink(text("a-link"), (char[100]){0}, 100));
  target = room();
  show("realpath", realpath("a-link", target) ? 0 : -1);
  show("same", strcmp(target + strlen(target) - 10, "a-new-file"));
  char *absolute = realpath(text("a-link"), NULL);
  show("realpath path", absolute ? 0 : -1);
  free(absolute);
  show("rename", rename(text("another-file"), "renamed"));
  show("rename to", rename("renamed", text("another-file")));
  DIR *opened = opendir(text("some-other-folder"));
  show("opendir", opened ? closedir(opened) : -1);
  char *here = room();
  show("getcwd", getcwd(here, 200) ? 0 : -1);
  show("here", strstr(here, "tutti-system-calls") ? 0 : -1);
  show("remove", remove(text("another-file")));
  show("unlink", unlink(text("a-new-file")));
  show("unlinkat", unlinkat(AT_FDCWD, text("a-link"), 0));
  show("rmdir", rmdir(text("some-other-folder")));
  show("leave", chdir("/"));
  show("rmdir", rmdir(text(folder)));
}

static void pipesAndSockets(void) {
  int ends[2];
  int *farEnds = room();
  show("pipe", pipe(farEnds));
  memcpy(ends, farEnds, sizeof ends);
  show("write", write(ends[1], "0123456789", 10));
  const struct pollfd asked = {.fd = ends[0], .events = POLLIN};
  show("poll", poll(AWAY(asked), 1, 0));
  show("ppoll", ppoll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1,
                      AWAY(((const struct timespec[]){{0, 1}})), NULL));
  fd_set files;
  FD_ZERO(&files);
  FD_SET(ends[0], &files);
  show("select", select(ends[0] + 1, AWAY(files), NULL, NULL, &(struct timeval){0, 0}));
  show("select time", select(0, NULL, NULL, NULL, AWAY(((struct timeval[]){{0, 1}}))));
  const int queue = epoll_create1(0);
  const struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = 7}};
  show("epoll_ctl", epoll_ctl(queue, EPOLL_CTL_ADD, ends[0], AWAY(event)));
  struct epoll_event *events = room();
  show("epoll_wait", epoll_wait(queue, events, 4, 0));
  show("event", events->data.u32);
  close(queue);
  int *waiting = room();
  show("ioctl", ioctl(ends[0], FIONREAD, waiting));
  show("waiting", *waiting);
  char content[4];
  const struct iovec part = {content, 4};
  show("readv", readv(ends[0], AWAY(part), 1));
  close(ends[0]);
  close(ends[1]);

  int *farPair = room();
  show("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, farPair));
  memcpy(ends, farPair, sizeof ends);
  int *type = room();
  show("getsockopt", getsockopt(ends[0], SOL_SOCKET, SO_TYPE, type, &(socklen_t){sizeof *type}));
  show("stream", *type == SOCK_STREAM);
  const socklen_t length = sizeof *type;
  show("getsockopt length", getsockopt(ends[0], SOL_SOCKET, SO_TYPE, &(int){0}, AWAY(length)));
  const int yes = 1;
  show("setsockopt", setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, AWAY(yes), sizeof yes));
  show("getsockname", getsockname(ends[0], room(), &(socklen_t){sizeof(struct sockaddr_un)}));
  show("getpeername", getpeername(ends[0], room(), &(socklen_t){sizeof(struct sockaddr_un)}));
  struct iovec letters = {"abcdef", 6};
  const struct msghdr message = {.msg_iov = &letters, .msg_iovlen = 1};
  show("sendmsg", sendmsg(ends[0], AWAY(message), 0));
  struct iovec *parts = AWAY(part);
  show("recvmsg", recvmsg(ends[1], &(struct msghdr){.msg_iov = parts, .msg_iovlen = 1}, 0));
  printf("%.4s\n", content);
  close(ends[0]);
  close(ends[1]);

  const int first = socket(AF_UNIX, SOCK_STREAM, 0);
  const int second = socket(AF_UNIX, SOCK_STREAM, 0);
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "tutti-%ld", (long)getpid());
  show("bind", bind(first, AWAY(name), sizeof name));
  show("listen", listen(first, 1));
  show("connect", connect(second, AWAY(name), sizeof name));
  const int accepted = accept(first, room(), &(socklen_t){sizeof name});
  show("accept", accepted >= 0 ? 0 : -1);
  close(accepted);
  close(first);
  close(second);

  const int counter = eventfd(3, 0);
  uint64_t *count = room();
  show("eventfd_read", eventfd_read(counter, count));
  show("count", (long)*count);
  close(counter);
}

static void processes(void) {
  show("system", system(text("exit 3")) >> 8);
  FILE *pipe = popen(text("echo some words"), "r");
  show("popen", pipe ? fgetc(pipe) : -1);
  show("pclose", pipe ? pclose(pipe) : -1);
  pid_t child = 0;
  char *const exits[] = {"sh", "-c", "exit 4", NULL};
  show("posix_spawn", posix_spawn(&child, text("/bin/sh"), NULL, NULL, exits, environ));
  int *status = room();
  show("waitpid", waitpid(child, status, 0) == child ? WEXITSTATUS(*status) : -1);
  show("spawn arguments", posix_spawn(&child, "/bin/sh", NULL, NULL, AWAY(exits), environ));
  struct rusage *usage = room();
  show("wait4", wait4(child, NULL, 0, usage) == child ? 0 : -1);
  char *const last[] = {"sh", "-c", text("exit 5"), NULL};
  show("spawn argument", posix_spawn(&child, "/bin/sh", NULL, NULL, last, environ));
  siginfo_t *info = room();
  show("waitid", waitid(P_PID, (id_t)child, info, WEXITED));
  show("status", info->si_status);
  show("getrusage", getrusage(RUSAGE_SELF, room()));
  struct rlimit limit;
  show("getrlimit", getrlimit(RLIMIT_CORE, room()));
  getrlimit(RLIMIT_CORE, &limit);
  show("setrlimit", setrlimit(RLIMIT_CORE, AWAY(limit)));
  show("prlimit", prlimit(0, RLIMIT_CORE, AWAY(limit), NULL));
  show("uname", uname(room()));
  show("sysinfo", sysinfo(room()));
  show("times", times(room()) == (clock_t)-1 ? -1 : 0);
  show("gethostname", gethostname(room(), 100));
  show("getresuid", getresuid(room(), &(uid_t){0}, &(uid_t){0}));
  show("getgroups", getgroups(500, room()) < 0 ? -1 : 0);
  show("sched_getaffinity", sched_getaffinity(0, sizeof(cpu_set_t), room()));
  show("pthread_getname_np", pthread_getname_np(pthread_self(), room(), 20));
}

static void onAlarm(int number) { (void)number; }

static void timeAndSignals(void) {
  const struct timespec soon = {0, 1};
  show("nanosleep", nanosleep(AWAY(soon), NULL));
  show("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, AWAY(soon), NULL));
  show("clock_gettime", clock_gettime(CLOCK_MONOTONIC, room()));
  show("clock_getres thread", clock_getres(CLOCK_THREAD_CPUTIME_ID, room()));
  show("gettimeofday", gettimeofday(room(), NULL));
  show("time", time(room()) > 0);
  const struct itimerval never = {0};
  show("setitimer", setitimer(ITIMER_REAL, AWAY(never), NULL));
  show("setitimer before", setitimer(ITIMER_REAL, &never, room()));
  show("getitimer", getitimer(ITIMER_REAL, room()));
  timer_t timer;
  const struct sigevent silent = {.sigev_notify = SIGEV_NONE};
  show("timer_create", timer_create(CLOCK_MONOTONIC, AWAY(silent), &timer));
  const struct itimerspec later = {.it_value = {100, 0}};
  show("timer_settime", timer_settime(timer, 0, AWAY(later), NULL));
  show("timer_gettime", timer_gettime(timer, room()));
  show("timer_delete", timer_delete(timer));
  const int file = timerfd_create(CLOCK_MONOTONIC, 0);
  show("timerfd_settime", timerfd_settime(file, 0, AWAY(later), NULL));
  show("timerfd_gettime", timerfd_gettime(file, room()));
  close(file);

  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  show("sigprocmask", sigprocmask(SIG_BLOCK, AWAY(set), NULL));
  sigset_t *before = room();
  show("sigprocmask before", sigprocmask(SIG_BLOCK, NULL, before));
  show("blocked", sigismember(before, SIGUSR1));
  raise(SIGUSR1);
  show("sigpending", sigpending(room()));
  show("sigtimedwait", sigtimedwait(AWAY(set), NULL, &soon) == SIGUSR1);
  show("pthread_sigmask", pthread_sigmask(SIG_UNBLOCK, AWAY(set), NULL));
  struct sigaction action = {.sa_handler = onAlarm};
  show("sigaction", sigaction(SIGUSR2, AWAY(action), NULL));
  struct sigaction *old = room();
  show("sigaction before", sigaction(SIGUSR2, NULL, old));
  show("handler", old->sa_handler == onAlarm);
  show("sigaltstack", sigaltstack(NULL, room()));
}

/// Streams read and write through a buffer of the program.
static void buffers(void) {
  FILE *file = tmpfile();
  show("setvbuf", setvbuf(file, room(), _IOFBF, 3 * kPage));
  fputs("some words", file);
  show("fflush", fflush(file));
  rewind(file);
  chase();
  show("fgetc", fgetc(file));
  fclose(file);
}

int main(void) {
  image = malloc(kBytes);
  bytes = malloc(kBytes);
  nodes();
  paths();
  pipesAndSockets();
  processes();
  timeAndSignals();
  buffers();
  return 0;
}
