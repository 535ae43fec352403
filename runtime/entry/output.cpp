// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Entry points for regions that print.
#include "runtime/entry/output.h"

#include "abi/output.h"
#include "runtime/entry/exports.h"

#include <cstdio>
#include <cstdlib>
#include <ext/stdio_sync_filebuf.h>
#include <iostream>
#include <locale>
#include <omp.h>
#include <optional>
#include <streambuf>

namespace tutti::entry {

namespace {

/// A stream of the C++ library that writes to one of the C library. Nothing stays in it.
class Object final : private std::streambuf, public std::ostream {
public:
  Object() : std::ostream(static_cast<std::streambuf *>(this)) {}

  std::ostream &leadingTo(std::FILE *file) {
    file_ = file;
    return *this;
  }

private:
  std::streamsize xsputn(const char *bytes, std::streamsize count) override {
    return static_cast<std::streamsize>(
        std::fwrite(bytes, 1, static_cast<std::size_t>(count), file_));
  }

  std::streambuf::int_type overflow(std::streambuf::int_type letter) override {
    using Traits = std::streambuf::traits_type;
    return Traits::eq_int_type(letter, Traits::eof()) ? Traits::not_eof(letter)
                                                      : std::fputc(letter, file_);
  }

  std::FILE *file_ = nullptr;
};

exec::PartOutput *outputOf(const tutti_chunk &chunk) {
  return static_cast<exec::PartOutput *>(chunk.output);
}

std::FILE *streamFor(const tutti_chunk &chunk, std::FILE *stream) {
  exec::PartOutput *output = outputOf(chunk);
  return output ? output->streamFor(chunk.lower, omp_get_ancestor_thread_num(1), stream) : stream;
}

} // namespace

bool areStreamsPlain() {
  const auto isPlain = [](const std::ostream &stream) {
    const std::ios_base::fmtflags usual = std::ios_base::skipws | std::ios_base::dec;
    return (stream.flags() & ~std::ios_base::unitbuf) == usual && stream.precision() == 6 &&
           stream.width() == 0 && stream.fill() == ' ' && stream.good() &&
           stream.exceptions() == std::ios_base::goodbit &&
           stream.getloc() == std::locale::classic() &&
           dynamic_cast<__gnu_cxx::stdio_sync_filebuf<char> *>(stream.rdbuf());
  };
  return isPlain(std::cout) && isPlain(std::cerr);
}

void writeOutput(const std::vector<exec::Printed> &parts) {
  std::optional<std::int32_t> status;
  for (const exec::Printed &part : parts) {
    exec::writeText(part.text);
    status = status ? status : part.status;
  }
  if (status) {
    std::exit(*status);
  }
}

} // namespace tutti::entry

TUTTI_EXPORT void *tutti_output(const tutti_chunk *chunk, void *stream) {
  return tutti::entry::streamFor(*chunk, static_cast<std::FILE *>(stream));
}

TUTTI_EXPORT void *tutti_output_object(const tutti_chunk *chunk, void *stream,
                                       std::int32_t isError) {
  thread_local tutti::entry::Object out;
  thread_local tutti::entry::Object error;
  std::FILE *usual = isError != 0 ? stderr : stdout;
  std::FILE *file = tutti::entry::streamFor(*chunk, usual);
  if (file == usual) {
    return stream;
  }
  return &(isError != 0 ? error : out).leadingTo(file);
}

TUTTI_EXPORT void tutti_exit(const tutti_chunk *chunk, std::int32_t status) {
  if (!chunk->output) {
    std::exit(status);
  }
  tutti::entry::outputOf(*chunk)->end(status);
}
