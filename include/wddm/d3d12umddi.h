// The part of Direct3D 12's user-mode driver interface that Tandem uses. D3D12CreateDevice compares this capability with the
// kernel-mode driver's. Public header page: d3d12umddi.h.
#pragma once

#include "d3d10umddi.h"

// D3D12DDICAPS_TYPE, d3d12umddi.h: a Type of pfnGetCaps beside those of older interfaces.
typedef enum D3D12DDICAPS_TYPE WDDM_ENUM {
  D3D12DDICAPS_TYPE_0022_TEXTURE_LAYOUT = 1060,
} D3D12DDICAPS_TYPE;

// D3D12DDI_TEXTURE_LAYOUT_CAPS_0026, d3d12umddi.h. SupportsRowMajorTexture is what applications see as
// CrossAdapterRowMajorTextureSupported.
typedef struct D3D12DDI_TEXTURE_LAYOUT_CAPS_0026 {
  UINT DeviceDependentLayoutCount;
  UINT DeviceDependentSwizzleCount;
  BOOL Supports64KStandardSwizzle;
  BOOL SupportsRowMajorTexture;
  BOOL IndexableSwizzlePatterns;
} D3D12DDI_TEXTURE_LAYOUT_CAPS_0026;

// D3D12DDI_TEXTURE_LAYOUT, d3d12umddi.h.
typedef enum D3D12DDI_TEXTURE_LAYOUT WDDM_ENUM {
  D3D12DDI_TL_UNDEFINED = 0,
  D3D12DDI_TL_ROW_MAJOR = 1,
  D3D12DDI_TL_64KB_TILE_UNDEFINED_SWIZZLE = 2,
  D3D12DDI_TL_64KB_TILE_STANDARD_SWIZZLE = 3,
} D3D12DDI_TEXTURE_LAYOUT;
