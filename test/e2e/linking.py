# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the link step does for loops that call functions of other files, and what it must not do."""
import re
import tempfile

from harness import Failure, counters, tail

LOOP = """
#include <stdio.h>
double other(double x);
static double a[4096];
int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 4096; ++i) a[i] = other(i);
  double sum = 0;
  for (int i = 0; i < 4096; ++i) sum += a[i];
  printf("%.10g\\n", sum);
}
"""
OTHER = "double other(double x) { return 2 * x; }\n"
OTHER_SUM = "16773120"  # Of what it makes of 0 to 4095.


def require(condition, message):
    if not condition:
        raise Failure(message)


class Bench:
    """A folder in which programs are put together by commands."""

    def __init__(self, workshop):
        self.workshop = workshop
        self.holder = tempfile.TemporaryDirectory(dir=workshop.folder)
        self.path = self.holder.name

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.holder.cleanup()

    def write(self, name, text):
        with open(f"{self.path}/{name}", "w") as file:
            file.write(text)

    def run(self, command):
        words = command.replace("tutticc", str(self.workshop.bin / "tutticc"))
        result = self.workshop.execute(["sh", "-ec", f"cd {self.path} && {words}"], {}, "")
        require(result.status == 0, f"{command}\n{tail(result.errors)}")
        return result.errors

    def require_launch(self, expected, is_distributed):
        """`prog` prints `expected`, and its one loop is distributed or not."""
        result = self.workshop.execute(
            [str(self.workshop.bin / "tuttirun"), "-n", "2", f"{self.path}/prog"],
            {"TUTTI_DISTRIBUTE": "always", "TUTTI_STATS": "json"}, "")
        require((result.status, result.output) == (0, expected + "\n"), result)
        found = counters(result)
        require(found["distributed"] == int(is_distributed), f"{found['distributed']} distributed")


def functions_come_from(workshop, commands):
    """Objects and archives in any place of the command."""
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", OTHER)
        for command in commands:
            bench.run(command)
        bench.require_launch(OTHER_SUM, True)


def remarks_tell_of_both_steps(workshop):
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", OTHER)
        said = bench.run("tutticc -O2 -Rpass=tutti -Rpass-missed=tutti -c loop.c other.c")
        require("stays on rank 0: it calls 'other', which is not defined in this file (line 7); the "
                "link looks for 'other' in the program's other files" in said, said)
        said = bench.run("tutticc loop.o other.o -o prog")
        require(re.fullmatch(r"remark: loop\.c:6:1: parallel loop is distributed over ranks "
                             r"\[-Rpass=tutti\]\n", said) is not None, said)


def functions_stay(workshop, flags, other, expected):
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", other)
        bench.run("tutticc -O2 -c loop.c")
        bench.run(f"tutticc {flags} -c other.c")
        bench.run("tutticc loop.o other.o -o prog")
        bench.require_launch(expected, False)


def the_definition_is_the_linkers(workshop, commands, expected):
    """Where two files define a function, what is imported must not be the one that is not linked."""
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", OTHER)
        bench.write("third.c", "double other(double x) { return x / 2; }\n")
        for command in commands:
            bench.run(command)
        bench.require_launch(expected, False)


def objects_of_other_versions_are_named(workshop):
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", OTHER)
        bench.write("more.c", "double more(double x) { return x + 3; }\n")
        bench.run("tutticc -O2 -c loop.c other.c more.c")
        bench.run("objcopy --dump-section .tutti.code=code more.o")
        bench.run("sed -i 's/Tutti [0-9]*/Tutti 3/' code")
        bench.run("objcopy --update-section .tutti.code=code more.o")
        said = bench.run("tutticc loop.o other.o more.o -o prog")
        require(re.fullmatch(r"warning: 'more\.o' was compiled by another version of Tutti: .*\n",
                             said) is not None, said)
        bench.require_launch(OTHER_SUM, True)


def programs_hold_no_code_for_the_link(workshop):
    with Bench(workshop) as bench:
        bench.write("loop.c", LOOP)
        bench.write("other.c", OTHER)
        bench.run("tutticc -O2 loop.c other.c -o prog")
        bench.run("! readelf -SW prog | grep -q 'tutti[.]code'")
        bench.run("clang-19 -O2 -c other.c")
        bench.run("tutticc -O2 -fno-lto -c loop.c")
        bench.run("! readelf -SW loop.o | grep -q 'tutti[.]code'")


def all_checks():
    """(name, function of the workshop)"""
    objects = "tutticc -O2 -c loop.c other.c"
    checks = [(f.__name__, f) for f in (remarks_tell_of_both_steps,
                                        objects_of_other_versions_are_named,
                                        programs_hold_no_code_for_the_link)]
    for name, commands in (
            ("sources", ["tutticc -O2 loop.c other.c -o prog"]),
            ("debugging", ["tutticc -O3 -g loop.c other.c -o prog"]),
            ("archive", [objects, "ar rcs libother.a other.o", "tutticc loop.o -L. -lother -o prog"]),
            ("both", [objects, "ar rcs all.a loop.o other.o", "tutticc all.a -o prog"]),
            ("thin", [objects, "ar rcsT all.a loop.o other.o", "tutticc all.a -o prog"]),
            ("joined", [objects, "ld -r other.o -o joined.o", "tutticc loop.o joined.o -o prog"])):
        checks.append((f"functions_come_from/{name}",
                       lambda w, c=commands: functions_come_from(w, c)))
    for name, flags, other, expected in (
            ("unoptimised", "-O0", OTHER, OTHER_SUM),
            ("refused", "-O2 -fno-lto", OTHER, OTHER_SUM),
            ("static", "-O2", "double other(double x) { static double most; "
                              "if (x > most) most = x; return most; }\n", "8386560"),
            ("weak", "-O2", "__attribute__((weak)) " + OTHER, OTHER_SUM),
            ("thread_local", "-O2", "_Thread_local double last; "
                                    "double other(double x) { last = x; return last + x; }\n",
             OTHER_SUM)):
        checks.append((f"functions_stay/{name}",
                       lambda w, f=flags, o=other, e=expected: functions_stay(w, f, o, e)))
    third = ["tutticc -O2 -c loop.c other.c third.c", "ar rcs libother.a other.o"]
    for name, commands, expected in (
            ("object", [*third, "tutticc loop.o third.o -L. -lother -o prog"], "4193280"),
            ("library", [*third, "tutticc -shared -fPIC -O2 third.c -o libthird.so",
                         "tutticc loop.o $PWD/libthird.so -L. -lother -o prog"],
             "4193280"),
            ("archives", [*third, "ar rcs libthird.a third.o",
                          "tutticc loop.o -L. -lother -lthird -o prog"], OTHER_SUM)):
        checks.append((f"the_definition_is_the_linkers/{name}",
                       lambda w, c=commands, e=expected: the_definition_is_the_linkers(w, c, e)))
    return checks
