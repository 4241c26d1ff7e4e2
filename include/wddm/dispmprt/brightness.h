// The panel's brightness, which a miniport offers by DxgkDdiQueryInterface with GUID_DEVINTERFACE_BRIGHTNESS (ntddvdeo.h). This
// kernel has no panel, and asks for none. Public page: "DXGK_BRIGHTNESS_INTERFACE structure (dispmprt.h)".
#pragma once

#include "wddm_kernel.h"

#define DXGK_BRIGHTNESS_INTERFACE_VERSION_1 0x01

// Levels are percent. PASSIVE_LEVEL.
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET_POSSIBLE)(PVOID Context, ULONG BufferSize, PUCHAR LevelCount, PUCHAR BrightnessLevels);
typedef NTSTATUS (*DXGK_BRIGHTNESS_SET)(PVOID Context, UCHAR Brightness);
typedef NTSTATUS (*DXGK_BRIGHTNESS_GET)(PVOID Context, PUCHAR Brightness);

typedef struct _DXGK_BRIGHTNESS_INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
  DXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
  DXGK_BRIGHTNESS_SET SetBrightness;
  DXGK_BRIGHTNESS_GET GetBrightness;
} DXGK_BRIGHTNESS_INTERFACE;
typedef DXGK_BRIGHTNESS_INTERFACE* PDXGK_BRIGHTNESS_INTERFACE;
