// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/mpi/status.h"

#include <array>

namespace tutti::transport::mpi {

namespace {

ErrorCode codeOf(int errorClass) {
  switch (errorClass) {
  case MPI_ERR_TRUNCATE:
    return ErrorCode::SizeMismatch;
  case MPI_ERR_NO_MEM:
    return ErrorCode::OutOfMemory;
  case MPI_ERR_RANK:
  case MPI_ERR_TAG:
  case MPI_ERR_COUNT:
    return ErrorCode::InvalidArgument;
  default:
    return ErrorCode::TransportFailed;
  }
}

} // namespace

Status statusOf(int code, const char *call, std::source_location where) {
  if (code == MPI_SUCCESS) {
    return {};
  }
  int errorClass = MPI_ERR_OTHER;
  MPI_Error_class(code, &errorClass);
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return Error{codeOf(errorClass), fmt::format("{}: {}", call, text.data()), code, where};
}

} // namespace tutti::transport::mpi
