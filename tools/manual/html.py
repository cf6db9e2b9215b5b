# SPDX-License-Identifier: MPL-2.0
# SPDX-FileCopyrightText: 2026 the zlink authors

"""Writes blocks of manual/text.py as HTML."""
import html
import re

CODE = re.compile(r"``(.+?)``|`([^`]+)`")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
PAGE = re.compile(r"\b([a-z][\w-]+)\((\d)\)")
HIDDEN = re.compile("\x00(\\d+)\x00")


def slug(text):
    """The anchor of a heading, as GitHub makes it."""
    plain = LINK.sub(r"\2", text).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


class writer:
    """`link` gives the address of a link's target, `page` that of a manual page, or None."""

    def __init__(self, link, page):
        self.link, self.page = link, page
        self.headings = []  # level, text, anchor

    def inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\x00{len(kept) - 1}\x00"

        def linked(found):
            picture, label, target = found.groups()
            address = html.escape(self.link(target), quote=True)
            if picture:
                return keep(f'<img src="{address}" alt="{html.escape(label, quote=True)}" loading="lazy">')
            return keep(f'<a href="{address}">') + label + keep("</a>")

        def page(found):
            address = self.page(found[1], found[2])
            return keep(f'<a href="{html.escape(address, quote=True)}">{found[0]}</a>') if address else found[0]

        text = CODE.sub(lambda found: keep(f"<code>{html.escape(found[1] or found[2])}</code>"), text)
        text = re.sub(r"<br>", lambda _: keep("<br>"), text)
        text = re.sub(r"<(https?://[^>]+)>", lambda found: keep(f'<a href="{found[1]}">{found[1]}</a>'), text)
        while LINK.search(text):
            text = LINK.sub(linked, text)
        text = PAGE.sub(page, html.escape(text, quote=False))
        text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*", r"<em>\1</em>", text)
        while HIDDEN.search(text):
            text = HIDDEN.sub(lambda found: kept[int(found[1])], text)
        return text

    def heading(self, level, text):
        anchor, number = slug(text), 0
        taken = {each[2] for each in self.headings}
        while (anchor if not number else f"{anchor}-{number}") in taken:
            number += 1
        anchor = anchor if not number else f"{anchor}-{number}"
        self.headings.append((level, re.sub(r"<[^>]+>", "", self.inline(text)), anchor))
        return f'<h{level} id="{anchor}">{self.inline(text)}</h{level}>'

    def table(self, rows):
        out = ['<div class="wide"><table>']
        if any(rows[0]):
            out.append("<thead><tr>" + "".join(f"<th>{self.inline(cell)}</th>" for cell in rows[0]) + "</tr></thead>")
        out.append("<tbody>")
        out += ["<tr>" + "".join(f"<td>{self.inline(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]]
        return "\n".join(out + ["</tbody></table></div>"])

    def block(self, block):
        kind = block[0]
        if kind == "heading":
            return self.heading(block[1], block[2])
        if kind == "code":
            return f'<pre tabindex="0"><code>{html.escape(block[1])}</code></pre>'
        if kind == "table":
            return self.table(block[1])
        if kind == "list":
            tag = "ol" if block[2] else "ul"
            items = "\n".join(f"<li>{self.blocks(item, tight=True)}</li>" for item in block[1])
            return f"<{tag}>\n{items}\n</{tag}>"
        return f"<p>{self.inline(block[1])}</p>"

    def blocks(self, blocks, tight=False):
        if tight and blocks and blocks[0][0] == "paragraph":
            return "\n".join([self.inline(blocks[0][1])] + [self.block(block) for block in blocks[1:]])
        return "\n".join(self.block(block) for block in blocks)
