"""What the benchmarks share: figures with their limits, the table at the end of bench/run.

put() and leave() append a row to the file KTSTR_BENCH_TABLE, if bench/run has set it. Under
`bench/run BUILD --smallest` the programs run at their smallest size, which shows that they work;
such figures are not judged.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
IS_SMALLEST = bool(os.environ.get("KTSTR_BENCH_SMALLEST"))
STATES = ("ok", "over", "no limit", "not judged", "not measured")


def amount(usual, smallest):
    return smallest if IS_SMALLEST else usual


def libraries():
    """Options of the compiler for everything in parts.a, as the Makefile has them."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as file:
        names = re.search(r"^LIBRARIES := (.*)$", file.read(), re.MULTILINE)[1]
    return subprocess.run(["pkg-config", "--libs", *names.split()], check=True, capture_output=True,
                          text=True).stdout.split() + ["-lm"]


def number(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def add_row(*cells):
    path = os.environ.get("KTSTR_BENCH_TABLE")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            print(os.path.basename(sys.argv[0]).removeprefix("bench-"), *cells, sep="\t", file=file)


def put(figure, value, limit=None, at_least=False, unjudged=None):
    """Whether the limit is kept; unjudged: why it does not count here."""
    if limit is None:
        add_row(figure, number(value), "-", "no limit", "")
        return True
    is_kept = value >= limit if at_least else value <= limit
    if IS_SMALLEST:
        unjudged = "smallest size"
    state = "ok" if is_kept else "over"
    add_row(figure, number(value), f"{'>=' if at_least else '<='} {number(limit)}",
            "not judged" if unjudged else state, unjudged or "")
    return is_kept or bool(unjudged)


def leave(figure, reason):
    """For what cannot be measured here."""
    print(f"{figure}: not measured: {reason}")
    add_row(figure, "-", "-", "not measured", reason)


def print_table(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    rows.insert(0, ["BENCH", "FIGURE", "VALUE", "LIMIT", "STATE", "REASON"])
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row in rows:
        print("  ".join([f"{cell:{width}}" for cell, width in zip(row, widths)] + row[5:]).rstrip())
    counts = [(sum(row[4] == state for row in rows[1:]), state) for state in STATES]
    print(f"{len(rows) - 1} figures: " + ", ".join(f"{count} {state}" for count, state in counts if count))


if __name__ == "__main__":
    print_table(sys.argv[1])
