"""Tables in, tables out: plan, fetch, match, assemble over a run directory."""
