#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and checks what its ranks have counted.

usage: check_run.py [--expect CONDITION]... -- COMMAND...

The command must end with status 0 and print "ok". A condition is a Python expression over the
members of its "tutti-stats:" line, for example "steady.faults == 0".
"""
import json
import os
import subprocess
import sys
import types


def main():
    split = sys.argv.index("--")
    conditions = [word for word in sys.argv[1:split] if word != "--expect"]
    environment = dict(os.environ, TUTTI_STATS="json")
    environment.setdefault("TUTTI_DISTRIBUTE", "always")
    environment.setdefault("TUTTI_BALANCE", "off")  # Counters are to be the same from run to run.
    run = subprocess.run(sys.argv[split + 1:], env=environment, text=True, capture_output=True)
    output = run.stdout + run.stderr
    print(output)
    if run.returncode != 0 or not any(line.startswith("ok") for line in output.splitlines()):
        sys.exit(f"exit status {run.returncode}")
    if not conditions:
        return
    line = next(line for line in output.splitlines() if line.startswith("tutti-stats: "))
    stats = json.loads(line.removeprefix("tutti-stats: "),
                       object_hook=lambda members: types.SimpleNamespace(**members))
    for condition in conditions:
        if not eval(condition, {}, vars(stats)):
            sys.exit(f"not true: {condition}")


main()
