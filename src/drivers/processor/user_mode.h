// The user-mode half of every adapter whose engines are the processor: surfaces and presents, no drawing.
#pragma once

#include <d3d10umddi.h>
#include <d3dumddi.h>

namespace tandem::processor {

// OpenAdapter10_2.
extern "C" HRESULT ProcessorOpenAdapter10_2(D3D10DDIARG_OPENADAPTER* args);
// OpenAdapter: the face of a Direct3D 9 class adapter, which presents and does not draw.
extern "C" HRESULT ProcessorOpenAdapter(D3DDDIARG_OPENADAPTER* args);

}  // namespace tandem::processor
