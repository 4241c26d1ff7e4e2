// What stands in for the hardware bus of a machine that has none: Tandem's only addition to the
// kernel-mode driver contract. A driver's DxgkDdiAddDevice receives a DEVICE_OBJECT (as the
// PhysicalDeviceObject) whose Bus member raises interrupts and tells the time.
#pragma once

#include "wddm_kernel.h"

// Filled by the kernel in the DEVICE_OBJECT before AddDevice; stays valid until RemoveDevice
// returns.
typedef struct _TANDEM_BUS_INTERFACE {
  PVOID Context;
  // Raises the device's interrupt. Any thread, IRQL PASSIVE..DISPATCH, never from inside the ISR.
  // The kernel calls DxgkDdiInterruptRoutine at DIRQL on the calling thread and returns when it
  // returned.
  VOID (*RaiseInterrupt)(PVOID Context, ULONG MessageNumber);
  // Monotonic nanoseconds from the kernel's clock.
  UINT64 (*QueryClock)(PVOID Context);
} TANDEM_BUS_INTERFACE;

// DRIVER_OBJECT, wdm.h; only what this contract needs. One for each loaded driver.
typedef struct _DRIVER_OBJECT {
  PVOID KernelContext;  // The kernel's; drivers leave it alone.
  const char* Name;
  PVOID DriverExtension;  // The driver's; NULL at first.
} DRIVER_OBJECT;
typedef DRIVER_OBJECT* PDRIVER_OBJECT;

// DEVICE_OBJECT, wdm.h; only what this contract needs. One for each device on the bus.
typedef struct _DEVICE_OBJECT {
  DRIVER_OBJECT* DriverObject;
  PVOID DeviceExtension;  // What the bus tells about the device: a struct of the driver's header.
  TANDEM_BUS_INTERFACE Bus;
  const char* Name;
} DEVICE_OBJECT;
typedef DEVICE_OBJECT* PDEVICE_OBJECT;

// DriverEntry, wdm.h: the function that a driver module exports. PASSIVE_LEVEL.
typedef NTSTATUS DRIVER_INITIALIZE(DRIVER_OBJECT* DriverObject, UNICODE_STRING* RegistryPath);
typedef DRIVER_INITIALIZE* PDRIVER_INITIALIZE;
