#!/usr/bin/env python3
"""Packs source files into batches that one translation unit each can hold.

usage: unity_batches.py SIZE FILE...   prints one line for each batch, its files separated by ';'

Files that define the same name in their anonymous namespaces never share a batch. Nor do a file that defines a name and a file with
a header of the module that defines it, too. A name that this script misses ends in a compile error, never in another program.
"""
import functools
import pathlib
import re
import sys

TYPE = re.compile(r"^(?:template <[^>]*> )?(?:(?:struct|class|enum(?: class)?|union) (\w+)\b(?!;|::)|using (\w+) =)")
DEFINITION = re.compile(r"^[a-zA-Z\[][^()={;]*?([\w:~]+)(?:\(| = |\{|\[\d*\w*\]|;)")
INLINE = re.compile(r"^(?:\[\[nodiscard\]\] )?(?:constexpr|inline)\b")
ANYTHING = re.compile(r"^\w")
OTHER = re.compile(r"^(?:namespace|using|extern|typedef|template|TEST|INSTANTIATE|static_assert|HWY|public|private|protected)")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
ARGUMENTS = re.compile(r"<[^<>]*>|\[\]|\[\[\w+\]\]")


def definitions(text, wanted):
    """Names of types, and of what stands on lines that match `wanted`, in a namespace."""
    found = set()
    for line in text.splitlines():
        kind = TYPE.match(line)
        if kind:
            found.add(kind[1] or kind[2])
        elif wanted.match(line) and not OTHER.match(line):
            while ARGUMENTS.search(line):
                line = ARGUMENTS.sub("", line)
            name = DEFINITION.match(line.strip())
            if name and "::" not in name[1]:
                found.add(name[1])
            if line.startswith(("constexpr ", "const ")):  # int a = 1, b = 2;
                found.update(re.findall(r"(\w+) = ", line))
    return found


@functools.cache
def header_definitions(header):
    return definitions(header.read_text(), INLINE)


def top(file):
    """The place of src or tests among the parts of a path."""
    return max(i for i, part in enumerate(file.parts) if part in ("src", "tests"))


def module(file):
    """src/kernel, src/drivers/soft or tests/swapchain: the folder that shares a namespace."""
    at = top(file)
    return pathlib.Path(*file.parts[: at + (3 if file.parts[at + 1] == "drivers" else 2)])


@functools.cache
def includes(file):
    return INCLUDE.findall(file.read_text())


def headers(file):
    """Headers of the module that a file includes, itself or by another header."""
    found, unread = set(), [file]
    root = pathlib.Path(*file.parts[: top(file)])
    while unread:
        for name in includes(unread.pop()):
            header = next((folder / name for folder in (root / "src", root) if (folder / name).is_file()), None)
            if header and header.is_relative_to(module(file)) and header not in found:
                found.add(header)
                unread.append(header)
    return found


class Batch:
    def __init__(self):
        self.files, self.own, self.included = [], set(), set()

    def takes(self, own, included):
        return not self.own & (own | included) and not self.included & own

    def add(self, path, own, included):
        self.files.append(path)
        self.own |= own
        self.included |= included


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    size = int(sys.argv[1])
    batches = []
    for path in sys.argv[2:]:
        file = pathlib.Path(path)
        own = definitions(file.read_text(), ANYTHING)
        included = set().union(*map(header_definitions, headers(file)))
        batch = next((b for b in batches if len(b.files) < size and b.takes(own, included)), None)
        if batch is None:
            batch = Batch()
            batches.append(batch)
        batch.add(path, own, included)
    for batch in batches:
        print(";".join(batch.files))


main()
