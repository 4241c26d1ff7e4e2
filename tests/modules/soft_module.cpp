// The soft driver as a foreign driver: a shared object whose bus device is a TANDEM_BUS_DEVICE.
#include "tests/modules/spoil.h"

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "drivers/common/escapes.h"
#include "drivers/processor/allocation_data.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "shim/composite.h"

#include <tandem_bus.h>
#include <tandem_conform.h>

namespace tandem::soft {
using namespace processor;
namespace {

// The size that the driver has when Tandem creates its device.
constexpr std::uint64_t kLocalMemory = 16ULL << 20;

class Monitor final : public outputs::Output {
 public:
  Monitor(const TANDEM_BUS_DEVICE& device, ULONG number) : device_(device), number_(number) {
    info_ = {"bus", "bus", static_cast<std::int64_t>(device.RefreshPeriodNs)};
  }
  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {outputs::OutputState::kOk, 0, 0}; }
  Result<void> Show(const outputs::Surface& surface) override {
    const TANDEM_BUS_FRAME frame{surface.pixels, surface.width, surface.height, surface.pitch,
                                 static_cast<DXGI_FORMAT>(surface.format)};
    device_.ShowFrame(device_.Context, number_, &frame);
    return {};
  }
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

 private:
  const TANDEM_BUS_DEVICE& device_;
  const ULONG number_;
  outputs::OutputInfo info_;
};

// Translates the bus's device for the soft driver.
struct Translation {
  DEVICE_OBJECT device{};
  DeviceDescription description;
};

const DRIVER_INITIALIZATION_DATA& Table() {
  static const DRIVER_INITIALIZATION_DATA table = SoftDriverTable();
  return table;
}

std::mutex mutex;
std::map<void*, std::unique_ptr<Translation>> translations;  // keyed by the context that AddDevice returned

NTSTATUS APIENTRY AddDevice(CONST PDEVICE_OBJECT physical_device, PVOID* context) {
  const auto& bus = *static_cast<const TANDEM_BUS_DEVICE*>(physical_device->DeviceExtension);
  auto translation = std::make_unique<Translation>();
  translation->description.local_memory_bytes = kLocalMemory;
  translation->description.scans_out_nv12 = true;
  if (bus.MonitorCount > 0) {
    translation->description.connectors = CreateConnectors(bus.MonitorCount);
    for (ULONG i = 0; i < bus.MonitorCount; ++i) {
      if (!translation->description.connectors->Plug(std::make_shared<Monitor>(bus, i)).ok()) return STATUS_UNSUCCESSFUL;
    }
  }
  translation->device = *physical_device;
  translation->device.DeviceExtension = &translation->description;
  const NTSTATUS status = Table().DxgkDdiAddDevice(&translation->device, context);
  if (!NT_SUCCESS(status)) return status;
  const std::lock_guard lock(mutex);
  translations[*context] = std::move(translation);
  return status;
}

NTSTATUS APIENTRY RemoveDevice(CONST PVOID context) {
  const NTSTATUS status = Table().DxgkDdiRemoveDevice(context);
  const std::lock_guard lock(mutex);
  translations.erase(context);
  return status;
}

template <class Data>
NTSTATUS Answer(const Data& answer, VOID* data, UINT* size) {
  if (*size < sizeof(answer)) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(data, &answer, sizeof(answer));
  *size = sizeof(answer);
  return STATUS_SUCCESS;
}

NTSTATUS DescribeSharedSurface(UINT width, UINT height, VOID* data, UINT* size, UINT* pitch) {
  const auto surface = DescribeSurface(width, height, color::Format::kB8G8R8A8Unorm, kAllocationSharedWithKmd, 0);
  if (!surface.ok()) return STATUS_INVALID_PARAMETER;
  *pitch = surface->pitch;
  return Answer(*surface, data, size);
}

NTSTATUS DescribeAccess(D3DKMT_HANDLE allocation, UINT64 offset, BOOL write, UINT value, VOID* data, UINT* size,
                        UINT* value_offset) {
  drivers::BackingStoreEscape escape;
  escape.allocation = allocation;
  escape.access = write != FALSE ? drivers::BackingStoreAccess::kWrite : drivers::BackingStoreAccess::kRead;
  escape.value = value;
  escape.offset = offset;
  *value_offset = offsetof(drivers::BackingStoreEscape, value);
  return Answer(escape, data, size);
}

}  // namespace
}  // namespace tandem::soft

extern "C" __attribute__((visibility("default"))) const TANDEM_CONFORM_INTERFACE TandemConform{
    sizeof(TANDEM_CONFORM_INTERFACE), &tandem::soft::DescribeSharedSurface, &tandem::soft::DescribeAccess};

// A module with its own DriverEntry calls this one by another name.
#ifndef TANDEM_DRIVER_ENTRY
#define TANDEM_DRIVER_ENTRY DriverEntry
#endif
extern "C" __attribute__((visibility("default"))) NTSTATUS TANDEM_DRIVER_ENTRY(DRIVER_OBJECT* driver,
                                                                               UNICODE_STRING* registry_path) {
  DRIVER_INITIALIZATION_DATA table = tandem::soft::Table();
  table.DxgkDdiAddDevice = &tandem::soft::AddDevice;
  table.DxgkDdiRemoveDevice = &tandem::soft::RemoveDevice;
  tandem::soft::Spoil(table);
  return DxgkInitialize(driver, registry_path, &table);
}

// A module of the Direct3D 9 class exports OpenAdapter alone. One with a shim inside opens the shim when its host asks for it.
#ifdef TANDEM_SHIM_INSIDE
extern "C" __attribute__((visibility("default"))) HRESULT OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  return tandem::shim::OpenShim(args, tandem::processor::ProcessorOpenAdapter10_2);
}
extern "C" __attribute__((visibility("default"))) HRESULT TandemSetShimHost(CONST TANDEM_SHIM_HOST* host) {
  return tandem::shim::SetShimHost(host);
}
#elif !defined(TANDEM_CLASS9_ALONE)
extern "C" __attribute__((visibility("default"))) HRESULT OpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args) {
  return tandem::processor::ProcessorOpenAdapter10_2(args);
}
#endif
extern "C" __attribute__((visibility("default"))) HRESULT OpenAdapter(D3DDDIARG_OPENADAPTER* args) {
  return tandem::processor::ProcessorOpenAdapter(args);
}
