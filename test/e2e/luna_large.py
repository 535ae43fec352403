# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A LuNA program of ten thousand lines, with macros in macros, which the compiler reads and compiles within
a limit of processor time."""
from luna import require, run

LINES = 10000
DEPTH = 20
SECONDS = {"-fsyntax-only": 2, "-O1": 60}  # Of each process.


def program():
    """Each `part` makes and reads data fragments of its own and some of `main`'s."""
    text = ["#define ADD(a, b) (($a) + ($b))", "#define DEEP0(a) $ADD($a, $a)"]
    text += [f"#define DEEP{depth}(a) $DEEP{depth - 1}($a) + {depth}" for depth in range(1, DEPTH + 1)]
    text += ["#define STEP(x, i, j) \\", f"  set($DEEP{DEPTH}($j), $x[$i]); \\", "  use($x[$i] + $ADD($i, $j))",
             "C++ sub set(int a, name r) ${{ r = a; $}}", "C++ sub use(int a) ${{ $}}",
             "C++ sub show(int a) ${{ printf(\"%d\\n\", a); $}}"]
    parts = 0
    while len(text) < LINES:
        text += [f"sub part{parts}(int n, name y)", "{", "  df x, z;"]
        for i in range(10):
            text += [f"  $STEP(x, {i}, n + {i});",
                     f"  if n > {i} {{ set(n * {i} % 7, z[{i}]); use(z[{i}]); }}",
                     f"  for k = 0..n - 1 set(k + $DEEP1({i}), y[{i}][k]);"]
        text += ["}"]
        parts += 1
    text += ["sub main()", "{", "  df y;", f"  part{parts - 1}(3, y);", "  show(y[4][2]);", "}"]
    return "\n".join(text) + "\n"


def compiles(workshop, option):
    path = workshop.folder / f"luna_large{option}.fa"
    path.write_text(program())
    output = path.with_suffix("")
    limited = ["/bin/sh", "-c", f'ulimit -t {SECONDS[option]} && exec "$@"', "sh"]
    result = workshop.execute([*limited, str(workshop.bin / "tuttic-luna"), option, str(path), "-o", str(output)],
                              {}, "")
    require(result.status == 0 and result.errors == "", f"exit status {result.status}\n{result.errors}")
    if option != "-fsyntax-only":
        result = run(workshop, output, [], 2, {})
        require(result.status == 0 and result.output == "11\n", f"printed {result.output}\n{result.errors}")


def all_checks():
    """Pairs (name, function of the workshop)."""
    for option in SECONDS:
        yield f"luna_large/{option}", lambda w, o=option: compiles(w, o)
