#include "tests/swapchain/slow_adapters.h"

#include "base/sleep.h"

#include <dispmprt.h>

// The linker gives the soft driver's DriverEntry this function in place of DxgkInitialize (--wrap).
extern "C" NTSTATUS __real_DxgkInitialize(DRIVER_OBJECT* driver, UNICODE_STRING* path, DRIVER_INITIALIZATION_DATA* table);

namespace tandem::swapchain_test {
namespace {

DRIVER_INITIALIZATION_DATA sound;
std::atomic<Delays*> in_force{nullptr};
std::atomic<const void*> render_context{nullptr};  // the driver's handle of the adapter
std::atomic<const void*> render_handle{nullptr};   // the kernel's handle of the adapter
decltype(DXGKRNL_INTERFACE::DxgkCbNotifyInterrupt) notify = nullptr;

VOID Notify(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
    Delay(adapter == render_handle ? Stage::kRenderDone : Stage::kDisplayDone);
  }
  notify(adapter, data);
}

NTSTATUS Start(const PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children) {
  const void* nothing = nullptr;
  if (render_context.compare_exchange_strong(nothing, context)) render_handle = kernel->DeviceHandle;
  notify = kernel->DxgkCbNotifyInterrupt;
  DXGKRNL_INTERFACE slow = *kernel;
  slow.DxgkCbNotifyInterrupt = Notify;
  return sound.DxgkDdiStartDevice(context, info, &slow, sources, children);
}

NTSTATUS Present(HANDLE context, DXGKARG_PRESENT* present) {
  Delay(Stage::kPresent);
  return sound.DxgkDdiPresent(context, present);
}

NTSTATUS Submit(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) {
  Delay(adapter == render_context ? Stage::kRenderSubmit : Stage::kDisplaySubmit);
  return sound.DxgkDdiSubmitCommand(adapter, submit);
}

NTSTATUS Flip(HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS* set) {
  Delay(Stage::kFlip);
  return sound.DxgkDdiSetVidPnSourceAddress(adapter, set);
}

}  // namespace

void Delay(Stage stage) {
  if (Delays* const delays = in_force) SleepFor(MonotonicClock(), delays->NextNs(stage));
}

SlowAdapters::SlowAdapters(Delays& delays) {
  render_context = nullptr;
  in_force = &delays;
}
SlowAdapters::~SlowAdapters() { in_force = nullptr; }

}  // namespace tandem::swapchain_test

extern "C" NTSTATUS __wrap_DxgkInitialize(DRIVER_OBJECT* driver, UNICODE_STRING* path, DRIVER_INITIALIZATION_DATA* table) {
  using namespace tandem::swapchain_test;  // NOLINT(google-build-using-namespace): a C function
  sound = *table;
  DRIVER_INITIALIZATION_DATA slow = *table;
  slow.DxgkDdiStartDevice = Start;
  slow.DxgkDdiPresent = Present;
  slow.DxgkDdiSubmitCommand = Submit;
  slow.DxgkDdiSetVidPnSourceAddress = Flip;
  return __real_DxgkInitialize(driver, path, &slow);
}
