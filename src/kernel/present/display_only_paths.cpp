// The active path of a display-only adapter: its gamma ramp, and the mode that its driver recommends.
#include <vector>

#include "kernel/present/display_only_adapter.h"
#include "kernel/present/gamma_ramp.h"
#include "kernel/present/recommended_vidpn.h"

namespace tandem::kernel {

NTSTATUS DisplayOnlyAdapterImpl::SetGammaRamp(const D3DKMDT_GAMMA_RAMP& ramp) {
  if (active_.targets.empty()) return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
  const bool has_values = ramp.Type == D3DDDI_GAMMARAMP_RGB256x3x16 && ramp.DataSize == sizeof(*ramp.Data.pRgb256x3x16) &&
                          ramp.Data.pRgb256x3x16 != nullptr;
  std::vector<D3DDDI_GAMMA_RAMP_RGB256x3x16> values;
  if (has_values) values.push_back(*ramp.Data.pRgb256x3x16);
  return OnThread([adapter = adapter_.get(), source = active_, own = ramp, values]() mutable {
    own.Data.pRgb256x3x16 = values.data();
    return kernel::SetGammaRamp(*adapter, source, own);
  });
}

NTSTATUS DisplayOnlyAdapterImpl::RecommendMode(DisplayOnlyMode& mode) {
  const auto recommended = std::make_shared<std::vector<PinnedSource>>();
  const bool connected = monitor().connected;
  const NTSTATUS status = OnThread([adapter = adapter_.get(), recommended, connected] {
    return AskForVidPn(*adapter, std::span(adapter->targets()).first(connected ? 1 : 0), {}, *recommended);
  });
  if (!NT_SUCCESS(status)) return status;
  const D3DKMDT_2DREGION& size = recommended->front().mode.Format.Graphics.PrimSurfSize;
  mode = {size.cx, size.cy};
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
