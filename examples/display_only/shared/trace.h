// Software tracing of the driver: the functions in the comment below become macros.
#pragma once

#define WPP_CONTROL_GUIDS \
  WPP_DEFINE_CONTROL_GUID(DisplayOnlyTrace, (5B1C0A52, 7B0E, 4B0C, 9E51, 3A1D0C7F2E64), WPP_DEFINE_BIT(TRACE_DRIVER))

// begin_wpp config
// FUNC TraceEvents(LEVEL, FLAGS, MSG, ...);
// FUNC TraceError{LEVEL=TRACE_LEVEL_ERROR, FLAGS=TRACE_DRIVER}(MSG, ...);
// end_wpp
