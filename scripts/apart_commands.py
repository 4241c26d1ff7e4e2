#!/usr/bin/env python3
"""Writes a database of compile commands that compiles each source file of a unity build alone, for tools that read single files.

usage: apart_commands.py BUILD OUTPUT   BUILD/compile_commands.json is read, OUTPUT/compile_commands.json written
"""
import json
import pathlib
import re
import sys


def apart(command):
    """The command itself, or one for each file that its batch includes."""
    batch = pathlib.Path(command["file"])
    if batch.parent.name != "Unity":
        return [command]
    files = re.findall(r'^#include "(.*)"$', batch.read_text(), re.MULTILINE)
    words = command["command"].replace(" -Wno-shadow", "")  # of batches alone, whose files share names
    return [{**command, "file": file, "command": words.replace(str(batch), file)} for file in files]


def main():
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, output = map(pathlib.Path, sys.argv[1:])
    commands = json.loads((build / "compile_commands.json").read_text())
    output.mkdir(parents=True, exist_ok=True)
    (output / "compile_commands.json").write_text(json.dumps([one for command in commands for one in apart(command)], indent=1))


main()
