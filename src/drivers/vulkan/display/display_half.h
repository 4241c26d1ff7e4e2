// The display half of the miniport (its engineer: D3, at work here since 05:20 UTC; the rest of the driver only calls this).
// What the miniport calls is `Display` of display.h, as it stands there; D3 writes display.cpp, heads, the WSI sockets
// (CreateWsiConnector) and their tests, and adds to Display: EnableInterrupt(bool) for ControlInterrupt and ScanLineOf(source) for GetScanLine.
#pragma once
