"""Runs a command and writes its seconds and its peak memory, in bytes, to a file: launch.py REPORT COMMAND...

A process of its own, and a small one: the system counts what a process held before it became the command as the
command's, so that a large one would tell its own size.
"""

import json
import os
import sys
import time

report, *command = sys.argv[1:]
begun = time.perf_counter()
child = os.posix_spawnp(command[0], command, os.environ)
_, status, used = os.wait4(child, 0)
told = {"seconds": time.perf_counter() - begun, "peak": 1024 * used.ru_maxrss}
with open(report, "w") as file:
    json.dump(told, file)
sys.exit(os.waitstatus_to_exitcode(status))
