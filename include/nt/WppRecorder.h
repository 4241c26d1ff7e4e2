// The trace recorder: it records nothing here. Public page: WppRecorder.h.
#pragma once

#include "ntdef.h"
#include "ntstrsafe.h"

typedef PVOID RECORDER_LOG;
typedef struct _RECORDER_CONFIGURE_PARAMS {
  ULONG Size;
  BOOLEAN CreateDefaultLog;
} RECORDER_CONFIGURE_PARAMS;
typedef RECORDER_CONFIGURE_PARAMS* PRECORDER_CONFIGURE_PARAMS;
#define RECORDER_CONFIGURE_PARAMS_INIT(p) \
  do {                                    \
    (p)->Size = sizeof(*(p));             \
    (p)->CreateDefaultLog = TRUE;         \
  } while (0)
#define WppRecorderConfigure(parameters) ((void)(parameters))

// A driver sets filters by flag; there is nothing to filter.
static BOOLEAN tandem_wpp_filter __attribute__((unused));
#define WPP_RECORDER_LEVEL_FILTER(flag) tandem_wpp_filter
#define WPP_RECORDER_FLAGS_LEVEL_FILTER(flags, level) tandem_wpp_filter
