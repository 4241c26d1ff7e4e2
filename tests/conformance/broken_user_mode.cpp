// User-mode drivers that break the contract. Those of the Direct3D 9 class are seen through the translation of driver interfaces.
#include <vector>

#include "drivers/processor/user_mode.h"
#include "shim/class9/translation.h"
#include "tests/conformance/broken_drivers.h"

namespace tandem::conform {
namespace {

D3DDDI_ADAPTERFUNCS sound_adapter;
D3DDDI_DEVICEFUNCS sound_device;

HRESULT FailToOpen(D3DDDIARG_OPENADAPTER* /*args*/) { return E_FAIL; }

HRESULT APIENTRY FailToCreateDevice(HANDLE /*adapter*/, D3DDDIARG_CREATEDEVICE* /*args*/) { return E_FAIL; }
HRESULT OpenWithoutDevices(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = processor::ProcessorOpenAdapter(args);
  if (SUCCEEDED(opened)) args->pAdapterFuncs->pfnCreateDevice = FailToCreateDevice;
  return opened;
}

// Leaves the runtime's handle, as if it were the driver's.
HRESULT APIENTRY CreateNothing(HANDLE /*device*/, D3DDDIARG_CREATERESOURCE2* /*args*/) { return S_OK; }
HRESULT APIENTRY CreateNothingsDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  const HRESULT created = sound_adapter.pfnCreateDevice(adapter, args);
  if (SUCCEEDED(created)) args->pDeviceFuncs->pfnCreateResource2 = CreateNothing;
  return created;
}
HRESULT OpenWithoutResources(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = processor::ProcessorOpenAdapter(args);
  if (FAILED(opened)) return opened;
  sound_adapter = *args->pAdapterFuncs;
  args->pAdapterFuncs->pfnCreateDevice = CreateNothingsDevice;
  return opened;
}

// Forgets that a surface is shared with the other adapter.
HRESULT APIENTRY CreatePrivately(HANDLE device, D3DDDIARG_CREATERESOURCE2* args) {
  args->Flags2.CrossAdapter = 0;
  return sound_device.pfnCreateResource2(device, args);
}
HRESULT APIENTRY CreatePrivateDevice(HANDLE adapter, D3DDDIARG_CREATEDEVICE* args) {
  const HRESULT created = sound_adapter.pfnCreateDevice(adapter, args);
  if (FAILED(created)) return created;
  sound_device = *args->pDeviceFuncs;
  args->pDeviceFuncs->pfnCreateResource2 = CreatePrivately;
  return created;
}
HRESULT OpenPrivately(D3DDDIARG_OPENADAPTER* args) {
  const HRESULT opened = processor::ProcessorOpenAdapter(args);
  if (FAILED(opened)) return opened;
  sound_adapter = *args->pAdapterFuncs;
  args->pAdapterFuncs->pfnCreateDevice = CreatePrivateDevice;
  return opened;
}

// A driver of the Direct3D 10 class, whose resources stay where they are.
D3D10_2DDI_ADAPTERFUNCS class10_adapter;
HRESULT APIENTRY RotateNothing(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES* /*args*/) { return S_OK; }
HRESULT APIENTRY CreateStillDevice(D3D10DDI_HADAPTER adapter, D3D10DDIARG_CREATEDEVICE* args) {
  const HRESULT created = class10_adapter.pfnCreateDevice(adapter, args);
  if (SUCCEEDED(created)) args->DXGIBaseDDI.pDXGIDDIBaseFunctions4->pfnRotateResourceIdentities = RotateNothing;
  return created;
}
HRESULT OpenStill(D3D10DDIARG_OPENADAPTER* args) {
  const HRESULT opened = processor::ProcessorOpenAdapter10_2(args);
  if (FAILED(opened)) return opened;
  class10_adapter = *args->pAdapterFuncs_2;
  args->pAdapterFuncs_2->pfnCreateDevice = CreateStillDevice;
  return opened;
}

}  // namespace

std::vector<BrokenDriver> DriversWithBrokenUserMode() {
  static constexpr const char* kPrimary = "CrossAdapter.Primary";
  const auto of_class9 = [](const char* what, const char* seen, PFND3DDDI_OPENADAPTER open) {
    return BrokenDriver{what, kPrimary, nullptr, seen, SeenBy::kBody, shim::TranslatedEntry(open)};
  };
  return {
      {"DoesNotRotate", "CrossAdapter.Rotation", nullptr, "after RotateResourceIdentities", SeenBy::kBody, OpenStill},
      of_class9("Class9DoesNotOpen", "OpenAdapter10_2", FailToOpen),
      of_class9("Class9CreatesNoDevice", "CreateDevice", OpenWithoutDevices),
      of_class9("Class9AnswersNothing", "internal error", OpenWithoutResources),
      of_class9("Class9DoesNotShare", "CrossAdapterAllocation.ApertureSegment", OpenPrivately),
  };
}

}  // namespace tandem::conform
