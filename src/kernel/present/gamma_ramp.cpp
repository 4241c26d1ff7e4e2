#include "kernel/present/gamma_ramp.h"

#include "kernel/memory/ddi_call.h"

namespace tandem::kernel {
namespace {

NTSTATUS Check(const Adapter& adapter, const D3DKMDT_GAMMA_RAMP& ramp) {
  switch (ramp.Type) {
    case D3DDDI_GAMMARAMP_DEFAULT: return ramp.DataSize == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    case D3DDDI_GAMMARAMP_RGB256x3x16:
      if (ramp.DataSize != sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16) || ramp.Data.pRaw == nullptr) return STATUS_INVALID_PARAMETER;
      return adapter.caps().GammaRampCaps.Gamma_Rgb256x3x16 != 0 ? STATUS_SUCCESS : STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
    case D3DDDI_GAMMARAMP_UNINITIALIZED: return STATUS_INVALID_PARAMETER;
    default: return STATUS_GRAPHICS_GAMMA_RAMP_NOT_SUPPORTED;
  }
}

}  // namespace

NTSTATUS SetGammaRamp(Adapter& adapter, const PinnedSource& source, const D3DKMDT_GAMMA_RAMP& ramp) {
  if (const NTSTATUS status = Check(adapter, ramp); !NT_SUCCESS(status)) return status;
  for (const PinnedSource::Target& target : source.targets) {
    DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH args{target.path};
    args.VidPnPresentPathInfo.GammaRamp = ramp;
    const NTSTATUS status =
        CallDdi(adapter, Ddi::kUpdateActiveVidPnPresentPath, adapter.ddi().DxgkDdiUpdateActiveVidPnPresentPath,
                adapter.miniport_context(), static_cast<const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH*>(&args));
    if (!NT_SUCCESS(status)) return status;
  }
  return adapter.alive() ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
}

}  // namespace tandem::kernel
