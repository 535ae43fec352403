// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// In front of the C library's functions that hand paths, structures and addresses of the program
/// to the kernel; io.cpp has those for bytes of files and streams. Not here is what the library
/// copies first (mkstemp, tcgetattr, gethostname, sigaction), and what is rare: queues of messages
/// and semaphores, asynchronous input and output, extended attributes, `syscall` itself.
///
/// Where a function takes more arguments than are passed (`open` without a mode), what is there is
/// passed on.
#include "runtime/entry/in_front.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <utime.h>

namespace {

using tutti::entry::drain;
using tutti::entry::drainText;
using tutti::entry::fill;
using tutti::entry::prepare;
using tutti::entry::Runtime;

/// For an array of `count` objects.
template <typename Object> void prepareAll(Object *objects, std::size_t count) {
  if constexpr (std::is_const_v<Object>) {
    drain(objects, count * sizeof(Object));
  } else {
    fill(objects, count * sizeof(Object));
  }
}

/// For as many bytes as `length` says, which is written, too.
void fillCounted(void *buffer, socklen_t *length) {
  if (Runtime::active() && buffer && length) {
    fill(length, sizeof *length);
    fill(buffer, *length);
  }
}

/// For the parts of a message, whose head is ready.
void prepareParts(const msghdr &message, void (*prepareBytes)(const void *, std::size_t)) {
  prepareBytes(message.msg_name, message.msg_namelen);
  prepareBytes(message.msg_control, message.msg_controllen);
  drain(message.msg_iov, message.msg_iovlen * sizeof *message.msg_iov);
  for (std::size_t index = 0; index < message.msg_iovlen; ++index) {
    prepareBytes(message.msg_iov[index].iov_base, message.msg_iov[index].iov_len);
  }
}

void fillMessage(msghdr *message) {
  if (Runtime::active() && message) {
    fill(message, sizeof *message);
    prepareParts(*message, fill);
  }
}

void drainMessage(const msghdr *message) {
  if (Runtime::active() && message) {
    drain(message, sizeof *message);
    prepareParts(*message, drain);
  }
}

template <typename One> void prepareMessages(mmsghdr *messages, unsigned count, One prepareOne) {
  if (Runtime::active() && messages) {
    fill(messages, count * sizeof *messages);
    for (unsigned index = 0; index < count; ++index) {
      prepareOne(&messages[index].msg_hdr);
    }
  }
}

/// For a set of so many files.
void prepareFiles(fd_set *files, int count) {
  constexpr std::size_t kPerWord = CHAR_BIT * sizeof(long);
  if (count > 0) {
    fill(files, (static_cast<std::size_t>(count) + kPerWord - 1) / kPerWord * sizeof(long));
  }
}

/// For the argument of a request that does not always say how much it takes.
void prepareRequest(void *argument) {
  constexpr std::size_t kMost = 256;
  fill(argument, kMost);
}

} // namespace

// Paths. Folders that are open are numbers here, and so are functions: the kernel does not see
// them.
TUTTI_READY3(int, open, const char *, int, mode_t)
TUTTI_READY3(int, open64, const char *, int, mode_t)
TUTTI_READY4(int, openat, int, const char *, int, mode_t)
TUTTI_READY4(int, openat64, int, const char *, int, mode_t)
TUTTI_READY2(int, creat, const char *, mode_t)
TUTTI_READY2(int, creat64, const char *, mode_t)
TUTTI_READY2(FILE *, fopen, const char *, const char *)
TUTTI_READY2(FILE *, fopen64, const char *, const char *)
TUTTI_READY3(FILE *, freopen, const char *, const char *, FILE *)
TUTTI_READY3(FILE *, freopen64, const char *, const char *, FILE *)
TUTTI_READY1(std::uintptr_t, opendir, const char *)
TUTTI_READY4(int, scandir, const char *, std::uintptr_t, std::uintptr_t, std::uintptr_t)
TUTTI_READY4(int, scandir64, const char *, std::uintptr_t, std::uintptr_t, std::uintptr_t)
TUTTI_READY2(FILE *, popen, const char *, const char *)
TUTTI_READY1(int, system, const char *)
TUTTI_READY2(int, access, const char *, int)
TUTTI_READY2(int, eaccess, const char *, int)
TUTTI_READY2(int, euidaccess, const char *, int)
TUTTI_READY4(int, faccessat, int, const char *, int, int)
TUTTI_READY2(int, mkdir, const char *, mode_t)
TUTTI_READY3(int, mkdirat, int, const char *, mode_t)
TUTTI_READY2(int, mkfifo, const char *, mode_t)
TUTTI_READY3(int, mkfifoat, int, const char *, mode_t)
TUTTI_READY3(int, mknod, const char *, mode_t, dev_t)
TUTTI_READY4(int, mknodat, int, const char *, mode_t, dev_t)
TUTTI_READY1(int, rmdir, const char *)
TUTTI_READY1(int, unlink, const char *)
TUTTI_READY1(int, remove, const char *)
TUTTI_READY1(int, chdir, const char *)
TUTTI_READY3(int, unlinkat, int, const char *, int)
TUTTI_READY2(int, rename, const char *, const char *)
TUTTI_READY2(int, link, const char *, const char *)
TUTTI_READY2(int, symlink, const char *, const char *)
TUTTI_READY4(int, renameat, int, const char *, int, const char *)
TUTTI_READY5(int, renameat2, int, const char *, int, const char *, unsigned)
TUTTI_READY5(int, linkat, int, const char *, int, const char *, int)
TUTTI_READY3(int, symlinkat, const char *, int, const char *)
TUTTI_READY2(int, truncate, const char *, off_t)
TUTTI_READY2(int, truncate64, const char *, off_t)
TUTTI_READY2(int, chmod, const char *, mode_t)
TUTTI_READY4(int, fchmodat, int, const char *, mode_t, int)
TUTTI_READY3(int, chown, const char *, uid_t, gid_t)
TUTTI_READY3(int, lchown, const char *, uid_t, gid_t)
TUTTI_READY5(int, fchownat, int, const char *, uid_t, gid_t, int)
TUTTI_READY2(long, pathconf, const char *, int)
TUTTI_READY2(int, utime, const char *, const utimbuf *)
TUTTI_READY2(int, memfd_create, const char *, unsigned)
TUTTI_READY3(int, inotify_add_watch, int, const char *, std::uint32_t)
TUTTI_READY2(int, pthread_setname_np, pthread_t, const char *)
TUTTI_READY2(int, execv, const char *, char *const *)
TUTTI_READY2(int, execvp, const char *, char *const *)
TUTTI_READY3(int, execve, const char *, char *const *, char *const *)
TUTTI_READY3(int, execvpe, const char *, char *const *, char *const *)
TUTTI_READY3(int, fexecve, int, char *const *, char *const *)
TUTTI_READY6(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *,
             const posix_spawnattr_t *, char *const *, char *const *)
TUTTI_READY6(int, posix_spawnp, pid_t *, const char *, const posix_spawn_file_actions_t *,
             const posix_spawnattr_t *, char *const *, char *const *)

// What is known of files.
TUTTI_READY2(int, stat, const char *, struct stat *)
TUTTI_READY2(int, lstat, const char *, struct stat *)
TUTTI_READY2(int, stat64, const char *, struct stat64 *)
TUTTI_READY2(int, lstat64, const char *, struct stat64 *)
TUTTI_READY2(int, fstat, int, struct stat *)
TUTTI_READY2(int, fstat64, int, struct stat64 *)
TUTTI_READY4(int, fstatat, int, const char *, struct stat *, int)
TUTTI_READY4(int, fstatat64, int, const char *, struct stat64 *, int)
TUTTI_READY5(int, statx, int, const char *, int, unsigned, struct statx *)
TUTTI_READY3(int, __xstat, int, const char *, struct stat *)
TUTTI_READY3(int, __lxstat, int, const char *, struct stat *)
TUTTI_READY3(int, __xstat64, int, const char *, struct stat64 *)
TUTTI_READY3(int, __lxstat64, int, const char *, struct stat64 *)
TUTTI_READY3(int, __fxstat, int, int, struct stat *)
TUTTI_READY3(int, __fxstat64, int, int, struct stat64 *)
TUTTI_READY5(int, __fxstatat, int, int, const char *, struct stat *, int)
TUTTI_READY5(int, __fxstatat64, int, int, const char *, struct stat64 *, int)
TUTTI_READY2(int, statfs, const char *, struct statfs *)
TUTTI_READY2(int, statfs64, const char *, struct statfs64 *)
TUTTI_READY2(int, statvfs, const char *, struct statvfs *)
TUTTI_READY2(int, statvfs64, const char *, struct statvfs64 *)
TUTTI_READY2(int, fstatfs, int, struct statfs *)
TUTTI_READY2(int, fstatfs64, int, struct statfs64 *)
TUTTI_BEFORE(int, utimes, (const char *path, const timeval *times), (path, times),
             (drainText(path), prepareAll(times, 2)))
TUTTI_BEFORE(int, lutimes, (const char *path, const timeval *times), (path, times),
             (drainText(path), prepareAll(times, 2)))
TUTTI_BEFORE(int, utimensat, (int folder, const char *path, const timespec *times, int flags),
             (folder, path, times, flags), (drainText(path), prepareAll(times, 2)))
TUTTI_BEFORE(int, futimens, (int file, const timespec *times), (file, times), prepareAll(times, 2))
TUTTI_BEFORE(char *, getcwd, (char *buffer, size_t bytes), (buffer, bytes), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, readlink, (const char *path, char *buffer, size_t bytes),
             (path, buffer, bytes), (drainText(path), fill(buffer, bytes)))
TUTTI_BEFORE(ssize_t, readlinkat, (int folder, const char *path, char *buffer, size_t bytes),
             (folder, path, buffer, bytes), (drainText(path), fill(buffer, bytes)))
TUTTI_BEFORE(char *, realpath, (const char *path, char *buffer), (path, buffer),
             (drainText(path), fill(buffer, PATH_MAX)))
TUTTI_BEFORE(int, ttyname_r, (int file, char *buffer, size_t bytes), (file, buffer, bytes),
             fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, getdents64, (int file, void *buffer, size_t bytes), (file, buffer, bytes),
             fill(buffer, bytes))
TUTTI_READY4(ssize_t, sendfile, int, int, off_t *, size_t)
TUTTI_READY4(ssize_t, sendfile64, int, int, off64_t *, size_t)
TUTTI_READY6(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned)
TUTTI_READY6(ssize_t, splice, int, off64_t *, int, off64_t *, size_t, unsigned)
TUTTI_BEFORE(int, fcntl, (int file, int command, void *argument), (file, command, argument),
             prepareRequest(argument))
TUTTI_BEFORE(int, fcntl64, (int file, int command, void *argument), (file, command, argument),
             prepareRequest(argument))
TUTTI_BEFORE(int, ioctl, (int file, unsigned long request, void *argument),
             (file, request, argument), prepareRequest(argument))

// Pipes, sockets and waiting for them.
TUTTI_BEFORE(int, pipe, (int *files), (files), prepareAll(files, 2))
TUTTI_BEFORE(int, pipe2, (int *files, int flags), (files, flags), prepareAll(files, 2))
TUTTI_BEFORE(int, socketpair, (int domain, int type, int protocol, int *sockets),
             (domain, type, protocol, sockets), prepareAll(sockets, 2))
TUTTI_BEFORE(int, bind, (int socket, const void *address, socklen_t length),
             (socket, address, length), drain(address, length))
TUTTI_BEFORE(int, connect, (int socket, const void *address, socklen_t length),
             (socket, address, length), drain(address, length))
TUTTI_BEFORE(int, accept, (int socket, void *address, socklen_t *length), (socket, address, length),
             fillCounted(address, length))
TUTTI_BEFORE(int, getsockname, (int socket, void *address, socklen_t *length),
             (socket, address, length), fillCounted(address, length))
TUTTI_BEFORE(int, getpeername, (int socket, void *address, socklen_t *length),
             (socket, address, length), fillCounted(address, length))
TUTTI_BEFORE(int, accept4, (int socket, void *address, socklen_t *length, int flags),
             (socket, address, length, flags), fillCounted(address, length))
TUTTI_BEFORE(int, getsockopt, (int socket, int level, int option, void *value, socklen_t *length),
             (socket, level, option, value, length), fillCounted(value, length))
TUTTI_BEFORE(int, setsockopt,
             (int socket, int level, int option, const void *value, socklen_t length),
             (socket, level, option, value, length), drain(value, length))
TUTTI_BEFORE(ssize_t, recv, (int socket, void *buffer, size_t bytes, int flags),
             (socket, buffer, bytes, flags), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, recvfrom,
             (int socket, void *buffer, size_t bytes, int flags, void *from, socklen_t *length),
             (socket, buffer, bytes, flags, from, length),
             (fill(buffer, bytes), fillCounted(from, length)))
TUTTI_BEFORE(ssize_t, send, (int socket, const void *buffer, size_t bytes, int flags),
             (socket, buffer, bytes, flags), drain(buffer, bytes))
TUTTI_BEFORE(ssize_t, sendto,
             (int socket, const void *buffer, size_t bytes, int flags, const void *to,
              socklen_t length),
             (socket, buffer, bytes, flags, to, length), (drain(buffer, bytes), drain(to, length)))
TUTTI_BEFORE(ssize_t, recvmsg, (int socket, msghdr *message, int flags), (socket, message, flags),
             fillMessage(message))
TUTTI_BEFORE(ssize_t, sendmsg, (int socket, const msghdr *message, int flags),
             (socket, message, flags), drainMessage(message))
TUTTI_BEFORE(int, recvmmsg,
             (int socket, mmsghdr *messages, unsigned count, int flags, timespec *timeout),
             (socket, messages, count, flags, timeout),
             (prepareMessages(messages, count, fillMessage), prepare(timeout)))
TUTTI_BEFORE(int, sendmmsg, (int socket, mmsghdr *messages, unsigned count, int flags),
             (socket, messages, count, flags), prepareMessages(messages, count, drainMessage))
TUTTI_BEFORE(int, poll, (pollfd * files, nfds_t count, int timeout), (files, count, timeout),
             prepareAll(files, count))
TUTTI_BEFORE(int, ppoll,
             (pollfd * files, nfds_t count, const timespec *timeout, const sigset_t *mask),
             (files, count, timeout, mask),
             (prepareAll(files, count), prepare(timeout), prepare(mask)))
TUTTI_BEFORE(int, select,
             (int count, fd_set *reading, fd_set *writing, fd_set *failing, timeval *timeout),
             (count, reading, writing, failing, timeout),
             (prepareFiles(reading, count), prepareFiles(writing, count),
              prepareFiles(failing, count), prepare(timeout)))
TUTTI_BEFORE(int, pselect,
             (int count, fd_set *reading, fd_set *writing, fd_set *failing, const timespec *timeout,
              const sigset_t *mask),
             (count, reading, writing, failing, timeout, mask),
             (prepareFiles(reading, count), prepareFiles(writing, count),
              prepareFiles(failing, count), prepare(timeout), prepare(mask)))
TUTTI_READY4(int, epoll_ctl, int, int, int, epoll_event *)
TUTTI_BEFORE(int, epoll_wait, (int queue, epoll_event *found, int count, int timeout),
             (queue, found, count, timeout),
             prepareAll(found, static_cast<std::size_t>(std::max(count, 0))))
TUTTI_BEFORE(int, epoll_pwait,
             (int queue, epoll_event *found, int count, int timeout, const sigset_t *mask),
             (queue, found, count, timeout, mask),
             (prepareAll(found, static_cast<std::size_t>(std::max(count, 0))), prepare(mask)))
TUTTI_READY2(int, eventfd_read, int, std::uint64_t *)

// Processes and the machine. Enumerations are `int` here, and ids of timers numbers.
TUTTI_READY1(pid_t, wait, int *)
TUTTI_READY3(pid_t, waitpid, pid_t, int *, int)
TUTTI_READY3(pid_t, wait3, int *, int, rusage *)
TUTTI_READY4(pid_t, wait4, pid_t, int *, int, rusage *)
TUTTI_READY4(int, waitid, int, id_t, siginfo_t *, int)
TUTTI_READY2(int, getrusage, int, rusage *)
TUTTI_READY2(int, getrlimit, int, rlimit *)
TUTTI_READY2(int, getrlimit64, int, rlimit64 *)
TUTTI_READY2(int, setrlimit, int, const rlimit *)
TUTTI_READY2(int, setrlimit64, int, const rlimit64 *)
TUTTI_READY4(int, prlimit, pid_t, int, const rlimit *, rlimit *)
TUTTI_READY4(int, prlimit64, pid_t, int, const rlimit64 *, rlimit64 *)
TUTTI_READY1(int, uname, utsname *)
TUTTI_READY1(int, sysinfo, struct sysinfo *)
TUTTI_READY1(clock_t, times, tms *)
TUTTI_READY3(int, getresuid, uid_t *, uid_t *, uid_t *)
TUTTI_READY3(int, getresgid, gid_t *, gid_t *, gid_t *)
TUTTI_BEFORE(int, getgroups, (int count, gid_t *groups), (count, groups),
             prepareAll(groups, static_cast<std::size_t>(std::max(count, 0))))
TUTTI_BEFORE(int, sched_getaffinity, (pid_t process, size_t bytes, void *processors),
             (process, bytes, processors), fill(processors, bytes))
TUTTI_BEFORE(int, sched_setaffinity, (pid_t process, size_t bytes, const void *processors),
             (process, bytes, processors), drain(processors, bytes))
TUTTI_BEFORE(int, pthread_getaffinity_np, (pthread_t thread, size_t bytes, void *processors),
             (thread, bytes, processors), fill(processors, bytes))
TUTTI_BEFORE(int, pthread_setaffinity_np, (pthread_t thread, size_t bytes, const void *processors),
             (thread, bytes, processors), drain(processors, bytes))
TUTTI_BEFORE(int, pthread_getname_np, (pthread_t thread, char *name, size_t bytes),
             (thread, name, bytes), fill(name, bytes))
TUTTI_READY2(int, sched_getparam, pid_t, sched_param *)
TUTTI_READY2(int, sched_setparam, pid_t, const sched_param *)
TUTTI_READY3(int, sched_setscheduler, pid_t, int, const sched_param *)
TUTTI_READY2(int, sched_rr_get_interval, pid_t, timespec *)

// Time. Clocks are not read here: allocators do that, also while `dlsym` calls them, which would
// look for the next function without end.
TUTTI_READY2(int, clock_getres, clockid_t, timespec *)
TUTTI_READY1(int, adjtimex, timex *)
TUTTI_READY2(int, clock_settime, clockid_t, const timespec *)
TUTTI_READY2(int, nanosleep, const timespec *, timespec *)
TUTTI_READY4(int, clock_nanosleep, clockid_t, int, const timespec *, timespec *)
TUTTI_READY2(int, getitimer, int, itimerval *)
TUTTI_READY3(int, setitimer, int, const itimerval *, itimerval *)
TUTTI_READY3(int, timer_create, clockid_t, sigevent *, std::uintptr_t *)
TUTTI_READY2(int, timer_gettime, std::uintptr_t, itimerspec *)
TUTTI_READY4(int, timer_settime, std::uintptr_t, int, const itimerspec *, itimerspec *)
TUTTI_READY2(int, timerfd_gettime, int, itimerspec *)
TUTTI_READY4(int, timerfd_settime, int, int, const itimerspec *, itimerspec *)

// Signals.
TUTTI_READY3(int, sigprocmask, int, const sigset_t *, sigset_t *)
TUTTI_READY3(int, pthread_sigmask, int, const sigset_t *, sigset_t *)
TUTTI_READY1(int, sigpending, sigset_t *)
TUTTI_READY1(int, sigsuspend, const sigset_t *)
TUTTI_READY2(int, sigwait, const sigset_t *, int *)
TUTTI_READY2(int, sigwaitinfo, const sigset_t *, siginfo_t *)
TUTTI_READY3(int, sigtimedwait, const sigset_t *, siginfo_t *, const timespec *)
TUTTI_READY2(int, sigaltstack, const stack_t *, stack_t *)
TUTTI_READY3(int, signalfd, int, const sigset_t *, int)

// What a program compiled with _FORTIFY_SOURCE calls instead; `room` is the buffer's size.
TUTTI_READY2(int, __open_2, const char *, int)
TUTTI_READY2(int, __open64_2, const char *, int)
TUTTI_READY3(int, __openat_2, int, const char *, int)
TUTTI_READY3(int, __openat64_2, int, const char *, int)
TUTTI_BEFORE(char *, __getcwd_chk, (char *buffer, size_t bytes, size_t room), (buffer, bytes, room),
             fill(buffer, bytes))
TUTTI_BEFORE(char *, __realpath_chk, (const char *path, char *buffer, size_t room),
             (path, buffer, room), (drainText(path), fill(buffer, PATH_MAX)))
TUTTI_BEFORE(ssize_t, __readlink_chk, (const char *path, char *buffer, size_t bytes, size_t room),
             (path, buffer, bytes, room), (drainText(path), fill(buffer, bytes)))
TUTTI_BEFORE(ssize_t, __readlinkat_chk,
             (int folder, const char *path, char *buffer, size_t bytes, size_t room),
             (folder, path, buffer, bytes, room), (drainText(path), fill(buffer, bytes)))
TUTTI_BEFORE(int, __ttyname_r_chk, (int file, char *buffer, size_t bytes, size_t room),
             (file, buffer, bytes, room), fill(buffer, bytes))
TUTTI_BEFORE(int, __getgroups_chk, (int count, gid_t *groups, size_t room), (count, groups, room),
             prepareAll(groups, static_cast<std::size_t>(std::max(count, 0))))
TUTTI_BEFORE(int, __poll_chk, (pollfd * files, nfds_t count, int timeout, size_t room),
             (files, count, timeout, room), prepareAll(files, count))
TUTTI_BEFORE(int, __ppoll_chk,
             (pollfd * files, nfds_t count, const timespec *timeout, const sigset_t *mask,
              size_t room),
             (files, count, timeout, mask, room),
             (prepareAll(files, count), prepare(timeout), prepare(mask)))
TUTTI_BEFORE(ssize_t, __recv_chk, (int socket, void *buffer, size_t bytes, size_t room, int flags),
             (socket, buffer, bytes, room, flags), fill(buffer, bytes))
TUTTI_BEFORE(ssize_t, __recvfrom_chk,
             (int socket, void *buffer, size_t bytes, size_t room, int flags, void *from,
              socklen_t *length),
             (socket, buffer, bytes, room, flags, from, length),
             (fill(buffer, bytes), fillCounted(from, length)))
