"""The rules of the memory network: pure functions over plain values, with no clock and no I/O."""
