// PCI configuration space. Part of wdm.h. Public page: "PCI_COMMON_CONFIG".
#pragma once

#include "ntdef.h"
#include "wddm_resources.h"

#define PCI_TYPE0_ADDRESSES 6
#define PCI_TYPE1_ADDRESSES 2
#define PCI_TYPE2_ADDRESSES 5
#define PCI_WHICHSPACE_CONFIG 0
#define PCI_INVALID_VENDORID 0xFFFF
#define PCI_CAPABILITY_ID_VENDOR_SPECIFIC 0x09
#define PCI_CAPABILITY_ID_MSI 0x05
#define PCI_CAPABILITY_ID_MSIX 0x11
#define PCI_STATUS_CAPABILITIES_LIST 0x0010
#define PCI_MULTIFUNCTION 0x80
#define PCI_DEVICE_TYPE 0x00
#define PCI_BRIDGE_TYPE 0x01
#define PCI_CARDBUS_BRIDGE_TYPE 0x02
#define PCI_CONFIGURATION_TYPE(PciData) ((PciData)->HeaderType & ~PCI_MULTIFUNCTION)
#define PCI_ADDRESS_IO_SPACE 0x00000001
#define PCI_ADDRESS_MEMORY_TYPE_MASK 0x00000006
#define PCI_ADDRESS_IO_ADDRESS_MASK 0xfffffffc
#define PCI_ADDRESS_MEMORY_ADDRESS_MASK 0xfffffff0
#define PCI_CLASS_DISPLAY_CTLR 0x03
#define PCI_SUBCLASS_VID_VGA_CTLR 0
#define PCI_SUBCLASS_VID_OTHER 0x80
#define PCI_TYPE_32BIT 0
#define PCI_TYPE_64BIT 4
#define PCI_ENABLE_IO_SPACE 0x0001
#define PCI_ENABLE_MEMORY_SPACE 0x0002
#define PCI_ENABLE_BUS_MASTER 0x0004

typedef struct _PCI_COMMON_HEADER {
  USHORT VendorID;
  USHORT DeviceID;
  USHORT Command;
  USHORT Status;
  UCHAR RevisionID;
  UCHAR ProgIf;
  UCHAR SubClass;
  UCHAR BaseClass;
  UCHAR CacheLineSize;
  UCHAR LatencyTimer;
  UCHAR HeaderType;
  UCHAR BIST;
  union {
    struct _PCI_HEADER_TYPE_0 {
      ULONG BaseAddresses[PCI_TYPE0_ADDRESSES];
      ULONG CIS;
      USHORT SubVendorID;
      USHORT SubSystemID;
      ULONG ROMBaseAddress;
      UCHAR CapabilitiesPtr;
      UCHAR Reserved1[3];
      ULONG Reserved2;
      UCHAR InterruptLine;
      UCHAR InterruptPin;
      UCHAR MinimumGrant;
      UCHAR MaximumLatency;
    } type0;
    struct _PCI_HEADER_TYPE_1 {
      ULONG BaseAddresses[PCI_TYPE1_ADDRESSES];
      UCHAR PrimaryBus;
      UCHAR SecondaryBus;
      UCHAR SubordinateBus;
      UCHAR SecondaryLatency;
      UCHAR IOBase;
      UCHAR IOLimit;
      USHORT SecondaryStatus;
      USHORT MemoryBase;
      USHORT MemoryLimit;
      USHORT PrefetchBase;
      USHORT PrefetchLimit;
      ULONG PrefetchBaseUpper32;
      ULONG PrefetchLimitUpper32;
      USHORT IOBaseUpper16;
      USHORT IOLimitUpper16;
      UCHAR CapabilitiesPtr;
      UCHAR Reserved1[3];
      ULONG ROMBaseAddress;
      UCHAR InterruptLine;
      UCHAR InterruptPin;
      USHORT BridgeControl;
    } type1;
    struct _PCI_HEADER_TYPE_2 {
      ULONG SocketRegistersBaseAddress;
      UCHAR CapabilitiesPtr;
      UCHAR Reserved;
      USHORT SecondaryStatus;
      UCHAR PrimaryBus;
      UCHAR SecondaryBus;
      UCHAR SubordinateBus;
      UCHAR SecondaryLatency;
      struct {
        ULONG Base;
        ULONG Limit;
      } Range[PCI_TYPE2_ADDRESSES - 1];
      UCHAR InterruptLine;
      UCHAR InterruptPin;
      USHORT BridgeControl;
    } type2;
  } u;
} PCI_COMMON_HEADER;
typedef PCI_COMMON_HEADER* PPCI_COMMON_HEADER;
#define PCI_COMMON_HDR_LENGTH (sizeof(PCI_COMMON_HEADER))

#ifdef __cplusplus
typedef struct _PCI_COMMON_CONFIG : PCI_COMMON_HEADER {
  UCHAR DeviceSpecific[192];
} PCI_COMMON_CONFIG;
#else
typedef struct _PCI_COMMON_CONFIG {
  PCI_COMMON_HEADER Header;
  UCHAR DeviceSpecific[192];
} PCI_COMMON_CONFIG;
#endif
typedef PCI_COMMON_CONFIG* PPCI_COMMON_CONFIG;

typedef struct _PCI_CAPABILITIES_HEADER {
  UCHAR CapabilityID;
  UCHAR Next;
} PCI_CAPABILITIES_HEADER;
typedef PCI_CAPABILITIES_HEADER* PPCI_CAPABILITIES_HEADER;

typedef struct _PCI_SLOT_NUMBER {
  union {
    struct {
      ULONG DeviceNumber : 5;
      ULONG FunctionNumber : 3;
      ULONG Reserved : 24;
    } bits;
    ULONG AsULONG;
  } u;
} PCI_SLOT_NUMBER;
