# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LuNA programs, which must print the same on any number of ranks and workers, and wrong ones, which
must say what is wrong and end."""
import concurrent.futures
import json
import re
import time

from harness import ROOT, Failure

FOLDER = ROOT / "examples/luna"
RANKS = (1, 2, 3, 4)
SECONDS_TO_END = 5
ARGUMENTS = {"02_factorial": ["10"]}


def require(condition, message):
    if not condition:
        raise Failure(message)


def headers(workshop, level):
    """Those of procedures, precompiled: reading them is more than half of compiling a small program."""
    def make():
        output = workshop.folder / f"ucenv{level}.pch"
        result = workshop.execute([str(workshop.bin / "tuttic++"), level, "-DTUTTI_LUNA", "-x", "c++-header",
                                   str(workshop.bin.parent / "include/tutti/luna/ucenv.h"), "-o", str(output)], {}, "")
        require(result.status == 0, result.errors)
        return output
    return workshop.cached(f"luna-headers{level}", make)


def build(workshop, program, *words, level="-O2"):
    """What compiling `words`, files and options, says."""
    return workshop.execute([str(workshop.bin / "tuttic-luna"), level, "-include-pch", str(headers(workshop, level)),
                             *map(str, words), "-o", str(program)], {}, "")


def compiled(workshop, path):
    """What compiling printed, its status, and the program."""
    def make():
        program = workshop.folder / f"luna-{path.stem}"
        return build(workshop, program, path, FOLDER / "ucodes.cpp"), program
    return workshop.cached(f"luna-{path.stem}", make)


def run(workshop, program, arguments, ranks, environment):
    return workshop.execute([str(workshop.bin / "tuttirun"), "-n", str(ranks), str(program), *arguments],
                            environment, "")


def prints_what_is_expected(workshop, path, ranks, workers):
    result, program = compiled(workshop, path)
    require(result.status == 0 and result.errors == "", result.errors)
    result = run(workshop, program, ARGUMENTS.get(path.stem, []), ranks, {"TUTTI_WORKERS": str(workers)})
    require(result.status == 0, f"exit status {result.status}\n{result.errors}")
    expected = (FOLDER / "expected" / f"{path.stem}.txt").read_text()
    require(result.output == expected, f"printed\n{result.output}")


def pattern(wanted):
    """A leading `LINE: ` stands for `:LINE:` or `:LINE:COLUMN:` behind a file's name."""
    place = re.match(r"(\d+): ", wanted)
    if not place:
        return re.escape(wanted)
    return rf":{place[1]}:(\d+:)? " + re.escape(wanted[place.end():])


def says_what_is_wrong(workshop, path, ranks):
    """When it is compiled or when it runs, on every number of ranks."""
    result, program = compiled(workshop, path)
    shown, status = result.errors, result.status
    if status == 0:
        result = run(workshop, program, [], ranks, {})
        shown, status = shown + result.errors, result.status
    wanted = [line.split("expect:", 1)[1].strip()
              for line in path.read_text().splitlines() if "// expect:" in line]
    require(wanted, f"{path.name} expects nothing")
    is_right = all("warning" in each for each in wanted)
    require((status == 0) == is_right, f"exit status {status}\n{shown}")
    for each in wanted:
        require(re.search(pattern(each), shown), f"does not say: {each}\n{shown}")


def heat_holds_few_levels(workshop, stem, ranks, workers):
    """With no deletion in the text, and whatever the number of steps; also if the number of parts is a data
    fragment."""
    text = (FOLDER / f"{stem}.fa").read_text()
    text = re.sub(r"-->\s*\([^)]*\)", "", text)
    require("-->" not in text and "#define STEPS 20" in text, f"{stem}.fa is not what it was")
    parts = re.search(r"#define PARTS (\d+)", text)
    # A plan has a part for each worker; all ranks know where parts begin and how large they are, and some calls run ahead.
    parts, others = (int(parts[1]), 0) if parts else (ranks * workers, 2 * ranks * workers * ranks + 10)
    for steps in (100, 1000):
        longer = text.replace("#define STEPS 20", f"#define STEPS {steps}")
        result, program = compiled(workshop, workshop.written(f"{stem}_of_{steps}_steps.fa", longer))
        require(result.status == 0, result.errors)
        result = run(workshop, program, [], ranks, {"TUTTI_WORKERS": str(workers), "TUTTI_STATS": "json"})
        require(result.status == 0, result.errors)
        counted = json.loads(re.search(r"^tutti-stats: (.*)$", result.errors, re.M)[1])
        peak = counted["fragments"]["peak"]
        calls = {each["source"]: each["calls"] for each in counted["calls"]}
        require(sum(calls.values()) == counted["fragments"]["calls"] and
                any(re.search(rf"{stem}_of_{steps}_steps\.fa:\d+ heat_step$", source) for source in calls), f"{calls}")
        # A level is the cells and two borders of each part, and two walls.
        require(peak <= 3 * (3 * parts + 2) + others, f"{peak} data fragments at a time in {steps} steps")


ENDS = r"""C++ head ${<END}
#include <csignal>
#include <cstdlib>
#include <stdexcept>
static int deeper(int depth) {
  volatile char used[4096];
  used[0] = static_cast<char>(depth);
  return deeper(depth + 1) + used[0];
}
END
C++ sub ends(string how, int after, name r) ${{
  const std::string way = how;
  if (way == "throw") throw std::runtime_error("no more");
  if (way == "throw int") throw 7;
  if (way == "fault") raise(SIGSEGV);
  if (way == "abort") abort();
  if (way == "kill") raise(SIGKILL);
  if (way == "exit") exit(0);
  r = way == "deep" ? deeper(after) : after;
$}}
C++ sub good(int a, name r) ${{ r = a; $}}
sub main(string how, int at)
{
  df x, y;
  for i = 0..7
    good(i, x[i]) @ { locator_cyclic: i; };
  ends(how, x[3], y) @ { locator_cyclic: at; };
  for i = 0..7
    good(x[i] + y, x[i + 8]) @ { locator_cyclic: i; };
}
"""
WAYS = {"throw": "exception in 'ends', called for 'ends': no more [E-UCODE]",
        "throw int": "exception in 'ends', called for 'ends' [E-UCODE]",
        "fault": "signal SIGSEGV in 'ends', called for 'ends' [E-UCODE]",
        "deep": "signal SIGSEGV in 'ends', called for 'ends' [E-UCODE]",
        "abort": "signal SIGABRT in 'ends', called for 'ends' [E-UCODE]",
        "exit": "exit in 'ends', called for 'ends' [E-UCODE]",
        "kill": "tutti: rank 2 on host "}


def ends_soon(workshop, way):
    """A procedure on one of three ranks does not return: one line, and all ranks end, not much later than they do
    where it does return. On a machine with much to do that takes longer, too: so both are asked at the same time."""
    result, program = compiled(workshop, workshop.written("ends.fa", ENDS))
    require(result.status == 0, result.errors)

    def timed(argument):
        before = time.monotonic()
        result = run(workshop, program, [argument, "2"], 3, {"TUTTI_WORKERS": "1"})
        return time.monotonic() - before, result

    with concurrent.futures.ThreadPoolExecutor() as pool:
        right, wrong = (pool.submit(timed, argument) for argument in ("return", way))
    (usual, returned), (took, result) = right.result(), wrong.result()
    require(returned.status == 0, returned.errors)
    require(result.status != 0, "exit status 0")
    require(took < SECONDS_TO_END + 4 * usual, f"took {took:.1f} s, and {usual:.1f} s where all is well")
    lines = result.errors.splitlines()
    require(len(lines) == 1 and WAYS[way] in lines[0], result.errors)


OBJECTS = r"""C++ head ${<END}
#include <ucenv/ucenv.h>
#include <map>
using Words = std::map<std::string, std::vector<int>>;
END
C++ sub words(name w) ${{
  Words words;
  for (int i = 0; i < 100; ++i) words[std::to_string(i % 7)].push_back(i);
  w.set(std::move(words));
$}}
C++ sub more(value w, name v) ${{ Words words = w.get<Words>(); words["7"] = {1, 2, 3}; v.set(words); $}}
C++ sub show(value w) ${{ printf("%zu %zu\n", w.get<Words>().size(), w.get<Words>().at("3").size()); $}}
sub main(int there)
{
  df w, v;
  words(w) @ { locator_cyclic: 1; };
  more(w, v) @ { locator_cyclic: 1; };
  show(v) @ { locator_cyclic: there; };
} @ { locator_cyclic w => 1; locator_cyclic v => 1; }
"""


def objects_stay_on_their_rank(workshop, ranks):
    """A value may be an object of a class; that another rank cannot have it is said where it was made."""
    result, program = compiled(workshop, workshop.written("objects.fa", OBJECTS))
    require(result.status == 0, result.errors)
    result = run(workshop, program, ["1"], ranks, {})
    require((result.status, result.output) == (0, "8 14\n"), f"exit status {result.status}\n{result.errors}")
    if ranks > 1:
        result = run(workshop, program, ["0"], ranks, {})
        require(result.status == 1 and ":17: run-time error: the value of 'v' is an object, which cannot go to another rank [E-TYPE]"
                in result.errors, f"exit status {result.status}\n{result.errors}")


def main_wants_its_arguments(workshop):
    result, program = compiled(workshop, FOLDER / "02_factorial.fa")
    result = run(workshop, program, [], 1, {})
    require(result.status == 1 and "takes 1 argument" in result.errors, result.errors)


# Stands before the runtime, and tells it that what is registered is older.
OLDER = """#define _GNU_SOURCE
#include <dlfcn.h>
void tutti_register_image(unsigned *image) {
  --*image;
  ((void (*)(unsigned *))dlsym(RTLD_NEXT, "tutti_register_image"))(image);
}
"""


def another_version_ends_it(workshop, ranks):
    """With a line that says so: whatever the program calls is not there."""
    result, program = compiled(workshop, FOLDER / "01_hello.fa")
    library = workshop.folder / "libolder.so"

    def make():
        result = workshop.execute(["clang-19", "-O2", "-shared", "-fPIC", "-x", "c",
                                   str(workshop.written("older.c", OLDER)), "-o", str(library)], {}, "")
        require(result.status == 0, result.errors)
        return library
    library = workshop.cached("libolder", make)
    words = [str(workshop.bin / "tuttirun"), "-n", str(ranks), "env", f"LD_PRELOAD={library}", str(program)]
    result = workshop.execute(words, {}, "")
    require(result.status == 1 and re.search(r"compiled for version \d+ of th(e|is) runtime", result.errors),
            f"{result.status}\n{result.output}{result.errors}")


def all_checks():
    """Pairs (name, function of the workshop)."""
    for path in sorted(FOLDER.glob("*.fa")):
        for ranks in RANKS:
            workers = 1 if ranks % 2 == 0 else 4
            yield (f"{path.stem}/{ranks}", lambda w, p=path, r=ranks, n=workers:
                   prints_what_is_expected(w, p, r, n))
    for path in sorted((FOLDER / "errors").glob("*.fa")):
        for ranks in (1, 3):
            yield (f"{path.stem}/{ranks}", lambda w, p=path, r=ranks: says_what_is_wrong(w, p, r))
    for stem, ranks, workers in ((stem, *each) for stem in ("04_heat1d", "07_gpu_heat")
                                 for each in ((1, 1), (1, 4), (2, 1), (4, 1))):
        yield (f"heat_holds_few_levels/{stem}/{ranks}x{workers}",
               lambda w, s=stem, r=ranks, n=workers: heat_holds_few_levels(w, s, r, n))
    for way in WAYS:
        yield f"ends_soon/{way.replace(' ', '_')}", lambda w, way=way: ends_soon(w, way)
    for ranks in (1, 3):
        yield f"objects_stay_on_their_rank/{ranks}", lambda w, r=ranks: objects_stay_on_their_rank(w, r)
    yield "main_wants_its_arguments", main_wants_its_arguments
    for ranks in (1, 2):
        yield f"another_version_ends_it/{ranks}", lambda w, r=ranks: another_version_ends_it(w, r)
