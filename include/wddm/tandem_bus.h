// What stands in for the hardware bus of a machine that has none: Tandem's only addition to the
// kernel-mode driver contract. A driver's DxgkDdiAddDevice receives a DEVICE_OBJECT (as the
// PhysicalDeviceObject) whose Bus member raises interrupts and tells the time.
#pragma once

#include "dxgiformat.h"
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

// A picture that a display adapter scans out.
typedef struct _TANDEM_BUS_FRAME {
  CONST VOID* Pixels;  // The first row. Stays as it is until ShowFrame returns.
  UINT Width;          // Pixels.
  UINT Height;
  UINT Pitch;  // Bytes from row to row.
  DXGI_FORMAT Format;
} TANDEM_BUS_FRAME;

// What DEVICE_OBJECT.DeviceExtension points to for a device of which the bus knows nothing, as
// `tandem conform --driver` plugs it. Stays valid until RemoveDevice returns.
typedef struct _TANDEM_BUS_DEVICE {
  ULONG Size;              // Of this structure, in bytes.
  ULONG MonitorCount;      // How many monitors can hang on it; 0: it only renders.
  UINT64 RefreshPeriodNs;  // Of each monitor.
  PVOID Context;
  // The wire to a monitor: what VidPn target `Monitor` shows from now on, once for each picture
  // and no later than the CRTC_VSYNC that tells of it. One thread for each monitor, PASSIVE_LEVEL.
  VOID (*ShowFrame)(PVOID Context, ULONG Monitor, CONST TANDEM_BUS_FRAME* Frame);
} TANDEM_BUS_DEVICE;

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
