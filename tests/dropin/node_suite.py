# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Node's zeromq, from npm, its addon compiled against each library. The package of version 6 comes without its tests;
those of version 5 are in its package, and run on the interface of version 5 that version 6 has."""
import shutil

import outputs
from compare import Outcome
from program_suite import environment_of, run_case
from steps import Failure, execute

VERSION, TESTS = "6.8.0", "5.0.0"
TOOLS = ("mocha@10.8.2", "should@13.2.3", "semver@7.7.2")
WHICH = """
const fs = require("fs")
require("zeromq/v5-compat")
const line = fs.readFileSync("/proc/self/maps", "utf8").split("\\n").find(line => line.includes("/libzmq"))
console.log("loads " + (line ? line.slice(line.indexOf("/")) : "nothing"))
"""


class NodeSuite:
    name = "node"
    what = f"zeromq {VERSION} with the tests of {TESTS}"
    by_default = False
    at_least = 40
    side_by_side = False  # its ports are fixed
    needs = (("node", "apt-get install nodejs"), ("npm", "apt-get install npm"), ("g++", "apt-get install g++"))

    def fetch(self, places):
        network = "npm must reach its registry: look at the network and at `npm config get registry`"
        folder = places.folder("sources", "node")
        self._tests = folder / "package" / "test"
        if not self._tests.exists():
            execute(places, f"fetch zeromq {TESTS}", ["npm", "pack", "--silent", f"zeromq@{TESTS}"], network,
                    cwd=folder)
            execute(places, f"unpack zeromq {TESTS}", ["tar", "-xf", next(folder.glob("*.tgz")).name],
                    f"remove {folder}", cwd=folder)

    def build(self, places, library):
        project = places.folder("run", "node", library)
        if not (project / "package.json").exists():
            (project / "package.json").write_text('{ "private": true }')
        execute(places, f"fetch Mocha for {library}",
                ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", *TOOLS],
                "npm must reach its registry: look at the network and at `npm config get registry`", cwd=project)
        execute(places, f"build zeromq on {library}",
                [places.source / "packaging" / "node" / "build.sh", "--any", "--zeromq", VERSION,
                 places.prefix(library), project], "see the log", timeout=1200)
        # The tests ask for their package's parent folder.
        shutil.rmtree(project / "tests", ignore_errors=True)
        shutil.copytree(self._tests, project / "tests" / "test")
        (project / "tests" / "index.js").write_text('module.exports = require("zeromq/v5-compat")\n')
        (project / "which.js").write_text(WHICH)
        status, text = run_case(places, f"which libzmq on {library}", ["node", "which.js"],
                                environment_of(places, library), project)
        expected = (places.prefix(library) / "lib" / "libzmq.so.5").resolve()
        if status != 0 or f"loads {expected}" not in text:
            raise Failure(f"zeromq does not load {expected}: {outputs.last_line(text, status)}", f"remove {project}")

    def run(self, places, library, tests=None):
        """A process for each file: within one, tests lean on those before them."""
        project, results = places.folder("run", "node", library), {}
        for path in sorted((project / "tests" / "test").glob("*.js")):
            if path.name in ("util.js", "zap.js"):
                continue
            if tests is not None and not any(test.split(": ")[0] == path.name for test in tests):
                continue
            report = project / f"{path.stem}.json"
            report.unlink(missing_ok=True)
            status, text = run_case(places, f"node {path.name} on {library}",
                                    ["node_modules/.bin/mocha", "--expose-gc", "--exit", "--timeout", "20000",
                                     "--reporter", "json", "--reporter-option", f"output={report}",
                                     f"tests/test/{path.name}"],
                                    {**environment_of(places, library), "FORCE_COLOR": "0"}, project)
            found = outputs.mocha_outcomes(path.name, report.read_text() if report.exists() else "")
            if found is None:
                why = f"no end after {places.limit} s" if status is None else outputs.last_line(text, status)
                found = {f"{path.name}: the whole file": Outcome("failed", why)}
            results |= found
        return results if tests is None else {test: results[test] for test in tests if test in results}
