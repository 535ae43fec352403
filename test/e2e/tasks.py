# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of test/tasks, which make tasks by the calls that compiled code has."""
import json
import re

from commands import require
from harness import ROOT, Program, tail

WORKERS = (1, 2, 4)
PROGRAMS = ("loops", "orders", "reduces", "waits")
SHAPES = ("fibonacci", "ready", "chain", "depth", "tree")
MOST_MEGABYTES = 300  # A million tasks at once would be as much.


def program(name):
    return Program(f"tasks-{name}", [ROOT / f"test/tasks/{name}.cpp"], ["-O1", "-g", f"-I{ROOT}"])


def passes(workshop, name, words, workers, ranks=1):
    result = workshop.launch(program(name), words, ranks, {"TUTTI_WORKERS": str(workers)})
    require(result.status == 0 and result.output.endswith("passed\n"),
            f"{name} {' '.join(words)}, {workers} workers, {ranks} ranks: status {result.status}\n"
            f"{tail(result.output)}\n{tail(result.errors)}")
    return result.output


def many_tasks_take_bounded_memory(workshop, shape, workers):
    output = passes(workshop, "many", [str(workers), shape], workers)
    megabytes = int(re.search(r"most memory (\d+) MB", output)[1])
    require(megabytes < MOST_MEGABYTES, f"{shape}: {megabytes} MB")


def what_is_wrong_is_said_in_one_line(workshop):
    for words, said in (("release", r"tutti: .*wrong.cpp:7: task the one releases what it has not named"),
                        ("reduction", r"tutti: .*task the one: there is no reduction 4 of type 10"),
                        ("description", r"tutti: .*tutti_task_access outside of the description")):
        result = workshop.launch(program("wrong"), [words], 1)
        require(result.status == 1 and "goes on" not in result.output, f"{words}: {result}")
        require(len(result.errors.splitlines()) == 1 and re.match(said, result.errors),
                f"{words}: {result.errors}")


def tasks_are_counted(workshop):
    result = workshop.launch(program("orders"), [], 1, {"TUTTI_WORKERS": "2", "TUTTI_STATS": "json"})
    counts = json.loads(re.search(r"^tutti-tasks: (.*)$", result.errors, re.M)[1])
    require(counts["workers"] == 2 and counts["created"] >= counts["run"] > 3000, str(counts))


def programs_without_tasks_have_one_thread(workshop):
    source = workshop.folder / "alone.cpp"
    source.write_text('#include <filesystem>\n#include <cstdio>\n'
                      'int main() { int threads = 0; namespace fs = std::filesystem;\n'
                      'for (auto &each : fs::directory_iterator("/proc/self/task")) threads += each.exists();\n'
                      'std::printf("%d\\n", threads); }\n')
    result = workshop.launch(Program("tasks-alone", [source], ["-O1"]), [], 1, {"TUTTI_WORKERS": "4"})
    require(result.output == "1\n", result.output)


def all_checks():
    """Pairs (name, function of the workshop)."""
    checks = [(check.__name__, check) for check in
              (what_is_wrong_is_said_in_one_line, tasks_are_counted,
               programs_without_tasks_have_one_thread)]
    for workers in WORKERS:
        checks += [(f"{name}/{workers}", lambda w, n=name, k=workers: passes(w, n, [], k))
                   for name in PROGRAMS]
        checks += [(f"many/{shape}/{workers}",
                    lambda w, s=shape, k=workers: many_tasks_take_bounded_memory(w, s, k))
                   for shape in SHAPES]
        checks += [(f"ends/{how}/{workers}",
                    lambda w, h=how, k=workers: passes(w, "ends", [h], k))
                   for how in ("return", "exit", "task")]
    for ranks in (2, 3):
        checks += [(f"{name}/ranks/{ranks}", lambda w, n=name, r=ranks: passes(w, n, [], 2, r))
                   for name in (*PROGRAMS, "ends")]
    return checks
