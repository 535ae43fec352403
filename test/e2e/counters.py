# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs move between ranks, exactly: asserted without a clock."""
import json
import re

from harness import Failure


def require(condition, message):
    if not condition:
        raise Failure(message)


def growth(workshop, program, few, many, ranks, environment=None):
    """What `many` minus `few` iterations add to the counters: the steady state, without start-up."""
    first = workshop.statistics(program, few, ranks, environment)
    second = workshop.statistics(program, many, ranks, environment)

    def subtract(a, b):
        if isinstance(a, dict):
            return {key: subtract(a[key], b[key]) for key in a if key in b and key != "regions"}
        return a - b if isinstance(a, (int, float)) else a

    return subtract(second, first)


def require_kernels_only(workshop, program, few_arguments, many_arguments, kernels):
    """With more iterations a program on a device runs so many more kernels, and copies nothing."""
    runs = []
    for arguments in (few_arguments, many_arguments):
        result = workshop.launch(program, arguments, 1,
                                 {"TUTTI_DEVICE": "opencl", "TUTTI_STATS": "json"})
        line = next(l for l in result.errors.splitlines() if l.startswith("tutti-stats: "))
        runs.append(json.loads(line.removeprefix("tutti-stats: "))["devices"])
    few, many = runs
    require(many["kernels"] - few["kernels"] == kernels,
            f"{few['kernels']}, {many['kernels']} kernels")
    for way in ("in", "out", "peer"):
        require(many[way] == few[way], f"{way}: {few[way]}, then {many[way]}")


def time_loop_on_a_device_copies_nothing(workshop, program, arguments, kernels):
    """A time loop over data that is on a device: so many kernels per iteration, which run on their own or
    leave partial sums. The last argument of the program is the number of iterations."""
    require_kernels_only(workshop, program, [*arguments, "20"], [*arguments, "60"], 40 * kernels)


def a_full_device_evicts(workshop, arrays_in_turn):
    """Two arrays at a time fit, six do not: every loop runs there, and older arrays leave."""
    for memory, is_full in (("24M", True), ("1G", False)):
        found = workshop.statistics(arrays_in_turn, ["1000000"], 1,
                                    {"TUTTI_DEVICE": "opencl", "TUTTI_DEVICE_MEMORY": memory})
        evicted = found["devices"]["evicted"]
        require(found["home"] == 0, f"{memory}: {found['home']} launches stayed home")
        require(found["devices"]["kernels"] == found["launches"], f"{memory}: {found['devices']}")
        require((evicted["bytes"] > 0) == is_full and (evicted["copied"] > 0) == is_full,
                f"{memory}: evicted {evicted}")


def a_launch_too_large_for_a_device_is_streamed(workshop, stream):
    """Three arrays of 8 MB through 8 MiB: all launches in portions, none on the cores."""
    found = workshop.statistics(stream, ["1000000", "3"], 1,
                                {"TUTTI_DEVICE": "opencl", "TUTTI_DEVICE_MEMORY": "8M"})
    devices = found["devices"]
    require(found["home"] == 0, f"{found['home']} launches stayed home")
    require(devices["portions"] > found["launches"], f"{devices['portions']} portions")
    require(devices["kernels"] >= devices["portions"], f"{devices['kernels']} kernels")


def portions_that_a_device_holds_do_not_move(workshop, stream):
    """Five loops read eight arrays of 8 MB in each step: each begins with what the one before has left."""
    few, many = (workshop.statistics(stream, ["1000000", str(steps)], 1,
                                     {"TUTTI_DEVICE": "opencl", "TUTTI_DEVICE_MEMORY": "8M"})["devices"]["in"]["bytes"]
                 for steps in (2, 6))
    moved = (many - few) / 4
    require(8e6 < moved < 0.9 * 64e6, f"{moved} bytes in a step")


def a_loop_too_large_even_in_portions_says_so_once(workshop, matmul):
    """Each iteration of a product reads a whole matrix."""
    result = workshop.launch(matmul, ["120", "2"], 1,
                             {"TUTTI_DEVICE": "opencl", "TUTTI_DEVICE_MEMORY": "64K",
                              "TUTTI_DISTRIBUTE": "always", "TUTTI_STATS": "1"})
    said = re.findall(r"^tutti: the loop at \S+ passes over a device of rank 0: .*$", result.errors,
                      re.M)
    require(result.status == 0 and len(said) == 1, f"said {said}\n{result.errors}")
    require("no device: a device cannot hold the smallest portion of it" in result.errors,
            result.errors)


def a_trial_that_is_given_up_leaves_no_faults(workshop, block_diagonals, ranks):
    """Whatever a few launches have closed is opened in one piece once the loop stays home. How many
    launches are tried depends on the machine; a loop that is distributed often is settled there."""
    found = workshop.statistics(block_diagonals, ["256"], ranks, {"TUTTI_DISTRIBUTE": "auto"})
    if found["distributed"] > 8:
        return
    require(found["faults"] <= 64, f"{found['faults']} faults after {found['distributed']} launches")
    messages = found["fetch"]["messages"]
    require(messages <= 64, f"{messages} messages of fetches after {found['distributed']} launches")


def rows_in_vain_are_given_up(workshop, thread_rows_given_up, ranks):
    """The version with rows is executed sixteen times, and then the construct as it is."""
    found = workshop.statistics(thread_rows_given_up, [], ranks, {"TUTTI_DISTRIBUTE": "never"})
    source = found["regions"][0]["source"]
    launches = [region["launches"] for region in found["regions"] if region["source"] == source]
    require(launches == [16, 24], f"{launches} launches of {source}")


def borders_follow_uneven_work(workshop, program, ranks):
    """Of a triangle the last rank would have much more than the first one."""
    for balance, moves in (("off", False), ("auto", True)):
        found = workshop.statistics(program, [], ranks, {"TUTTI_BALANCE": balance})
        require((found["recuts"] > 0) == moves, f"{balance}: {found['recuts']} recuts")
        require(found["home"] == 0, f"{found['home']} launches stayed home")


def cores_get_the_part_that_is_asked_for(workshop, kmeans):
    """Points that sequential code has made go to the device as far as it works on them."""
    moved = {cores: workshop.statistics(kmeans, ["100000", "2"], 1,
                                        {"TUTTI_DEVICE": "hybrid", "TUTTI_BALANCE": f"cpu={cores}"})["devices"]["in"]["bytes"]
             for cores in ("0", "0.25", "0.75")}
    points = 100000 * 4 * 8
    require(moved["0"] >= points, f"{moved}")
    for cores in ("0.25", "0.75"):
        share = moved[cores] / moved["0"]
        require(abs(share - (1 - float(cores))) < 0.05, f"{moved}")


def ways_that_take_long_to_plan_are_tried_later(workshop, sor):
    """A plan lists each row, as its border is not written. How many are made would depend on how long a busy machine
    takes; that ways are put off shows at the next launch. Kernels of this driver take no time."""
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    result = workshop.launch(sor, ["2000", "4"], 1,
                             {"TUTTI_EXPLAIN": "1", "TUTTI_DEVICE": "hybrid", "OMP_NUM_THREADS": "1",
                              "LD_LIBRARY_PATH": str(fake), "FAKE_CUDA_DEVICES": "1", "FAKE_CUDA_IDLE": "1"})
    require(result.status == 0, result.errors)
    require("chosen:  cuda, because all ways to run it are tried later" in result.errors, result.errors)


SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1}
ROW = re.compile(r"^tutti: rank 0:   (\w+) +predicted (\S+ \w+) = compute (\S+ \w+) \+ "
                 r"transfers (\S+ \w+) \+ overhead (\S+ \w+); (not measured|measured .*)$", re.M)


def explained(workshop, program, arguments, ranks, environment):
    """By decision: its loop, its rows, and what was chosen."""
    result = workshop.launch(program, arguments, ranks, {"TUTTI_EXPLAIN": "1", **environment})
    require(result.status == program.status, result.errors)
    decisions = []
    for block in re.split(r"^tutti: rank 0: the loop at ", result.errors, flags=re.M)[1:]:
        rows = {}
        for name, *times, measured in ROW.findall(block):
            seconds = [float(time.split()[0]) * SECONDS[time.split()[1]] for time in times]
            rows[name] = (*seconds, measured)
        chosen = re.search(r"^tutti: rank 0:   chosen:  (\w+), because (.+)$", block, re.M)
        require(chosen is not None, f"no choice in\n{block}")
        decisions.append((block.split(",")[0], rows, chosen[1]))
    return decisions


def decisions_are_explained(workshop, stream):
    """Each way has its sum; what a device has costs transfers only where it does not stay."""
    found = explained(workshop, stream, ["200000", "6"], 2,
                      {"TUTTI_DEVICE": "opencl", "TUTTI_BALANCE": "off"})
    for source, rows, chosen in found:
        require(set(rows) == {"home", "ranks", "opencl", "hybrid"}, f"{source}: {sorted(rows)}")
        require(chosen == "opencl", f"{source}: {chosen}")
        for name, (predicted, compute, transfers, overhead, _) in rows.items():
            parts = compute + transfers + overhead
            require(abs(predicted - parts) <= 0.02 * parts, f"{source} {name}: {predicted}, {parts}")
    require(all(rows["home"][2] == 0 and rows["ranks"][2] == 0 for _, rows, _ in found[:1]),
            "the first loop writes what nobody has")
    for source, rows, _ in found[1:]:
        require(rows["opencl"][2] == 0, f"{source}: the devices have what they read")
        require(rows["home"][2] > 0 and rows["ranks"][2] > 0, f"{source}: the hosts have not")
    last = dict((source, rows) for source, rows, _ in found)
    require(any(rows["opencl"][4] != "not measured" for rows in last.values()), "nothing measured")


def decisions_are_explained_once(workshop, stream):
    """A launch that is decided as before says nothing; without the variable none does."""
    few, many = (len(explained(workshop, stream, ["200000", str(repetitions)], 2,
                               {"TUTTI_DEVICE": "opencl", "TUTTI_BALANCE": "off"}))
                 for repetitions in (20, 60))
    require(few == many > 0, f"{few} decisions, then {many}")
    quiet = workshop.launch(stream, ["200000", "6"], 2, {"TUTTI_DEVICE": "opencl"})
    require("the loop at" not in quiet.errors, quiet.errors)


def jacobi_moves_two_rows_per_border(workshop, jacobi, ranks):
    """Every inner border of the cut moves one row each way; nothing else moves in steady state."""
    rows, columns, iterations = 240, 513, 20
    size = [str(rows), str(columns)]
    added = growth(workshop, jacobi, [*size, "20"], [*size, str(20 + iterations)], ranks)
    borders = 2 * (ranks - 1)
    row = (columns - 2) * 8
    require(added["exchange"]["bytes"] == borders * row * iterations,
            f"exchange: {added['exchange']['bytes']} bytes for {iterations} iterations, "
            f"not {borders} rows of {row} bytes each")
    require(added["exchange"]["messages"] == borders * iterations,
            f"exchange: {added['exchange']['messages']} messages for {iterations} iterations, "
            f"not {borders} each")
    for kind in ("fetch", "twin"):
        require(added[kind]["bytes"] == 0, f"{kind}: {added[kind]['bytes']} bytes")
    require(added["faults"] == 0, f"{added['faults']} faults")
    require(added["protections"] == 0, f"{added['protections']} changes of protection")


def rows_of_neighbours_move_two_rows_per_border(workshop, program, ranks):
    """Rows that lie anywhere, too: one row each way over every border, and nothing is merged."""
    steps, row = 20, (64 - 2) * 8
    added = growth(workshop, program, ["20"], [str(20 + steps)], ranks)
    moved = added["exchange"]["bytes"]
    wanted = 2 * (ranks - 1) * row * steps
    require(moved == wanted, f"exchange: {moved} bytes in {steps} steps, not {wanted}")
    for kind in ("fetch", "merge"):
        require(added[kind]["bytes"] == 0, f"{kind}: {added[kind]['bytes']} bytes")


def jacobi_on_devices_moves_two_rows_per_border(workshop, jacobi, ranks):
    """The rows go out of one device, to the other rank, and into its device."""
    rows, columns, iterations = 240, 513, 20
    few, many = (workshop.statistics(jacobi, [str(rows), str(columns), str(20 + more)], ranks,
                                     {"TUTTI_DEVICE": "opencl"}) for more in (0, iterations))
    expected = 2 * (ranks - 1) * (columns - 2) * 8 * iterations
    for name, counter in (("exchange", lambda found: found["exchange"]["bytes"]),
                          ("in", lambda found: found["devices"]["in"]["bytes"]),
                          ("out", lambda found: found["devices"]["out"]["bytes"])):
        moved = counter(many) - counter(few)
        require(moved == expected, f"{name}: {moved} bytes, not {expected}")
    kernels = many["devices"]["kernels"] - few["devices"]["kernels"]
    require(kernels == ranks * iterations, f"{kernels} kernels")
    require(many["home"] == 0, f"{many['home']} launches stayed home")


def sparse_product_moves_its_operands_once(workshop, sparse, ranks):
    """Every rank gets all of the arrays that are read through computed indices, and then nothing."""
    rows, entries, page = 6000, 24000, 4096
    whole = sum(-(-(length + 1) // page) * page for length in (4 * entries, 8 * entries, 8 * rows))
    own = -(-rows // ranks)  # Of rank 0, the largest part.
    first = workshop.statistics(sparse, ["1", "0"], ranks)["exchange"]["bytes"]
    least = (ranks - 1) * whole + 4 * (rows - own)
    require(least <= first <= least + 4 * ranks,
            f"exchange: {first} bytes for the first product, not about {least}")
    added = growth(workshop, sparse, ["2", "0"], ["22", "0"], ranks)
    for kind in ("exchange", "fetch", "twin"):
        require(added[kind]["bytes"] == 0, f"{kind}: {added[kind]['bytes']} bytes")
    require(added["faults"] == 0, f"{added['faults']} faults")
    require(added["protections"] == 0, f"{added['protections']} changes of protection")
    require(added["distributed"] == 20 and added["home"] == 0, "launches stayed home")


def sparse_product_gathers_what_changed(workshop, sparse, ranks):
    """The vector is computed in parts: every rank gets the parts of the others, nothing else."""
    rows, iterations = 6000, 20
    added = growth(workshop, sparse, ["1", "5"], ["1", str(5 + iterations)], ranks)
    expected = (ranks - 1) * rows * 8 * iterations
    require(added["exchange"]["bytes"] == expected,
            f"exchange: {added['exchange']['bytes']} bytes, not {expected}")
    for kind in ("fetch", "twin"):
        require(added[kind]["bytes"] == 0, f"{kind}: {added[kind]['bytes']} bytes")
    require(added["faults"] == 0, f"{added['faults']} faults")


def sparse_product_moves_what_it_reads(workshop, sparse, ranks):
    """Of a large vector, of which all rows read the same twentieth, that moves, once unless it changes,
    and of the matrix the rows of each rank's part."""
    rows, page = 100000, 4096
    once, often, changing = (workshop.statistics(sparse, [*steps, str(rows)], ranks)
                             for steps in (("1", "0"), ("7", "0"), ("1", "6")))
    first = once["exchange"]["bytes"]
    index = (ranks - 1) * 4 * (4 * rows + rows)
    own = -(-rows // ranks)  # Of rank 0, the largest part.
    least = index + 32 * (rows - own) + (ranks - 1) * 8 * rows // 20
    block = 32 * (-(-rows // 256))  # Lists are made of blocks of iterations, and of pages.
    most = least + 2 * ranks * (block + 4 * page)
    require(least <= first <= most, f"exchange: {first} bytes for the first product, not {least}")
    require(often["exchange"]["bytes"] == first, f"exchange: {often['exchange']['bytes']} bytes")
    # Five products see a vector that has changed.
    changed, most = changing["exchange"]["bytes"] - first, 5 * (ranks - 1) * (8 * rows // 20 + 2 * page)
    require(0 < changed <= most, f"exchange: {changed} bytes for 5 vectors, not {most}")


def sparse_product_on_a_device_copies_nothing(workshop, sparse):
    require_kernels_only(workshop, sparse, ["5", "5"], ["25", "25"], 60)


def a_grid_comes_back_in_few_copies(workshop, grids_looked_at, ranks):
    """The inside of a grid is as many runs as it has rows; what lies between them comes along, from
    devices of this rank and of another one."""
    points = 602
    few, many = (workshop.statistics(grids_looked_at, [str(points), str(steps)], ranks,
                                     {"TUTTI_DEVICE": "opencl"})["devices"]["out"] for steps in (2, 6))
    copies, moved = ((many[what] - few[what]) / 4 for what in ("copies", "bytes"))
    require(0 < copies <= 8, f"{copies} copies in each step")
    require(moved <= points * points * 8, f"{moved} bytes in each step")


def rows_that_end_inside_of_pages_stay_on_a_device(workshop, parts_of_pages):
    """Two rows in each launch, which share pages with those before and behind them: once launches are taken to be
    new each time, nothing is copied from the device until the program looks."""
    few, many = (workshop.statistics(parts_of_pages, [str(rows)], 1, {"TUTTI_DEVICE": "opencl"})
                 for rows in (30, 130))
    require(many["home"] == 0, f"{many['home']} launches stayed home")
    copies = many["devices"]["out"]["copies"] - few["devices"]["out"]["copies"]
    require(copies <= 20, f"{copies} copies from the device for a hundred launches more")


def a_strided_walk_takes_few_pieces(workshop, moving, device, ranks):
    """Every 997th element of a stencil's result: all that the program does takes no more faults, fetches or
    copies, and changes of protection beside those of its launches, than 2 and one for each 512 pages."""
    points = 2048
    most = 2 + points * points * 8 // 4096 // 512
    found = workshop.statistics(moving, ["walk", str(points)], ranks, {"TUTTI_DEVICE": device})
    require(found["home"] == 0, f"{found['home']} launches stayed home")
    for what, count in (("faults", found["faults"]), ("fetches", found["fetch"]["messages"]),
                        ("copies", found["devices"]["out"]["copies"]),
                        ("protections", found["protections"] - found["launches"])):
        require(count <= most, f"{count} {what}, not {most}")


def what_is_looked_at_each_time_comes_with_its_launch(workshop, moving, device, ranks):
    """Twenty walks through a stencil's result, a stencil before each: few of them touch pages that are closed, and
    most launches close none."""
    found = workshop.statistics(moving, ["walks", "512"], ranks, {"TUTTI_DEVICE": device})
    require(found["home"] == 0, f"{found['home']} launches stayed home")
    most = found["launches"] // 3
    require(found["faults"] <= most, f"{found['faults']} faults, not {most}")
    require(found["protections"] <= 2 * most, f"{found['protections']} protections, not {2 * most}")


def rows_of_borders_change_hands_once(workshop, captures):
    """A window of eight columns moves on over a hundred rows of eight ranks: four of the borders lie in the middle of a
    row. Such a row goes over in a few messages, not in one for each number."""
    launches = 300
    found = workshop.statistics(captures, ["rows", str(launches), "100"], 8)
    messages = found["exchange"]["messages"]
    require(found["home"] == 0, f"{found['home']} launches stayed home")
    require(messages <= 100, f"{messages} messages for {launches} launches")  # The first launches take nothing.


def rows_of_borders_change_hands_once_between_devices(workshop, captures):
    """The same on eight devices, for which this driver computes nothing. Rows are so long that all devices take part."""
    launches = 20000
    fake = workshop.bin.parent / "runtime/device/cuda/test/fake"
    found = workshop.statistics(captures, ["rows", str(launches), "100"], 1, {
        "TUTTI_DEVICE": "gpu", "LD_LIBRARY_PATH": str(fake), "FAKE_CUDA_DEVICES": "8", "FAKE_CUDA_IDLE": "1"})["devices"]
    require(found["kernels"] > 4 * launches, f"{found['kernels']} kernels for {launches} launches")
    copies = found["peer"]["copies"]
    require(copies <= 100, f"{copies} copies for {launches} launches")


def matmul_moves_its_right_factor_once(workshop, matmul, ranks):
    """Every rank gets the rows of b and x that others have computed, rank 0 at the end y and the
    partial sums. The product itself never moves."""
    n = 512  # The vectors fill a page.
    own = -(-n // ranks)  # Of rank 0, the largest part.
    found = workshop.statistics(matmul, [str(n), "2"], ranks)
    expected = {"exchange": (ranks - 1) * (n * n + n) * 8, "fetch": (n - own) * 8, "twin": 0}
    for kind, count in expected.items():
        require(found[kind]["bytes"] == count,
                f"{kind}: {found[kind]['bytes']} bytes, not {count}")
    most = 2 * ranks * (ranks - 1) + 2 * (ranks - 1)
    require(found["messages"] <= most, f"{found['messages']} messages, not {most}")


# Of features/earlier_writes: loops that need nothing of what was in the large array, and loops that
# need it.
OVERWRITING = ["wholeRows", "wholeRowsBackwards", "innerPart", "unsignedRows", "boxes"]
READING = ["halfRows", "oneTooFar", "someElements", "notTheFirstTime", "readFirst"]


def what_is_overwritten_first_does_not_move(workshop, earlier_writes, ranks):
    """Sequential code fills the array before each launch, so whoever reads it gets it from rank 0."""
    rows, columns, steps, factors = 157, 300, 2, 32
    others = rows - -(-rows // ranks)
    for loops, least, most in ((OVERWRITING, 0, (ranks - 1) * factors * steps),
                               (READING, others * (columns - 1) * 8 * steps, None)):
        for loop in loops:
            found = workshop.statistics(earlier_writes, [loop, str(steps)], ranks)
            count = found["exchange"]["bytes"]
            require(found["home"] == 0, f"{loop}: stayed home")
            require(least <= count and (most is None or count <= most),
                    f"{loop}: exchange: {count} bytes, not {least} to {most}")


def what_is_overwritten_first_is_not_copied_to_a_device(workshop, earlier_writes):
    rows, columns, steps, factors = 157, 300, 2, 32
    for loops, least, most in ((OVERWRITING, 0, factors * steps),
                               (READING, rows * (columns - 1) * 8 * steps, None)):
        for loop in loops:
            found = workshop.statistics(earlier_writes, [loop, str(steps)], 1,
                                        {"TUTTI_DEVICE": "opencl"})
            count = found["devices"]["in"]["bytes"]
            require(found["devices"]["kernels"] == steps, f"{loop}: {found['devices']}")
            require(least <= count and (most is None or count <= most),
                    f"{loop}: {count} bytes to the device, not {least} to {most}")


def scatters_run_on_a_device(workshop, scatter):
    """One kernel for each loop that writes through computed indices, unless its target has no known
    bounds."""
    result = workshop.launch(scatter, [], 1, {"TUTTI_DEVICE": "opencl", "TUTTI_STATS": "json"})
    line = next(l for l in result.errors.splitlines() if l.startswith("tutti-stats: "))
    found = json.loads(line.removeprefix("tutti-stats: "))
    require(found["devices"]["kernels"] == found["distributed"],
            f"{found['devices']['kernels']} kernels, {found['distributed']} launches")
    home = {}
    for region in found["regions"]:
        if region["home"] > 0:
            home[region["reason"]] = home.get(region["reason"], 0) + region["home"]
    require(home == {"it follows a pointer to memory of unknown extent": 9,
                     "it writes a variable that its addresses depend on": 1}, f"home: {home}")


SCATTER_ELEMENTS, SCATTER_WRITTEN = 600000, 6000  # Of scatter_steady.c
CHANGE_BYTES = 40  # What a device says of 32 bytes in which something differs.


def scatter_object_bytes():
    page = 4096
    return -(-(8 * SCATTER_ELEMENTS + 1) // page) * page


def merges_alone(added, least, most, messages):
    """What ranks have written is sent in so many messages of so many bytes in all, and nothing is fetched."""
    merged = added["merge"]
    require(least <= merged["bytes"] <= most + 8 * merged["messages"],
            f"merge: {merged['bytes']} bytes, not {least} to {most}")
    require(merged["messages"] == messages, f"merge: {merged['messages']} messages")
    for kind in ("fetch", "twin"):
        require(added[kind]["bytes"] == 0, f"{kind}: {added[kind]['bytes']} bytes")
    require(added["faults"] == 0, f"{added['faults']} faults")


def scatters_send_what_they_wrote(workshop, scatter, ranks):
    """Every rank gets the whole array each time, and sends the elements that it wrote, each with
    two or three bytes to say where."""
    rounds = 20
    added = growth(workshop, scatter, ["2"], [str(2 + rounds)], ranks)
    require(added["distributed"] == rounds and added["home"] == 0, "launches stayed home")
    expected = (ranks - 1) * scatter_object_bytes() * rounds
    require(added["exchange"]["bytes"] == expected,
            f"exchange: {added['exchange']['bytes']} bytes, not {expected}")
    own = -(-SCATTER_WRITTEN // ranks)  # Of rank 0, the largest part.
    least, most = ((8 + extra) * (SCATTER_WRITTEN - own) * rounds for extra in (2, 3))
    merges_alone(added, least, most, (ranks - 1) * rounds)
    require(added["protections"] == 0, f"{added['protections']} changes of protection")


def scatters_copy_out_of_a_device_what_it_wrote(workshop, scatter, device, ranks):
    """The whole array goes to devices each time; back comes little more than the elements that they
    wrote, a hundredth of it, each in 32 bytes of its own."""
    rounds = 10
    few, many = (workshop.statistics(scatter, [str(count)], ranks, {"TUTTI_DEVICE": device})
                 for count in (4, 4 + rounds))
    few_on, many_on = few["devices"], many["devices"]
    require(many_on["kernels"] - few_on["kernels"] == ranks * rounds,
            f"{few_on['kernels']}, {many_on['kernels']} kernels")
    came = many_on["in"]["bytes"] - few_on["in"]["bytes"]
    # Besides, a moving border moves some indices, in either run.
    borders = 4 * SCATTER_WRITTEN * (4 + rounds)
    require(abs(came - ranks * scatter_object_bytes() * rounds) <= borders, f"in: {came} bytes")
    # How much a device beside cores writes is another matter in each run.
    went = many_on["out"]["bytes"]
    require(0 < went <= CHANGE_BYTES * SCATTER_WRITTEN * (4 + rounds), f"out: {went} bytes")
    sent = many["merge"]["bytes"] - few["merge"]["bytes"]
    # Devices say it in any order: up to 8 bytes more for where.
    others = SCATTER_WRITTEN - -(-SCATTER_WRITTEN // ranks)
    require((8 + 2) * others * rounds <= sent <= (8 + 8) * others * rounds,
            f"merge: {sent} bytes")


def iterations_that_keep_apart_leave_their_order(workshop, scatter, ranks):
    """A program that knows of one thread: what writes through a permutation is distributed as soon as it
    is run, what meets or reads what others write never is; and what has met stays home afterwards."""
    rounds = 6
    found = workshop.statistics(scatter, [str(rounds), "0", "1"], ranks)
    require(found["home"] == 2 * rounds, f"{found['home']} launches stayed home")
    require(found["distributed"] == 3 * rounds, f"{found['distributed']} launches were distributed")
    changed = 3
    found = workshop.statistics(scatter, [str(rounds), str(changed), "0"], ranks)
    later = rounds - changed + 1
    require(found["home"] == 2 * later, f"{found['home']} launches stayed home")


def records_tell_whether_order_is_open(workshop, closed_order, ranks):
    """A program that knows of one thread: loops whose iterations count on those before stay home, and no
    others do."""
    rounds, open_loops, ordered = 3, 10, 7
    found = workshop.statistics(closed_order, [str(rounds), "1"], ranks)
    require(found["home"] == ordered * rounds, f"{found['home']} launches stayed home")
    require(found["distributed"] == open_loops * rounds,
            f"{found['distributed']} launches were distributed")


def pieces_stay_in_order(workshop, pieces_in_order, ranks):
    """Loops whose pieces may have an order are distributed all the same, but one of a single piece, and one of
    a construct that asks for thread numbers, with a schedule that is chosen at run time."""
    rounds, ordered, in_any_order, in_construct = 3, 7, 6, 3
    for which, home, away in ((1, 0, ordered), (2, 1, 0), (4, 0, in_any_order), (8, 1, in_construct)):
        found = workshop.statistics(pieces_in_order, [str(rounds), str(which)], ranks)
        require(found["home"] == home * rounds, f"{which}: {found['home']} launches stayed home")
        require(found["distributed"] == away * rounds,
                f"{which}: {found['distributed']} launches were distributed")


def devices_keep_no_order(workshop, pieces_in_order):
    """What may have an order stays home, and all else goes to the device, but for what has no kernel."""
    rounds, ordered, in_any_order, histograms = 3, 7, 5, 1
    for which, home, away in ((1, ordered, 0), (4, histograms, in_any_order)):
        found = workshop.statistics(pieces_in_order, [str(rounds), str(which)], 1, {"TUTTI_DEVICE": "opencl"})
        require(found["home"] == home * rounds, f"{which}: {found['home']} launches stayed home")
        require(found["distributed"] == away * rounds,
                f"{which}: {found['distributed']} launches went to the device")


def order_is_kept_while_there_is_one_thread(workshop, one_thread_at_first, ranks):
    """Once the program asks for more, its loops are distributed again."""
    launches = 96
    found = workshop.statistics(one_thread_at_first, [], ranks)
    require(found["home"] == launches, f"{found['home']} launches stayed home")
    require(found["distributed"] == launches, f"{found['distributed']} launches were distributed")


def scatters_into_pages_of_their_own_move_borders(workshop, scatter, ranks):
    """What each part writes in its own neighbourhood stays with it, but for the pages at its borders."""
    rounds, page, objects = 10, 4096, 2
    added = growth(workshop, scatter, ["2", "0", "0"], [str(2 + rounds), "0", "0"], ranks)
    require(added["home"] == 0, f"{added['home']} launches stayed home")
    most = rounds * objects * (ranks - 1) * 6 * page
    for kind in ("exchange", "merge", "fetch", "twin"):
        require(added[kind]["bytes"] <= most, f"{kind}: {added[kind]['bytes']} bytes, not {most}")


def scatters_on_one_device_copy_nothing(workshop, scatter):
    require_kernels_only(workshop, scatter, ["5"], ["25"], 20)


def updates_of_elements_are_distributed(workshop, updates, ranks):
    """All but those whose elements are looked at, too, or are narrower than what is added."""
    found = workshop.statistics(updates, [], ranks)
    require(found["distributed"] == 16 and found["home"] == 9,
            f"{found['distributed']} launches were distributed, {found['home']} stayed home")


def a_histogram_moves_its_bins_once(workshop, updates, ranks):
    """In each launch every other rank gets the bins, and sends those it has added to, with two or three bytes
    each to say where."""
    rounds, bins, page = 10, 500, 4096
    added = growth(workshop, updates, ["2"], [str(2 + rounds)], ranks)
    require(added["distributed"] == rounds and added["home"] == 0, "launches stayed home")
    most = (ranks - 1) * rounds * -(-8 * bins // page) * page
    require(0 < added["exchange"]["bytes"] <= most,
            f"exchange: {added['exchange']['bytes']} bytes, not {most}")
    least, most = ((8 + extra) * bins * (ranks - 1) * rounds for extra in (0, 3))
    merges_alone(added, least, most, (ranks - 1) * rounds)


def one_construct_moves_what_several_do(workshop, conducted_steps, ranks):
    """A time loop inside of a construct, one around constructs of a loop each, and one whose loops one
    thread divides into tasks."""
    steps = 10
    together, apart, divided = (growth(workshop, conducted_steps, [way, "2"], [way, str(2 + steps)], ranks)
                                for way in ("together", "apart", "divided"))
    require(apart["exchange"]["bytes"] > 0, "nothing moves over borders")
    for kind in ("exchange", "fetch", "merge", "twin", "faults", "protections", "distributed", "home"):
        require(together[kind] == apart[kind], f"{kind}: {together[kind]}, not {apart[kind]}")
        require(divided[kind] == apart[kind], f"{kind} of tasks: {divided[kind]}, not {apart[kind]}")


def all_launches_are_distributed(workshop, program, arguments, ranks):
    found = workshop.statistics(program, arguments, ranks)
    home = [f"{r['source']}: {r['reason']}" for r in found["regions"] if r["home"] > 0]
    require(found["distributed"] > 0, "no launch was distributed\n" + "\n".join(home))
    require(found["home"] == 0, "launches stayed home\n" + "\n".join(home))


def other_locales_keep_loops_home(workshop, locales, ranks):
    """The second of three launches, of one loop, between two calls of setlocale."""
    found = workshop.statistics(locales, [], ranks)
    home = {r["reason"]: r["home"] for r in found["regions"] if r["home"] > 0}
    reason = "it calls functions that follow the program's locale, which is not \"C\""
    require(home == {reason: 1}, f"home: {home}")
    require(found["distributed"] == 2, f"{found['distributed']} launches were distributed")


def stray_pointers_keep_their_loops_home(workshop, stray, ranks, device):
    """One launch of each of two loops is undone; from then on they stay home, the third does not."""
    found = workshop.statistics(stray, [], ranks, device)
    home = {}
    for region in found["regions"]:
        if region["home"] > 0:
            home[region["reason"]] = home.get(region["reason"], 0) + region["home"]
    require(home == {"it follows a pointer to memory outside of unified memory": 6}, f"home: {home}")
    require(found["distributed"] == 5, f"{found['distributed']} launches were distributed")


def kernels_are_built_together(workshop, program):
    """What a compiler does before it comes to a kernel takes longer than the kernel."""
    cache = workshop.folder / "kernels_built_together"  # PoCL keeps each program that it built.
    found = workshop.statistics(program, program.arguments, 1,
                                {"TUTTI_DEVICE": "opencl", "POCL_CACHE_DIR": str(cache)})
    kernels = found["devices"]["kernels"]
    programs = len(list(cache.rglob("program.bc")))
    require(kernels >= 10 and 1 <= programs <= 3,
            f"{kernels} launches of kernels, {programs} programs were built")


def all_launches_have_kernels(workshop, program):
    found = workshop.statistics(program, [], 1, {"TUTTI_DEVICE": "opencl"})
    require(found["devices"]["kernels"] == found["distributed"] and found["home"] == 0,
            f"{found['devices']['kernels']} kernels, {found['distributed']} launches")


def one_rank_sends_nothing(workshop, jacobi):
    found = workshop.statistics(jacobi, ["100", "100", "5"], 1)
    require(found["bytes"] == 0 and found["messages"] == 0, f"moved {found['bytes']} bytes")
