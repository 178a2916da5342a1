"""Write small PDF files for tests: pages of text at given places, in Helvetica."""

from __future__ import annotations

from collections.abc import Sequence

Piece = tuple[float, float, float, str]  # x, y, size, text

_ENCRYPT = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + b"41" * 32 + b"> /U <" + b"42" * 32 + b"> >>"


def lines(*texts: str, top: float = 740, size: float = 12) -> list[Piece]:
    """Return pieces for lines of text from the top of a page down."""
    return [(72, top - 18 * number, size, text) for number, text in enumerate(texts)]


def make_pdf(pages: Sequence[Sequence[Piece]], *, encrypted: bool = False) -> bytes:
    """Return a PDF with one page for each sequence of pieces."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, pieces in enumerate(pages):
        content = b"".join(_show(piece) for piece in pieces)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F 3 0 R >> >> >>" % (5 + 2 * number)
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _file(objects, encrypted=encrypted)


def _show(piece: Piece) -> bytes:
    x, y, size, text = piece
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")
    return b"BT /F %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n" % (size, x, y, escaped)


def _file(objects: list[bytes], *, encrypted: bool) -> bytes:
    body = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(body)
    body += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    body += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    secret = b" /ID [<41> <41>] /Encrypt " + _ENCRYPT if encrypted else b""
    body += b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        secret,
        start,
    )
    return bytes(body)
