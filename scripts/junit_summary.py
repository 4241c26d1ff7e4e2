#!/usr/bin/env python3
"""Reads a JUnit file of ctest: how many tests there are, which failed, are known to fail or were skipped, and why.

Also prints what failed ones printed. A program that ran several GoogleTest tests counts as those, if the file holds all that
it printed.
"""
import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

KEPT_LINES = 30  # of what a failed test printed
STEP = re.compile(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] ([^\s,]+)")

Test = collections.namedtuple("Test", "name status lines")  # status: passed, failed, known or skipped


def reason_of(test):
    """GoogleTest prints the reason on the line behind "file:line: Skipped"."""
    for line, reason in zip(test.lines, test.lines[1:]):
        if line.endswith(": Skipped"):
            return reason.strip()
    return "no reason was printed"


def parts_of(name, passed, lines):
    """The tests that a program ran. One that began and did not end has failed, as has whatever the program did outside of them."""
    tests, begun, start = [], None, 0
    for i, line in enumerate(lines):
        step = STEP.search(line)
        if step and step[1] == "RUN":
            begun, start = step[2], i
        elif step and step[2] == begun:
            status = {"OK": "passed", "FAILED": "failed", "SKIPPED": "skipped"}[step[1]]
            tests.append(Test(f"{name} {begun}", status, lines[start : i + 1]))
            begun = None
    if begun:
        tests.append(Test(f"{name} {begun}", "failed", lines[start:]))
    elif not passed and all(test.status != "failed" for test in tests):
        tests.append(Test(name, "failed", lines))
    return tests


def tests_of(case):
    lines = (case.findtext("system-out") or "").rstrip("\n").split("\n")
    skipped = case.find("skipped")
    # By itself, that is; a program that cannot be started was not run either.
    if skipped is not None and skipped.get("message", "").startswith("SKIP_"):
        return [Test(case.get("name"), "skipped", lines)]
    if case.find("properties/property[@name='known to fail']") is not None:
        return [Test(case.get("name"), "known", lines)]
    passed = case.get("status") == "run"
    if sum("[ RUN      ]" in line for line in lines) > 1:
        return parts_of(case.get("name"), passed, lines)
    return [Test(case.get("name"), "passed" if passed else "failed", lines)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["count", "failed", "known", "skipped", "reasons", "output"],
                        help="the number of tests; names of failed, known or skipped ones; reasons of skips; what failed tests printed")
    parser.add_argument("file", type=pathlib.Path, help="what ctest --output-junit wrote")
    parser.add_argument("--preset", default="", help="stands before each failed test's output")
    arguments = parser.parse_args()
    try:
        cases = list(ElementTree.parse(arguments.file).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        sys.exit(f"{arguments.file} cannot be read: {error}.")
    tests = [test for case in cases for test in tests_of(case)]
    if arguments.what == "count":
        print(len(tests))
    elif arguments.what in ("failed", "known", "skipped"):
        for test in tests:
            if test.status == arguments.what:
                print(test.name)
    elif arguments.what == "reasons":
        skipped = [test for test in tests if test.status == "skipped"]
        for reason, count in collections.Counter(map(reason_of, skipped)).most_common():
            print(f"  {count} skipped: {reason}")
    else:
        for test in tests:
            if test.status != "failed":
                continue
            print(f"\n{arguments.preset}: {test.name}")
            if len(test.lines) > KEPT_LINES:
                print("  …")
            for line in test.lines[-KEPT_LINES:]:
                print(f"  {line}")


if __name__ == "__main__":
    main()
