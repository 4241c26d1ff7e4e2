"""A display server without a screen for one program, and photographs of it. Used by scripts/check_programs.py and soak.py."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time

WIDTH, HEIGHT = 1280, 960
START_LIMIT_S = 20
END_LIMIT_S = 10
NOBODY = 65534

SWAY_CONFIG = f"""
output * mode {WIDTH}x{HEIGHT} bg #000000 solid_color
xwayland enable
default_border none
for_window [shell=".*"] floating enable, move position 0 0
exec sh -c 'echo $WAYLAND_DISPLAY $DISPLAY >$XDG_RUNTIME_DIR/displays'
"""


class StageError(Exception):
    """The display server did not start; the text says why."""


def end(process):
    """Ends a process and what it started, first by SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(END_LIMIT_S)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            continue
    process.wait()


class Stage:
    """Xvfb ("x11"), or sway's headless output with Wayland alone ("wayland") or with Xwayland ("xwayland")."""

    def __init__(self, kind):
        self.kind = kind
        self.folder = tempfile.TemporaryDirectory(prefix="tandem-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "home").mkdir()
        hidden = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SWAYSOCK")
        self.environment = {name: value for name, value in os.environ.items() if name not in hidden}
        self.environment.update(XDG_RUNTIME_DIR=str(self.path), HOME=str(self.path / "home"), SDL_AUDIODRIVER="dummy")
        self.wrapper, self.photographs, self.server = [], {}, None

    def __enter__(self):
        try:
            if self.kind == "x11":
                self.start_xvfb()
            else:
                self.start_sway()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.server:
            end(self.server)
        self.folder.cleanup()

    def start(self, command, **options):
        with open(self.path / "server.log", "wb") as log:
            self.server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                                           start_new_session=True, **options)

    def start_xvfb(self):
        reader, writer = os.pipe()
        self.start(["Xvfb", "-displayfd", str(writer), "-noreset", "-nolisten", "tcp", "-screen", "0", f"{WIDTH}x{HEIGHT}x24"],
                   pass_fds=[writer])
        os.close(writer)
        with os.fdopen(reader) as number:
            self.environment["DISPLAY"] = ":" + number.readline().strip()
        if self.environment["DISPLAY"] == ":":
            raise StageError("Xvfb did not start")

    def start_sway(self):
        (self.path / "config").write_text(SWAY_CONFIG, encoding="utf-8")
        self.environment.update(WLR_BACKENDS="headless", WLR_RENDERER="pixman", WLR_LIBINPUT_NO_DEVICES="1")
        if os.geteuid() == 0:
            # sway refuses root, and Xwayland refuses other users than its own.
            self.wrapper = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            for path in (self.path, self.path / "home"):
                os.chown(path, NOBODY, NOBODY)
        self.start([*self.wrapper, "sway", "-c", str(self.path / "config")])
        displays = self.path / "displays"
        until = time.monotonic() + START_LIMIT_S
        while not displays.exists() or not displays.read_text(encoding="utf-8").strip():
            if time.monotonic() > until or self.server.poll() is not None:
                raise StageError("sway did not start")
            time.sleep(0.1)
        wayland, x11 = displays.read_text(encoding="utf-8").split()
        self.photographs["WAYLAND_DISPLAY"] = wayland
        self.environment.update({"WAYLAND_DISPLAY": wayland} if self.kind == "wayland" else {"DISPLAY": x11})

    def photograph(self):
        """The pixels of the whole screen, three bytes each."""
        command = ["import", "-silent", "-window", "root", "-depth", "8", "ppm:-"] if self.kind == "x11" else ["grim", "-t", "ppm", "-"]
        shot = subprocess.run(command, env=self.environment | self.photographs, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False, timeout=END_LIMIT_S)
        return shot.stdout[-3 * WIDTH * HEIGHT :]

    def empty_photograph(self):
        """The screen without a program. A busy machine's sway draws its black background late."""
        until = time.monotonic() + START_LIMIT_S
        while time.monotonic() < until:
            empty = self.photograph()
            if len(empty) == 3 * WIDTH * HEIGHT and not any(empty):
                return empty
            time.sleep(0.1)
        raise StageError("the empty screen did not become black")

    def run(self, command, environment, log):
        """Starts the program of the stage; its process group is to be ended by end()."""
        # Libraries that the environment preloads are not for the wrapper, which runs as another user.
        variables = [f"{name}={value}" for name, value in environment.items()]
        return subprocess.Popen([*self.wrapper, "env", *variables, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                cwd=self.path / "home", env=self.environment, start_new_session=True)
