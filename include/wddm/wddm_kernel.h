// The parts of wdm.h that a WDM driver's source uses beyond the base types: memory descriptor lists and the header of every
// queried interface. Public pages: "MDL structure (wdm.h)", "INTERFACE structure (wdm.h)".
#pragma once

#include "wddm_types.h"

#define PAGE_SIZE 4096
#define PAGE_SHIFT 12
typedef ULONG_PTR PFN_NUMBER;

typedef enum _MEMORY_CACHING_TYPE WDDM_ENUM {
  MmNonCached = 0,
  MmCached = 1,
  MmWriteCombined = 2,
} MEMORY_CACHING_TYPE;

// MDL, wdm.h. On Windows an MDL lists physical pages. Here the pages are host memory of this process. StartVa is the host
// address of the first page; the whole range stays contiguously mapped while the driver holds the MDL. The last three members are
// Tandem's: the file behind the range, which a driver can map or import again.
typedef struct _MDL {
  struct _MDL* Next;
  SHORT Size;
  SHORT MdlFlags;
  PVOID Process;
  PVOID MappedSystemVa;
  PVOID StartVa;
  ULONG ByteCount;
  ULONG ByteOffset;
  INT BackingFd;         // Borrowed, never closed by the driver; -1 for anonymous memory.
  UINT BackingIsDmaBuf;  // 1: BackingFd is a dma-buf; 0: a memfd.
  UINT64 BackingOffset;  // Offset of StartVa in BackingFd, in bytes.
} MDL;
typedef MDL* PMDL;

typedef enum _MM_PAGE_PRIORITY WDDM_ENUM {
  LowPagePriority = 0,
  NormalPagePriority = 16,
  HighPagePriority = 32,
} MM_PAGE_PRIORITY;

#define MmGetMdlByteCount(Mdl) ((Mdl)->ByteCount)
#define MmGetMdlByteOffset(Mdl) ((Mdl)->ByteOffset)
#define MmGetMdlVirtualAddress(Mdl) ((PVOID)((UCHAR*)(Mdl)->StartVa + (Mdl)->ByteOffset))
#define MmGetSystemAddressForMdlSafe(Mdl, Priority) ((void)(Priority), MmGetMdlVirtualAddress(Mdl))

// INTERFACE, wdm.h: the header of every interface that DxgkDdiQueryInterface or DxgkCbQueryServices fills. The caller presets
// Size and Version.
typedef VOID (*PINTERFACE_REFERENCE)(PVOID Context);
typedef VOID (*PINTERFACE_DEREFERENCE)(PVOID Context);

typedef struct _INTERFACE {
  USHORT Size;
  USHORT Version;
  PVOID Context;
  PINTERFACE_REFERENCE InterfaceReference;
  PINTERFACE_DEREFERENCE InterfaceDereference;
} INTERFACE;
typedef INTERFACE* PINTERFACE;

// DEVICE_POWER_STATE, POWER_ACTION; wdm.h.
typedef enum _DEVICE_POWER_STATE WDDM_ENUM {
  PowerDeviceUnspecified = 0,
  PowerDeviceD0 = 1,
  PowerDeviceD1 = 2,
  PowerDeviceD2 = 3,
  PowerDeviceD3 = 4,
  PowerDeviceMaximum = 5,
} DEVICE_POWER_STATE;

typedef enum _POWER_ACTION WDDM_ENUM {
  PowerActionNone = 0,
  PowerActionReserved = 1,
  PowerActionSleep = 2,
  PowerActionHibernate = 3,
  PowerActionShutdown = 4,
  PowerActionShutdownReset = 5,
  PowerActionShutdownOff = 6,
  PowerActionWarmEject = 7,
  PowerActionDisplayOff = 8,
} POWER_ACTION;
