// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace tutti::log {

namespace {

std::atomic<Level> currentLevel{Level::Warn};
std::atomic<std::int32_t> currentRank{-1};
FatalHandler fatalHandler;
static_assert(std::atomic<std::int32_t>::is_always_lock_free);

/// One line in a fixed buffer: formatting must work where the heap may be
/// locked or broken.
class Line {
public:
  Line(fmt::string_view format, fmt::format_args args) {
    if (const std::int32_t rank = currentRank.load(std::memory_order_relaxed); rank >= 0) {
      append("tutti: rank {}: ", fmt::make_format_args(rank));
    } else {
      append("tutti: ", fmt::make_format_args());
    }
    append(format, args);
    // Control characters inside the message would break "one line" for whoever
    // filters by line.
    std::replace(text_.begin(), text_.begin() + length_, '\n', ' ');
    text_[length_++] = '\n';
  }

  std::string_view text() const { return {text_.data(), length_}; }

  void print() const {
    const int before = errno;
    std::string_view rest = text();
    while (!rest.empty()) {
      const ssize_t done = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (done > 0) {
        rest.remove_prefix(static_cast<std::size_t>(done));
      } else if (done == 0 || errno != EINTR) {
        break; // Nowhere left to complain.
      }
    }
    errno = before;
  }

private:
  /// PIPE_BUF of Linux: up to here lines of several processes do not mix in a
  /// pipe.
  static constexpr std::size_t kCapacity = 4096;

  void append(fmt::string_view format, fmt::format_args args) {
    const std::size_t room = kCapacity - 1 - length_;
    const auto end = fmt::vformat_to_n(text_.data() + length_, room, format, args);
    length_ += std::min(end.size, room);
  }

  std::array<char, kCapacity> text_;
  std::size_t length_ = 0;
};

/// The thread that ends the job; 0 as long as none does.
std::atomic<pid_t> ending{0};

/// What goes wrong at the same time, or because the job is being ended, is not said: one thread has
/// the last line. It may not come to the end, so nobody waits forever.
class Ending {
public:
  Ending() {
    constexpr unsigned kSeconds = 10;
    const pid_t self = gettid();
    pid_t other = 0;
    if (ending.compare_exchange_strong(other, self) || other == self) {
      return;
    }
    for (unsigned left = kSeconds; left > 0; left = ::sleep(left)) {
    }
    std::_Exit(EXIT_FAILURE);
  }

  Ending(const Ending &) = delete;
  Ending &operator=(const Ending &) = delete;

  ~Ending() { ending.store(0); } // A handler has thrown.
};

} // namespace

void setLevel(Level level) { currentLevel.store(level, std::memory_order_relaxed); }

void setRank(std::int32_t rank) { currentRank.store(rank, std::memory_order_relaxed); }

FatalHandler setFatalHandler(FatalHandler handler) { return std::exchange(fatalHandler, handler); }

namespace detail {

void write(Level level, fmt::string_view format, fmt::format_args args) {
  if (level <= currentLevel.load(std::memory_order_relaxed)) {
    Line(format, args).print();
  }
}

void writeFatal(fmt::string_view format, fmt::format_args args) {
  const Ending alone;
  const Line line(format, args);
  line.print();
  if (fatalHandler.call) {
    const std::string_view text = line.text();
    fatalHandler.call(fatalHandler.context, text.substr(0, text.size() - 1));
  }
  std::_Exit(EXIT_FAILURE);
}

} // namespace detail

} // namespace tutti::log
