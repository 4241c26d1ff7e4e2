// The device driver interface between a kernel-mode display miniport and the graphics kernel: the
// DDIs that a driver implements and the callbacks that it may call. Public header page: d3dkmddi.h.
// Each function type states its IRQL and its synchronization level; public page: "Threading and
// synchronization: levels zero to three".
//   level 0  re-entrant; two calls never come from the same process at once
//   level 1  one thread in each class (pointer, GPU scheduler, swizzling range, overlay, child I/O,
//            display); classes run side by side
//   level 2  one thread in the driver, GPU idle
//   level 3  as level 2, and video memory evicted
#pragma once

#include "d3dkmddi/allocation.h"
#include "d3dkmddi/caps.h"
#include "d3dkmddi/device.h"
#include "d3dkmddi/diagnostics.h"
#include "d3dkmddi/display.h"
#include "d3dkmddi/feature.h"
#include "d3dkmddi/gpu_virtual.h"
#include "d3dkmddi/handle.h"
#include "d3dkmddi/interrupt.h"
#include "d3dkmddi/monitor.h"
#include "d3dkmddi/monitor_interface.h"
#include "d3dkmddi/mpo.h"
#include "d3dkmddi/paging.h"
#include "d3dkmddi/power.h"
#include "d3dkmddi/present.h"
#include "d3dkmddi/segment.h"
#include "d3dkmddi/submit.h"
#include "d3dkmddi/vidpn.h"
#include "d3dkmddi/vidpn_interface.h"

#include "d3dkmddi/aliases.h"
