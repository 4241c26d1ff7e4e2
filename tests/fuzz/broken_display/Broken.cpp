// Breaks the display-only example without a change of its sources: built beside them with
// -D DxgkInitializeDisplayOnlyDriver=InnerInitialize, it gets the example's table and registers another one.
#undef DxgkInitializeDisplayOnlyDriver
#include <ntddk.h>

#include <dispmprt.h>

namespace {

KMDDOD_INITIALIZATION_DATA inner;

NTSTATUS APIENTRY Present(CONST HANDLE Context, CONST DXGKARG_PRESENT_DISPLAYONLY* Args) {
#if defined(PENDING_FOREVER)
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Args);
  return STATUS_PENDING;
#elif defined(HANG_PRESENT)
  for (;;) KeStallExecutionProcessor(1000);
#elif defined(CALL_NULL)
  UNREFERENCED_PARAMETER(Context);
  UNREFERENCED_PARAMETER(Args);
  NTSTATUS (*volatile Nobody)() = nullptr;
  return Nobody();
#elif defined(RAISE_IRQL)
  KIRQL Old;
  KeRaiseIrql(DISPATCH_LEVEL, &Old);
  return inner.DxgkDdiPresentDisplayOnly(Context, Args);
#elif defined(CORRUPT_POOL)
  auto* const Bytes = static_cast<volatile UCHAR*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 24, 'kaeB'));
  Bytes[24] = 1;
  ExFreePoolWithTag(const_cast<UCHAR*>(Bytes), 'kaeB');
  return inner.DxgkDdiPresentDisplayOnly(Context, Args);
#elif defined(USE_FREED)
  auto* const Bytes = static_cast<volatile UCHAR*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 24, 'eerF'));
  ExFreePoolWithTag(const_cast<UCHAR*>(Bytes), 'eerF');
  Bytes[3] = 1;
  return inner.DxgkDdiPresentDisplayOnly(Context, Args);
#else
  return inner.DxgkDdiPresentDisplayOnly(Context, Args);
#endif
}

// The first word tells how many follow, and nobody looks at the data's size.
NTSTATUS APIENTRY Escape(CONST HANDLE Context, CONST DXGKARG_ESCAPE* Args) {
  UNREFERENCED_PARAMETER(Context);
  const auto* const Words = static_cast<const volatile ULONG*>(Args->pPrivateDriverData);
  if (Args->PrivateDriverDataSize < sizeof(ULONG)) return STATUS_INVALID_PARAMETER;
  ULONG Sum = 0;
  for (ULONG Word = 1; Word <= Words[0]; ++Word) Sum += Words[Word];
  return Sum == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

#ifdef TIRES
// Sound for thirty escapes.
NTSTATUS APIENTRY TiredEscape(CONST HANDLE, CONST DXGKARG_ESCAPE*) {
  static LONG Calls;
  if (InterlockedIncrement(&Calls) > 30) *static_cast<volatile ULONG*>(nullptr) = 1;
  return STATUS_SUCCESS;
}
#endif

#ifdef HANG_STOP
NTSTATUS Stop(CONST PVOID) {
  for (;;) KeStallExecutionProcessor(1000);
}
#endif

#ifdef CRASH_REMOVE
NTSTATUS Remove(CONST PVOID) {
  *static_cast<volatile ULONG*>(nullptr) = 1;
  return STATUS_SUCCESS;
}
#endif

#ifdef BUG_CHECK_THREAD
VOID StopSystem(PVOID) { KeBugCheckEx(0xE2, 1, 2, 3, 4); }
#endif

#ifdef LEAVE_TIMER
KTIMER timer;
VOID Unload() {
  LARGE_INTEGER Due;
  Due.QuadPart = -600 * 10'000'000LL;
  KeInitializeTimer(&timer);
  KeSetTimer(&timer, Due, nullptr);
  if (inner.DxgkDdiUnload != nullptr) inner.DxgkDdiUnload();
}
#endif

}  // namespace

EXTERN_C NTSTATUS NTAPI InnerInitialize(PDRIVER_OBJECT Driver, PUNICODE_STRING Path, KMDDOD_INITIALIZATION_DATA* Data) {
  inner = *Data;
  KMDDOD_INITIALIZATION_DATA Broken = *Data;
  Broken.DxgkDdiPresentDisplayOnly = Present;
#ifdef ESCAPE_TOO_FAR
  Broken.DxgkDdiEscape = Escape;
#endif
#ifdef TIRES
  Broken.DxgkDdiEscape = TiredEscape;
#endif
#ifdef HANG_STOP
  Broken.DxgkDdiStopDevice = Stop;
  Broken.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = nullptr;
#endif
#ifdef LEAVE_TIMER
  Broken.DxgkDdiUnload = Unload;
#endif
#ifdef CRASH_REMOVE
  Broken.DxgkDdiRemoveDevice = Remove;
#endif
#ifdef BUG_CHECK_THREAD
  HANDLE Thread = nullptr;
  PsCreateSystemThread(&Thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, StopSystem, nullptr);
#endif
  return DxgkInitializeDisplayOnlyDriver(Driver, Path, &Broken);
}
