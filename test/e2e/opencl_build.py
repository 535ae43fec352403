#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds all OpenCL C in an executable on the first OpenCL device, as the runtime does.

usage: opencl_build.py EXECUTABLE

Prints how many texts there are, or what the device's compiler says. Status 2: no OpenCL device.
"""
import ctypes
import pathlib
import re
import sys

TEXT = re.compile(rb"#pragma OPENCL [^\0]*")
ALL_DEVICES = 0xFFFFFFFF
BUILD_LOG = 0x1183


def first_device(opencl):
    """A context and its device, or None."""
    count = ctypes.c_uint()
    if opencl.clGetPlatformIDs(0, None, ctypes.byref(count)) != 0:
        return None
    platforms = (ctypes.c_void_p * count.value)()
    opencl.clGetPlatformIDs(count, platforms, None)
    for platform in platforms:
        device = ctypes.c_void_p()
        if opencl.clGetDeviceIDs(ctypes.c_void_p(platform), ctypes.c_uint64(ALL_DEVICES), 1,
                                 ctypes.byref(device), None) == 0:
            context = opencl.clCreateContext(None, 1, ctypes.byref(device), None, None, None)
            return ctypes.c_void_p(context), device
    return None


def build(opencl, context, device, text):
    """What the compiler says of a text that it refuses, else nothing."""
    source = ctypes.c_char_p(text)
    program = ctypes.c_void_p(opencl.clCreateProgramWithSource(context, 1, ctypes.byref(source),
                                                               None, None))
    status = opencl.clBuildProgram(program, 1, ctypes.byref(device), b"-cl-std=CL1.2", None, None)
    log = ctypes.create_string_buffer(4000)
    opencl.clGetProgramBuildInfo(program, device, BUILD_LOG, len(log), log, None)
    opencl.clReleaseProgram(program)
    return "" if status == 0 else f"error {status}: {log.value.decode(errors='replace')}"


def main():
    try:
        opencl = ctypes.CDLL("libOpenCL.so.1")
    except OSError:
        return 2
    for name in "clCreateContext", "clCreateProgramWithSource":
        getattr(opencl, name).restype = ctypes.c_void_p
    found = first_device(opencl)
    if not found:
        return 2
    texts = sorted(set(TEXT.findall(pathlib.Path(sys.argv[1]).read_bytes())))
    for text in texts:
        said = build(opencl, *found, text)
        if said:
            print(re.findall(rb"__kernel void (\w+)", text), said)
            return 1
    print(len(texts))
    return 0


sys.exit(main())
