# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""A percentile needs samples beyond it. With fewer than ten it is chance: p99.9 of 500 is simply the slowest one."""

from .report_metrics import MAIN_METRICS, PERCENTILES

_BEYOND = 10
_NEEDED = {f"latency_{step}_us": round(_BEYOND / (1 - share)) for share, step in PERCENTILES}


def too_few_samples(group, lib, cell, metric):
    """False also where the program did not tell how many there were."""
    found = group.median(lib, cell, "latency_samples")
    return found is not None and found < _NEEDED.get(metric, 0)


def leave_out_chance(group):
    """Empties the percentiles of too few samples: they are then missing in whatever is made of the group."""
    group.leave_out(lambda lib, cell, metric: too_few_samples(group, lib, cell, metric))


def samples_note(group, metrics=MAIN_METRICS):
    """A line that explains what is missing, or nothing."""
    tried = ((lib, cell, metric) for lib in group.libs() for cell in group.cells() for metric in metrics)
    if any(too_few_samples(group, *one) for one in tried):
        return (
            f"Percentiles with fewer than {_BEYOND} samples beyond them are left out "
            f"(p99 needs {_NEEDED['latency_p99_us']:,} samples a run, p99.9 {_NEEDED['latency_p99_9_us']:,})."
        )
    return ""
