// D3DKMT*: what programs change of the active VidPN.
#include <vector>

#include "kernel/thunk/private_data.h"
#include "kernel/thunk/system.h"

namespace tandem::kernel {
namespace {

NTSTATUS SetGammaRamp(System& system, const D3DKMT_SETGAMMARAMP& data) {
  const HandleRef<DeviceObject> device(system.handles(), data.hDevice);
  if (!device) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*device->unit);
  if (!guard.alive() || device->device == nullptr) return STATUS_DEVICE_REMOVED;
  D3DKMDT_GAMMA_RAMP ramp{data.Type, data.Size, {data.pGammaRampRgb256x3x16}};
  return device->unit->presenter().modes().SetGammaRamp(*device->device, data.VidPnSourceId, ramp);
}

NTSTATUS InvalidateActiveVidPn(System& system, const D3DKMT_INVALIDATEACTIVEVIDPN& data) {
  const HandleRef<AdapterObject> adapter(system.handles(), data.hAdapter);
  if (!adapter) return STATUS_INVALID_PARAMETER;
  if (!IsPrivateData(data.pPrivateDriverData, data.PrivateDriverDataSize)) return STATUS_INVALID_PARAMETER;
  const AdapterGuard guard(*adapter->unit);
  if (!guard.alive()) return STATUS_DEVICE_REMOVED;
  const auto* const bytes = static_cast<const std::byte*>(data.pPrivateDriverData);
  std::vector<std::byte> private_data(bytes, bytes + data.PrivateDriverDataSize);
  return adapter->unit->presenter().modes().InvalidateActiveVidPn(private_data);
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTSetGammaRamp(CONST D3DKMT_SETGAMMARAMP* data) {
  return InThunk(data, [&](System& system) { return SetGammaRamp(system, *data); });
}

NTSTATUS APIENTRY D3DKMTInvalidateActiveVidPn(CONST D3DKMT_INVALIDATEACTIVEVIDPN* data) {
  return InThunk(data, [&](System& system) { return InvalidateActiveVidPn(system, *data); });
}
