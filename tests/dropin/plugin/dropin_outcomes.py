# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A plugin of pytest that writes what becomes of each test as a line of JSON to the file DROPIN_OUTCOMES names. Tests
that have begun stay known when the process dies. The first lines tell the tests and the libzmq that is loaded."""
import json
import os
import sys

import pytest

_file = open(os.environ["DROPIN_OUTCOMES"], "a", buffering=1)


def _write(**fields):
    _file.write(json.dumps(fields) + "\n")


def _reason(report):
    if report.outcome == "skipped":
        return str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)


def pytest_collection_modifyitems(items):
    import zmq

    zmq.Context().term()
    with open("/proc/self/maps") as maps:
        loaded = sorted({line.split()[-1] for line in maps if "/libzmq.so" in line})
    # pyzmq's base class sets an alarm of its own over pytest's limit. (By its environment variable half of its tests
    # fail.)
    utilities = sys.modules.get("zmq_test_utils")
    if utilities:
        utilities.BaseZMQTestCase.test_timeout_seconds = int(os.environ["DROPIN_LIMIT"])
    _write(libraries=loaded, version=zmq.zmq_version(), tests=[item.nodeid for item in items])


def pytest_collectreport(report):
    if report.failed:
        _write(test=report.nodeid, outcome="failed", reason=_reason(report))
    elif report.skipped:
        _write(test=report.nodeid, outcome="skipped", reason=_reason(report))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid):
    _write(begun=nodeid)


_worst = {}


def pytest_runtest_logreport(report):
    """Setup, call and teardown of a test, one after the other: the worst of them counts."""
    rank = {"passed": 0, "skipped": 1, "failed": 2}
    if rank[report.outcome] > rank[_worst.get(report.nodeid, ("passed", ""))[0]]:
        _worst[report.nodeid] = (report.outcome, _reason(report))
    if report.when == "teardown":
        outcome, reason = _worst.pop(report.nodeid, ("passed", ""))
        _write(test=report.nodeid, outcome=outcome, reason=reason)
