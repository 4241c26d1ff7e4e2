"""The programs that scripts/check_programs.py runs, a row each."""
import collections
import platform

FAKETIME = f"/usr/lib/{platform.machine()}-linux-gnu/faketime/libfaketime.so.1"

# Holds vkcube behind its last frame, in front of the end of its swap chain. Its other threads go on.
HOLD = ["gdb", "--batch", "-iex", "set debuginfod enabled off", "-ex", "set non-stop on", "-ex", "set breakpoint pending on",
        "-ex", "break vkDestroySemaphore", "-ex", "run", "-ex", "shell sleep 60", "--args"]
# The wall clock stands still, and with it what turns by that clock. Tandem reads the monotonic one.
STILL = {"LD_PRELOAD": FAKETIME, "FAKETIME": "2020-01-01 00:00:00", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
# libplacebo takes a software adapter by its full name only.
MPV_VULKAN = ["--gpu-api=vulkan", "--vulkan-device={render}"]
MPV_GL = ["--gpu-api=opengl", "--gpu-sw=yes"]
MPV = ["mpv", "--no-config", "--vo=gpu", "--osc=no", "--osd-level=0", "--no-input-default-bindings", "--pause",
       "--geometry=640x360+100+50", "still.mkv"]

TEST_VIDEO = ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=1", "-c:v", "ffv1", "still.mkv"]

QML = """import QtQuick {version}
import QtQuick.Window {version}
Window {{ width: 400; height: 300; visible: true; color: "steelblue"
  Rectangle {{ x: 50; y: 40; width: 200; height: 120; radius: 20; color: "gold"; border.width: 3; rotation: 20; antialiasing: true }}
  Text {{ x: 120; y: 220; text: "Tandem"; font.pixelSize: 40; color: "white" }} }}
"""

SWAY = ["sway", "grim"]
QML6 = ["qml-qt6", "qml6-module-qtquick", "qml6-module-qtquick-window", "qml6-module-qtqml-workerscript"]
QML6_STILL = ["/usr/lib/qt6/bin/qml", "still.qml"]
QML6_FILES = {"still.qml": QML.format(version="")}
TESTVULKAN = "/usr/libexec/installed-tests/SDL2/testvulkan"
GSTREAMER = ["gstreamer1.0-plugins-bad", "gstreamer1.0-plugins-base", "gstreamer1.0-tools"]
VULKANSINK = ["gst-launch-1.0", "videotestsrc", "pattern=smpte100", "!", "video/x-raw,format=BGRA,width=640,height=360", "!",
              "vulkanupload", "!", "vulkansink"]
GLIMAGESINK = ["gst-launch-1.0", "videotestsrc", "pattern=smpte100", "!", "video/x-raw,width=640,height=360", "!", "glimagesink"]
RETROARCH_FILES = {"retroarch.cfg": """video_driver = "gl"
video_fullscreen = "false"
audio_enable = "false"
menu_driver = "rgui"
menu_timedate_enable = "false"
pause_nonactive = "false"
"""}
KITTY = ["kitty", "--config", "NONE", "-o", "cursor_blink_interval=0", "sh", "-c", "seq 30; sleep 90"]
WARZONE = ["/usr/games/warzone2100", "--gfxbackend=vulkan", "--window", "--resolution=800x600", "--nosound"]

# name      what the table calls it
# packages  Debian packages, the program's own first
# command   {render} is the render adapter's name
# stage     x11, wayland or xwayland
# compare   exact: every pixel; extent: the pixels that differ from the empty screen, since colours change with time
# gl        OpenGL by zink
# files     what the folder gets in which the program runs: names and texts
# makes     commands that make more files there
# known     why the row fails through Tandem; it fails the check when it passes
# most      the greatest difference of a colour that passes, of 255
# frames    how many Tandem must report
Row = collections.namedtuple("Row", "name packages command stage environment compare gl files makes known most frames",
                             defaults=["x11", {}, "exact", False, {}, [], "", 0, 1])

ROWS = [
    # Vulkan on X11
    Row("vkcube", ["vulkan-tools", "gdb"], [*HOLD, "vkcube", "--c", "50"]),
    Row("testvulkan", ["libsdl2-tests"], [TESTVULKAN], compare="extent", frames=60),
    Row("qmlscene", ["qmlscene", "qml-module-qtquick2", "qml-module-qtquick-window2"], ["qmlscene", "-qt5", "still.qml"],
        environment={"QSG_RHI": "1", "QSG_RHI_BACKEND": "vulkan"}, files={"still.qml": QML.format(version="2.15")}),
    Row("qml6", QML6, QML6_STILL, environment={"QSG_RHI_BACKEND": "vulkan"}, files=QML6_FILES),
    Row("mpv", ["mpv", "ffmpeg"], [*MPV, *MPV_VULKAN], makes=[TEST_VIDEO]),
    Row("vulkansink", GSTREAMER, VULKANSINK),
    Row("vkd3d-triangle", ["vkd3d-demos"], ["vkd3d-triangle"]),
    Row("vkd3d-gears", ["vkd3d-demos", "libfaketime"], ["vkd3d-gears"], environment=STILL, frames=60),
    Row("warzone2100", ["warzone2100", "libfaketime"], WARZONE, environment=STILL, frames=60),
    # Vulkan on Wayland and Xwayland
    Row("vkcube-wayland", ["vulkan-tools", "gdb", *SWAY], [*HOLD, "vkcube-wayland", "--c", "50"], "wayland"),
    Row("vkcube-xwayland", ["vulkan-tools", "gdb", *SWAY, "xwayland"], [*HOLD, "vkcube", "--c", "50"], "xwayland"),
    Row("testvulkan-wayland", ["libsdl2-tests", *SWAY], [TESTVULKAN], "wayland", {"SDL_VIDEODRIVER": "wayland"}, "extent", frames=60),
    Row("qml6-wayland", [*QML6, "qt6-wayland", *SWAY], QML6_STILL, "wayland",
        {"QSG_RHI_BACKEND": "vulkan", "QT_QPA_PLATFORM": "wayland"}, files=QML6_FILES),
    # mpv takes ten bits from lavapipe's surface and eight bits from Tandem's.
    Row("mpv-wayland", ["mpv", "ffmpeg", *SWAY], [*MPV, *MPV_VULKAN], "wayland", makes=[TEST_VIDEO], most=1),
    # OpenGL by zink
    Row("glxgears", ["mesa-utils", "libfaketime"], ["glxgears"], environment=STILL, gl=True, frames=60),
    Row("es2gears", ["mesa-utils", "libfaketime"], ["es2gears_x11"], environment=STILL, gl=True, frames=60),
    Row("es2gears-wayland", ["mesa-utils", "libfaketime", *SWAY], ["es2gears_wayland"], "wayland", STILL, gl=True, frames=60),
    Row("mpv-gl", ["mpv", "ffmpeg"], [*MPV, *MPV_GL], gl=True, makes=[TEST_VIDEO]),
    Row("mpv-gl-wayland", ["mpv", "ffmpeg", *SWAY], [*MPV, *MPV_GL], "wayland", gl=True, makes=[TEST_VIDEO]),
    Row("glimagesink", ["gstreamer1.0-gl", *GSTREAMER], GLIMAGESINK, gl=True),
    Row("qml6-gl", QML6, QML6_STILL, environment={"QSG_RHI_BACKEND": "opengl"}, gl=True, files=QML6_FILES),
    Row("kitty", ["kitty"], KITTY, gl=True),
    Row("retroarch", ["retroarch"], ["retroarch", "-c", "retroarch.cfg", "--menu"], gl=True, files=RETROARCH_FILES, frames=60),
    Row("godot3", ["godot3"], ["godot3", "--video-driver", "GLES2", "-p"], gl=True),
    Row("gtk4-demo-wayland", ["gtk-4-examples", *SWAY], ["gtk4-demo"], "wayland", {"GSK_RENDERER": "gl"}, gl=True),
]
