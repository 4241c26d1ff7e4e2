// The joint between Tandem's kernel and the driver host, the NT runtime that each driver built by `tandem driver build` contains.
// Tandem's addition to the contract.
#pragma once

#include "dispmprt.h"

struct _KMDDOD_INITIALIZATION_DATA;

// A value that the registry has before DriverEntry.
typedef struct _TANDEM_REGISTRY_VALUE {
  CONST char* Key;   // "driver", "device" or "service", then the path below, with backslashes.
  CONST char* Name;  // ASCII.
  ULONG Type;        // REG_...
  ULONG Bytes;
  CONST VOID* Data;
} TANDEM_REGISTRY_VALUE;

// Functions that the driver host calls. The table stays valid until the driver is detached; a NULL function is not supported.
typedef struct _TANDEM_DRIVER_KERNEL {
  ULONG Size;  // Bytes of this structure.
  // The functions of dispmprt.h that drivers call by name.
  NTSTATUS (*Initialize)(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, DRIVER_INITIALIZATION_DATA* Data);
  NTSTATUS (*UnInitialize)(PDRIVER_OBJECT DriverObject);
  NTSTATUS (*IsFeatureEnabled2)(PDRIVER_OBJECT DriverObject, DXGKARGCB_ISFEATUREENABLED2* pArgs);
  NTSTATUS(*InitializeDisplayOnlyDriver)
  (PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath, struct _KMDDOD_INITIALIZATION_DATA* Data);
  // The interrupt request level of the calling thread.
  KIRQL (*GetIrql)(VOID);
  VOID (*SetIrql)(KIRQL Irql);
  // Receives a violation of the NT side: the rule's name and one sentence. Any thread, any IRQL.
  VOID (*Report)(CONST char* Rule, CONST char* Text);
  // Registers of devices. No memory lies at their addresses: a plain access faults. ReadRegister and WriteRegister access 1, 2, 4
  // or 8 bytes, and answer FALSE, without an access, where HasRegister does. Any thread, any IRQL.
  BOOLEAN (*HasRegister)(CONST volatile VOID* Address);
  BOOLEAN (*ReadRegister)(CONST volatile VOID* Address, ULONG Size, UINT64* Value);
  BOOLEAN (*WriteRegister)(volatile VOID* Address, ULONG Size, UINT64 Value);
  // TRUE: the function of this name, a literal, answers as if memory were short. Any thread, any IRQL.
  BOOLEAN (*ServiceFails)(CONST char* Name);
  // I/O ports of devices, of 1, 2 or 4 bytes. FALSE: no device has the port. Any thread, any IRQL.
  BOOLEAN (*ReadPort)(ULONG Port, ULONG Size, ULONG* Value);
  BOOLEAN (*WritePort)(ULONG Port, ULONG Size, ULONG Value);
  // Read once, when the driver is attached.
  CONST TANDEM_REGISTRY_VALUE* Registry;
  ULONG RegistryCount;
  // Each pool allocation ends at a page without memory.
  BOOLEAN GuardPages;
} TANDEM_DRIVER_KERNEL;

// The function that a driver exports beside DriverEntry. Called before DriverEntry; with NULL after the driver was unloaded,
// which reports what the driver left behind.
typedef VOID (*PFNTANDEM_ATTACH_KERNEL)(CONST TANDEM_DRIVER_KERNEL* Kernel);
#define TANDEM_ATTACH_KERNEL "TandemAttachKernel"
