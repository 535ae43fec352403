# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with all of Tutti that they need beside them, for a machine that has no build of it."""
import os
import re
import shutil
import subprocess


def gather(tutti, folder, programs):
    """Puts tuttirun into `folder`, and into its lib/ what `programs` there need and machines may lack."""
    libraries = folder / "lib"
    libraries.mkdir(exist_ok=True)
    shutil.copy(tutti / "bin/tuttirun", folder)
    # Opened by a run of several ranks.
    paths = {"libtutti_transport_mpi.so": tutti / "lib/tutti/libtutti_transport_mpi.so"}
    needs = subprocess.run(["ldd", *(folder / name for name in (*programs, "tuttirun"))], check=True, text=True,
                           capture_output=True).stdout
    paths.update(re.findall(r"(lib(?:tutti|omp|stdc\+\+|gcc_s)\S*) => (/\S+)", needs))
    for name, path in paths.items():
        shutil.copy(path, libraries / name)
        subprocess.run(["strip", "--strip-debug", libraries / name], check=True)


def environment(folder):
    """In which programs find what lies beside them."""
    libraries = f"{folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return {**os.environ, "LD_LIBRARY_PATH": libraries}
