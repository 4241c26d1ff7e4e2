// A system thread that its owner waits for.
#pragma once

#include "Pool.h"

// PASSIVE_LEVEL.
class SystemThread {
 public:
  SystemThread() : m_Handle(NULL) {}

  NTSTATUS Start(_In_ PKSTART_ROUTINE Routine, _In_ PVOID Context);
  BOOLEAN IsStarted() const { return m_Handle != NULL; }
  // Waits until the routine has ended the thread.
  VOID Join();

 private:
  HANDLE m_Handle;  // NULL: not started
};
