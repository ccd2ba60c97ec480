"""The parts of bench/compare, one file each."""
