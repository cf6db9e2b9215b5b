#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The site: all its links lead somewhere, and a link that does not is found."""
import html.parser
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE_DIR = Path(os.environ["ZLINK_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tools"))
from make_site import site  # noqa: E402
from manual import text  # noqa: E402
from manual.html import slug, writer  # noqa: E402


class addresses(html.parser.HTMLParser):
    """Anchors of a page, and what it refers to."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.targets, self.open = set(), [], []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values["id"]} if "id" in values else set()
        self.targets += [values[name] for name in ("href", "src") if name in values]
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> in {self.open}"
        self.open.pop()


class site_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = Path(cls.scratch.name) / "site"
        cls.made = site(cls.root)
        cls.made.make()
        cls.pages = {path: addresses(path) for path in cls.root.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_the_generator_finds_nothing_wrong(self):
        self.assertEqual([], self.made.problems)

    def test_every_link_of_every_page_leads_somewhere(self):
        """Looked at from outside: in the files themselves."""
        self.assertGreater(len(self.pages), 150)
        for path, page in self.pages.items():
            self.assertEqual([], page.open, path)
            for target in page.targets:
                if target.startswith(("http:", "https:")):
                    continue
                name, _, anchor = target.partition("#")
                file = (path.parent / name).resolve() if name else path
                self.assertTrue(file.is_file(), f"{path}: {target}")
                if anchor and file.suffix == ".html":
                    self.assertIn(anchor, self.pages[self.root / file.relative_to(self.root.resolve())].anchors,
                                  f"{path}: {target}")

    def test_what_the_menu_names_is_there(self):
        for name in ("index.html", "docs/guide.html", "docs/man/index.html", "docs/performance/summary.html",
                     "docs/man/zmq_poll.3.html", "docs/performance/throughput-tcp.png", "site.css"):
            self.assertTrue((self.root / name).is_file(), name)

    def test_nothing_of_the_markup_is_left(self):
        for path in self.pages:
            if path.suffixes[-2:] in ([".cpp", ".html"], [".hpp", ".html"], [".py", ".html"], [".c", ".html"]):
                continue
            with self.subTest(path.relative_to(self.root)):
                self.assertNotIn("\0", path.read_text())
                self.assertNotRegex(path.read_text(), r"<p>\s*(\||#+ |```|\{\{)")


class broken_links_test(unittest.TestCase):
    def test_are_reported(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch) / "root"
            for name in ("docs", "include", "examples"):
                shutil.copytree(SOURCE_DIR / name, root / name, ignore=shutil.ignore_patterns("results"))
            for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CMakeLists.txt"):
                shutil.copy(SOURCE_DIR / name, root / name)
            (root / "README.md").write_text("# a\n\n[x](docs/guide.md#nowhere) [y](docs/absent.md) [z](#a)\n")
            made = site(Path(scratch) / "site", root)
            made.make()
            self.assertIn("README.md: no #nowhere in docs/guide.html", made.problems)
            self.assertIn("README.md: no docs/absent.md", made.problems)
            self.assertNotIn("README.md: no #a in index.html", made.problems)


class markup_test(unittest.TestCase):
    def written(self, source):
        pages = {"zmq_poll": "zmq_poll.html"}
        made = writer(lambda target: "to:" + target, lambda name, section: pages.get(name))
        return made.blocks(text.parse_text(source))

    def test_of_a_line(self):
        self.assertEqual('<p>a <strong>b</strong> <code>&lt;**c**&gt;</code> <a href="to:x.md">d</a></p>',
                         self.written("a **b** `<**c**>` [d](x.md)"))
        self.assertEqual('<p><a href="zmq_poll.html">zmq_poll(3)</a> and zmq_pool(3)</p>',
                         self.written("zmq_poll(3) and zmq_pool(3)"))
        self.assertEqual("<p>a * b * c</p>", self.written("a * b * c"))

    def test_of_lists_in_lists(self):
        self.assertEqual("<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n<li>c d</li>\n</ul>",
                         self.written("- a\n  - b\n- c\n  d\n"))
        self.assertEqual("<ol>\n<li>a\n<pre tabindex=\"0\"><code>b\n\nc</code></pre></li>\n</ol>",
                         self.written("1. a\n\n       b\n\n       c\n"))

    def test_of_tables(self):
        self.assertIn("<tr><td><code>a|b</code></td><td>c</td></tr>",
                      self.written("| x | y |\n|---|---|\n| `a\\|b` | c |\n"))

    def test_anchors_are_those_of_github(self):
        self.assertEqual("zap-as-libzmq-435-has-it", slug("ZAP, as `libzmq` 4.3.5 has it"))


if __name__ == "__main__":
    unittest.main()
