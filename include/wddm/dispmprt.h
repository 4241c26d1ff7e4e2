// The display miniport's interface to the port driver: initialization, children, power, interrupts and
// the callback table. Public header page: dispmprt.h.
#pragma once

#include "dispmprt/brightness.h"
#include "dispmprt/device.h"
#include "dispmprt/driver_initialization_data.h"
#include "dispmprt/dxgkrnl_interface.h"
#include "dispmprt/kmddod_initialization_data.h"

// Registers a miniport's table; called from DriverEntry. PASSIVE_LEVEL. Public page: "DxgkInitialize
// function (dispmprt.h)".
EXTERN_C NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                       DRIVER_INITIALIZATION_DATA* DriverInitializationData);

// Registers the table of a display-only driver; called from DriverEntry. PASSIVE_LEVEL. Public page:
// "DxgkInitializeDisplayOnlyDriver function (dispmprt.h)".
EXTERN_C NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath,
                                                        KMDDOD_INITIALIZATION_DATA* KmdDodInitializationData);

// Ends the registration; called from DxgkDdiUnload. PASSIVE_LEVEL.
EXTERN_C NTSTATUS NTAPI DxgkUnInitialize(PDRIVER_OBJECT DriverObject);

// Asks for a global feature from DriverEntry, before DxgkInitialize. PASSIVE_LEVEL.
EXTERN_C NTSTATUS NTAPI DxgkIsFeatureEnabled2(PDRIVER_OBJECT DriverObject, DXGKARGCB_ISFEATUREENABLED2* pArgs);

#include "dispmprt/aliases.h"
#include "dispmprt/uncalled_aliases.h"
