# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""The part of Markdown that the documents use, as a tree of blocks.

Blocks are tuples: ("heading", level, text), ("code", text), ("table", rows), ("list", items, ordered) with a list of
blocks an item, ("paragraph", text).
"""
import re

FENCE = re.compile(r"^(`{3,})\s*\w*$")
ITEM = re.compile(r"^(-|\d+\.) +")


def indentation(line):
    return len(line) - len(line.lstrip(" "))


def cells(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def take_while(lines, at, wanted):
    end = at
    while end < len(lines) and wanted(lines[end]):
        end += 1
    return end


def parse_item(lines, at):
    """The lines of one item of a list, without their indentation, and where the next block begins."""
    width = len(ITEM.match(lines[at])[0])
    own = [lines[at][width:]]
    at += 1
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            following = take_while(lines, at, lambda each: not each.strip())
            if following == len(lines) or indentation(lines[following]) < width:
                break
            own.append("")
        elif indentation(line) >= width:
            own.append(line[width:])
        elif ITEM.match(line):
            break
        else:
            own.append(line.strip())
        at += 1
    return own, at


def begins_block(line):
    return not line.strip() or line.startswith(("#", "|")) or ITEM.match(line) or FENCE.match(line)


def parse(lines):
    blocks, at = [], 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("<!--"):
            at = take_while(lines, at, lambda each: "-->" not in each) + 1
        elif heading := re.match(r"(#+) (.*)", line):
            blocks.append(("heading", len(heading[1]), heading[2].strip()))
            at += 1
        elif fence := FENCE.match(line):
            end = take_while(lines, at + 1, lambda each: each.strip() != fence[1])
            blocks.append(("code", "\n".join(lines[at + 1:end])))
            at = end + 1
        elif indentation(line) >= 4:
            end = take_while(lines, at, lambda each: not each.strip() or indentation(each) >= 4)
            code = "\n".join(each[4:] for each in lines[at:end]).rstrip()
            blocks.append(("code", code))
            at = end
        elif line.startswith("|"):
            end = take_while(lines, at, lambda each: each.startswith("|"))
            rows = [cells(each) for each in lines[at:end]]
            blocks.append(("table", [rows[0]] + rows[2:]))
            at = end
        elif found := ITEM.match(line):
            items = []
            ordered = found[1] != "-"
            while at < len(lines) and ITEM.match(lines[at]):
                own, at = parse_item(lines, at)
                items.append(parse(own))
                while at < len(lines) and not lines[at].strip():
                    at += 1
            blocks.append(("list", items, ordered))
        else:
            end = take_while(lines, at + 1, lambda each: not begins_block(each))
            blocks.append(("paragraph", " ".join(each.removeprefix(">").strip() for each in lines[at:end])))
            at = end
    return blocks


def parse_text(text):
    return parse(text.expandtabs(4).splitlines())
