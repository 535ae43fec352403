/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file All of the interface between OmpSs-2 programs and the runtime. */
#ifndef TUTTI_NANOS6_H
#define TUTTI_NANOS6_H

#include <nanos6/blocking.h>
#include <nanos6/cluster.h>
#include <nanos6/cuda_device.h>
#include <nanos6/debug.h>
#include <nanos6/directory.h>
#include <nanos6/events.h>
#include <nanos6/library-mode.h>
#include <nanos6/task-instantiation.h>

#endif
