"""Bytes in, text out: decoding, and one extractor for each format. No I/O."""
