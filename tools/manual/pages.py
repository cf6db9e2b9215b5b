# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The manual's pages: docs/man/NAME.SECTION.md, with what the headers and the tables of options say.

A page begins with `# name(section): what it is for`. A comment may follow, with lines `key: value`:

    functions: zmq_timers_new, ...   the functions that the page describes; default: the one in its name
    types: zmq_pollitem_t            structures to show in the synopsis
    handle: socket                   adds the errors and the rule on threads of functions with such a handle
    without: ETERM                   errno that do not happen, though the handle or the header names them
    also: NAME, ...                  other names under which `man` finds a page that is not about functions

All functions of a page are found under their own names. These paragraphs stand for something else:

    {{settable options}}             those options of docs/man/options.toml that can be set; or {{readable options}}
    {{functions zlink_}}             the pages about functions whose names begin so
    {{commands}}                     the commands of the tool
    {{document NAME}}                another document of docs/, from its first section on
"""
import re
import tomllib

from manual import commands, roff, text
from manual.header import headers

TITLE = re.compile(r"# ([\w-]+)\((\d)\): (.+)")
REFERENCE = re.compile(r"\b((?:zmq|zlink)[\w-]*)\((\d)\)")

SOCKET = "`ENOTSOCK`: `socket` is not a socket, or was closed."
TERMINATED = "`ETERM`: the context was terminated or shut down. Close the socket."
HANDLES = {
    "socket": ([SOCKET, TERMINATED],
               "A socket belongs to one thread at a time, unless it is shared: sockets with `ZLINK_SHARED`, and those "
               "of the thread-safe types, may be used by any number of threads at once. Hand a socket over to another "
               "thread with a full memory fence, such as a mutex."),
    "message": (["`EFAULT`: a message is NULL, was closed, or was not initialised."],
                "A message belongs to one thread at a time. Different messages are independent, even if they share "
                "content."),
    "context": (["`EFAULT`: `context` is not a context, or was terminated."], "Any thread may call this at any time."),
    "poller": (["`EFAULT`: `poller` is not a poller."],
               "A poller, with the sockets in it, belongs to one thread at a time. Shared and thread-safe sockets may "
               "be in the pollers of several threads."),
    "timers": (["`EFAULT`: `timers` is not a set of timers."],
               "A set of timers belongs to one thread at a time. Handlers run on the thread that calls "
               "zmq_timers_execute(3)."),
}
ORDER = ("synopsis", "description", "options", "flags", "return value", "errors", "threads", "example", "see also")


class page_error(Exception):
    pass


class page:
    def __init__(self, path, api, source):
        self.path, self.api = path, api
        first, _, rest = source.partition("\n")
        title = TITLE.fullmatch(first)
        if not title or path.name != f"{title[1]}.{title[2]}.md":
            raise page_error(f"{path}: the first line has to be '# {path.name[:-5]}({path.name[-4]}): what it is for'")
        self.name, self.section, self.purpose = title.groups()
        self.settings = {}
        if comment := re.match(r"\s*<!--(.*?)-->", rest, re.DOTALL):
            for line in re.sub(r"\n +", " ", comment[1].strip()).splitlines():
                key, _, value = line.partition(":")
                self.settings[key.strip()] = value.strip()
            rest = rest[comment.end():]
        self.source = rest
        default = self.name if self.section == "3" else ""
        self.functions = self.listed("functions", default)
        self.names = list(dict.fromkeys([self.name] + self.functions + self.listed("also")))
        unknown = [name for name in self.functions if name not in api.functions]
        if unknown:
            raise page_error(f"{path}: no such function in zmq.h or zlink.h: {', '.join(unknown)}")

    def listed(self, key, default=""):
        return [name.strip() for name in self.settings.get(key, default).split(",") if name.strip()]

    @property
    def handles(self):
        return self.listed("handle")

    @property
    def label(self):
        return f"{self.name}({self.section})"

    def sections(self):
        """The page's blocks by heading, in lower case and in the order in which they are shown."""
        found, name = {}, None
        for block in text.parse_text(self.source):
            if block[0] == "heading" and block[1] == 2:
                name = block[2].lower()
                found[name] = []
            elif name is None:
                raise page_error(f"{self.path}: text before the first heading")
            else:
                found[name].append(block)
        if self.handles:
            self.add_rules_of_handles(found)
        return dict(sorted(found.items(), key=lambda each: ORDER.index(each[0]) if each[0] in ORDER else 3.5))

    def add_rules_of_handles(self, found):
        errors = found.setdefault("errors", [])
        items = [item for handle in self.handles for item in HANDLES[handle][0]]
        items = [[("paragraph", item)] for item in items
                 if f"`{re.match('`(E[A-Z]+)`', item)[1]}`:" not in self.source
                 and re.match("`(E[A-Z]+)`", item)[1] not in self.listed("without")]
        if items and errors and errors[-1][0] == "list":
            errors[-1] = ("list", errors[-1][1] + items, False)
        elif items:
            errors.append(("list", items, False))
        if not errors:
            del found["errors"]
        found.setdefault("threads", [("paragraph", HANDLES[handle][1]) for handle in self.handles])

    def errnos(self):
        """The errno that the page names under ERRORS."""
        errors = self.sections().get("errors", [])
        return set(re.findall(r"`(E[A-Z]+)`", repr(errors)))

    def references(self):
        return set(REFERENCE.findall(self.source))

    def synopsis(self):
        """Lines in front of the prototypes, structures, prototypes."""
        shown = [self.api.functions[name] for name in self.functions]
        lines = ["#define ZMQ_BUILD_DRAFT_API"] if any(each.draft for each in shown) else []
        lines += [f"#include <{name}>" for name in dict.fromkeys(each.header for each in shown)]
        return lines, [self.api.structure(name) for name in self.listed("types")], [each.prototype for each in shown]


class manual:
    def __init__(self, root):
        self.root = root
        self.api = headers(root)
        folder = root / "docs" / "man"
        self.pages = [page(path, self.api, path.read_text()) for path in sorted(folder.glob("*.md"))
                      if path.name != "README.md"]
        self.options = tomllib.loads((folder / "options.toml").read_text())["option"]
        self.commands = commands.read(root)
        self.pages += [page(folder / f"zlink-{name}.1.md", self.api, commands.page_text(name, command))
                       for name, command in self.commands.items() if name]
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", (root / "CMakeLists.txt").read_text())
        self.version = version[1]

    def known(self):
        """Every name that has a page, with its section."""
        return {(name, each.section): each for each in self.pages for name in each.names}

    def page_of(self, function):
        return self.known().get((function, "3"))

    def undocumented(self):
        return [name for name in self.api.functions if not self.page_of(name)]

    def expand(self, block):
        """The blocks that {{...}} stands for."""
        command = re.fullmatch(r"\{\{(.*)\}\}", block[1]) if block[0] == "paragraph" else None
        if not command:
            return [block]
        if command[1] in ("readable options", "settable options"):
            wanted = "r" if command[1] == "readable options" else "w"
            return self.option_blocks(lambda each: wanted in each["access"])
        if beginning := re.fullmatch(r"functions (\w+)", command[1]):
            return [("list", [[("paragraph", f"{each.label}: {each.purpose}.")] for each in self.pages
                              if each.functions and each.name.startswith(beginning[1])], False)]
        if command[1] == "commands":
            return [("list", [[("paragraph", f"`{name}`: {each['about']}")]
                              for name, each in self.commands.items() if name], False)]
        if document := re.fullmatch(r"document (\S+)", command[1]):
            source = (self.root / "docs" / document[1]).read_text()
            # Its links lead from docs/, and the page is in docs/man/.
            return text.parse_text(re.sub(r"\]\((?![a-z]+:|#)", "](../", source[source.index("\n## "):]))
        raise page_error(f"unknown: {block[1]}")

    def option_blocks(self, wanted):
        blocks, group = [], None
        for each in self.options:
            if not wanted(each):
                continue
            if each["group"] != group:
                group = each["group"]
                blocks += [("heading", 3, group), ("list", [], False)]
            blocks[-1][1].append([("paragraph", f"`{each['name']}`: {option_facts(self, each)}<br>{each['text']}")])
        return blocks


def option_range(each):
    """The numbers that an option takes, in words."""
    if "range" in each or "least" not in each:
        return each.get("range", "")
    least, most = each["least"], each.get("most")
    if most is None:
        return f"{least} and above"
    return f"{least} or {most}" if most == least + 1 else f"{least} to {most}"


def option_facts(book, each):
    """*int, ms; default -1; -1 and above; at once.*"""
    facts = [each["type"] + (f", {each['unit']}" if each.get("unit") else "")]
    facts.append({"rw": "", "r": "read only", "w": "write only"}[each["access"]])
    if "default" in each:
        facts.append(f"default {each['default'] if each['default'] != '' else 'empty'}")
    facts.append(option_range(each))
    facts.append("" if each["access"] == "r" else ", ".join(each.get("sockets", ["all types"])))
    facts.append("at once" if each.get("at_once") else "")
    facts.append(book.api.place(each["name"]))
    return "*" + "; ".join(fact for fact in facts if fact) + ".*"


def expanded(book, blocks):
    return [inner for block in blocks for inner in book.expand(block)]


def synopsis_lines(each):
    lines, structures, prototypes = each.synopsis()
    out = [".SH SYNOPSIS", ".nf"] + [f"\\fB{roff.escape(line, hyphens=True)}\\fR" for line in lines]
    for structure in structures:
        out += [".PP"] + [roff.protect(roff.escape(line, hyphens=True)) for line in structure.splitlines()]
    out.append(".PP")
    for prototype in prototypes:
        out += roff.prototype_lines(prototype)
    return out + [".fi"]


def demoted(blocks):
    """A document that is taken in has its headings one level down, if they do not follow the page's own."""
    return [("heading", block[1] + 1, block[2]) if block[0] == "heading" and block[1] == 2 else block
            for block in blocks]


def render(book, each, date):
    """The page as man(7)."""
    out = [f'.TH {each.name.upper().replace("-", chr(92) + "-")} {each.section} {date} "zlink {book.version}" '
           f'"zlink manual"', ".ad l", ".SH NAME"]
    names = ", ".join(roff.escape(name, hyphens=True) for name in each.names)
    out.append(f"{names} \\- {roff.inline(each.purpose)}")
    sections = each.sections()
    if each.functions:
        out += synopsis_lines(each)
    for name, blocks in sections.items():
        if name == "see also":
            continue
        heading = [("heading", 0, "")]
        out += [f'.SH "{roff.inline(name.upper())}"'] + roff.blocks_lines(heading + expanded(book, blocks))[1:]
    out += see_also(book, each, sections)
    lines = "\n".join(line for line in out if line) + "\n"
    return ("'\\\" t\n" if ".TS\n" in lines else "") + '.\\" Written by tools/man_pages.py from ' + \
        f"docs/man/{each.path.name}\n" + lines


def see_also(book, each, sections):
    listed = [(block[1]) for block in sections.get("see also", [])]
    names = [f"{name}({section})" for name, section in REFERENCE.findall(" ".join(listed))]
    others = "" if names else " ".join(listed)
    if each.label not in ("zmq(7)", "zlink(7)") and "zmq(7)" not in names and each.section == "3":
        names.append("zlink(7)" if each.name.startswith("zlink") else "zmq(7)")
    names = [name for name in dict.fromkeys(names) if name != each.label]
    line = ",\n".join(roff.inline(name) for name in names) or roff.inline(others)
    return [".SH SEE ALSO", line] if line else []
