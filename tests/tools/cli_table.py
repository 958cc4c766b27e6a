"""The command table, as the fixture of the same name prints it."""

import json
import os
import subprocess
import sys
from pathlib import Path

BUILD = Path(os.environ["KTSTR_BUILD"])
KTSTR = os.environ["KTSTR"]


def read_table():
    for build in (BUILD, BUILD.parent):
        program = build / "tests" / "fixtures" / "cli_table"
        if program.exists():
            return json.loads(subprocess.run([program], check=True, capture_output=True).stdout)
    sys.exit("tests/fixtures/cli_table is not built; run: make check-programs")


def walk(command, path=()):
    """Yields (path, command) of every command that is not hidden, the root first."""
    yield path, command
    for sub in command["commands"]:
        if not sub["is_hidden"]:
            yield from walk(sub, (*path, sub["name"]))


def shown_names(commands):
    return [name for command in commands if not command["is_hidden"]
            for name in (command["name"], command["alias"]) if name]


def spellings(option):
    """How an option may be offered."""
    return [f"--{option['name']}", *([f"-{option['letter']}"] if option["letter"] else [])]


def run_ktstr(*arguments, program=KTSTR, **options):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True,
                          **options).stdout
