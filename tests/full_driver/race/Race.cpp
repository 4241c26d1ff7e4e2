// Another DriverEntry around the example's, which has the name ExampleEntry here: two threads meet, and then write the same
// variable without order.
#include <ntddk.h>

#undef DriverEntry

extern "C" NTSTATUS NTAPI ExampleEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath);

static volatile LONG Ready;
static LONG Counter;

static VOID NTAPI CountUp(PVOID) {
  InterlockedIncrement(&Ready);
  while (InterlockedCompareExchange(&Ready, 2, 2) != 2) YieldProcessor();
  Counter++;
  PsTerminateSystemThread(STATUS_SUCCESS);
}

extern "C" NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  HANDLE Threads[2];
  for (int i = 0; i < 2; i++) PsCreateSystemThread(&Threads[i], THREAD_ALL_ACCESS, NULL, NULL, NULL, CountUp, NULL);
  for (int i = 0; i < 2; i++) {
    PVOID Thread = NULL;
    ObReferenceObjectByHandle(Threads[i], SYNCHRONIZE, NULL, KernelMode, &Thread, NULL);
    KeWaitForSingleObject(Thread, Executive, KernelMode, FALSE, NULL);
    ObDereferenceObject(Thread);
    ZwClose(Threads[i]);
  }
  return ExampleEntry(DriverObject, RegistryPath);
}
