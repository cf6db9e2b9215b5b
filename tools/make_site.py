#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Writes the site: README.md, all documents, the manual pages and the charts, as static pages.

    make_site.py DIRECTORY

Documents keep their paths: docs/guide.md becomes docs/guide.html, and a README.md the index.html of its folder. Files
of the repository that documents link to are shown as pages as well. Links and anchors are checked; each that leads
nowhere is reported, and the exit status is 1. Links to other sites are left as they are.
"""
import argparse
import html
import posixpath
import re
import shutil
import sys
from pathlib import Path

from manual import text
from manual.html import writer
from manual.pages import expanded, manual, page_error

ROOT = Path(__file__).resolve().parent.parent
MENU = (("README.md", "zlink"), ("docs/guide.md", "Guide"), ("docs/man/", "Manual"), ("docs/tool.md", "Tool"),
        ("docs/security.md", "Security"), ("docs/migrating.md", "Migrating"),
        ("docs/performance/summary.md", "Performance"), ("docs/compatibility.md", "Compatibility"),
        ("docs/README.md", "All documents"))
PICTURES = (".png", ".svg")
SECTIONS = {"3": "Functions", "7": "Overviews, transports and security", "1": "The tool"}

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}site.css">
</head>
<body>
<header><nav aria-label="Site">{menu}</nav></header>
<div class="page{grid}">
{contents}<main>
{body}
</main>
</div>
<script>
const contents = document.querySelector(".contents");
if (contents) contents.open = matchMedia("(min-width: 64rem)").matches;
</script>
<footer><p>zlink {version}. Mozilla Public License 2.0.</p></footer>
</body>
</html>
"""


class site:
    def __init__(self, directory, root=ROOT):
        self.directory, self.root, self.book = directory, root, manual(root)
        self.anchors = {}   # of each page that was written
        self.links = []     # page, target, anchor
        self.wanted = []    # files of the repository that are linked to
        self.problems = []
        self.generated = {f"docs/man/{page.path.name}" for page in self.book.pages}

    def place(self, path):
        """Where a path of the repository is in the site."""
        if path.startswith("docs/man/"):
            name = path.removeprefix("docs/man/").removesuffix(".md")
            return "docs/man/index.html" if name in ("", "README") else f"docs/man/{name}.html"
        if path.endswith("/") or path in ("", "."):
            return posixpath.join(path.strip("/"), "index.html").lstrip("/")
        if posixpath.basename(path) == "README.md":
            return posixpath.join(posixpath.dirname(path), "index.html")
        if path.endswith(".md"):
            return path[:-3] + ".html"
        return path if path.endswith((".gz", *PICTURES)) else path + ".html"

    def address(self, source, target):
        """Of a link from one path of the repository to another."""
        if re.match(r"[a-z]+:", target):
            return target
        path, _, anchor = target.partition("#")
        if path:
            full = posixpath.normpath(posixpath.join("/", posixpath.dirname(source), path)).lstrip("/")
            if (self.root / full / "README.md").exists():
                full += "/README.md"
            elif (self.root / full).is_dir():
                full += "/"
            elif not (self.root / full).exists() and full not in self.generated:
                self.problems.append(f"{source}: no {target}")
                return target
            if full not in self.generated:
                self.wanted.append(full)
        else:
            full = source
        self.links.append((source, self.place(full), anchor))
        to = posixpath.relpath(self.place(full), posixpath.dirname(self.place(source)) or ".")
        return to + (f"#{anchor}" if anchor else "")

    def manual_address(self, source, name, section):
        page = self.book.known().get((name, section))
        if not page:
            return None
        return self.address(source, f"/docs/man/{page.path.name}")

    def write(self, source, title, body, headings=()):
        place = self.place(source)
        to = self.directory / place
        to.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * place.count("/")
        menu = []
        for path, label in MENU:
            here = self.place(path)
            classes = " ".join((["name"] if path == "README.md" else []) + (["here"] if here == place else []))
            menu.append(f'<a href="{up}{here}"' + (f' class="{classes}"' if classes else "") + f">{label}</a>")
        listed = [each for each in headings if each[0] in (2, 3)]
        contents = ""
        if len(listed) > 2:
            if len(listed) > 40:
                listed = [each for each in listed if each[0] == 2]
            rows = "".join(f'<li class="l{level}"><a href="#{anchor}">{label}</a></li>'
                           for level, label, anchor in listed)
            contents = f'<details class="contents"><summary>On this page</summary><ul>{rows}</ul></details>\n'
        self.anchors[place] = {each[2] for each in headings}
        to.write_text(PAGE.format(title=html.escape(title), up=up, menu="".join(menu), body=body, contents=contents,
                                  grid=" with-contents" if contents else "", version=self.book.version))

    def writer(self, source):
        return writer(lambda target: self.address(source, target),
                      lambda name, section: self.manual_address(source, name, section))

    def document(self, source):
        blocks = text.parse_text((self.root / source).read_text())
        title = next((block[2] for block in blocks if block[0] == "heading"), source)
        made = writer(lambda target: self.address(source, target), lambda name, section: None)
        self.write(source, re.sub(r"[`*]", "", title), made.blocks(blocks), made.headings)

    def manual_page(self, page):
        source = f"docs/man/{page.path.name}"
        made = self.writer(source)
        out = [f"<h1>{page.label}</h1>", f"<p>{html.escape(', '.join(page.names))}: {made.inline(page.purpose)}</p>"]
        if page.functions:
            lines, structures, prototypes = page.synopsis()
            code = "\n\n".join(["\n".join(lines)] + structures + ["\n".join(f"{each};" for each in prototypes)])
            out += [made.heading(2, "Synopsis"), made.block(("code", code))]
        for name, blocks in page.sections().items():
            out += [made.heading(2, name.capitalize()), made.blocks(expanded(self.book, blocks))]
        self.write(source, f"{page.label}: {page.purpose}", "\n".join(out), made.headings)

    def manual_index(self):
        source = "docs/man/README.md"
        made = self.writer(source)
        out = ["<h1>Manual</h1>"]
        for section, title in SECTIONS.items():
            items = []
            for page in sorted(self.book.pages, key=lambda each: each.name.lower()):
                if page.section == section:
                    names = ", ".join(f"{name}({section})" for name in page.names)
                    items.append([("paragraph", f"{names}: {page.purpose}")])
            out += [made.heading(2, title), made.block(("list", items, False))]
        self.write(source, "Manual of zlink", "\n".join(out), made.headings)

    def file(self, path):
        """A file, or a folder without a README, that a document links to."""
        full = self.root / path
        if path.endswith(".md"):
            self.document(path)
        elif path.endswith("/"):
            names = sorted(each.name + ("/" if each.is_dir() else "") for each in full.iterdir()
                           if each.suffix in (".md", ".c", ".py", ".h", ".hpp", ".cpp"))
            blocks = [("heading", 1, path), ("list", [[("paragraph", f"[{name}]({name})")] for name in names], False)]
            made = writer(lambda target: self.address(path + "x", target), lambda name, section: None)
            self.write(path, path, made.blocks(blocks), made.headings)
        elif path.endswith((".gz", *PICTURES)):
            to = self.directory / path
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(full, to)
            self.anchors[path] = set()
        else:
            made = writer(str, lambda name, section: None)
            body = f"<h1>{html.escape(path)}</h1>\n" + made.block(("code", full.read_text(errors="replace")))
            self.write(path, path, body)

    def make(self):
        shutil.rmtree(self.directory, ignore_errors=True)
        documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        manual_pages = self.root / "docs" / "man"
        documents += sorted(str(path.relative_to(self.root)) for folder in ("docs", "examples")
                            for path in (self.root / folder).rglob("*.md") if manual_pages not in path.parents)
        for source in documents:
            self.document(source)
        for page in self.book.pages:
            self.manual_page(page)
        self.manual_index()
        done = set()
        while self.wanted:
            path = self.wanted.pop()
            if path not in done and self.place(path) not in self.anchors:
                done.add(path)
                self.file(path)
        shutil.copyfile(Path(__file__).parent / "manual" / "site.css", self.directory / "site.css")
        self.check()

    def check(self):
        for source, place, anchor in self.links:
            if place not in self.anchors:
                self.problems.append(f"{source}: nothing at {place}")
            elif anchor and anchor not in self.anchors[place] and not place.endswith((".cpp.html", ".py.html")):
                self.problems.append(f"{source}: no #{anchor} in {place}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    made = site(parser.parse_args().directory)
    made.make()
    for problem in sorted(set(made.problems)):
        print(problem)
    if not made.problems:
        print(f"{len(made.anchors)} pages and pictures, {len(made.links)} links, each leads somewhere")
    return 1 if made.problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except page_error as wrong:
        sys.exit(f"make_site.py: {wrong}")
