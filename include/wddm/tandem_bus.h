// Tandem's replacement for a hardware bus, and its only addition to the kernel-mode driver contract. A driver's
// DxgkDdiAddDevice receives a DEVICE_OBJECT (as the PhysicalDeviceObject). Its Bus member raises interrupts and reads the
// clock.
#pragma once

#include "dxgiformat.h"
#include "wddm_kernel.h"

// The kernel fills this structure in the DEVICE_OBJECT before AddDevice. It stays valid until RemoveDevice returns.
typedef struct _TANDEM_BUS_INTERFACE {
  PVOID Context;
  // Raises the device's interrupt. Any thread, IRQL PASSIVE..DISPATCH, never from inside the ISR. The kernel calls
  // DxgkDdiInterruptRoutine at DIRQL on the calling thread before this call returns.
  VOID (*RaiseInterrupt)(PVOID Context, ULONG MessageNumber);
  // Returns monotonic nanoseconds from the kernel's clock.
  UINT64 (*QueryClock)(PVOID Context);
  // Says when the event happened that the next DxgkCbNotifyInterrupt reports, for devices with time stamps of their own: Time in
  // nanoseconds of QueryClock. Without it, or with a time more than a second away, the event happens when it is reported. DIRQL.
  VOID (*StampInterrupt)(PVOID Context, UINT64 Time);
} TANDEM_BUS_INTERFACE;

// A picture that a display adapter scans out.
typedef struct _TANDEM_BUS_FRAME {
  CONST VOID* Pixels;  // First row; must not change until ShowFrame returns.
  UINT Width;          // In pixels.
  UINT Height;
  UINT Pitch;  // In bytes.
  DXGI_FORMAT Format;
} TANDEM_BUS_FRAME;

// DEVICE_OBJECT.DeviceExtension of a device that is unknown to the bus, as `tandem conform --driver` plugs it. Stays valid
// until RemoveDevice returns.
typedef struct _TANDEM_BUS_DEVICE {
  ULONG Size;              // Bytes of this structure.
  ULONG MonitorCount;      // Maximum number of monitors; 0: the device only renders.
  UINT64 RefreshPeriodNs;  // Refresh period of each monitor.
  PVOID Context;
  // Passes the monitor a new picture of VidPn target `Monitor`, once for each picture and no later than the CRTC_VSYNC that
  // reports it. One thread for each monitor, PASSIVE_LEVEL.
  VOID (*ShowFrame)(PVOID Context, ULONG Monitor, CONST TANDEM_BUS_FRAME* Frame);
} TANDEM_BUS_DEVICE;

// DRIVER_OBJECT, wdm.h; only what this contract needs. One for each loaded driver.
struct _DEVICE_OBJECT;
struct _DRIVER_OBJECT;
struct _IRP;
typedef NTSTATUS DRIVER_DISPATCH(struct _DEVICE_OBJECT* DeviceObject, struct _IRP* Irp);
typedef DRIVER_DISPATCH* PDRIVER_DISPATCH;
typedef VOID DRIVER_UNLOAD(struct _DRIVER_OBJECT* DriverObject);
typedef DRIVER_UNLOAD* PDRIVER_UNLOAD;
#define IRP_MJ_MAXIMUM_FUNCTION 0x1b

typedef struct _DRIVER_OBJECT {
  PVOID KernelContext;  // For the kernel only.
  const char* Name;
  PVOID DriverExtension;  // For the driver; NULL at first.
  // DxgkInitialize takes requests and the end of the driver over, as on Windows: this kernel calls none of these.
  PDRIVER_UNLOAD DriverUnload;
  PDRIVER_DISPATCH MajorFunction[IRP_MJ_MAXIMUM_FUNCTION + 1];
} DRIVER_OBJECT;
typedef DRIVER_OBJECT* PDRIVER_OBJECT;

// DEVICE_OBJECT, wdm.h; only what this contract needs. One for each device on the bus.
typedef struct _DEVICE_OBJECT {
  DRIVER_OBJECT* DriverObject;
  PVOID DeviceExtension;  // The bus's description of the device: a struct of the driver's header.
  TANDEM_BUS_INTERFACE Bus;
  const char* Name;
} DEVICE_OBJECT;
typedef DEVICE_OBJECT* PDEVICE_OBJECT;

// DriverEntry, wdm.h: the function that a driver module exports. PASSIVE_LEVEL.
typedef NTSTATUS DRIVER_INITIALIZE(DRIVER_OBJECT* DriverObject, UNICODE_STRING* RegistryPath);
typedef DRIVER_INITIALIZE* PDRIVER_INITIALIZE;
