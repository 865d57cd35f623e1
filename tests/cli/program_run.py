# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Runs a built program in a folder of its own and checks what it does; shared by the program tests."""

import os
import pty
import subprocess
import tempfile

BIN = os.environ["LOCKSTEP_BIN"]


def video_bytes(width=64, height=48, frames=3, seed=1):
    """A y4m clip of pseudo-random 4:2:0 pictures, the same on every machine."""
    data = bytearray(b"YUV4MPEG2 W%d H%d F25:1 Ip C420jpeg\n" % (width, height))
    state = seed
    for _ in range(frames):
        data += b"FRAME\n"
        for _ in range(width * height + 2 * ((width + 1) // 2) * ((height + 1) // 2)):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            data.append(state >> 16 & 0xFF)
    return bytes(data)


class ProgramTest:
    """Collects failures; `finish` prints them and gives the exit status."""

    def __init__(self, program):
        self.program = os.path.join(BIN, program)
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = self.scratch.name
        self.failures = 0
        self.checks = 0
        for name, frames, seed in (("ref.y4m", 3, 1), ("dis.y4m", 3, 2), ("short.y4m", 2, 2)):
            self.write(name, video_bytes(frames=frames, seed=seed))

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *arguments, environment=None, **more):
        more["env"] = {**os.environ, **(environment or {})}
        return subprocess.run([self.program, *arguments], cwd=self.folder, stdin=more.pop("stdin", subprocess.DEVNULL),
                              stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, text=True,
                              timeout=120, check=False, **more)

    def run_on_terminal(self, *arguments):
        """Status and what a terminal shows."""
        master, slave = pty.openpty()
        with subprocess.Popen([self.program, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=slave,
                              stderr=slave) as process:
            os.close(slave)
            shown = b""
            while True:
                try:
                    block = os.read(master, 65536)
                except OSError:
                    break
                if not block:
                    break
                shown += block
            os.close(master)
            return process.wait(timeout=120), shown.decode()

    def check(self, condition, text, result=None):
        self.checks += 1
        if condition:
            return
        self.failures += 1
        print("FAILED:", text)
        if result is not None:
            print("  arguments:", result.args[1:], "status:", result.returncode)
            print("  stdout:", (result.stdout or "")[:500].rstrip())
            print("  stderr:", result.stderr[:500].rstrip())

    def refuse(self, status, words, *arguments):
        """The program ends with `status` and one line of message that has all of `words`, and leaves no new file."""
        before = sorted(os.listdir(self.folder))
        result = self.run(*arguments)
        self.check(result.returncode == status, f"expected status {status}", result)
        self.check(result.stderr.count("\n") == 1 and result.stderr.endswith("\n"), "expected one line", result)
        self.check(result.stdout == "", "expected nothing on standard output", result)
        for word in words:
            self.check(word in result.stderr, f"expected {word!r} in the message", result)
        self.check(sorted(os.listdir(self.folder)) == before, "expected no new files", result)

    def finish(self):
        print(f"{self.checks} checks, {self.failures} failures")
        self.scratch.cleanup()
        return 1 if self.failures or not self.checks else 0
