// The parts of the video port's interface that display miniports name. Public page: ntddvdeo.h.
#pragma once

#include "wdm/guid.h"
#include "wdm/io.h"

// The brightness of a panel, dispmprt/brightness.h.
DEFINE_GUID(GUID_DEVINTERFACE_BRIGHTNESS, 0xFDE5BBA4, 0xB3F9, 0x46FB, 0xBD, 0xAA, 0x07, 0x28, 0xCE, 0x31, 0x00, 0xB4);

// VIDEO_MODE_INFORMATION: a mode of a display driver of the older model.
typedef struct _VIDEO_MODE_INFORMATION {
  ULONG Length;
  ULONG ModeIndex;
  ULONG VisScreenWidth;
  ULONG VisScreenHeight;
  ULONG ScreenStride;
  ULONG NumberOfPlanes;
  ULONG BitsPerPlane;
  ULONG Frequency;
  ULONG XMillimeter;
  ULONG YMillimeter;
  ULONG NumberRedBits;
  ULONG NumberGreenBits;
  ULONG NumberBlueBits;
  ULONG RedMask;
  ULONG GreenMask;
  ULONG BlueMask;
  ULONG AttributeFlags;
  ULONG VideoMemoryBitmapWidth;
  ULONG VideoMemoryBitmapHeight;
  ULONG DriverSpecificAttributeFlags;
} VIDEO_MODE_INFORMATION;
typedef VIDEO_MODE_INFORMATION* PVIDEO_MODE_INFORMATION;

typedef struct _VIDEO_MODE {
  ULONG RequestedMode;
} VIDEO_MODE;
typedef VIDEO_MODE* PVIDEO_MODE;

typedef struct _VIDEO_NUM_MODES {
  ULONG NumModes;
  ULONG ModeInformationLength;
} VIDEO_NUM_MODES;
typedef VIDEO_NUM_MODES* PVIDEO_NUM_MODES;

typedef struct _VIDEO_MEMORY_INFORMATION {
  PVOID VideoRamBase;
  ULONG VideoRamLength;
  PVOID FrameBufferBase;
  ULONG FrameBufferLength;
} VIDEO_MEMORY_INFORMATION;
typedef VIDEO_MEMORY_INFORMATION* PVIDEO_MEMORY_INFORMATION;

#define VIDEO_MODE_COLOR 0x0001
#define VIDEO_MODE_GRAPHICS 0x0002
#define VIDEO_MODE_PALETTE_DRIVEN 0x0004
#define VIDEO_MODE_MANAGED_PALETTE 0x0008
#define VIDEO_MODE_INTERLACED 0x0010
#define VIDEO_MODE_NO_OFF_SCREEN 0x0020
#define VIDEO_MODE_NO_ZERO_MEMORY 0x80000000
#define IOCTL_VIDEO_ENABLE_VDM CTL_CODE(FILE_DEVICE_VIDEO, 0x00, METHOD_BUFFERED, FILE_ANY_ACCESS)
