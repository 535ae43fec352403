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
                          text=True, capture_output=True, timeout=100)
    assert done.returncode == status, (command, done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr


def fake(devices):
    return {"LD_LIBRARY_PATH": FAKE, "FAKE_CUDA_DEVICES": str(devices)}


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


def deals_devices_to_ranks():
    for devices, uses in ((3, [["cuda 0", "cuda 2"], ["cuda 1"]]), (1, [["cuda 0"]] * 2)):
        lines = run(BIN / "tuttirun", "-n", "2", "-x", "LD_LIBRARY_PATH", "-x", "FAKE_CUDA_DEVICES",
                    BIN / "tutti", "info", "--json", **fake(devices)).splitlines()
        ranks = sorted((json.loads(line) for line in lines), key=lambda found: found["rank"])
        assert [found["rank"] for found in ranks] == [0, 1]
        assert [found["local_ranks"] for found in ranks] == [2, 2]
        assert [found["uses"] for found in ranks] == uses, ranks


def explains_itself():
    assert "info" in run(BIN / "tutti", "--help")
    assert "--json" in run(BIN / "tutti", "info", "--help")
    for words in [], ["nonsense"], ["info", "--yaml"]:
        said = run(BIN / "tutti", *words, status=1)
        assert said.startswith("tutti: ") and said.count("\n") == 1, said
    assert "TUTTI_DEVICE=gpus" in run(BIN / "tutti", "info", status=1, TUTTI_DEVICE="gpus")


for check in (tells_about_this_machine, knows_opencl_where_it_is, prefers_gpus,
              deals_devices_to_ranks, explains_itself):
    check()
    print("ok", check.__name__)
