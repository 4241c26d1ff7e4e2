#!/usr/bin/env python3
"""Runs a command, writes what it prints to a file, and shows one line that moves: steps, percent, time left.

Steps are read from what ninja ("[12/34] ...") and ctest (" 12/34 Test ...") print. Where the output is no terminal, a line comes
every tenth of the way. A failure shows the end of the file. Returns the command's status.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import time

STEP = re.compile(r"^\s*(?:\[(\d+)/(\d+)\]|(\d+)/(\d+) Test\b)")
FAILED_TEST = re.compile(r"\*\*\*(Failed|Timeout|Exception|Not Run \(Disabled\))")
KEPT_LINES = 40   # of what a failed command printed
KEPT_ERRORS = 10  # of a compiler, which may stand further up
WIDTH = 79


def left(seconds):
    return f"{seconds / 60:.0f} min left" if seconds >= 90 else f"{seconds:.0f} s left"


class Line:
    """The line that moves, or one line for each tenth where nobody would see it move."""

    def __init__(self, label):
        self.label, self.started, self.tenth = label, time.monotonic(), 0
        self.moves = sys.stdout.isatty()

    def show(self, done, total):
        elapsed = time.monotonic() - self.started
        text = f"{self.label}: {done} of {total}, {100 * done // total} %"
        if elapsed > 2 and 0 < done < total:
            text += f", {left(elapsed * (total - done) / done)}"
        if self.moves:
            print(f"\r\x1b[K{text[:WIDTH]}", end="", flush=True)
        elif 10 * done // total > self.tenth:
            self.tenth = 10 * done // total
            print(text, flush=True)

    def say(self, text):
        print(f"\r\x1b[K{text}" if self.moves else text, flush=True)


def run(arguments):
    line = Line(arguments.label)
    with open(arguments.log, "w", encoding="utf-8", errors="replace") as log:
        with subprocess.Popen(arguments.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as child:
            for printed in child.stdout:
                log.write(printed)
                log.flush()
                step = STEP.match(printed)
                if step:
                    done, total = (int(number) for number in step.groups() if number)
                    line.show(done, max(total, 1))
                if FAILED_TEST.search(printed):
                    line.say(printed.strip())
    if line.moves:
        line.say(f"{arguments.label}: done" if child.returncode == 0 else f"{arguments.label}: failed")
    if child.returncode != 0 and not arguments.keep_quiet:
        lines = arguments.log.read_text(encoding="utf-8", errors="replace").splitlines()
        errors = [text for text in lines[:-KEPT_LINES] if "error:" in text]
        print("\n".join(errors[:KEPT_ERRORS] + lines[-KEPT_LINES:]))
        print(f"All of it is in {arguments.log}.")
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=pathlib.Path, required=True, help="the file for what the command prints")
    parser.add_argument("--keep-quiet", action="store_true", help="show nothing of the file when the command fails")
    parser.add_argument("label", help="what the line begins with")
    parser.add_argument("command", nargs="+", help="the command and its arguments, behind --")
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    try:
        sys.exit(run(arguments))
    except OSError as error:
        sys.exit(f"{arguments.command[0]} cannot be run, or {arguments.log} not be written: {error}.")


if __name__ == "__main__":
    main()
