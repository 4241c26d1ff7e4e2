// The kernel-mode thunks, by which user mode calls the graphics kernel. Public header page: d3dkmthk.h. Every function returns
// an NTSTATUS, may be called from any thread, and blocks only if its comment says so. A HANDLE of a shared object is a Linux
// file descriptor cast to HANDLE ((HANDLE)(intptr_t)fd); close() closes it.
#pragma once

// A user-mode driver in a shared object may call the process's thunks.
#pragma GCC visibility push(default)

#include "d3dkmthk/adapter.h"
#include "d3dkmthk/allocation.h"
#include "d3dkmthk/device.h"
#include "d3dkmthk/keyed_mutex.h"
#include "d3dkmthk/overlay.h"
#include "d3dkmthk/present.h"
#include "d3dkmthk/sharing.h"
#include "d3dkmthk/statistics.h"
#include "d3dkmthk/sync.h"
#include "d3dkmthk/trim.h"
#include "d3dkmthk/video_memory.h"
#include "d3dkmthk/vidpn.h"

#pragma GCC visibility pop
