/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file Tasks whose bodies give work to a CUDA device themselves. */
#ifndef TUTTI_NANOS6_CUDA_DEVICE_H
#define TUTTI_NANOS6_CUDA_DEVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/** As in <cuda_runtime.h>, which need not be there. */
typedef struct CUstream_st *cudaStream_t;

void *tutti_task_queue(void);

/** The stream of the calling task, whose device is the current one. The task ends when what has been
    given to the stream is done. Null outside of the body of a task with device(cuda). */
static inline cudaStream_t nanos6_get_current_cuda_stream(void) {
  return (cudaStream_t)tutti_task_queue();
}

#ifdef __cplusplus
}
#endif

#endif
