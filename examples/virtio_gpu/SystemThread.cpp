#include "SystemThread.h"

#include "SystemThread.tmh"

NTSTATUS SystemThread::Start(_In_ PKSTART_ROUTINE Routine, _In_ PVOID Context) {
  PAGED_CODE();
  return PsCreateSystemThread(&m_Handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, Routine, Context);
}

VOID SystemThread::Join() {
  PAGED_CODE();
  if (m_Handle == NULL) return;
  ZwWaitForSingleObject(m_Handle, FALSE, NULL);
  ZwClose(m_Handle);
  m_Handle = NULL;
}
