#!/usr/bin/env python3
"""Runs programs of Debian on a render driver alone and through Tandem, and compares photographs of their screens.

Prints a line for each program, form of Tandem and path. Returns 0 when nothing failed. A program fails when its picture through
Tandem does not become the one without, when Tandem reports no frame, or when the frames took another path than the named one.
Photographs and logs stand in build/programs.
"""
import argparse
import functools
import os
import pathlib
import re
import subprocess
import sys
import time
import typing
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True  # the tree stays as it is

import program_pictures
import program_rows
import program_stage

ROOT = pathlib.Path(__file__).resolve().parent.parent
TANDEM = ROOT / "build/release/tandem"
OUT = ROOT / "build/programs"
MANIFESTS = pathlib.Path("/usr/share/vulkan/icd.d")
SWIFTSHADER = "TANDEM_TEST_SWIFTSHADER_ICD"  # a variable that names the manifest
RENDERS = {"lavapipe": "llvmpipe", "swiftshader": "SwiftShader Device"}  # a part of the adapter's name
PATHS = ("auto", "direct", "one-copy", "two-copy", "cpu", "compressed")
EXACT = ("plain", "packed", "lossless")
FORMS = ("layer", "driver")
SHOW_LIMIT_S = 40  # until the picture is there
RUN_ON_S = 4       # of programs that draw all the time, behind the photograph
STILL_SHOTS = 4    # equal ones in a row
PAUSE_S = 0.4
FRAMES = re.compile(r"(\d+) frames presented")
TAKEN = re.compile(r"^tandem:   path ([a-z-]+): (.*)", re.MULTILINE)
REFUSED = re.compile(r"No path for the frames \(asked for: [a-z-]+\)\. .*")
NV12 = "copies as 4:2:0"  # the display adapter scans encoded frames out; tandem reports that as one-copy
ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "GALLIUM_DRIVER": "zink", "LIBGL_KOPPER_DRI2": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
        "__GLX_VENDOR_LIBRARY_NAME": "mesa", "allow_rgb10_configs": "false"}  # as tandem run --gl


# The stage, or a program of it that makes or photographs something.
BROKEN = (program_stage.StageError, subprocess.SubprocessError)


class Skipped(Exception):
    """The row cannot run here; the text says why."""


class Way(typing.NamedTuple):
    """The render driver, the form of Tandem, or "native", and what --path and --encode get."""

    driver: str
    form: str = "native"
    path: str = "auto"
    encoding: str = "auto"

    def label(self):
        parts = [self.form, *([] if self.path == "auto" else [self.path]), *([] if self.encoding == "auto" else [self.encoding])]
        return " ".join(parts + ([] if self.driver == "lavapipe" else ["on", self.driver]))

    def is_exact(self):
        return self.path != "compressed" or self.encoding in EXACT


def driver_environment(driver):
    """Leaves Vulkan programs and Tandem this render driver alone."""
    if driver == "swiftshader":
        manifest = os.environ.get(SWIFTSHADER)
        if not manifest:
            raise Skipped(f"{SWIFTSHADER} names no manifest; scripts/fetch_swiftshader.sh makes one")
    else:
        manifest = next(map(str, sorted(MANIFESTS.glob("lvp_icd*.json"))), None)
        if not manifest:
            raise Skipped("Mesa's lavapipe is not installed")
    return {"VK_ICD_FILENAMES": manifest, "VK_DRIVER_FILES": manifest}


@functools.cache
def render_name(driver):
    """The render adapter's full name, which some programs ask for."""
    listed = subprocess.run([TANDEM, "adapters"], capture_output=True, text=True, check=False,
                            env=os.environ | driver_environment(driver)).stdout
    found = re.search(re.escape(RENDERS[driver]) + r" \([^)]*\)", listed)
    return found[0] if found else RENDERS[driver]


def shown(row, picture, empty):
    return program_pictures.lit(picture, empty) if row.compare == "extent" else picture


def watch(row, way, stage, program, wanted):
    """The last photograph and the empty screen's: that which is as wanted, or which stands still where nothing is wanted yet."""
    empty, last, equal = stage.empty_photograph(), b"", 0
    process = program()
    until = time.monotonic() + SHOW_LIMIT_S
    try:
        while time.monotonic() < until and process.poll() is None:
            time.sleep(PAUSE_S)
            shot = shown(row, stage.photograph(), empty)
            if wanted is not None and program_pictures.close(row, way, shot, wanted):
                time.sleep(RUN_ON_S if row.frames > 1 else 0)
                return shot, empty
            equal = equal + 1 if shot == last and shot != shown(row, empty, empty) else 0
            last = shot
            if wanted is None and equal == STILL_SHOTS:
                return shot, empty
        if wanted is not None:
            return last, empty
        raise Skipped("without Tandem no picture stood still" if process.poll() is None else "it ends without Tandem as well")
    finally:
        program_stage.end(process)


def run(row, way, wanted=None):
    """Runs the program in one way: its picture and its log."""
    environment, command = row.environment | driver_environment(way.driver), []
    if way.form == "native":
        environment |= {"TANDEM_DISABLE": "1"} | (ZINK if row.gl else {})
    else:
        command = [str(TANDEM), "run", "--as", way.form, "--render", RENDERS[way.driver], "--display", "soft", "--path", way.path,
                   "--encode", way.encoding, f"--gl={'on' if row.gl else 'off'}", "--stats", "--"]
    name = f"{row.name}.{way.label().replace(' ', '.')}"
    log_path = OUT / f"{name}.log"
    with program_stage.Stage(row.stage) as stage, open(log_path, "w", encoding="utf-8") as log:
        folder = stage.path / "home"
        for file, text in row.files.items():
            (folder / file).write_text(text, encoding="utf-8")
        for recorded in row.makes:
            subprocess.run(recorded, cwd=folder, stdout=log, stderr=log, check=True)
        command += [word.replace("{render}", render_name(way.driver)) for word in row.command]
        picture, empty = watch(row, way, stage, lambda: stage.run(command, environment, log), wanted)
    program_pictures.save(picture if row.compare == "exact" else picture.replace(b"\1", b"\xff"), OUT / f"{name}.png")
    return picture, log_path.read_text(encoding="utf-8", errors="replace")


def missing(row):
    return [package for package in row.packages
            if subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}", package], capture_output=True, text=True,
                              check=False).stdout != "installed"]


def judge(row, way, native):
    """Why the row fails in this way, or nothing."""
    picture, log = run(row, way, native)
    refused = REFUSED.search(log)
    if refused and way.path != "auto":
        raise Skipped(refused[0])  # as documented for a named path that the adapters cannot take
    if not program_pictures.close(row, way, picture, native):
        mean = f", on average by {program_pictures.mean_difference(native, picture):.2f}" if len(picture) == len(native) else ""
        return program_pictures.difference(native, picture) + mean
    frames = sum(map(int, FRAMES.findall(log)))
    if frames < row.frames:
        return f"Tandem reports {frames} frames, and at least {row.frames} are due"
    taken = {"compressed" if NV12 in reason else path for path, reason in TAKEN.findall(log)}
    return "" if way.path in ("auto", *taken) else f"the frames took the path {', '.join(sorted(taken)) or 'of no report'}"


def outcome(row, way, native):
    """passed, failed or known, and why."""
    fault, known = judge(row, way, native), row.known
    if known:
        return ("known", f"{known}; {fault}") if fault else ("failed", "it passes, and is said to fail: " + known)
    return ("failed", fault) if fault else ("passed", "")


def results(row, driver, paths):
    """Yields way, status and reason. The picture without Tandem is made once."""
    ways = [Way(driver, form, *path) for path in paths for form in FORMS]
    try:
        absent = missing(row)
        if absent:
            raise Skipped("not installed: " + " ".join(absent))
        native, _ = run(row, Way(driver))
    except (Skipped, *BROKEN) as reason:
        yield from ((way, "skipped", str(reason)) for way in ways)
        return
    for way in ways:
        try:
            yield (way, *outcome(row, way, native))
        except Skipped as reason:
            yield way, "skipped", str(reason)
        except BROKEN as reason:
            yield way, "failed", str(reason)


def write_junit(tests, path):
    """What scripts/junit_summary.py reads."""
    suite = ElementTree.Element("testsuite")
    for name, status, reason in tests:
        case = ElementTree.SubElement(suite, "testcase", name=name, status="fail" if status == "failed" else "run")
        if status == "skipped":
            ElementTree.SubElement(case, "skipped", message="SKIP_REGULAR_EXPRESSION_MATCHED")
            reason = f"{name}: Skipped\n{reason}"
        if status == "known":
            properties = ElementTree.SubElement(case, "properties")
            ElementTree.SubElement(properties, "property", name="known to fail", value=reason)
        ElementTree.SubElement(case, "system-out").text = reason
    ElementTree.ElementTree(suite).write(path)


def parse_paths(text):
    """Pairs for --path and --encode: "one-copy,compressed:420" is (("one-copy", "auto"), ("compressed", "420"))."""
    pairs = []
    for word in text.split(","):
        path, _, encoding = word.partition(":")
        if path not in PATHS or (encoding and path != "compressed"):
            raise argparse.ArgumentTypeError(f"{word}: a path is {', '.join(PATHS)}, or compressed:ENCODING")
        pairs.append((path, encoding or "auto"))
    return tuple(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--junit", type=pathlib.Path, help="the file for the results, as ctest writes them")
    parser.add_argument("--paths", type=parse_paths, default=parse_paths("auto"), metavar="PATH,…",
                        help=f"paths of the frames: {', '.join(PATHS)}, or compressed:ENCODING with an encoding of tandem run "
                             "(default auto)")
    parser.add_argument("--driver", choices=list(RENDERS), default="lavapipe",
                        help=f"driver that renders; {SWIFTSHADER} names SwiftShader's manifest (default lavapipe)")
    names = ", ".join(row.name for row in program_rows.ROWS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs to run: {names} (default all)")
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    tests = []
    for row in program_rows.ROWS:
        if arguments.names and row.name not in arguments.names:
            continue
        for way, status, reason in results(row, arguments.driver, arguments.paths):
            name = f"{row.name} as {way.label()}"
            print(f"{status:8}{name}" + (f": {reason}" if reason else ""), flush=True)
            tests.append((name, status, reason))
    if arguments.junit:
        write_junit(tests, arguments.junit)
    counts = {status: sum(test[1] == status for test in tests) for status in ("passed", "failed", "known", "skipped")}
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['known']} known to fail, {counts['skipped']} skipped")
    sys.exit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
