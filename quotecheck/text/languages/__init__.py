"""One module per language, each with a `LEXICON`; see `quotecheck.text.lexicon` for what the fields mean."""
