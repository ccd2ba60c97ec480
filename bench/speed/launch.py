"""Runs a command and writes its seconds and peak memory in bytes to a JSON file: launch.py REPORT COMMAND...

A small process of its own: Linux counts the memory of a process before exec as the command's, so a large launcher would
report its own size.
"""

import json
import os
import sys
import time

report, *command = sys.argv[1:]
started = time.perf_counter()
child = os.posix_spawnp(command[0], command, os.environ)
_, status, used = os.wait4(child, 0)
usage = {"seconds": time.perf_counter() - started, "peak": 1024 * used.ru_maxrss}
with open(report, "w") as file:
    json.dump(usage, file)
sys.exit(os.waitstatus_to_exitcode(status))
