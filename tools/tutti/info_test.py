#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `tutti info` alone and on two ranks, with and without a fake GPU driver.

usage: info_test.py BIN FAKE_CUDA_FOLDER
"""
import json
import os
import pathlib
import subprocess
import sys

BIN = pathlib.Path(sys.argv[1])
FAKE = sys.argv[2]


def run(*command, status=0, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("TUTTI_", "OMPI_", "PMI", "SLURM_"))}
    done = subprocess.run([str(part) for part in command], env={**environment, **variables},
                          text=True, capture_output=True)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def fake(devices):
    return {"LD_LIBRARY_PATH": FAKE, "FAKE_CUDA_DEVICES": str(devices)}


def on_ranks(ranks, *flags, **settings):
    passed = [word for name in settings for word in ("-x", name)]
    return run(BIN / "tuttirun", "-n", str(ranks), *passed, BIN / "tutti", "info", *flags, **settings)


def tells_about_this_machine():
    found = json.loads(run(BIN / "tutti", "info", "--json"))
    assert found["ranks"] == 1 and found["rank"] == 0
    assert 1 <= found["cores"]["usable"] <= found["cores"]["threads"]
    assert found["memory"] > 1 << 28
    assert found["mpi"]["loadable"], found["mpi"]
    assert any(word in found["mpi"]["text"] for word in ("MPI", "MPICH")), found["mpi"]
    text = run(BIN / "tutti", "info")
    for word in ("rank 0 of 1", "cores", "MPI", "devices", "TUTTI_DEVICE=auto"):
        assert word in text, (word, text)


def knows_opencl_where_it_is():
    found = json.loads(run(BIN / "tutti", "info", "--json", TUTTI_DEVICE="opencl"))
    of_opencl = [d for d in found["devices"] if d["backend"] == "opencl"]
    if of_opencl:
        assert found["uses"] == [f"opencl {d['index']}" for d in of_opencl], found


def prefers_gpus():
    found = json.loads(run(BIN / "tutti", "info", "--json", **fake(2)))
    assert found["uses"] == ["cuda 0", "cuda 1"], found
    assert found["devices"][0]["name"] == "Fake GPU"
    assert json.loads(run(BIN / "tutti", "info", "--json", TUTTI_DEVICE="cpu",
                          **fake(2)))["uses"] == []


def uses_devices_of_several_backends():
    found = json.loads(run(BIN / "tutti", "info", "--json", TUTTI_DEVICE="opencl,cuda,cpu", **fake(2)))
    assert found["wanted"] == "cpu,cuda,opencl", found
    of_opencl = [d for d in found["devices"] if d["backend"] == "opencl"]
    assert found["uses"][:2] == ["cuda 0", "cuda 1"], found
    if not any(d["gpu"] for d in of_opencl):
        assert found["uses"][2:] == [f"opencl {d['index']}" for d in of_opencl], found
    problem = run(BIN / "tutti", "info", status=1, TUTTI_DEVICE="cuda,abacus")
    assert "'abacus' is none of them" in problem, problem


def deals_devices_to_ranks():
    for devices, uses in ((3, [["cuda 0", "cuda 2"], ["cuda 1"]]), (1, [["cuda 0"]] * 2)):
        lines = on_ranks(2, "--json", **fake(devices)).splitlines()
        ranks = sorted((json.loads(line) for line in lines), key=lambda found: found["rank"])
        assert [found["rank"] for found in ranks] == [0, 1]
        assert [found["local_ranks"] for found in ranks] == [2, 2]
        assert [found["uses"] for found in ranks] == uses, ranks


def tells_how_devices_share_memory():
    directly = ["cuda 0 copies directly from cuda 1", "cuda 1 copies directly from cuda 0"]
    not_directly = [f"cuda {n} copies from others through the host only" for n in (0, 1)]
    lends = "memory of cuda 0, cuda 1 to other ranks here"
    for shares, peers in (("1", "1"), ("0", "1"), ("1", "0")):
        settings = {**fake(2), "FAKE_CUDA_SHARES": shares, "FAKE_CUDA_PEERS": peers}
        text = run(BIN / "tutti", "info", **settings)
        for line in directly if peers == "1" else not_directly:
            assert line in text, text
        assert (lends if shares == "1" else "lends    nothing") in text, text
        devices = json.loads(run(BIN / "tutti", "info", "--json", **settings))["devices"]
        assert [d["shares_memory"] for d in devices[:2]] == [shares == "1"] * 2, devices
        assert [d["reaches"] for d in devices[:2]] == ([[1], [0]] if peers == "1" else [[], []])
    alone = run(BIN / "tutti", "info", **fake(1))
    assert "peers" not in alone and "lends" not in alone, alone
    assert "lends" in on_ranks(2, **fake(1)), "two ranks share one device"


def tells_how_ranks_share_devices():
    for ranks, devices, sharers in ((3, 1, [3] * 3), (3, 2, [2, 1, 2]), (2, 2, [1, 1])):
        text = on_ranks(ranks, **fake(devices))
        lines = [line for line in text.splitlines() if "ranks here share it" in line]
        assert len(lines) == sum(count > 1 for count in sharers), text
        assert all(f"{max(sharers)} ranks here share it, each with 1/{max(sharers)} of" in line
                   for line in lines), text
        found = [json.loads(line) for line in on_ranks(ranks, "--json", **fake(devices)).splitlines()]
        assert [rank["sharers"] for rank in sorted(found, key=lambda rank: rank["rank"])] == sharers


def knows_other_backends():
    mock = json.loads(run(BIN / "tutti", "info", "--json", TUTTI_MOCK_DEVICES="2"))["devices"]
    assert [d["reaches"] for d in mock if d["backend"] == "mock"] == [[1], [0]], mock
    for settings in {"TUTTI_DEVICE": "opencl"}, {"TUTTI_MOCK_DEVICES": "1", "TUTTI_DEVICE": "gpu"}:
        for ranks in 1, 3:
            text = on_ranks(ranks, **settings)
            used = [line for line in text.splitlines() if line.startswith("  uses ")]
            assert len(used) == ranks, text
            if "cores only" not in text and ranks > 1:
                assert text.count("lends    nothing") == ranks, text


def explains_itself():
    assert "info" in run(BIN / "tutti", "--help")
    assert "--json" in run(BIN / "tutti", "info", "--help")
    for words in [], ["nonsense"], ["info", "--yaml"]:
        said = run(BIN / "tutti", *words, status=1)
        assert said.startswith("tutti: ") and said.count("\n") == 1, said
    assert "TUTTI_DEVICE=gpus" in run(BIN / "tutti", "info", status=1, TUTTI_DEVICE="gpus")


for check in (tells_about_this_machine, knows_opencl_where_it_is, prefers_gpus,
              uses_devices_of_several_backends,
              deals_devices_to_ranks, tells_how_devices_share_memory,
              tells_how_ranks_share_devices, knows_other_backends, explains_itself):
    check()
    print("ok", check.__name__)
