// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/handle_socket.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

namespace tutti::exec {

namespace {

struct Header {
  std::uint64_t secret;
  Rank from;
};

/// Room for the handles of a message, as the system lays them out.
struct Attached {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(HandleSocket::kMost * sizeof(int))> bytes;
};

Error systemFailure(const char *what) {
  return nativeFailure(ErrorCode::SystemFailed, errno, "cannot {}: {}", what, std::strerror(errno));
}

/// An abstract name begins with a zero.
std::pair<sockaddr_un, socklen_t> systemAddress(const std::array<char, 16> &name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  return {address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())};
}

} // namespace

Result<HandleSocket> HandleSocket::open() {
  HandleSocket made;
  made.socket_ = Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.socket_.number() < 0 ||
      ::getrandom(&made.address_, sizeof made.address_, 0) != sizeof made.address_) {
    return systemFailure("make a socket");
  }
  const auto [address, length] = systemAddress(made.address_.name);
  if (::bind(made.socket_.number(), reinterpret_cast<const sockaddr *>(&address), length) != 0) {
    return systemFailure("name a socket");
  }
  return made;
}

Result<bool> HandleSocket::send(const Address &to, Rank self,
                                std::span<const Descriptor> handles) const {
  TUTTI_CHECK(!handles.empty() && handles.size() <= kMost, "send {} handles", handles.size());
  auto [address, length] = systemAddress(to.name);
  Header header{to.secret, self};
  iovec part{&header, sizeof header};
  Attached attached{};
  msghdr message{};
  message.msg_name = &address;
  message.msg_namelen = length;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = attached.bytes.data();
  message.msg_controllen = CMSG_SPACE(handles.size() * sizeof(int));
  cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(handles.size() * sizeof(int));
  unsigned char *at = CMSG_DATA(rights);
  for (const Descriptor &handle : handles) {
    const int number = handle.number();
    std::memcpy(at, &number, sizeof number);
    at += sizeof number;
  }
  if (::sendmsg(socket_.number(), &message, MSG_NOSIGNAL) >= 0) {
    return true;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR ||
      errno == ETOOMANYREFS) {
    return false;
  }
  return systemFailure("hand memory of a device to another process");
}

/// Whether there was a message. One of a stranger counts, too.
Result<bool> HandleSocket::receiveNext() {
  Header header{};
  iovec part{&header, sizeof header};
  Attached attached{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = attached.bytes.data();
  message.msg_controllen = attached.bytes.size();
  const auto bytes = ::recvmsg(socket_.number(), &message, MSG_CMSG_CLOEXEC);
  if (bytes < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    }
    return errno == EINTR ? Result<bool>(true)
                          : systemFailure("take memory of a device from another process");
  }
  std::vector<Descriptor> handles; // Closed if they are not wanted.
  for (cmsghdr *rights = CMSG_FIRSTHDR(&message); rights; rights = CMSG_NXTHDR(&message, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const unsigned char *at = CMSG_DATA(rights);
    const unsigned char *end = reinterpret_cast<unsigned char *>(rights) + rights->cmsg_len;
    for (; at + sizeof(int) <= end; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, at, sizeof number);
      handles.emplace_back(number);
    }
  }
  const bool isWhole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  if (bytes == sizeof header && header.secret == address_.secret && isWhole) {
    waiting_[header.from].push_back(std::move(handles));
  }
  return true;
}

Result<std::vector<Descriptor>> HandleSocket::receive(Rank from) {
  std::deque<std::vector<Descriptor>> &queue = waiting_[from];
  bool isMore = socket_.number() >= 0;
  while (queue.empty() && isMore) {
    TUTTI_ASSIGN(isMore, receiveNext());
  }
  std::vector<Descriptor> handles;
  if (!queue.empty()) {
    handles = std::move(queue.front());
    queue.pop_front();
  }
  return handles;
}

} // namespace tutti::exec
