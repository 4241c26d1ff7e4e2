// Commands of a virtio GPU and their answers: virtio 1.2, section 5.7.6. Little-endian, as this machine is.
#pragma once

#include "Pool.h"

#define VIRTIO_GPU_F_EDID (1ull << 1)
#define VIRTIO_GPU_EVENT_DISPLAY 1
#define VIRTIO_F_VERSION_1 (1ull << 32)

enum {
  VIRTIO_GPU_CMD_GET_DISPLAY_INFO = 0x100,
  VIRTIO_GPU_CMD_RESOURCE_CREATE_2D = 0x101,
  VIRTIO_GPU_CMD_RESOURCE_UNREF = 0x102,
  VIRTIO_GPU_CMD_SET_SCANOUT = 0x103,
  VIRTIO_GPU_CMD_RESOURCE_FLUSH = 0x104,
  VIRTIO_GPU_CMD_TRANSFER_TO_HOST_2D = 0x105,
  VIRTIO_GPU_CMD_RESOURCE_ATTACH_BACKING = 0x106,
  VIRTIO_GPU_CMD_RESOURCE_DETACH_BACKING = 0x107,
  VIRTIO_GPU_CMD_GET_EDID = 0x10A,
  VIRTIO_GPU_RESP_OK_NODATA = 0x1100,
  VIRTIO_GPU_RESP_OK_DISPLAY_INFO = 0x1101,
  VIRTIO_GPU_RESP_OK_EDID = 0x1104,
};

enum {
  VIRTIO_GPU_FORMAT_B8G8R8A8_UNORM = 1,
  VIRTIO_GPU_FORMAT_B8G8R8X8_UNORM = 2,
  VIRTIO_GPU_FORMAT_R8G8B8A8_UNORM = 67,
  VIRTIO_GPU_FORMAT_R8G8B8X8_UNORM = 134,
};

#define VIRTIO_GPU_MAX_SCANOUTS 16
#define VIRTIO_GPU_EDID_BYTES 1024

typedef struct _GPU_HEADER {
  ULONG Type;
  ULONG Flags;
  ULONG64 FenceId;
  ULONG ContextId;
  ULONG Padding;
} GPU_HEADER;

typedef struct _GPU_RECT {
  ULONG X, Y, Width, Height;
} GPU_RECT;

typedef struct _GPU_DISPLAY_INFO {
  GPU_HEADER Header;
  struct {
    GPU_RECT Rect;
    ULONG Enabled;
    ULONG Flags;
  } Modes[VIRTIO_GPU_MAX_SCANOUTS];
} GPU_DISPLAY_INFO;

typedef struct _GPU_GET_EDID {
  GPU_HEADER Header;
  ULONG Scanout;
  ULONG Padding;
} GPU_GET_EDID;

typedef struct _GPU_EDID {
  GPU_HEADER Header;
  ULONG Size;
  ULONG Padding;
  UCHAR Edid[VIRTIO_GPU_EDID_BYTES];
} GPU_EDID;

typedef struct _GPU_CREATE_2D {
  GPU_HEADER Header;
  ULONG ResourceId;
  ULONG Format;
  ULONG Width;
  ULONG Height;
} GPU_CREATE_2D;

// Also RESOURCE_DETACH_BACKING.
typedef struct _GPU_RESOURCE_UNREF {
  GPU_HEADER Header;
  ULONG ResourceId;
  ULONG Padding;
} GPU_RESOURCE_UNREF;

typedef struct _GPU_SET_SCANOUT {
  GPU_HEADER Header;
  GPU_RECT Rect;
  ULONG Scanout;
  ULONG ResourceId;  // 0: the scan-out is switched off
} GPU_SET_SCANOUT;

typedef struct _GPU_FLUSH {
  GPU_HEADER Header;
  GPU_RECT Rect;
  ULONG ResourceId;
  ULONG Padding;
} GPU_FLUSH;

typedef struct _GPU_TRANSFER {
  GPU_HEADER Header;
  GPU_RECT Rect;
  ULONG64 Offset;  // bytes, of the first pixel in the backing
  ULONG ResourceId;
  ULONG Padding;
} GPU_TRANSFER;

typedef struct _GPU_ATTACH_BACKING {
  GPU_HEADER Header;
  ULONG ResourceId;
  ULONG Entries;  // GPU_MEMORY_ENTRY that follow
} GPU_ATTACH_BACKING;

typedef struct _GPU_MEMORY_ENTRY {
  ULONG64 Address;
  ULONG Length;
  ULONG Padding;
} GPU_MEMORY_ENTRY;
