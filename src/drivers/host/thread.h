// System threads of the driver. See wdm/thread.h.
#pragma once

#include <ntddk.h>
#include <setjmp.h>

// The body of a thread's object; waits see its header.
struct _KTHREAD {
  DISPATCHER_HEADER Header;
  KPRIORITY Priority;
  PKSTART_ROUTINE StartRoutine;
  PVOID StartContext;
  sigjmp_buf End;  // PsTerminateSystemThread goes there.
};
