// Software tracing of the driver: the functions in the comment below become macros.
#pragma once

#define WPP_CONTROL_GUIDS \
  WPP_DEFINE_CONTROL_GUID(VirtioGpuTrace, (0C1F5D7A, 2C63, 4B8E, 8E1B, 6F0C1B8C9D42), WPP_DEFINE_BIT(TRACE_DRIVER))

// begin_wpp config
// FUNC TraceEvents(LEVEL, FLAGS, MSG, ...);
// FUNC TraceError{LEVEL=TRACE_LEVEL_ERROR, FLAGS=TRACE_DRIVER}(MSG, ...);
// end_wpp
