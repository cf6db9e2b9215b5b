# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Writes blocks of manual/text.py with the macros of man(7)."""
import re
import textwrap

INLINE = re.compile(r"``(.+?)``|`([^`]+)`|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*)\*|!?\[([^\]]*)\]\([^)]*\)|"
                    r"\b([a-z][\w-]+)\((\d)\)")
PLAIN = {"\\": "\\e", "\u00a0": "\\ ", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}
WIDTH = 76


def escape(text, hyphens=False):
    """Text as roff takes it. With `hyphens`, each hyphen is the character that one types."""
    out = []
    for character in text:
        if character == "-" and hyphens:
            out.append("\\-")
        elif character in PLAIN and (hyphens or character == "\\"):
            out.append(PLAIN[character])
        elif ord(character) > 126:
            out.append(f"\\[u{ord(character):04X}]")
        else:
            out.append(character)
    return "".join(out)


def inline(text):
    out, at = [], 0
    for found in INLINE.finditer(text):
        out.append(escape(text[at:found.start()]))
        at = found.end()
        doubly, code, bold, italic, link, page, section = found.groups()
        if doubly or code:
            out.append(f"\\fB{escape(doubly or code, hyphens=True)}\\fR")
        elif bold:
            out.append(f"\\fB{escape(re.sub('[`]', '', bold))}\\fR")
        elif italic:
            out.append(f"\\fI{escape(italic)}\\fR")
        elif link:
            out.append(inline(link))
        elif page:
            out.append(f"\\fB{escape(page, hyphens=True)}\\fR({section})")
    out.append(escape(text[at:]))
    return "".join(out)


def protect(line):
    """A line that is text, though it may begin like a request."""
    return "\\&" + line if line.startswith((".", "'")) else line


def filled(text):
    """Text lines; no blank within a word in bold is lost."""
    out = []
    for part in text.split("<br>"):
        wrapped = textwrap.wrap(inline(part.strip()), WIDTH, break_on_hyphens=False, break_long_words=False)
        out += ([".br"] if out else []) + [protect(line) for line in wrapped]
    return out


def code_lines(text):
    return [".PP", ".RS 4", ".EX"] + [protect(escape(line, hyphens=True)) or "\\&" for line in text.splitlines()] + \
           [".EE", ".RE"]


def cell_lines(cell):
    return ["T{"] + (filled(cell) or ["\\&"]) + ["T}"]


def table_lines(rows):
    """A table of two columns is a list of terms; a wider one is tbl's."""
    columns = max(len(row) for row in rows)
    if columns == 2 and not any(rows[0]):
        rows = rows[1:]
    if columns == 2:
        out = []
        for left, right in rows[1:]:
            out += [".TP", inline(left)] + (filled(right) or ["\\&"])
        return out
    out = [".TS", "allbox;", " ".join(["lb"] * columns), " ".join(["lx"] * columns) + "."]
    header = "\t".join(inline(cell) or "\\&" for cell in rows[0])
    out.append(header)
    for row in rows[1:]:
        lines = []
        for cell in row + [""] * (columns - len(row)):
            if lines:
                part = cell_lines(cell)
                lines[-1] += "\t" + part[0]
                lines += part[1:]
            else:
                lines = cell_lines(cell)
        out += lines
    return out + [".TE", ".sp"]


TERM = re.compile(r"(`[^`]+`(?:,? (?:and |or )?`[^`]+`)*|\*\*[^*]+\*\*): (.*)", re.DOTALL)


def item_lines(item, mark):
    """An item `term`: text is a definition; others have a mark."""
    first = item[0] if item else ("paragraph", "")
    term = TERM.fullmatch(first[1]) if first[0] == "paragraph" else None
    if term:
        out = [".TP", inline(term[1])] + filled(term[2])
        rest = item[1:]
    elif first[0] == "paragraph":
        out = [f".IP {mark} 4"] + filled(first[1])
        rest = item[1:]
    else:
        out, rest = [f".IP {mark} 4", "\\&"], item
    if rest:
        out += [".RS"] + blocks_lines(rest) + [".RE"]
    return out


def block_lines(block):
    kind = block[0]
    if kind == "heading":
        return [(".SH " if block[1] <= 2 else ".SS ") + '"' + inline(block[2].upper() if block[1] <= 2 else block[2])
                .replace('"', "\\(dq") + '"']
    if kind == "code":
        return code_lines(block[1])
    if kind == "table":
        return table_lines(block[1])
    if kind == "list":
        out = []
        for number, item in enumerate(block[1], 1):
            out += item_lines(item, f"{number}." if block[2] else "\\(bu")
        return out
    return [".PP"] + filled(block[1])


def blocks_lines(blocks):
    out = []
    for block in blocks:
        lines = block_lines(block)
        # A paragraph right behind a heading needs no macro.
        if lines and lines[0] == ".PP" and (not out or out[-1].startswith((".SH", ".SS", ".RS"))):
            lines = lines[1:]
        out += lines
    return out


def prototype_lines(prototype):
    """A prototype, with its parameters in italics, broken between them."""
    head, parameters = prototype[:-1].split("(", 1) if not prototype.count("(") > 1 else (None, None)
    if head is None:
        return [f"\\fB{escape(prototype, hyphens=True)};\\fR"]
    words = re.fullmatch(r"(.*?)(\w+)", head)
    begin = f"{words[1].rstrip()} {words[2]}(".replace("* ", " *") if "*" in words[1] else f"{words[1]}{words[2]}("
    parts = []
    for parameter in parameters.split(", "):
        found = re.fullmatch(r"(.*?)(\**) ?(\w+)", parameter)
        stars = re.search(r"(\*+)$", found[1]) if found else None
        if not found or parameter == "void":
            parts.append((parameter, ""))
        else:
            kind = found[1][:len(found[1]) - len(stars[1])] if stars else found[1]
            pointer = (stars[1] if stars else "") + found[2]
            parts.append((f"{kind.rstrip()} {pointer}", found[3]))
    lines, line, width = [], f"\\fB{begin}", len(begin)
    indent = len(begin) if len(begin) < 40 else 8
    for number, (kind, name) in enumerate(parts):
        end = ");" if number == len(parts) - 1 else ","
        length = len(kind) + len(name) + len(end) + 1
        if width + length > WIDTH and number:
            lines.append(line.rstrip())
            line, width = "\\fB" + " " * indent, indent
        line += escape(kind, hyphens=True) + (f"\\fI{name}\\fB" if name else "") + end + " "
        width += length
    lines.append(line.rstrip() + "\\fR")
    return lines
