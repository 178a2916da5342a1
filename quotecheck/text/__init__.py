"""Pure text: folding, matching, differences and flags. Strings in, values out; no I/O."""
