#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that has to fail, and checks what it says.

usage: check_failure.py STATUS SAYS -- COMMAND...

The command must end with that status, soon, and one line of ours on it must hold the expression
SAYS; "-" if nothing is to be said.
"""
import re
import subprocess
import sys

# As long as all nodes may take that wait for others, on a machine that is busy with other work.
SECONDS = 60


def main():
    status, says = int(sys.argv[1]), sys.argv[2]
    run = subprocess.run(sys.argv[4:], text=True, capture_output=True, timeout=SECONDS)
    output = run.stdout + run.stderr
    print(output)
    if run.returncode != status:
        sys.exit(f"exit status {run.returncode} in place of {status}")
    lines = [line for line in output.splitlines() if line.startswith("tutti: ")]
    if says == "-":
        if lines:
            sys.exit("there should be no line")
    elif len(lines) != 1 or not re.search(says, lines[0]):
        sys.exit(f"there should be one line with: {says}")


main()
