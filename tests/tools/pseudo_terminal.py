"""Programs on a terminal of their own."""

import os
import pty
import select
import signal
import sys
import time

LIMIT_S = 100


class Terminal:
    def __init__(self, command, environment, directory):
        self.command, self.output = command, b""
        self.deadline = time.monotonic() + LIMIT_S
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, environment)

    def read(self):
        """Reads on; false at the end."""
        left = max(0, self.deadline - time.monotonic())
        if not select.select([self.terminal], [], [], left)[0]:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.give_up("did not go on")
        try:
            part = os.read(self.terminal, 65536)
        except OSError:
            part = b""
        self.output += part
        return bool(part)

    def give_up(self, what):
        sys.exit(f"{self.command[0]} {what}; it wrote: {self.output[-2000:]!r}")

    def wait_for(self, text):
        """Reads until the text comes, and forgets what came up to its end."""
        while text not in self.output:
            if not self.read():
                self.give_up(f"ended before it wrote {text!r}")
        self.output = self.output.split(text, 1)[1]

    def type(self, keys):
        os.write(self.terminal, keys)

    def finish(self):
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.terminal)
        if status != 0:
            self.give_up(f"ended with status {status}")
        return self.output
