#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that must end, and says where its processes stand if it does not.

usage: limits.py SECONDS COMMAND...

A limit is for programs that hang; it leaves those time that only wait for their turn on a busy machine.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import uuid

GDB = shutil.which("gdb")
SECONDS_TO_LOOK = 300  # At one process.
SECONDS_TO_STOP = 5


class OutOfTime(Exception):
    """The message says where the processes of a command stood."""


class Mark:
    """Processes that a command starts are known by a variable that they inherit."""

    def __init__(self):
        self.name = f"TEST_RUN_{uuid.uuid4().hex}"
        self.environment = {self.name: "1"}

    def processes(self):
        """Their ids, by rank."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and self.name in variables(entry.name):
                found.append(int(entry.name))
        return sorted(found, key=lambda pid: (rank(pid) is None, rank(pid), pid))

    def kill(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def stop(self, process):
        """Ends the processes; the one that started the others gets the chance to clean up."""
        process.terminate()
        end = time.monotonic() + SECONDS_TO_STOP
        while self.processes() and time.monotonic() < end:
            process.poll()
            time.sleep(0.1)
        while self.processes():  # One may start another before it ends.
            self.kill()


def variables(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)


def rank(pid):
    environment = variables(pid)
    number = environment.get("OMPI_COMM_WORLD_RANK", environment.get("PMI_RANK"))
    return None if number is None else int(number)


def where(pids, gdb=GDB):
    """What each process is and where each of its threads stands."""
    lines = []
    for pid in pids:
        number = rank(pid)
        name = f"process {pid}" if number is None else f"rank {number}, process {pid}"
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
        except OSError:
            continue  # It has ended.
        lines.append(f"{name}: {shlex.join(words.split(chr(0))[:-1])[:200]}")
        found = gdb and calls(pid, gdb) or waits(pid)
        lines += [f"  {line}" for line in found]
    return "\n".join(lines)


def calls(pid, gdb):
    """Functions by thread; nothing where gdb may not look."""
    try:
        output = subprocess.run(
            [gdb, "-nx", "-q", "-batch", "-iex", "set debuginfod enabled off", "-iex",
             "set auto-load off", "-p", str(pid), "-ex", "thread apply all backtrace 40"],
            text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=SECONDS_TO_LOOK).stdout
    except subprocess.TimeoutExpired:
        return []
    return re.findall(r"^(?:Thread \d.*|#\d.*)", output, re.M) if "\n#0 " in output else []


def waits(pid):
    """What the kernel says of each thread."""
    lines = []
    for task in sorted(pathlib.Path(f"/proc/{pid}/task").glob("*")):
        texts = {}
        for name in "comm", "stat", "wchan", "syscall", "stack":
            try:
                texts[name] = (task / name).read_text(errors="replace").strip()
            except OSError:
                texts[name] = "?"
        state = texts["stat"].rpartition(")")[2].split()[:1]
        lines.append(f"Thread {task.name} \"{texts['comm']}\": state {' '.join(state)}, "
                     f"waits in {texts['wchan']}, system call {texts['syscall']}")
        lines += [f"  {line}" for line in texts["stack"].splitlines() if line != "?"]
    return lines


def run(command, seconds, environment=None, stdin="", folder=None):
    """The completed process, with its output and errors as text.

    Errors: OutOfTime  it, or one that it left behind with its files, went on; all are ended.
    """
    mark = Mark()
    process = subprocess.Popen(
        command, env={**os.environ, **(environment or {}), **mark.environment}, cwd=folder,
        text=True, errors="replace", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, start_new_session=True)
    try:
        output, errors = process.communicate(stdin, seconds)
    except subprocess.TimeoutExpired:
        stands = where(mark.processes())
        mark.stop(process)
        output, errors = process.communicate()
        settings = " ".join(f"{k}={v}" for k, v in (environment or {}).items())
        last = "\n".join([*output.splitlines()[-5:], *errors.splitlines()[-12:]])
        raise OutOfTime(f"{settings} {shlex.join(map(str, command))}\nno end after {seconds:.0f} s\n"
                        f"{stands}\n{last}") from None
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def main():
    seconds, command = float(sys.argv[1]), sys.argv[2:]
    mark = Mark()
    process = subprocess.Popen(command, env={**os.environ, **mark.environment})
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        print(f"no end after {seconds:.0f} s\n{where(mark.processes())}", flush=True)
        mark.stop(process)
        return 1
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
