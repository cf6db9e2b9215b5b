# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""OMQ, a libzmq.so.5 in Rust, as a library to compare with: the crate omq-libzmq, built once by cargo."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .cells import UsageError

CRATE, VERSION = "omq-libzmq", "0.8.0"
HOME = Path(__file__).resolve().parents[2] / "build" / "omq"
MANIFEST = f"""[package]
name = "fetch-omq"
version = "0.0.0"
edition = "2021"
publish = false

[lib]
path = "none.rs"

[dependencies]
{CRATE} = "={VERSION}"
"""


def library_dir(home=HOME):
    """The folder with OMQ's libzmq.so.5; builds it if it is not there."""
    library = home / "lib" / "libzmq.so.5"
    made_of = home / "installed.toml"
    if library.exists() and made_of.exists() and made_of.read_text() == MANIFEST:
        return library.parent
    if not shutil.which("cargo"):
        raise UsageError("--peer omq: cargo is missing, which builds it (1.93 or newer)")
    print(f"building {CRATE} {VERSION} into {home}, once", flush=True)
    fetched = home / "fetched"
    fetched.mkdir(parents=True, exist_ok=True)
    (fetched / "Cargo.toml").write_text(MANIFEST)
    (fetched / "none.rs").write_text("")
    told = _cargo(["metadata", "--quiet", "--format-version", "1"], fetched, home / "fetch.log")
    crate = next(Path(package["manifest_path"]) for package in json.loads(told)["packages"]
                 if package["name"] == CRATE)
    _cargo(["build", "--quiet", "--release", "--manifest-path", str(crate), "--target-dir",
            str(home / "target")], fetched, home / "build.log")
    library.parent.mkdir(exist_ok=True)
    shutil.copy(home / "target" / "release" / "libomq_zmq.so", library)
    shutil.rmtree(home / "target")
    made_of.write_text(MANIFEST)
    return library.parent


def _cargo(arguments, folder, log):
    with open(log, "w", encoding="utf-8") as errors:
        done = subprocess.run(["cargo", *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True,
                              env={**os.environ, "CARGO_TERM_COLOR": "never"}, check=False)
    if done.returncode != 0:
        raise UsageError(f"--peer omq: cargo cannot fetch or build {CRATE} {VERSION}, see {log}")
    return done.stdout
