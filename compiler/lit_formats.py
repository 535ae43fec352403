# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Test formats beside lit's own; a module, so that lit's processes can hand them to each other."""
import pathlib
import re
import shlex

import lit.formats
import lit.Test
import lit.util

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts/same-regions"
RUN = re.compile(r"RUN:.*%(tutticc|tuttic\\?\+\+)((?: +-[fmODs]\S*)*)")
SUFFIX = ":same-regions"


class SourcesAndOptions(lit.formats.ShTest):
    """Runs the RUN lines of a file; and for files that tutticc compiles, scripts/same-regions with
    the options that they are compiled with. Tests are what folders of the name "test" hold: a test
    may have the name of the source that it tests."""

    def getTestsForPath(self, suite, path, lit_config, config):
        if "test" not in path[:-1]:
            return
        for test in super().getTestsForPath(suite, path, lit_config, config):
            yield test
            if RUN.search(pathlib.Path(test.getSourcePath()).read_text()):
                yield lit.Test.Test(suite, (*path[:-1], path[-1] + SUFFIX), config)

    def execute(self, test, lit_config):
        source = test.getSourcePath()
        if not source.endswith(SUFFIX):
            return super().execute(test, lit_config)
        source = source.removesuffix(SUFFIX)
        for compiler, options in sorted(set(RUN.findall(pathlib.Path(source).read_text()))):
            output, errors, status = lit.util.executeCommand(
                [str(SCRIPT), "--compiler", compiler.replace("\\", ""), source, "--", "-O3",
                 *shlex.split(options)], env=test.config.environment)
            if status != 0:
                return lit.Test.FAIL, output + errors
        return lit.Test.PASS, ""
