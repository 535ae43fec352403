// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What CUDA versions of LuNA's procedures see of data fragments: <ucenv_gpu.h>.
///
/// For a fragment that is imported as `code` and has the mark `: CUDA` the version is a function
/// `extern "C" void code_cuda(luna::gpu::Queue &, ...)` with the parameters of `code`, where a
/// `value` is a `const luna::gpu::In &` and a `name` a `luna::gpu::Out &`. It runs on the host and
/// gives work to `stream()`, and to no other stream; it does not synchronise, and keeps no pointer.
/// All that it got stays until that work is over. The stream's device is the current one.
#pragma once

#if !defined(TUTTI_LUNA_PLAIN) && __has_include(<cuda_runtime.h>)
#include <cuda_runtime.h>

#include "luna_native_error.h"
#else
struct CUstream_st;
typedef CUstream_st *cudaStream_t;
#endif

#include <cstddef>

namespace luna {
namespace gpu {

class Queue {
public:
  virtual ~Queue() {}

  virtual cudaStream_t stream() const = 0;
  virtual int device() const = 0; ///< As cudaSetDevice knows it.
};

/// A data fragment that is read.
class In {
public:
  virtual ~In() {}

  virtual size_t size() const = 0;     ///< Bytes.
  virtual const void *raw() const = 0; ///< In memory of the device.

  template <class T> const T *data() const { return static_cast<const T *>(raw()); }
};

/// A data fragment that is made: by one of these, once.
class Out {
public:
  virtual ~Out() {}

  virtual void *allocate(size_t bytes) = 0; ///< In memory of the device; at least 256-byte aligned.
  virtual void set_int(int value) = 0;      ///< A number that the host knows.
  virtual void set_real(double value) = 0;

  template <class T> T *create(size_t count) {
    return static_cast<T *>(allocate(count * sizeof(T)));
  }
};

} // namespace gpu
} // namespace luna
