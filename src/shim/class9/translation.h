// Translation of driver interfaces: a runtime of the Direct3D 10 class above, a display driver of the Direct3D 9 class below.
//
// Upwards the translation is a display driver with OpenAdapter10_2's tables. Downwards it is a Direct3D 9 runtime, the only one
// that the driver sees: callbacks are caught, their handles exchanged for the real runtime's, and forwarded to it.
// - CreateResource, OpenResource, DestroyResource, DxgiPresent, DxgiBlt, DxgiSetDisplayMode become the driver's functions.
// - DxgiRotateResourceIdentities has no counterpart: the driver's handles rotate.
// - PFND3DDDI_PRESENTCB becomes PFNDDXGIDDI_PRESENTCB with the context of the running present.
#pragma once

#include <d3d10umddi.h>
#include <d3dumddi.h>

namespace tandem::shim {

// OpenAdapter10_2 of a display adapter whose driver exports `driver` as OpenAdapter. Each adapter opened through it is closed
// by the table's pfnCloseAdapter. After an error nothing is left open in the driver.
[[nodiscard]] HRESULT OpenTranslatedAdapter(PFND3DDDI_OPENADAPTER driver, D3D10DDIARG_OPENADAPTER* args);

// An OpenAdapter10_2 that opens `driver` by the function above, for tables that take a bare entry point. Always the same one for
// a driver. Null for a null driver and for a ninth one in this process.
[[nodiscard]] PFND3D10DDI_OPENADAPTER TranslatedEntry(PFND3DDDI_OPENADAPTER driver);

}  // namespace tandem::shim
