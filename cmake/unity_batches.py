#!/usr/bin/env python3
"""Packs source files into batches that one translation unit each can hold.

usage: unity_batches.py SIZE FILE...   prints one line for each batch, its files separated by ';'

Files that define the same name in their anonymous namespaces never share a batch. A file that defines a name which a header of its
module defines, too, stands alone. A name that this script misses ends in a compile error, never in another program.
"""
import functools
import pathlib
import re
import sys

TYPE = re.compile(r"^(?:template <[^>]*> )?(?:(?:struct|class|enum(?: class)?|union) (\w+)(?!\w*;)|using (\w+) =)")
DEFINITION = re.compile(r"^[a-zA-Z\[][^()={;]*?([\w:~]+)(?:\(| = |\{|\[\d*\w*\]|;)")
INLINE = re.compile(r"^(?:\[\[nodiscard\]\] )?(?:constexpr|inline)\b")
ANYTHING = re.compile(r"^\w")
OTHER = re.compile(r"^(?:namespace|using|extern|typedef|template|TEST|INSTANTIATE|static_assert|HWY|public|private|protected)")
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
def header_definitions(folder):
    return set().union(*(definitions(header.read_text(), INLINE) for header in folder.rglob("*.h")))


def module(file):
    """src/kernel, src/drivers/soft or tests/swapchain: the folder whose headers `file` may meet in a batch."""
    parts = file.parts
    top = max(i for i, part in enumerate(parts) if part in ("src", "tests"))
    return pathlib.Path(*parts[: top + (3 if parts[top + 1] == "drivers" else 2)])


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return
    size = int(sys.argv[1])
    batches = []
    for path in sys.argv[2:]:
        file = pathlib.Path(path)
        own = definitions(file.read_text(), ANYTHING)
        if own & header_definitions(module(file)):
            print(path)
            continue
        batch = next((b for b in batches if len(b[0]) < size and not b[1] & own), None)
        if batch is None:
            batches.append(([path], own))
        else:
            batch[0].append(path)
            batch[1].update(own)
    for files, _ in batches:
        print(";".join(files))


main()
