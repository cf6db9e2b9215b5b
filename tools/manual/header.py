# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Functions, structures and constants of zmq.h and zlink.h, with their documentation."""
import re
from dataclasses import dataclass

HEADERS = ("zmq.h", "zlink.h")
FUNCTION = re.compile(r"^(?:ZMQ|ZLINK)_EXPORT\s+([^;]*?\b(z\w+)\([^;]*\));", re.MULTILINE)
DEFINE = re.compile(r"^#define[ \t]+((?:ZMQ|ZLINK)_\w+)(?:[ \t]|\\\n)+(-?(?:0x)?[0-9A-Fa-f]+|ZMQ_\w+)\b", re.MULTILINE)
ERRNO = re.compile(r"\bE[A-Z]{3,}\b")


@dataclass
class function:
    name: str
    prototype: str   # in one line, without the semicolon
    comment: str     # its docstring, as plain text
    header: str
    draft: bool

    @property
    def errnos(self):
        return set(ERRNO.findall(self.comment))


def plain_comment(text):
    """The text of a /** */ comment."""
    lines = text.strip().removeprefix("/**").removesuffix("*/").splitlines()
    return "\n".join(re.sub(r"^\s*\* ?", "", line).rstrip() for line in lines).strip()


def comment_before(text, position):
    """The docstring that stands right before a declaration, with lines of the preprocessor between them at most."""
    before = text[:position].rstrip()
    while before.rsplit("\n", 1)[-1].startswith(("#", "ZMQ_EXPORT")):
        before = before.rsplit("\n", 1)[0].rstrip()
    if not before.endswith("*/"):
        return ""
    comment = before[before.rfind("/*"):]
    return plain_comment(comment) if comment.startswith("/**") else ""


class headers:
    def __init__(self, root):
        self.text = {name: (root / "include" / name).read_text() for name in HEADERS}
        self.functions = {}
        for name, text in self.text.items():
            draft = text.find("#ifdef ZMQ_BUILD_DRAFT_API")
            for found in FUNCTION.finditer(text):
                # The last one of a name counts: that of systems with POSIX.
                self.functions[found[2]] = function(found[2], " ".join(found[1].split()),
                                                    comment_before(text, found.start()), name,
                                                    draft != -1 and found.start() > draft)

    def structure(self, name):
        """The definition of a structure, with the comments on its members, or of a function's type."""
        for text in self.text.values():
            if found := re.search(rf"^typedef (?:struct {name} {{.*?^}} {name};|[^;{{]*\({name}\)[^;]*;)", text,
                                  re.MULTILINE | re.DOTALL):
                return found[0].replace("/**<", "/*").replace("`", "")
        raise ValueError(f"no structure or function type {name} in the headers")

    def place(self, constant):
        """"zlink.h" or "draft", if programs do not see this constant in zmq.h by itself; otherwise ""."""
        if re.search(rf"^#define {constant}\b", self.text["zlink.h"], re.MULTILINE):
            return "zlink.h"
        stable = self.text["zmq.h"].partition("#ifdef ZMQ_BUILD_DRAFT_API")[0]
        return "" if re.search(rf"^#define {constant}\b", stable, re.MULTILINE) else "draft"

    def constants(self):
        """The value of each constant that is a number, or another constant's name."""
        values = {}
        for text in self.text.values():
            for name, value in DEFINE.findall(text):
                values[name] = values.get(value) if value.startswith("ZMQ_") else int(value, 0)
        return values
