// Adapter life cycle, children and interrupts of a miniport. Part of dispmprt.h.
#pragma once

#include "d3dkmddi.h"
#include "tandem_bus.h"
#include "wddm_resources.h"

// DXGK_START_INFO, dispmprt.h.
typedef struct _DXGK_START_INFO {
  ULONG RequiredDmaQueueEntry;
  GUID AdapterGuid;
  LUID AdapterLuid;
} DXGK_START_INFO;
typedef DXGK_START_INFO* PDXGK_START_INFO;

// DOCKING_STATE and DXGK_DEVICE_INFO, dispmprt.h. TranslatedResourceList has no descriptors for a device without
// resources: its description is in PhysicalDeviceObject->DeviceExtension.
typedef enum _DOCKING_STATE WDDM_ENUM {
  DockStateUnsupported = 0,
  DockStateUnDocked = 1,
  DockStateDocked = 2,
  DockStateUnknown = 3,
} DOCKING_STATE;

typedef struct _DXGK_DEVICE_INFO {
  PVOID MiniportDeviceContext;
  PDEVICE_OBJECT PhysicalDeviceObject;
  UNICODE_STRING DeviceRegistryPath;
  PCM_RESOURCE_LIST TranslatedResourceList;
  LARGE_INTEGER SystemMemorySize;
  PHYSICAL_ADDRESS HighestPhysicalAddress;
  PHYSICAL_ADDRESS AgpApertureBase;
  SIZE_T AgpApertureSize;
  DOCKING_STATE DockingState;
} DXGK_DEVICE_INFO;
typedef DXGK_DEVICE_INFO* PDXGK_DEVICE_INFO;

// DXGK_CHILD_DESCRIPTOR and its parts, dispmprt.h. The array ends with an element of type
// TypeUninitialized.
typedef enum _DXGK_CHILD_DEVICE_TYPE WDDM_ENUM {
  TypeUninitialized = 0,
  TypeVideoOutput = 1,
  TypeOther = 2,
  TypeIntegratedDisplay = 3,
} DXGK_CHILD_DEVICE_TYPE;

typedef enum _DXGK_CHILD_DEVICE_HPD_AWARENESS WDDM_ENUM {
  HpdAwarenessUninitialized = 0,
  HpdAwarenessAlwaysConnected = 1,
  HpdAwarenessNone = 2,
  HpdAwarenessPolled = 3,
  HpdAwarenessInterruptible = 4,
} DXGK_CHILD_DEVICE_HPD_AWARENESS;

typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
  BOOLEAN SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES;

typedef struct _DXGK_INTEGRATED_DISPLAY_CHILD {
  D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
  USHORT DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD;

typedef struct _DXGK_CHILD_CAPABILITIES {
  union {
    DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
    struct {
      UINT MustBeZero;
    } Other;
    DXGK_INTEGRATED_DISPLAY_CHILD IntegratedDisplayChild;
  } Type;
  DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES;

typedef struct _DXGK_CHILD_DESCRIPTOR {
  DXGK_CHILD_DEVICE_TYPE ChildDeviceType;
  DXGK_CHILD_CAPABILITIES ChildCapabilities;
  ULONG AcpiUid;
  ULONG ChildUid;
} DXGK_CHILD_DESCRIPTOR;
typedef DXGK_CHILD_DESCRIPTOR* PDXGK_CHILD_DESCRIPTOR;

// DXGK_CHILD_STATUS, dispmprt.h.
typedef enum _DXGK_CHILD_STATUS_TYPE WDDM_ENUM {
  StatusUninitialized = 0,
  StatusConnection = 1,
  StatusRotation = 2,
  StatusMiracastConnection = 3,
} DXGK_CHILD_STATUS_TYPE;

typedef struct _DXGK_CHILD_STATUS {
  DXGK_CHILD_STATUS_TYPE Type;
  ULONG ChildUid;
  union {
    struct {
      BOOLEAN Connected;
    } HotPlug;
    struct {
      UCHAR Angle;
    } Rotation;
    struct {
      BOOLEAN Connected;
      D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
    } Miracast;
  };
} DXGK_CHILD_STATUS;
typedef DXGK_CHILD_STATUS* PDXGK_CHILD_STATUS;

// DXGK_DEVICE_DESCRIPTOR, dispmprt.h: a part of a monitor's EDID, offsets in bytes.
typedef struct _DXGK_DEVICE_DESCRIPTOR {
  ULONG DescriptorOffset;
  ULONG DescriptorLength;
  PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR;
typedef DXGK_DEVICE_DESCRIPTOR* PDXGK_DEVICE_DESCRIPTOR;

// QUERY_INTERFACE, dispmprt.h. An unknown InterfaceType must answer STATUS_NOT_SUPPORTED.
typedef struct _QUERY_INTERFACE {
  CONST GUID* InterfaceType;
  USHORT Size;
  USHORT Version;
  PINTERFACE Interface;
  PVOID InterfaceSpecificData;
  ULONG DeviceUid;  // The child's ChildUid, or DISPLAY_ADAPTER_HW_ID.
} QUERY_INTERFACE;
typedef QUERY_INTERFACE* PQUERY_INTERFACE;

// DXGK_DISPLAY_INFORMATION, dispmprt.h: the firmware's frame buffer. Pitch in bytes.
typedef struct _DXGK_DISPLAY_INFORMATION {
  UINT Width;
  UINT Height;
  UINT Pitch;
  D3DDDIFORMAT ColorFormat;
  PHYSICAL_ADDRESS PhysicAddress;
  D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
  ULONG AcpiId;
} DXGK_DISPLAY_INFORMATION;
typedef DXGK_DISPLAY_INFORMATION* PDXGK_DISPLAY_INFORMATION;

// DXGK_EVENT_TYPE and DXGK_SURPRISE_REMOVAL_TYPE, dispmprt.h.
typedef enum _DXGK_EVENT_TYPE WDDM_ENUM {
  DxgkUndefinedEvent = 0,
  DxgkAcpiEvent = 1,
  DxgkPowerStateEvent = 2,
  DxgkDockingEvent = 3,
  DxgkChainedAcpiEvent = 4,
} DXGK_EVENT_TYPE;

typedef enum _DXGK_SURPRISE_REMOVAL_TYPE WDDM_ENUM {
  DxgkRemovalHibernation = 0,
  DxgkRemovalPnPNotify = 1,
} DXGK_SURPRISE_REMOVAL_TYPE;

// DeviceUid of SetPowerState for the adapter itself, dispmprt.h.
#define DISPLAY_ADAPTER_HW_ID 0xFFFFFFFF

typedef struct _DXGKRNL_INTERFACE DXGKRNL_INTERFACE;
typedef DXGKRNL_INTERFACE* PDXGKRNL_INTERFACE;

// STATUS_BLOCK and VIDEO_REQUEST_PACKET, video.h. Nothing here sends I/O requests to a driver.
typedef struct _STATUS_BLOCK {
  union {
    LONG Status;
    PVOID Pointer;
  };
  ULONG_PTR Information;
} STATUS_BLOCK;
typedef STATUS_BLOCK* PSTATUS_BLOCK;

typedef struct _VIDEO_REQUEST_PACKET {
  ULONG IoControlCode;
  PSTATUS_BLOCK StatusBlock;
  PVOID InputBuffer;
  ULONG InputBufferLength;
  PVOID OutputBuffer;
  ULONG OutputBufferLength;
} VIDEO_REQUEST_PACKET;
typedef VIDEO_REQUEST_PACKET* PVIDEO_REQUEST_PACKET;

// DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS and DXGK_CHILD_CONTAINER_ID, dispmprt.h.
typedef struct _DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS {
  union {
    struct {
      UINT Reserved : 32;
    };
    UINT Value;
  };
} DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;
typedef DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS* PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;

typedef struct _DXGK_CHILD_CONTAINER_ID {
  GUID ContainerId;
  struct {
    ULONG64 PortId;
    USHORT ManufacturerName;
    USHORT ProductCode;
  } EldInfo;
} DXGK_CHILD_CONTAINER_ID;
typedef DXGK_CHILD_CONTAINER_ID* PDXGK_CHILD_CONTAINER_ID;

// Makes the adapter's context. PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_ADD_DEVICE(CONST PDEVICE_OBJECT PhysicalDeviceObject, PVOID* MiniportDeviceContext);
typedef DXGKDDI_ADD_DEVICE* PDXGKDDI_ADD_DEVICE;

// Starts the adapter and receives the callback table, which stays valid until StopDevice returns.
// PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_START_DEVICE(CONST PVOID MiniportDeviceContext, PDXGK_START_INFO DxgkStartInfo,
                                               PDXGKRNL_INTERFACE DxgkInterface, PULONG NumberOfVideoPresentSources,
                                               PULONG NumberOfChildren);
typedef DXGKDDI_START_DEVICE* PDXGKDDI_START_DEVICE;

// PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_STOP_DEVICE(CONST PVOID MiniportDeviceContext);
typedef DXGKDDI_STOP_DEVICE* PDXGKDDI_STOP_DEVICE;

// PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_REMOVE_DEVICE(CONST PVOID MiniportDeviceContext);
typedef DXGKDDI_REMOVE_DEVICE* PDXGKDDI_REMOVE_DEVICE;

// PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_DISPATCH_IO_REQUEST(CONST PVOID MiniportDeviceContext, ULONG VidPnSourceId,
                                                      PVIDEO_REQUEST_PACKET VideoRequestPacket);
typedef DXGKDDI_DISPATCH_IO_REQUEST* PDXGKDDI_DISPATCH_IO_REQUEST;

// The ISR: returns TRUE when the device did interrupt. It may call only DxgkCbNotifyInterrupt and
// DxgkCbQueueDpc. DIRQL, non-pageable, level 0.
typedef BOOLEAN APIENTRY DXGKDDI_INTERRUPT_ROUTINE(CONST PVOID MiniportDeviceContext, ULONG MessageNumber);
typedef DXGKDDI_INTERRUPT_ROUTINE* PDXGKDDI_INTERRUPT_ROUTINE;

// The DPC. DISPATCH_LEVEL, level 0.
typedef VOID APIENTRY DXGKDDI_DPC_ROUTINE(CONST PVOID MiniportDeviceContext);
typedef DXGKDDI_DPC_ROUTINE* PDXGKDDI_DPC_ROUTINE;

// Describes the children; the array has room for NumberOfChildren + 1. PASSIVE_LEVEL, pageable,
// level 3.
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_CHILD_RELATIONS(CONST PVOID MiniportDeviceContext, PDXGK_CHILD_DESCRIPTOR ChildRelations,
                                                        ULONG ChildRelationsSize);
typedef DXGKDDI_QUERY_CHILD_RELATIONS* PDXGKDDI_QUERY_CHILD_RELATIONS;

// PASSIVE_LEVEL, pageable, level 1 (child I/O class).
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_CHILD_STATUS(CONST PVOID MiniportDeviceContext, PDXGK_CHILD_STATUS ChildStatus,
                                                     BOOLEAN NonDestructiveOnly);
typedef DXGKDDI_QUERY_CHILD_STATUS* PDXGKDDI_QUERY_CHILD_STATUS;

// Returns EDID bytes. PASSIVE_LEVEL, pageable, level 1 (child I/O class).
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_DEVICE_DESCRIPTOR(CONST PVOID MiniportDeviceContext, ULONG ChildUid,
                                                          PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor);
typedef DXGKDDI_QUERY_DEVICE_DESCRIPTOR* PDXGKDDI_QUERY_DEVICE_DESCRIPTOR;

// PASSIVE_LEVEL, pageable, level 3.
typedef NTSTATUS APIENTRY DXGKDDI_SET_POWER_STATE(CONST PVOID MiniportDeviceContext, ULONG DeviceUid,
                                                  DEVICE_POWER_STATE DevicePowerState, POWER_ACTION ActionType);
typedef DXGKDDI_SET_POWER_STATE* PDXGKDDI_SET_POWER_STATE;

// PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_NOTIFY_ACPI_EVENT(CONST PVOID MiniportDeviceContext, DXGK_EVENT_TYPE EventType, ULONG Event,
                                                    PVOID Argument, PULONG AcpiFlags);
typedef DXGKDDI_NOTIFY_ACPI_EVENT* PDXGKDDI_NOTIFY_ACPI_EVENT;

// Puts the device into a state fit for a plain frame buffer. Any IRQL, non-pageable, level 0.
typedef VOID APIENTRY DXGKDDI_RESET_DEVICE(CONST PVOID MiniportDeviceContext);
typedef DXGKDDI_RESET_DEVICE* PDXGKDDI_RESET_DEVICE;

// PASSIVE_LEVEL, pageable, level 3.
typedef VOID APIENTRY DXGKDDI_UNLOAD(VOID);
typedef DXGKDDI_UNLOAD* PDXGKDDI_UNLOAD;

// PASSIVE_LEVEL, pageable, level 2.
typedef NTSTATUS APIENTRY DXGKDDI_QUERY_INTERFACE(CONST PVOID MiniportDeviceContext, PQUERY_INTERFACE QueryInterface);
typedef DXGKDDI_QUERY_INTERFACE* PDXGKDDI_QUERY_INTERFACE;

// PASSIVE_LEVEL, level 0.
typedef VOID APIENTRY DXGKDDI_CONTROL_ETW_LOGGING(BOOLEAN Enable, ULONG Flags, UCHAR Level);
typedef DXGKDDI_CONTROL_ETW_LOGGING* PDXGKDDI_CONTROL_ETW_LOGGING;

// PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP(PVOID MiniportDeviceContext,
                                                                                 D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
                                                                                 PDXGK_DISPLAY_INFORMATION DisplayInfo);
typedef DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP* PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP;

// PASSIVE_LEVEL.
typedef NTSTATUS APIENTRY DXGKDDI_NOTIFY_SURPRISE_REMOVAL(PVOID MiniportDeviceContext, DXGK_SURPRISE_REMOVAL_TYPE RemovalType);
typedef DXGKDDI_NOTIFY_SURPRISE_REMOVAL* PDXGKDDI_NOTIFY_SURPRISE_REMOVAL;
