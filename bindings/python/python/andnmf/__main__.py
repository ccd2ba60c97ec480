"""The command ``andnmf``: ``python -m andnmf`` runs the same program."""

from __future__ import annotations

import signal
import sys

from andnmf import _core


def main() -> int:
    """Run the command with the arguments of this process; returns its exit status."""
    # Python's handler would note Ctrl-C and wait for Python code, which does not run meanwhile.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.run_command(["andnmf", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
