"""All network I/O: source references, the address guard, the client and the store of fetched sources."""
