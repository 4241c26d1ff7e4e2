#!/usr/bin/env python3
"""Reads a JUnit file of ctest: how many tests there are, which failed or were skipped, why, and what failed ones printed."""
import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

KEPT_LINES = 30  # of what a failed test printed


def printed_by(test):
    return (test.findtext("system-out") or "").rstrip("\n").split("\n")


def reason_of(test):
    """GoogleTest prints the reason on the line behind "file:line: Skipped"."""
    lines = printed_by(test)
    for line, reason in zip(lines, lines[1:]):
        if line.endswith(": Skipped"):
            return reason.strip()
    return "no reason was printed"


def was_skipped(test):
    """By itself, that is; a program that cannot be started was not run either."""
    skipped = test.find("skipped")
    return skipped is not None and skipped.get("message", "").startswith("SKIP_")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["count", "failed", "skipped", "reasons", "output"],
                        help="the number of tests; names of failed or skipped ones; reasons of skips; what failed tests printed")
    parser.add_argument("file", type=pathlib.Path, help="what ctest --output-junit wrote")
    parser.add_argument("--preset", default="", help="stands before each failed test's output")
    arguments = parser.parse_args()
    try:
        tests = list(ElementTree.parse(arguments.file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"{arguments.file} cannot be read: {error}.")
    skipped = [test for test in tests if was_skipped(test)]
    failed = [test for test in tests if test.get("status") != "run" and test not in skipped]
    if arguments.what == "count":
        print(len(tests))
    elif arguments.what in ("failed", "skipped"):
        for test in failed if arguments.what == "failed" else skipped:
            print(test.get("name"))
    elif arguments.what == "reasons":
        for reason, count in collections.Counter(map(reason_of, skipped)).most_common():
            print(f"  {count} skipped: {reason}")
    else:
        for test in failed:
            lines = printed_by(test)
            print(f"\n{arguments.preset}: {test.get('name')}")
            if len(lines) > KEPT_LINES:
                print("  …")
            for line in lines[-KEPT_LINES:]:
                print(f"  {line}")


if __name__ == "__main__":
    main()
