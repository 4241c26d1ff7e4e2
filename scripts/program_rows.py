"""The programs that scripts/check_programs.py runs, a row each."""
import collections
import pathlib

ARCHITECTURE = "x86_64-linux-gnu"
FAKETIME = pathlib.Path(f"/usr/lib/{ARCHITECTURE}/faketime/libfaketime.so.1")

# Holds vkcube behind its last frame, in front of the end of its swap chain. Its other threads go on.
HOLD = ["gdb", "--batch", "-iex", "set debuginfod enabled off", "-ex", "set non-stop on", "-ex", "set breakpoint pending on",
        "-ex", "break vkDestroySemaphore", "-ex", "run", "-ex", "shell sleep 60", "--args"]
# The wall clock stands still, and with it what turns by that clock. Tandem reads the monotonic one.
STILL = {"LD_PRELOAD": str(FAKETIME), "FAKETIME": "2020-01-01 00:00:00", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
# libplacebo takes a software adapter by its full name only.
MPV = ["mpv", "--no-config", "--vo=gpu", "--gpu-api=vulkan", "--vulkan-device={render}", "--osc=no", "--osd-level=0",
       "--no-input-default-bindings", "--pause", "--geometry=640x360+100+50", "still.mkv"]

TEST_VIDEO = ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=1", "-c:v", "ffv1", "still.mkv"]

QML = """import QtQuick {version}
import QtQuick.Window {version}
Window {{ width: 400; height: 300; visible: true; color: "steelblue"
  Rectangle {{ x: 50; y: 40; width: 200; height: 120; radius: 20; color: "gold"; border.width: 3; rotation: 20; antialiasing: true }}
  Text {{ x: 120; y: 220; text: "Tandem"; font.pixelSize: 40; color: "white" }} }}
"""

# name      what the table calls it
# packages  Debian packages, the program's own first
# command   {render} is the render adapter's name
# stage     x11, wayland or xwayland
# compare   exact: every pixel; extent: the pixels that differ from the empty screen, since colours change with time
# gl        OpenGL by zink
# files     what the folder gets in which the program runs: names and texts
# makes     commands that make more files there
# known     why the row fails through the layer or the driver; it fails the check when it passes
Row = collections.namedtuple("Row", "name packages command stage environment compare gl files makes forms known",
                             defaults=["x11", {}, "exact", False, {}, [], ("layer", "driver"), {}])

ROWS = [
    Row("vkcube", ["vulkan-tools", "gdb"], [*HOLD, "vkcube", "--c", "50"]),
    Row("vkcube-wayland", ["vulkan-tools", "gdb", "sway", "grim"], [*HOLD, "vkcube-wayland", "--c", "50"], "wayland"),
    Row("vkcube-xwayland", ["vulkan-tools", "gdb", "sway", "grim", "xwayland"], [*HOLD, "vkcube", "--c", "50"], "xwayland"),
    Row("qmlscene", ["qmlscene", "qml-module-qtquick2", "qml-module-qtquick-window2"], ["qmlscene", "-qt5", "still.qml"],
        environment={"QSG_RHI": "1", "QSG_RHI_BACKEND": "vulkan"}, files={"still.qml": QML.format(version="2.15")}),
    Row("qml6", ["qml-qt6", "qml6-module-qtquick", "qml6-module-qtquick-window", "qml6-module-qtqml-workerscript"],
        ["/usr/lib/qt6/bin/qml", "still.qml"], environment={"QSG_RHI_BACKEND": "vulkan"}, files={"still.qml": QML.format(version="")}),
    Row("testvulkan", ["libsdl2-tests"], ["/usr/libexec/installed-tests/SDL2/testvulkan"], compare="extent"),
    Row("mpv", ["mpv", "ffmpeg"], MPV, makes=[TEST_VIDEO]),
    Row("mpv-wayland", ["mpv", "ffmpeg", "sway", "grim"], MPV, "wayland", makes=[TEST_VIDEO]),
    Row("vulkansink", ["gstreamer1.0-plugins-bad", "gstreamer1.0-plugins-base", "gstreamer1.0-tools"],
        ["gst-launch-1.0", "videotestsrc", "pattern=smpte100", "!", "video/x-raw,format=BGRA,width=640,height=360", "!",
         "vulkanupload", "!", "vulkansink"]),
    Row("vkd3d-triangle", ["vkd3d-demos"], ["vkd3d-triangle"]),
    Row("vkd3d-gears", ["vkd3d-demos", "libfaketime"], ["vkd3d-gears"], environment=STILL),
    Row("glxgears", ["mesa-utils", "libfaketime"], ["glxgears"], environment=STILL, gl=True),
    Row("es2gears", ["mesa-utils", "libfaketime"], ["es2gears_x11"], environment=STILL, gl=True),
]
