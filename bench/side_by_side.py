#!/usr/bin/env python3
"""Cost of a shown frame: Tandem's paths, primus_vk, and the drivers alone, interleaved in one run.

A program that nearly draws nothing (it clears the picture) presents on a virtual X server. For every configuration, in turn, round after
round: CPU milliseconds of the program's process and wall milliseconds for each frame, and the X server's CPU beside them. Ratios are taken within a
round and their median is given, because these machines are noisy; a ratio whose ranges overlap is marked.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

SIZES = {"720p": (1280, 720), "1080p": (1920, 1080), "2160p": (3840, 2160)}
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="build folder (default build/release)")
    parser.add_argument("--rounds", type=int, default=7, help="interleaved rounds (default 7)")
    parser.add_argument("--frames", type=int, default=150, help="frames of each run (default 150)")
    parser.add_argument("--size", action="append", choices=SIZES, help="sizes (default all)")
    parser.add_argument("--mode", default="immediate", help="present mode (default immediate)")
    parser.add_argument("--render-driver", default=LAVAPIPE, help="manifest of the Vulkan driver that renders (default lavapipe's)")
    parser.add_argument("--json", help="write the figures to this file")
    return parser.parse_args()


class XServer:
    def __init__(self):
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-noreset", "-screen", "0", "4096x2304x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.display = ":" + self.process.stdout.readline().strip()

    def cpu_ms(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000.0 / CLOCK_TICKS

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Machine:
    """The drivers and programs that are here."""

    def __init__(self, build, render_driver):
        self.build = pathlib.Path(build).resolve()
        self.clear = str(self.build / "programs/tandem_clear")
        self.floors = str(self.build / "programs/tandem_floors")
        self.tandem = str(self.build / "tandem")
        self.render_driver = render_driver
        self.swiftshader = os.environ.get("TANDEM_TEST_SWIFTSHADER_ICD")
        self.primus = any(pathlib.Path(folder, "vulkan/implicit_layer.d/primus_vk.json").exists() for folder in ("/usr/share", "/etc"))

    def environment(self, drivers, display):
        environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        environment.update(VK_ICD_FILENAMES=":".join(drivers), NODEVICE_SELECT="1", DISPLAY=display, XDG_CONFIG_HOME="/nonexistent")
        return environment

    def adapter(self, driver):
        """The first adapter of a Vulkan driver, as `tandem adapters --json` describes it."""
        listed = subprocess.run([self.tandem, "adapters", "--json"], env=self.environment([driver], ""), capture_output=True,
                                text=True, timeout=60, check=True)
        return next(adapter for adapter in json.loads(listed.stdout)["adapters"] if adapter["driver"] == "vulkan")

    def display_drivers(self):
        """Label -> manifest of the Vulkan drivers other than the one that renders."""
        drivers = {"SwiftShader": self.swiftshader} if self.swiftshader else {}
        if self.render_driver != LAVAPIPE and pathlib.Path(LAVAPIPE).exists():
            drivers["lavapipe"] = LAVAPIPE
        return drivers

    def configurations(self):
        """name -> (drivers, extra environment, command prefix)"""
        render = self.adapter(self.render_driver)
        label = "lavapipe" if self.render_driver == LAVAPIPE else render["name"]
        found = {f"{label} alone": ([self.render_driver], {}, [])}
        run = [self.tandem, "run", "--render", render["name"]]
        for path in ("direct", "one-copy", "two-copy", "cpu"):
            found[f"tandem {label} -> soft, {path}"] = ([self.render_driver], {}, run + ["--display", "soft", "--path", path, "--"])
        for shown, driver in self.display_drivers().items():
            display = self.adapter(driver)
            both = [self.render_driver, driver]
            found[f"{shown} alone"] = ([driver], {}, [])
            if self.primus:
                primus = {"ENABLE_PRIMUS_LAYER": "1", "PRIMUS_VK_RENDERID": primus_id(render), "PRIMUS_VK_DISPLAYID": primus_id(display)}
                found[f"primus_vk {label} -> {shown}"] = (both, primus, [])
            found[f"tandem {label} -> {shown}"] = (both, {}, run + ["--display", display["name"], "--"])
        return found


def primus_id(adapter):
    return f"{adapter['vendor_id']:x}:{adapter['device_id']:x}"


def measure(machine, server, configuration, size, arguments):
    drivers, extra, prefix = configuration
    width, height = SIZES[size]
    environment = machine.environment(drivers, server.display)
    environment.update(extra)
    command = prefix + [machine.clear, "--frames", str(arguments.frames), "--width", str(width), "--height", str(height),
                        "--mode", arguments.mode]
    server_before = server.cpu_ms()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        return None
    figures = json.loads(done.stdout.strip().splitlines()[-1])
    figures["server_cpu_ms"] = (server.cpu_ms() - server_before) / arguments.frames
    return figures


def measure_floors(machine, size):
    width, height = SIZES[size]
    done = subprocess.run([machine.floors, "--width", str(width), "--height", str(height)],
                          env=machine.environment([machine.render_driver], ""), capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def summarize(rounds):
    summary = {}
    for key in ("cpu_ms", "wall_ms", "server_cpu_ms"):
        values = [figures[key] for figures in rounds]
        summary[key] = {"median": statistics.median(values), "min": min(values), "max": max(values)}
    return summary


def ratio(rounds, reference, key):
    return statistics.median(a[key] / b[key] for a, b in zip(rounds, reference))


def overlap(summary, reference, key):
    return summary[key]["max"] >= reference[key]["min"] and reference[key]["max"] >= summary[key]["min"]


def run_size(machine, server, size, arguments):
    configurations = machine.configurations()
    rounds = {name: [] for name in configurations}
    floors = []
    for number in range(arguments.rounds):
        print(f"  {size}: round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
        floors.append(measure_floors(machine, size))
        for name in list(rounds):
            figures = measure(machine, server, configurations[name], size, arguments)
            if figures is None:
                print(f"  {size}: '{name}' does not run here and is left out", file=sys.stderr)
                del rounds[name]
            else:
                rounds[name].append(figures)
    return rounds, {key: statistics.median(floor[key] for floor in floors) for key in floors[0]}


def report(size, rounds, floors):
    print(f"\n{size}: the frame alone, as it is rendered: clear {floors['clear_cpu_ms']:.2f} ms CPU, its copy into a buffer "
          f"{floors['copy_cpu_ms']:.2f}, one memcpy {floors['memcpy_ms']:.2f}")
    print(f"{'ms for each shown frame (median)':44} {'CPU':>7} {'wall':>7} {'X server':>9}   CPU and wall against primus_vk")
    primus = next((name for name in rounds if name.startswith("primus")), None)
    result = {}
    for name, figures in rounds.items():
        summary = summarize(figures)
        line = (f"{name:44} {summary['cpu_ms']['median']:7.2f} {summary['wall_ms']['median']:7.2f} "
                f"{summary['server_cpu_ms']['median']:9.2f}")
        if primus and name.startswith("tandem"):
            reference = summarize(rounds[primus])
            for key in ("cpu_ms", "wall_ms"):
                summary[key]["against_primus"] = ratio(figures, rounds[primus], key)
                line += f"   {summary[key]['against_primus']:.2f}" + ("~" if overlap(summary, reference, key) else " ")
        if name.endswith("one-copy"):
            summary["copy_cost_against_driver_copy_and_memcpy"] = (
                (summary["cpu_ms"]["median"] - floors["clear_cpu_ms"]) / (floors["copy_cpu_ms"] + floors["memcpy_ms"]))
        print(line)
        result[name] = summary
    for name, summary in result.items():
        if "copy_cost_against_driver_copy_and_memcpy" in summary:
            print(f"{name}: CPU beyond the clear is {summary['copy_cost_against_driver_copy_and_memcpy']:.2f} x "
                  "(the driver's image-to-buffer copy + one memcpy)")
    if primus:
        print("~ the ranges of the rounds overlap")
    return {"floors": floors, "configurations": result}


def main():
    arguments = parse_arguments()
    if shutil.which("Xvfb") is None:
        sys.exit("Xvfb is not installed (Debian package xvfb).")
    machine = Machine(arguments.build, arguments.render_driver)
    for program in (machine.clear, machine.floors, machine.tandem):
        if not pathlib.Path(program).exists():
            sys.exit(f"{program} is not built.")
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds of {arguments.frames} frames, {arguments.mode}")
    if not machine.display_drivers():
        print("SwiftShader is not here (TANDEM_TEST_SWIFTSHADER_ICD): no comparison with primus_vk, which needs two drivers.")
    elif not machine.primus:
        print("primus_vk is not installed (Debian package primus-vk): no comparison with it.")
    server = XServer()
    results = {}
    try:
        for size in arguments.size or SIZES:
            rounds, floors = run_size(machine, server, size, arguments)
            results[size] = report(size, rounds, floors)
    finally:
        server.stop()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
