"""The guards that bench/soak runs: each attacks one promise and reports what broke."""
