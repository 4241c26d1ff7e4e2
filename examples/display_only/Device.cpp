// Start and stop, children, power and capabilities.
#include "Device.h"

#include "Device.tmh"

Device::Device(_In_ DEVICE_OBJECT* PhysicalDeviceObject)
    : m_PhysicalDeviceObject(PhysicalDeviceObject), m_FrameBuffer(NULL), m_Started(FALSE), m_Visible(FALSE) {
  RtlZeroMemory(&m_Dxgkrnl, sizeof(m_Dxgkrnl));
  RtlZeroMemory(&m_Display, sizeof(m_Display));
  ExInitializeFastMutex(&m_Lock);
}

Device::~Device() { Unmap(); }

VOID Device::Unmap() {
  if (m_FrameBuffer != NULL) m_Dxgkrnl.DxgkCbUnmapMemory(m_Dxgkrnl.DeviceHandle, m_FrameBuffer);
  m_FrameBuffer = NULL;
}

NTSTATUS Device::Start(_In_ DXGK_START_INFO* StartInfo, _In_ DXGKRNL_INTERFACE* Dxgkrnl, _Out_ ULONG* NumberOfSources,
                       _Out_ ULONG* NumberOfChildren) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(StartInfo);
  // The table is as large as the kernel's version of it.
  RtlCopyMemory(&m_Dxgkrnl, Dxgkrnl, min(Dxgkrnl->Size, sizeof(m_Dxgkrnl)));
  NTSTATUS Status = m_Dxgkrnl.DxgkCbAcquirePostDisplayOwnership(m_Dxgkrnl.DeviceHandle, &m_Display);
  if (!NT_SUCCESS(Status) || m_Display.Width == 0) {
    TraceError("There is no frame buffer, status %!STATUS!", Status);
    return STATUS_UNSUCCESSFUL;
  }
#ifdef REFUSE_SMALL
  if (m_Display.Width < 1024 || m_Display.Height < 768) return STATUS_UNSUCCESSFUL;
#endif
  PVOID Address = NULL;
  Status = m_Dxgkrnl.DxgkCbMapMemory(m_Dxgkrnl.DeviceHandle, m_Display.PhysicAddress, m_Display.Pitch * m_Display.Height, FALSE,
                                     FALSE, MmWriteCombined, &Address);
  if (!NT_SUCCESS(Status)) return Status;
  m_FrameBuffer = static_cast<BYTE*>(Address);
  m_Started = TRUE;
  *NumberOfSources = 1;
  *NumberOfChildren = 1;
  return STATUS_SUCCESS;
}

VOID Device::Stop() {
  PAGED_CODE();
  m_Started = FALSE;
  m_Visible = FALSE;
  Unmap();
}

// The next driver continues with the frame buffer as it is.
NTSTATUS Device::StopAndRelease(_In_ D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, _Out_ DXGK_DISPLAY_INFORMATION* Information) {
  PAGED_CODE();
  if (TargetId != TARGET_ID) return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_TARGET;
  Blacken();
  *Information = m_Display;
  Information->TargetId = TARGET_ID;
  Stop();
  return STATUS_SUCCESS;
}

// A frame buffer has no power states; the monitor's loss of power shows as black.
NTSTATUS Device::SetPowerState(_In_ ULONG DeviceUid, _In_ DEVICE_POWER_STATE State) {
  PAGED_CODE();
  if (DeviceUid == CHILD_UID && State != PowerDeviceD0) Blacken();
  return STATUS_SUCCESS;
}

NTSTATUS Device::QueryChildRelations(_Out_writes_bytes_(Size) DXGK_CHILD_DESCRIPTOR* Relations, _In_ ULONG Size) {
  PAGED_CODE();
  // The last element stays zero.
  if (Size < 2 * sizeof(DXGK_CHILD_DESCRIPTOR)) return STATUS_BUFFER_TOO_SMALL;
  Relations[0].ChildDeviceType = TypeVideoOutput;
  Relations[0].ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
  Relations[0].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_OTHER;
  Relations[0].ChildCapabilities.Type.VideoOutput.MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
  Relations[0].ChildCapabilities.Type.VideoOutput.SupportsSdtvModes = FALSE;
  Relations[0].AcpiUid = m_Display.AcpiId;
  Relations[0].ChildUid = CHILD_UID;
  return STATUS_SUCCESS;
}

NTSTATUS Device::QueryChildStatus(_Inout_ DXGK_CHILD_STATUS* Status) {
  PAGED_CODE();
  if (Status->ChildUid != CHILD_UID) return STATUS_INVALID_PARAMETER;
  if (Status->Type != StatusConnection) return STATUS_NOT_SUPPORTED;
  Status->HotPlug.Connected = m_Started;
  return STATUS_SUCCESS;
}

NTSTATUS Device::QueryAdapterInfo(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query) {
  PAGED_CODE();
  if (Query->Type != DXGKQAITYPE_DRIVERCAPS) return STATUS_NOT_SUPPORTED;
  // A table of Windows 8 is asked for the members of Windows 8 alone.
  if (Query->OutputDataSize < UFIELD_OFFSET(DXGK_DRIVERCAPS, MaxOverlayPlanes)) return STATUS_BUFFER_TOO_SMALL;
  DXGK_DRIVERCAPS* Caps = static_cast<DXGK_DRIVERCAPS*>(Query->pOutputData);
  RtlZeroMemory(Caps, Query->OutputDataSize);
  Caps->WDDMVersion = DXGKDDI_WDDMv1_2;
  Caps->HighestAcceptableAddress.QuadPart = -1;
  Caps->SupportNonVGA = TRUE;
  Caps->SupportSmoothRotation = TRUE;
  return STATUS_SUCCESS;
}

NTSTATUS Device::SetVisibility(_In_ CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility) {
  PAGED_CODE();
  if (Visibility->VidPnSourceId != SOURCE_ID && Visibility->VidPnSourceId != D3DDDI_ID_ALL) {
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  m_Visible = Visibility->Visible;
  if (!m_Visible) Blacken();
  return STATUS_SUCCESS;
}
