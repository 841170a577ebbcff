"""Runs a command on a terminal of its own: standard input is typed, what is shown comes out.

The last line of standard error says how the command has left the terminal.
"""

import json
import os
import pty
import select
import sys
import termios

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

typed = [sys.stdin.fileno()]
while True:
    ready, _, _ = select.select([terminal, *typed], [], [])
    if terminal in ready:
        try:
            shown = os.read(terminal, 4096)
        except OSError:  # Nobody has the terminal open.
            break
        if not shown:
            break
        sys.stdout.buffer.write(shown)
        sys.stdout.flush()
    if typed and typed[0] in ready:
        keys = os.read(typed[0], 4096)
        if keys:
            os.write(terminal, keys)
        else:
            typed = []

_, status = os.waitpid(child, 0)
mode = termios.tcgetattr(terminal)[3]
state = {
    "code": os.waitstatus_to_exitcode(status),
    "lines": bool(mode & termios.ICANON),
    "echo": bool(mode & termios.ECHO),
}
print(json.dumps(state), file=sys.stderr)
