# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The environment and settings of result files, as rows of a table: where, with what and how was measured."""

_LABELS = {
    "host": "Host",
    "cpu_model": "CPU",
    "cores": "Cores",
    "governor": "CPU governor",
    "kernel": "Kernel",
    "congestion_control": "TCP congestion control",
    "compiler": "Compiler",
    "build_flags": "Build flags",
    "libzmq_version": "libzmq",
    "zlink_version": "zlink",
    "nng_version": "nng",
    "omq_version": "OMQ",
    "git_commit": "Commit",
    "date": "Date",
}
_SETTINGS = {
    "seconds": "Seconds a run",
    "msg_count": "Messages a run",
    "runs": "Pairs of runs a cell",
    "io_threads": "I/O threads",
    "pinned": "Pinned",
    "api": "API",
    "shared_core": "Beside a busy process",
    "end_cores": "Cores of the ends",
    "hwm": "High-water mark",
    "two_process": "Two processes",
    "peers": "Peers",
}


def environment_rows(groups):
    """(label, text) for each fact; where the groups or their files differ, all values are named."""
    environments = [environment for group in groups for environment in group.environments]
    rows = []
    for name, label in _LABELS.items():
        rows.append((label, _joined(_fact(environment, name) for environment in environments)))
    known = set(_LABELS) | {"git_dirty"}
    for name in sorted({name for environment in environments for name in environment} - known):
        rows.append((_label(name), _joined(_plain(environment.get(name)) for environment in environments)))
    rows = [(label, text) for label, text in rows if text]
    for name, label in _SETTINGS.items():
        text = _joined(_setting(group.settings, name) for group in groups)
        if text:
            rows.append((label, text))
    knobs = _joined(
        ", ".join(f"{knob}={value}" for knob, value in sorted((group.settings.get("knobs") or {}).items()))
        for group in groups
    )
    rows.append(("Knobs", knobs or "none set"))
    known = set(_SETTINGS) | {"knobs", "taskset_cpu"}
    for name in sorted({name for group in groups for name in group.settings} - known):
        text = _joined(_plain(group.settings.get(name)) for group in groups)
        if text:
            rows.append((_label(name), text))
    return rows


def _fact(environment, name):
    text = _plain(environment.get(name))
    if name == "git_commit" and text and environment.get("git_dirty"):
        text += " with changes that are not committed"
    return text


def _setting(settings, name):
    value = settings.get(name)
    if name == "pinned" and name in settings:
        core = settings.get("taskset_cpu")
        return "no" if not value else "yes" if core is None else f"yes, core {core}"
    if name == "end_cores" and value:
        return f"sender {value[0]}, receiver {value[1]}"
    if name == "hwm" and name in settings:
        return (
            "the library's default (1000)"
            if value is None or value == ""
            else "unlimited" if value == 0 else str(value)
        )
    if name == "msg_count" and not value:
        return ""
    return _plain(value)


def _plain(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_plain(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}={_plain(item)}" for name, item in sorted(value.items()))
    return str(value)


def _label(name):
    return name.replace("_", " ").capitalize()


def _joined(texts):
    """The different texts once each, in the order met."""
    return "; ".join(dict.fromkeys(text for text in texts if text))
