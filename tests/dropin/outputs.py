# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""What the test programs of Go, Rust, Catch and Mocha print."""
import json
import re

from compare import Outcome


def last_line(text, status):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else f"status {status}")[-160:]


def go_tests(text):
    """Names, of `-test.list .`."""
    return re.findall(r"^(?:Test|Example)\w*$", text, re.MULTILINE)


def go_outcome(status, text):
    """Of a run of one test with `-test.v`."""
    if status == 0:
        skipped = re.search(r"^--- SKIP: .*\n\s*(.*)", text, re.MULTILINE)
        if skipped:
            return Outcome("skipped", skipped[1].strip()[:160])
        return Outcome("passed") if re.search(r"^--- PASS: ", text, re.MULTILINE) else Outcome("skipped", "did not run")
    told = re.search(r"^(?:panic: .*|fatal error: .*|\s+\w+\.go:\d+: .*)", text, re.MULTILINE)
    return Outcome("failed", told[0].strip()[:160] if told else last_line(text, status))


def cargo_programs(text):
    """{name: path} of the test programs, from the lines of JSON that `cargo test --no-run` prints."""
    found = {}
    for line in text.splitlines():
        message = json.loads(line) if line.startswith("{") else {}
        if message.get("executable") and message.get("profile", {}).get("test"):
            found[message["target"]["name"]] = message["executable"]
    return found


def rust_tests(text):
    """Names, of `--list --format terse`."""
    return re.findall(r"^(.+): test$", text, re.MULTILINE)


def rust_outcome(status, text):
    """Of a run of one test."""
    if status == 0:
        if re.search(r"^test .* \.\.\. ignored", text, re.MULTILINE):
            return Outcome("skipped", "ignored")
        return Outcome("passed") if re.search(r"^test result: ok\. 1 passed", text, re.MULTILINE) \
            else Outcome("skipped", "did not run")
    told = re.search(r"panicked at (?:.*:\d+:\d+:\n)?(.*)", text)
    return Outcome("failed", told[1].strip()[:160] if told else last_line(text, status))


def catch_tests(text):
    """Names, of `--list-test-names-only`."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def catch_pattern(test):
    """What selects this test alone."""
    return re.sub(r"([\\,\[])", r"\\\1", test)


def catch_outcome(status, text):
    """Of a run of one test."""
    if status == 0:
        return Outcome("passed") if re.search(r"^All tests passed", text, re.MULTILINE) \
            else Outcome("skipped", "did not run")
    told = re.search(r"^(.*): FAILED:\n+\s*(.*)", text, re.MULTILINE)
    return Outcome("failed", f"{told[1].rsplit('/', 1)[-1]} {told[2]}".strip()[:160] if told
                   else last_line(text, status))


def mocha_outcomes(file, text):
    """{test: Outcome} of one file of tests, from the report that Mocha writes as JSON; None if it wrote none."""
    try:
        report = json.loads(text)
    except ValueError:
        return None
    found = {}
    for test in report["tests"]:
        name = f"{file}: {test['fullTitle']}"
        while name in found:
            name += " again"
        pending = any(other["fullTitle"] == test["fullTitle"] for other in report["pending"])
        why = " ".join(str(test["err"].get("message", "")).split())[:160]
        found[name] = Outcome("failed", why) if test["err"] else Outcome("skipped" if pending else "passed")
    for failure in report["failures"]:  # those of hooks are no tests
        found.setdefault(f"{file}: {failure['fullTitle']}",
                         Outcome("failed", " ".join(str(failure["err"].get("message", "")).split())[:160]))
    return found
