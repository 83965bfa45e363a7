"""A second implementation of the contract, which shares no code with the first. See README.md."""
