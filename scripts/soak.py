#!/usr/bin/env python3
"""Shows frames for hours on several outputs at once, and watches what the program and its display server hold.

Prints a line for each run: frames, memory, descriptors and threads at the first and at the last look. Returns 0 when all stayed flat:
no median of the last third is above that of the middle third, memory by at most GROWTH_KIB. The first third is for warming up.
Runs on Debian's vkcube, lavapipe, Xvfb and sway; the samples stand in build/soak.
"""
import argparse
import contextlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time
import typing

sys.dont_write_bytecode = True  # the tree stays as it is

import check_programs
import program_stage

OUT = check_programs.ROOT / "build/soak"
GROWTH_KIB = 512
LOOKS = 120  # in all
FIGURES = ("kib", "descriptors", "threads", "server_kib", "server_descriptors")
CUBES = {"x11": "vkcube", "wayland": "vkcube-wayland"}  # by stage
CUBE_OPTIONS = ["--width", "96", "--height", "96", "--suppress_popups"]


class Run(typing.NamedTuple):
    """A place for the frames and what `tandem run` gets."""

    name: str
    stage: str  # of program_stage.Stage
    options: list


RUNS = (
    Run("x11, layer", "x11", ["--as", "layer"]),
    Run("x11, driver, one-copy", "x11", ["--as", "driver", "--path", "one-copy"]),
    Run("x11, layer, lossless", "x11", ["--path", "compressed", "--encode", "lossless"]),
    Run("wayland, layer", "wayland", ["--as", "layer"]),
    Run("wayland, driver, two-copy", "wayland", ["--as", "driver", "--path", "two-copy"]),
    Run("headless, layer", "x11", ["--output", "headless"]),
    Run("raw, driver", "x11", ["--as", "driver", "--output", "raw:/dev/null"]),
)


def memory_kib(pid):
    """Memory of the process's own and shared memory: no files, which the kernel reads and drops as it likes."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return sum(int(kib) for kib in re.findall(r"^Rss(?:Anon|Shmem):\s+(\d+)", status, re.MULTILINE))


def entries(pid, folder):
    return sum(1 for _ in pathlib.Path(f"/proc/{pid}/{folder}").iterdir())


def look(cube, server):
    """One sample of FIGURES."""
    held = (memory_kib(cube), entries(cube, "fd"), entries(cube, "task"), memory_kib(server), entries(server, "fd"))
    return dict(zip(FIGURES, held, strict=True))


def find_program(group, name):
    """The process of the program in a process group, once it runs."""
    until = time.monotonic() + program_stage.START_LIMIT_S
    while time.monotonic() < until:
        found = subprocess.run(["pgrep", "-g", str(group), "-x", name], capture_output=True, text=True, check=False).stdout.split()
        if found:
            return int(found[0])
        time.sleep(0.1)
    raise program_stage.StageError(f"{name} did not start")


def grown(samples):
    """The figures whose median rose from the middle third to the last one."""
    third = len(samples) // 3
    if third == 0:
        return
    for figure in FIGURES:
        before, after = (statistics.median(sample[figure] for sample in part) for part in (samples[third:-third], samples[-third:]))
        if after - before > (GROWTH_KIB if figure.endswith("kib") else 0):
            yield f"{figure} {before:.0f} to {after:.0f}"


def report(run, samples, log):
    """Prints a run's line; true when it is as it should be."""
    frames = check_programs.FRAMES.search(log)
    faults = list(grown(samples)) + ([] if frames and int(frames[1]) > 0 else ["no frames reported"])
    if len(samples) < LOOKS:
        faults.append(f"it ended after {len(samples)} of {LOOKS} looks")
    figures = ", ".join(f"{figure} {samples[0][figure]}-{samples[-1][figure]}" for figure in FIGURES if samples)
    print(f"{'FAILED' if faults else 'ok':6} {run.name}: {frames[1] if frames else 0} frames, {figures}"
          f"{'; ' if faults else ''}{', '.join(faults)}", flush=True)
    return not faults


def main():
    """Starts all runs, looks at them LOOKS times, ends them, and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120, help="duration (default 120)")
    arguments = parser.parse_args()
    if not arguments.minutes > 0:
        parser.error(f"--minutes {arguments.minutes:g} is not above 0")
    OUT.mkdir(parents=True, exist_ok=True)
    environment = check_programs.driver_environment("lavapipe")
    samples, logs, good = [[] for _ in RUNS], [], True
    with contextlib.ExitStack() as stages:
        started = []
        for number, run in enumerate(RUNS):
            stage = stages.enter_context(program_stage.Stage(run.stage))
            logs.append(OUT / f"{number}.log")
            command = [check_programs.TANDEM, "run", "--stats", *run.options, "--", CUBES[run.stage], *CUBE_OPTIONS]
            with open(logs[-1], "wb") as log:
                process = stage.run(list(map(str, command)), environment, log)
            stages.callback(program_stage.end, process)
            started.append((process, find_program(process.pid, CUBES[run.stage]), stage.server.pid))
        for number in range(LOOKS):
            time.sleep(arguments.minutes * 60 / LOOKS)
            for (_, cube, server), kept in zip(started, samples, strict=True):
                with contextlib.suppress(OSError):  # it ended
                    kept.append(look(cube, server))
            if sys.stdout.isatty():
                print(f"{(number + 1) * 100 // LOOKS} %", end="\r", flush=True)
        for process, _, _ in started:
            program_stage.end(process)
    (OUT / "samples.json").write_text(json.dumps({run.name: kept for run, kept in zip(RUNS, samples, strict=True)}), encoding="utf-8")
    for run, kept, log in zip(RUNS, samples, logs, strict=True):
        good = report(run, kept, log.read_text(encoding="utf-8", errors="replace")) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
