# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Sources from the package registries that this machine is set up for: PyPI by pip, Debian's by apt."""
import re
from pathlib import Path

from steps import Failure, execute


def from_pypi(places, pip, requirement):
    """The unpacked source distribution of a package."""
    folder = places.folder("sources", re.sub(r"[^\w.-]", "_", requirement))
    if not list(folder.glob("*.tar.gz")):
        execute(places, f"fetch {requirement}",
                [pip, "download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", folder,
                 requirement],
                "pip must reach PyPI: look at the network and at `pip config list`")
    return unpack(places, next(folder.glob("*.tar.gz")))


def unpack(places, archive):
    target = archive.parent / "unpacked"
    if not target.exists():
        partial = archive.parent / "partial"
        execute(places, f"unpack {archive.name}",
                ["sh", "-c",
                 'rm -rf "$2" && mkdir "$2" && tar -xf "$1" -C "$2" --strip-components=1 && mv "$2" "$3"', "sh",
                 archive, partial, target], f"remove {archive.parent} and start again")
    return target


def as_sources(text, is_deb822):
    """apt's sources with packages, as sources of the same archives with source packages; "" if there are none."""
    if is_deb822:
        stanzas = [stanza for stanza in re.split(r"\n\s*\n", text)
                   if re.search(r"^Types:(.*\s)?deb(\s|$)", stanza, re.MULTILINE)]
        return "\n\n".join(re.sub(r"^Types:.*$", "Types: deb-src", stanza.strip("\n"), flags=re.MULTILINE)
                           for stanza in stanzas if not re.search(r"^Enabled:\s*no", stanza,
                                                                  re.MULTILINE | re.IGNORECASE))
    lines = [re.sub(r"^\s*deb\s", "deb-src ", line) for line in text.splitlines() if re.match(r"\s*deb\s", line)]
    return "\n".join(dict.fromkeys(lines))


def of_suite(text, suite):
    """apt's sources of Debian's releases, as sources of another release; "" if there are none."""
    gap = "\n\n" if "Types:" in text else "\n"
    parts = [re.sub(r"(?<=\s)(?:bookworm|trixie)(?=\s|$)", suite, re.sub(r" (?:bookworm|trixie)-\S+", "", part))
             for part in text.split(gap)]
    return gap.join(part for part in parts if re.search(rf"\s{suite}(?=\s|$)", part))


def from_distribution(places, package, etc=Path("/etc/apt"), newer=None):
    """The unpacked source package of the distribution, or the one of a newer release of Debian. apt's own settings are
    read, and left as they are."""
    folder = places.folder("sources", package)
    target = folder / "unpacked"
    if target.exists():
        return target
    apt_folder = f"apt-{newer}" if newer else "apt"
    parts = places.folder(apt_folder, "sources.list.d")
    found = False
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if path.suffix in (".list", ".sources") and path.is_file():
            text = as_sources(path.read_text(), path.suffix == ".sources")
            if newer:
                (parts / f"{newer}-{path.name}").write_text(of_suite(text, newer) + "\n")
            (parts / path.name).write_text(text + "\n")
            found = found or bool(text)
    if not found:
        raise Failure(f"apt knows no archive to fetch {package} from ({etc}/sources.list, sources.list.d)",
                      "run on Debian 12 or Ubuntu 24.04 with its archive in apt's sources")

    apt = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={parts}",
           "-o", f"Dir::State::Lists={places.folder(apt_folder, 'lists')}", "-o",
           f"Dir::Cache={places.folder(apt_folder, 'cache')}",
           "-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3"]
    network = "apt must reach the distribution's archive: look at the network and at `apt-get update`"
    execute(places, f"apt-get update of source packages, {package}", [*apt, "update"], network)
    execute(places, f"fetch {package}", [*apt, "source", "--download-only", package], network, cwd=folder)
    partial = folder / "partial"
    execute(places, f"unpack {package}",
            ["sh", "-c", 'rm -rf "$1" && dpkg-source --no-check -x *.dsc "$1" && mv "$1" "$2"', "sh", partial, target],
            "apt-get install dpkg-dev; then remove " + str(folder), cwd=folder)
    return target
