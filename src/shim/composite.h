// A user-mode driver made of two: the display adapter's, with the runtime's callbacks, and the render adapter's, which never
// talks to that runtime.
#pragma once

#include <tandem_shim.h>

namespace tandem::shim {

// OpenAdapter10_2 of the display adapter, of which the runtime gets one handle made of two. The host is copied. Errors: either
// driver's, with the other one closed; E_INVALIDARG for missing tables or a host that is too short.
[[nodiscard]] HRESULT OpenComposite(D3D10DDIARG_OPENADAPTER* args, const TANDEM_SHIM_HOST& host);

// The process's host, set by the application's initialization (TandemSetShimHost). E_INVALIDARG for one that is too short.
[[nodiscard]] HRESULT SetShimHost(const TANDEM_SHIM_HOST* host);
// OpenAdapter10_2 of a library that is a shim. A shim inside a driver gives that driver's own entry, which serves adapters while
// no host is set, and is both drivers where the host names none; null: there is no such driver.
[[nodiscard]] HRESULT OpenShim(D3D10DDIARG_OPENADAPTER* args, PFND3D10DDI_OPENADAPTER own);

}  // namespace tandem::shim
