// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/exec/part_output.h"

#include "base/check.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

namespace tutti::exec {

namespace {

/// In front of what a thread has printed to one stream in one go: how long that is, doubled, and 1
/// for standard error.
using Header = std::uint64_t;

/// Calls `visit(isError, bytes)` for each piece of a text.
template <typename Visit> void forEachPiece(std::span<const std::byte> text, Visit &&visit) {
  while (!text.empty()) {
    Header header = 0;
    TUTTI_CHECK(text.size() >= sizeof header, "read what a part has printed");
    std::memcpy(&header, text.data(), sizeof header);
    text = text.subspan(sizeof header);
    TUTTI_CHECK(text.size() >= header / 2, "read what a part has printed");
    visit((header & 1) != 0, text.first(header / 2));
    text = text.subspan(header / 2);
  }
}

/// The part that is to be told of if this process is aborted.
std::atomic<PartOutput *> running{nullptr};

void onAbort(int number) {
  std::signal(number, SIG_DFL);
  if (PartOutput *output = running.load()) {
    output->writeAtAbort();
  }
  std::raise(number);
}

/// Where nobody else has asked for it: only rank 0 runs what the program installs.
void watchForAborts() {
  struct sigaction before = {};
  if (sigaction(SIGABRT, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
    std::signal(SIGABRT, onAbort);
  }
}

} // namespace

/// What one thread has printed in one piece of the part.
struct PartOutput::Voice {
  std::vector<std::byte> text;
  std::optional<std::size_t> latest; ///< Where the header of the latest piece of text is.
  std::array<std::unique_ptr<Stream>, 2> streams;

  void add(bool isError, std::span<const std::byte> bytes) {
    Header header = isError ? 1 : 0;
    if (latest) {
      std::memcpy(&header, text.data() + *latest, sizeof header);
    }
    if (!latest || (header & 1) != (isError ? 1 : 0)) {
      header = isError ? 1 : 0;
      latest = text.size();
      text.resize(text.size() + sizeof header);
    }
    header += 2 * bytes.size();
    std::memcpy(text.data() + *latest, &header, sizeof header);
    text.insert(text.end(), bytes.begin(), bytes.end());
  }
};

/// A stream of the C library whose text goes to a voice. Nothing stays in its own buffer, so that
/// the order among both streams of a voice is that of the calls.
class PartOutput::Stream {
public:
  Stream(PartOutput &output, Voice &voice, bool isError)
      : output_(output), voice_(voice), isError_(isError) {
    file_ = fopencookie(this, "w", {nullptr, write, nullptr, nullptr});
    TUTTI_CHECK(file_, "open a stream for what a loop prints: {}", std::strerror(errno));
    std::setvbuf(file_, nullptr, _IONBF, 0);
  }

  ~Stream() { std::fclose(file_); }

  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  std::FILE *file() const { return file_; }

private:
  static ssize_t write(void *cookie, const char *bytes, std::size_t count) {
    auto &stream = *static_cast<Stream *>(cookie);
    const ScopedLock lock(stream.output_.mutex_);
    stream.voice_.add(stream.isError_, std::as_bytes(std::span(bytes, count)));
    return static_cast<ssize_t>(count);
  }

  PartOutput &output_;
  Voice &voice_;
  std::FILE *file_ = nullptr;
  bool isError_;
};

void writeText(std::span<const std::byte> text) {
  forEachPiece(text, [](bool isError, std::span<const std::byte> bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), isError ? stderr : stdout);
  });
}

PartOutput::PartOutput(bool isDirect) : isDirect_(isDirect) {
  if (!isDirect) {
    watchForAborts();
    running.store(this);
  }
}

PartOutput::~PartOutput() {
  PartOutput *own = this;
  running.compare_exchange_strong(own, nullptr);
}

std::FILE *PartOutput::streamFor(std::int64_t piece, std::int32_t thread, std::FILE *stream) {
  if (isDirect_) {
    return stream;
  }
  const bool isError = stream == stderr;
  const ScopedLock lock(mutex_);
  std::unique_ptr<Voice> &voice = voices_[{piece, thread}];
  if (!voice) {
    voice = std::make_unique<Voice>();
  }
  std::unique_ptr<Stream> &own = voice->streams[isError ? 1 : 0];
  if (!own) {
    own = std::make_unique<Stream>(*this, *voice, isError);
  }
  return own->file();
}

void PartOutput::end(std::int32_t status) {
  const ScopedLock lock(mutex_);
  if (!status_) {
    status_ = status;
  }
}

Printed PartOutput::take() {
  const ScopedLock lock(mutex_);
  Printed printed{{}, status_};
  for (auto &[key, voice] : voices_) {
    printed.text.insert(printed.text.end(), voice->text.begin(), voice->text.end());
    voice->text = {};
    voice->latest.reset();
  }
  return printed;
}

/// Not analysed: the lock may not be to be had. Whoever holds it may be who aborts.
void PartOutput::writeAtAbort() TUTTI_NO_THREAD_SAFETY_ANALYSIS {
  constexpr int kPatience = 1000;
  bool isHeld = false;
  for (int i = 0; i < kPatience && !isHeld; ++i) {
    isHeld = mutex_.tryLock();
    if (!isHeld) {
      sched_yield();
    }
  }
  if (!isHeld) {
    return;
  }
  for (const auto &[key, voice] : voices_) {
    forEachPiece(voice->text, [](bool isError, std::span<const std::byte> bytes) {
      while (!bytes.empty()) {
        const ssize_t written =
            ::write(isError ? STDERR_FILENO : STDOUT_FILENO, bytes.data(), bytes.size());
        if (written <= 0) {
          return;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
      }
    });
  }
  mutex_.unlock();
}

} // namespace tutti::exec
