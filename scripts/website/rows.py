"""Tables of words on phones: columns that are lines below the first cell of a row.

A head with the class tw-below marks such a column, and tw-said one that has its name
before its cells there, as in "forward: …"; the style sheet takes it from data-head.
"""

import re

TABLE = re.compile(r"<table>\s*<thead>.*?</table>", re.S)
HEAD = re.compile(r"<t[hd]( [^>]*)?>(.*?)</t[hd]>", re.S)  # an empty one may be a td
ROW = re.compile(r"<tr>.*?</tr>", re.S)
CELL = re.compile(r"<td(?=[ >])")
TAG = re.compile(r"<[^>]+>")
COLON = {"en": ": ", "zh": "："}


def names(table, language):
    """What each cell of a row gets as attributes, by the heads of a table."""
    made = []
    for attributes, inside in HEAD.findall(table.partition("</thead>")[0]):
        name = TAG.sub("", inside).strip() + COLON[language]
        said = f' data-head="{name}"' if "tw-said" in attributes else ""
        below = ' class="tw-below"' if re.search("tw-(said|below)", attributes) else ""
        made.append(below + said)
    return made


def marked(page, language):
    """A page whose tables of words have these columns marked in every row."""

    def table(match):
        if not any(given := names(match[0], language)):
            return match[0]
        head, body, rest = match[0].partition("<tbody>")
        return head + body + ROW.sub(lambda row: cells(row[0], given), rest)

    return TABLE.sub(table, page)


def cells(row, given):
    """A row with the attributes of its cells."""
    each = iter(given)
    return CELL.sub(lambda match: match[0] + next(each), row)
