#!/usr/bin/env python3
"""Runs programs of Debian on a render driver alone and through Tandem, and compares photographs of their screens.

Prints a line for each program and form of Tandem. Returns 0 when nothing failed. A program fails when its picture through Tandem
does not become the one without, or when Tandem reports no frame. Photographs and logs stand in build/programs.
"""
import argparse
import functools
import operator
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True  # the tree stays as it is

import program_rows
import program_stage

ROOT = pathlib.Path(__file__).resolve().parent.parent
TANDEM = ROOT / "build/release/tandem"
OUT = ROOT / "build/programs"
MANIFESTS = pathlib.Path("/usr/share/vulkan/icd.d")
RENDER = "llvmpipe"
FORMS = ("layer", "driver")
SHOW_LIMIT_S = 40  # until the picture is there
RUN_ON_S = 4       # of programs that draw all the time, behind the photograph
STILL_SHOTS = 4    # equal ones in a row
PAUSE_S = 0.4
FRAMES = re.compile(r"(\d+) frames presented")
ZINK = {"MESA_LOADER_DRIVER_OVERRIDE": "zink", "GALLIUM_DRIVER": "zink", "LIBGL_KOPPER_DRI2": "1", "LIBGL_ALWAYS_SOFTWARE": "1",
        "__GLX_VENDOR_LIBRARY_NAME": "mesa", "allow_rgb10_configs": "false"}  # as tandem run --gl


# The stage, or a program of it that makes or photographs something.
BROKEN = (program_stage.StageError, subprocess.SubprocessError)


class Skipped(Exception):
    """The row cannot run here; the text says why."""


def native_environment():
    manifests = sorted(MANIFESTS.glob("lvp_icd*.json"))
    if not manifests:
        raise Skipped("Mesa's lavapipe is not installed")
    return {"VK_ICD_FILENAMES": str(manifests[0]), "VK_DRIVER_FILES": str(manifests[0]), "TANDEM_DISABLE": "1"}


@functools.cache
def render_name():
    """The render adapter's full name, which some programs ask for."""
    listed = subprocess.run([TANDEM, "adapters"], capture_output=True, text=True, check=False).stdout
    found = re.search(RENDER + r" \([^)]*\)", listed)
    return found[0] if found else RENDER


def lit(picture, empty):
    """A byte for each pixel: 1 where the picture differs from the empty screen."""
    return bytes(picture[i : i + 3] != empty[i : i + 3] for i in range(0, len(picture), 3))


def difference(one, other):
    """How many pixels differ, and by how much at most."""
    if len(one) != len(other):
        return "the photograph has another size"
    step = 3 if len(one) == 3 * program_stage.WIDTH * program_stage.HEIGHT else 1
    differing = sum(one[i : i + step] != other[i : i + step] for i in range(0, len(one), step))
    most = max((abs(a - b) for a, b in zip(one, other)), default=0)
    return f"{differing} pixels differ, by up to {most}"


def save(picture, name, row):
    header = f"{'P5' if row.compare == 'extent' else 'P6'} {program_stage.WIDTH} {program_stage.HEIGHT} 255\n".encode()
    subprocess.run(["convert", "ppm:-", str(OUT / f"{name}.png")], input=header + picture, check=False)


def close(row, one, other):
    """Whether the pictures are the same, as far as the row allows."""
    if one == other or row.most == 0 or len(one) != len(other):
        return one == other
    return max(map(abs, map(operator.sub, one, other))) <= row.most


def shown(row, picture, empty):
    return lit(picture, empty) if row.compare == "extent" else picture


def watch(row, stage, program, wanted):
    """The last photograph and the empty screen's: that which is as wanted, or which stands still where nothing is wanted yet."""
    empty, last, equal = stage.photograph(), b"", 0
    process = program()
    until = time.monotonic() + SHOW_LIMIT_S
    try:
        while time.monotonic() < until and process.poll() is None:
            time.sleep(PAUSE_S)
            shot = shown(row, stage.photograph(), empty)
            if wanted is not None and close(row, shot, wanted):
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


def run(row, form, wanted=None):
    """Runs the program natively or in a form of Tandem: its picture, and the number of frames that Tandem reports."""
    environment, command = dict(row.environment), []
    if form == "native":
        environment |= native_environment() | (ZINK if row.gl else {})
    else:
        command = [str(TANDEM), "run", "--as", form, "--render", RENDER, "--display", "soft", f"--gl={'on' if row.gl else 'off'}",
                   "--stats", "--"]
    log_path = OUT / f"{row.name}.{form}.log"
    with program_stage.Stage(row.stage) as stage, open(log_path, "w", encoding="utf-8") as log:
        folder = stage.path / "home"
        for name, text in row.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        for recorded in row.makes:
            subprocess.run(recorded, cwd=folder, stdout=log, stderr=log, check=True)
        command += [word.replace("{render}", render_name()) for word in row.command]
        picture, empty = watch(row, stage, lambda: stage.run(command, environment, log), wanted)
    save(picture if row.compare == "exact" else picture.replace(b"\1", b"\xff"), f"{row.name}.{form}", row)
    return picture, sum(map(int, FRAMES.findall(log_path.read_text(encoding="utf-8", errors="replace"))))


def missing(row):
    return [package for package in row.packages
            if subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status}", package], capture_output=True, text=True,
                              check=False).stdout != "installed"]


def judge(row, form, native):
    """Why the row fails in this form, or nothing."""
    picture, frames = run(row, form, native)
    if not close(row, picture, native):
        return difference(native, picture)
    return "" if frames >= row.frames else f"Tandem reports {frames} frames, and at least {row.frames} are due"


def outcome(row, form, native):
    """passed, failed or known, and why."""
    fault, known = judge(row, form, native), row.known
    if known:
        return ("known", f"{known}; {fault}") if fault else ("failed", "it passes, and is said to fail: " + known)
    return ("failed", fault) if fault else ("passed", "")


def results(row):
    """Yields form, status and reason."""
    try:
        absent = missing(row)
        if absent:
            raise Skipped("not installed: " + " ".join(absent))
        native, _ = run(row, "native")
    except (Skipped, *BROKEN) as reason:
        yield from ((form, "skipped", str(reason)) for form in FORMS)
        return
    for form in FORMS:
        try:
            yield (form, *outcome(row, form, native))
        except BROKEN as reason:
            yield form, "failed", str(reason)


def write_junit(tests, path):
    """What scripts/junit_summary.py reads."""
    suite = ElementTree.Element("testsuite")
    for name, status, reason in tests:
        case = ElementTree.SubElement(suite, "testcase", name=name, status="fail" if status == "failed" else "run")
        if status == "skipped":
            ElementTree.SubElement(case, "skipped", message="SKIP_REGULAR_EXPRESSION_MATCHED")
            reason = f"{name}: Skipped\n{reason}"
        ElementTree.SubElement(case, "system-out").text = reason
    ElementTree.ElementTree(suite).write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--junit", type=pathlib.Path, help="the file for the results, as ctest writes them")
    names = ", ".join(row.name for row in program_rows.ROWS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs to run: {names} (default all)")
    arguments = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    tests = []
    for row in program_rows.ROWS:
        if arguments.names and row.name not in arguments.names:
            continue
        for form, status, reason in results(row):
            print(f"{status:8}{row.name} as {form}" + (f": {reason}" if reason else ""), flush=True)
            tests.append((f"{row.name} as {form}", status, reason))
    if arguments.junit:
        write_junit(tests, arguments.junit)
    counts = {status: sum(test[1] == status for test in tests) for status in ("passed", "failed", "known", "skipped")}
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['known']} known to fail, {counts['skipped']} skipped")
    sys.exit(counts["failed"] > 0)


if __name__ == "__main__":
    main()
