"""Writes what KWin's active screen shows into the file that is named, as PPM."""
import os
import sys

import dbus

reading, writing = os.pipe()
kwin = dbus.Interface(dbus.SessionBus().get_object("org.kde.KWin", "/org/kde/KWin/ScreenShot2"), "org.kde.KWin.ScreenShot2")
shot = kwin.CaptureActiveScreen({"native-resolution": True}, dbus.types.UnixFd(writing))
os.close(writing)
width, height, stride = int(shot["width"]), int(shot["height"]), int(shot["stride"])
with os.fdopen(reading, "rb") as pipe:
    pixels = pipe.read(stride * height)  # blue, green, red, unused
with open(sys.argv[1], "wb") as file:
    file.write(b"P6 %d %d 255\n" % (width, height))
    for y in range(height):
        row = pixels[y * stride : y * stride + 4 * width]
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        file.write(rgb)
