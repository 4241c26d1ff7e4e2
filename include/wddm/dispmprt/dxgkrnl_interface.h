// DXGKRNL_INTERFACE: the callbacks that StartDevice hands to a driver. Part of dispmprt.h. Public page:
// "DXGKRNL_INTERFACE structure (dispmprt.h)". Callbacks that this kernel has not are NULL.
#pragma once

#include "d3dkmddi/monitor_interface.h"
#include "dispmprt/device.h"
#include "dispmprt/null_callbacks.h"

// DXGK_SERVICES, dispmprt.h: the interfaces of DxgkCbQueryServices.
typedef enum _DXGK_SERVICES WDDM_ENUM {
  DxgkServicesAgp = 0,
  DxgkServicesDebugReport = 1,
  DxgkServicesTimedOperation = 2,
  DxgkServicesSPB = 3,
  DxgkServicesBDD = 4,
  DxgkServicesFirmwareTable = 5,
  DxgkServicesIDD = 6,
  DxgkServicesFeature = 7,
} DXGK_SERVICES;

// KSYNCHRONIZE_ROUTINE, wdm.h: runs at DIRQL, never beside the ISR.
typedef BOOLEAN KSYNCHRONIZE_ROUTINE(PVOID SynchronizeContext);
typedef KSYNCHRONIZE_ROUTINE* PKSYNCHRONIZE_ROUTINE;

typedef struct _ACPI_EVAL_INPUT_BUFFER_COMPLEX* PACPI_EVAL_INPUT_BUFFER_COMPLEX;
typedef struct _ACPI_EVAL_OUTPUT_BUFFER* PACPI_EVAL_OUTPUT_BUFFER;
typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS* PPCI_DEVICE_PRESENCE_PARAMETERS;

// DataType of DxgkCbReadDeviceSpace and DxgkCbWriteDeviceSpace, dispmprt.h.
#define DXGK_WHICHSPACE_CONFIG 0
#define DXGK_WHICHSPACE_ROM 0x52696350
#define DXGK_WHICHSPACE_MCH 0x80000000
#define DXGK_WHICHSPACE_BRIDGE 0x80000001

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_EVAL_ACPI_METHOD)(HANDLE DeviceHandle, ULONG DeviceUid, PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
                                            ULONG AcpiInputSize, PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer, ULONG AcpiOutputSize);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_GET_DEVICE_INFORMATION)(HANDLE DeviceHandle, PDXGK_DEVICE_INFO DeviceInfo);

// Hot plug and rotation. IRQL <= DISPATCH_LEVEL.
typedef NTSTATUS (*DXGKCB_INDICATE_CHILD_STATUS)(HANDLE DeviceHandle, PDXGK_CHILD_STATUS ChildStatus);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_MAP_MEMORY)(HANDLE DeviceHandle, PHYSICAL_ADDRESS TranslatedAddress, ULONG Length, BOOLEAN InIoSpace,
                                      BOOLEAN MapToUserMode, MEMORY_CACHING_TYPE CacheType, PVOID* VirtualAddress);

// FALSE when a DPC is queued already. Any IRQL.
typedef BOOLEAN (*DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);

// Size and Version of Interface are preset by the driver. PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_QUERY_SERVICES)(HANDLE DeviceHandle, DXGK_SERVICES ServicesType, PINTERFACE Interface);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_READ_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset, ULONG Length,
                                             PULONG BytesRead);

// Runs a routine so that it excludes the ISR. IRQL <= DISPATCH_LEVEL.
typedef NTSTATUS (*DXGKCB_SYNCHRONIZE_EXECUTION)(HANDLE DeviceHandle, PKSYNCHRONIZE_ROUTINE SynchronizeRoutine, PVOID Context,
                                                 ULONG MessageNumber, PBOOLEAN ReturnValue);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_UNMAP_MEMORY)(HANDLE DeviceHandle, PVOID VirtualAddress);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_WRITE_DEVICE_SPACE)(HANDLE DeviceHandle, ULONG DataType, PVOID Buffer, ULONG Offset, ULONG Length,
                                              PULONG BytesWritten);

// PASSIVE_LEVEL.
typedef NTSTATUS (*DXGKCB_IS_DEVICE_PRESENT)(HANDLE DeviceHandle, PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
                                             PBOOLEAN DevicePresent);

// Any IRQL; a buffer in pageable memory needs IRQL <= APC_LEVEL.
typedef VOID (*DXGKCB_LOG_ETW_EVENT)(LPCGUID EventGuid, UCHAR Type, USHORT EventBufferSize, PVOID EventBuffer);

// Runs a callback while no program touches the adapter. PASSIVE_LEVEL.
typedef VOID (*DXGKDDI_PROTECTED_CALLBACK)(PVOID MiniportDeviceContext, PVOID ProtectedCallbackContext,
                                           NTSTATUS ProtectionStatus);
typedef NTSTATUS (*DXGKCB_EXCLUDE_ADAPTER_ACCESS)(HANDLE DeviceHandle, ULONG Attributes,
                                                  DXGKDDI_PROTECTED_CALLBACK ProtectedCallback, PVOID ProtectedCallbackContext);

// IRQL <= APC_LEVEL.
typedef NTSTATUS (*DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(HANDLE DeviceHandle, PDXGK_DISPLAY_INFORMATION DisplayInfo);

// DXGKRNL_INTERFACE, dispmprt.h.
struct _DXGKRNL_INTERFACE {
  ULONG Size;
  ULONG Version;
  HANDLE DeviceHandle;
  DXGKCB_EVAL_ACPI_METHOD DxgkCbEvalAcpiMethod;
  DXGKCB_GET_DEVICE_INFORMATION DxgkCbGetDeviceInformation;
  DXGKCB_INDICATE_CHILD_STATUS DxgkCbIndicateChildStatus;
  DXGKCB_MAP_MEMORY DxgkCbMapMemory;
  DXGKCB_QUEUE_DPC DxgkCbQueueDpc;
  DXGKCB_QUERY_SERVICES DxgkCbQueryServices;
  DXGKCB_READ_DEVICE_SPACE DxgkCbReadDeviceSpace;
  DXGKCB_SYNCHRONIZE_EXECUTION DxgkCbSynchronizeExecution;
  DXGKCB_UNMAP_MEMORY DxgkCbUnmapMemory;
  DXGKCB_WRITE_DEVICE_SPACE DxgkCbWriteDeviceSpace;
  DXGKCB_IS_DEVICE_PRESENT DxgkCbIsDevicePresent;
  DXGKCB_GETHANDLEDATA DxgkCbGetHandleData;
  DXGKCB_GETHANDLEPARENT DxgkCbGetHandleParent;
  DXGKCB_ENUMHANDLECHILDREN DxgkCbEnumHandleChildren;
  DXGKCB_NOTIFY_INTERRUPT DxgkCbNotifyInterrupt;
  DXGKCB_NOTIFY_DPC DxgkCbNotifyDpc;
  DXGKCB_QUERYVIDPNINTERFACE DxgkCbQueryVidPnInterface;
  DXGKCB_QUERYMONITORINTERFACE DxgkCbQueryMonitorInterface;
  DXGKCB_GETCAPTUREADDRESS DxgkCbGetCaptureAddress;
  DXGKCB_LOG_ETW_EVENT DxgkCbLogEtwEvent;
  DXGKCB_EXCLUDE_ADAPTER_ACCESS DxgkCbExcludeAdapterAccess;
  DXGKCB_CREATECONTEXTALLOCATION DxgkCbCreateContextAllocation;
  DXGKCB_DESTROYCONTEXTALLOCATION DxgkCbDestroyContextAllocation;
  DXGKCB_SETPOWERCOMPONENTACTIVE DxgkCbSetPowerComponentActive;
  DXGKCB_SETPOWERCOMPONENTIDLE DxgkCbSetPowerComponentIdle;
  DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP DxgkCbAcquirePostDisplayOwnership;
  DXGKCB_POWERRUNTIMECONTROLREQUEST DxgkCbPowerRuntimeControlRequest;
  DXGKCB_SETPOWERCOMPONENTLATENCY DxgkCbSetPowerComponentLatency;
  DXGKCB_SETPOWERCOMPONENTRESIDENCY DxgkCbSetPowerComponentResidency;
  DXGKCB_COMPLETEFSTATETRANSITION DxgkCbCompleteFStateTransition;
  DXGKCB_COMPLETEPSTATETRANSITION DxgkCbCompletePStateTransition;
  DXGKCB_MAPCONTEXTALLOCATION DxgkCbMapContextAllocation;
  DXGKCB_UPDATECONTEXTALLOCATION DxgkCbUpdateContextAllocation;
  DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE DxgkCbReserveGpuVirtualAddressRange;
  DXGKCB_ACQUIREHANDLEDATA DxgkCbAcquireHandleData;
  DXGKCB_RELEASEHANDLEDATA DxgkCbReleaseHandleData;
  DXGKCB_UNDESCRIBED DxgkCbHardwareContentProtectionTeardown;
  DXGKCB_MULTIPLANEOVERLAYDISABLED DxgkCbMultiPlaneOverlayDisabled;
  DXGKCB_UNDESCRIBED DxgkCbMitigatedRangeUpdate;
  DXGKCB_UNDESCRIBED DxgkCbInvalidateHwContext;
  DXGKCB_INDICATE_CONNECTOR_CHANGE DxgkCbIndicateConnectorChange;
  DXGKCB_UNDESCRIBED DxgkCbUnblockUEFIFrameBufferRanges;
  DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2 DxgkCbAcquirePostDisplayOwnership2;
  DXGKCB_UNDESCRIBED DxgkCbSetProtectedSessionStatus;
  DXGKCB_ALLOCATECONTIGUOUSMEMORY DxgkCbAllocateContiguousMemory;
  DXGKCB_FREECONTIGUOUSMEMORY DxgkCbFreeContiguousMemory;
  DXGKCB_ALLOCATEPAGESFORMDL DxgkCbAllocatePagesForMdl;
  DXGKCB_FREEPAGESFROMMDL DxgkCbFreePagesFromMdl;
  DXGKCB_PINFRAMEBUFFERFORSAVE DxgkCbPinFrameBufferForSave;
  DXGKCB_UNPINFRAMEBUFFERFORSAVE DxgkCbUnpinFrameBufferForSave;
  DXGKCB_MAPFRAMEBUFFERPOINTER DxgkCbMapFrameBufferPointer;
  DXGKCB_UNMAPFRAMEBUFFERPOINTER DxgkCbUnmapFrameBufferPointer;
  DXGKCB_MAPMDLTOIOMMU DxgkCbMapMdlToIoMmu;
  DXGKCB_UNMAPMDLFROMIOMMU DxgkCbUnmapMdlFromIoMmu;
  DXGKCB_UNDESCRIBED DxgkCbReportDiagnostic;
  DXGKCB_UNDESCRIBED DxgkCbSignalEvent;
  DXGKCB_ISFEATUREENABLED DxgkCbIsFeatureEnabled;
  DXGKCB_UNDESCRIBED DxgkCbSaveMemoryForHotUpdate;
  DXGKCB_UNDESCRIBED DxgkCbNotifyCursorSupportChange;
  DXGKCB_QUERYFEATURESUPPORT DxgkCbQueryFeatureSupport;
  DXGKCB_UNDESCRIBED DxgkCbCreatePhysicalMemoryObject;
  DXGKCB_UNDESCRIBED DxgkCbDestroyPhysicalMemoryObject;
  DXGKCB_UNDESCRIBED DxgkCbMapPhysicalMemory;
  DXGKCB_UNDESCRIBED DxgkCbUnmapPhysicalMemory;
  DXGKCB_UNDESCRIBED DxgkCbAllocateAdl;
  DXGKCB_UNDESCRIBED DxgkCbFreeAdl;
  DXGKCB_UNDESCRIBED DxgkCbOpenPhysicalMemoryObject;
  DXGKCB_UNDESCRIBED DxgkCbClosePhysicalMemoryObject;
  DXGKCB_UNDESCRIBED DxgkCbPinFrameBufferForSave2;
  DXGKCB_UNDESCRIBED DxgkCbDisconnectDoorbell;
};
