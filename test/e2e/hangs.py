# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests do with a program that does not end: they end it and say where its processes stand."""
import pathlib
import re
import subprocess
import time

from commands import require
from harness import Failure, Program, limits

HANGS = """
#include <unistd.h>
__attribute__((noinline)) void wait_in_vain(void) {
  for (;;) {
    pause();
  }
}
int main(void) { wait_in_vain(); }
"""


def a_program_that_hangs_is_ended(workshop):
    source = workshop.folder / "hangs.c"
    source.write_text(HANGS)
    binary = workshop.compiled(Program("hangs", [source], ["-O1", "-g"]), tutti=True)
    # A few seconds do where the ranks start at once, as they do on a machine that is not busy.
    for seconds in 2, 10, 60:
        text = what_is_said_of(workshop, ["-n", "2", str(binary)], seconds)
        require(f"no end after {seconds} s" in text, text)
        require(not running(binary), f"left behind: {running(binary)}")
        shown = by_rank(text)
        if len(shown) == 2 and (limits.GDB is None or "wait_in_vain" in shown[0]):
            break
    require(sorted(shown) == [0, 1], text)
    if limits.GDB is not None:
        require("wait_in_vain" in shown[0] and re.search(r"^ +#3 ", shown[1], re.M), text)


def what_is_said_of(workshop, words, seconds):
    try:
        workshop.execute([str(workshop.bin / "tuttirun"), *words], {}, "", seconds)
    except Failure as failure:
        return str(failure)
    return "it ended"


def by_rank(text):
    """What is said of the processes of each rank."""
    parts = re.split(r"^(?:rank (\d+), )?process \d+: ", text, flags=re.M)
    found = {}
    for number, stands in zip(parts[1::2], parts[2::2]):
        if number is not None:
            found[int(number)] = found.get(int(number), "") + stands
    return found


def running(binary):
    listing = subprocess.run(["ps", "-eo", "pid=,args="], text=True, capture_output=True).stdout
    return [line for line in listing.splitlines() if line.split()[1:] == [str(binary)]]


def without_gdb_the_kernel_says_where_threads_stand(workshop):
    process = subprocess.Popen(["sleep", "1000"])
    state = pathlib.Path(f"/proc/{process.pid}/stat")
    try:
        for _ in range(600):  # It may not have begun to sleep, or not even be the new program.
            if ") S " in state.read_text():
                break
            time.sleep(0.1)
        text = limits.where([process.pid], gdb=None)
    finally:
        process.kill()
        process.wait()
    require(re.fullmatch(rf"process {process.pid}: sleep 1000\n"
                         rf"  Thread {process.pid} \"\w+\": state \w, waits in \S+, system call .*"
                         r"(\n   .*)*", text) is not None, text)


def all_checks():
    """(name, function of the workshop)"""
    return [(f.__name__, f) for f in (a_program_that_hangs_is_ended,
                                      without_gdb_the_kernel_says_where_threads_stand)]
