// Start and stop, interrupts, the child, power.
#include "Adapter.h"

#include "Adapter.tmh"

Adapter::Adapter() : m_Features(0) { RtlZeroMemory(&m_Dxgkrnl, sizeof(m_Dxgkrnl)); }

NTSTATUS Adapter::Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _Out_ ULONG* NumberOfSources, _Out_ ULONG* NumberOfChildren) {
  PAGED_CODE();
  RtlCopyMemory(&m_Dxgkrnl, Dxgkrnl, min(Dxgkrnl->Size, sizeof(m_Dxgkrnl)));
  NTSTATUS Status = StartDevice();
  if (NT_SUCCESS(Status)) Status = m_Monitor.Start(&m_Dxgkrnl, &m_Pci, &m_Control, (m_Features & VIRTIO_GPU_F_EDID) != 0);
  if (NT_SUCCESS(Status)) Status = m_Aperture.Start();
  if (NT_SUCCESS(Status)) Status = m_Engine.Start(&m_Dxgkrnl, &m_Aperture);
  MonitorModes Modes;
  m_Monitor.CopyModes(&Modes);
  if (NT_SUCCESS(Status)) Status = m_Display.Start(&m_Dxgkrnl, &m_Control, &m_Aperture, Modes.RefreshMilliHz);
  if (!NT_SUCCESS(Status)) {
    TraceError("The device does not start, status %!STATUS!", Status);
    Stop();
    return Status;
  }
  *NumberOfSources = 1;
  *NumberOfChildren = 1;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::StartDevice() {
  PAGED_CODE();
  NTSTATUS Status = m_Pci.Start(&m_Dxgkrnl, VIRTIO_F_VERSION_1 | VIRTIO_GPU_F_EDID, &m_Features);
  if (!NT_SUCCESS(Status)) return Status;
  if (!(m_Features & VIRTIO_F_VERSION_1)) return STATUS_DEVICE_CONFIGURATION_ERROR;
  Status = m_Control.Start(&m_Pci);
  if (NT_SUCCESS(Status)) m_Pci.Go();
  return Status;
}

// The device is reset before its memory goes.
VOID Adapter::Stop() {
  PAGED_CODE();
  m_Display.Stop();
  m_Engine.Stop();
  m_Monitor.Stop();
  m_Pci.Stop();
  m_Control.Stop();
  m_Aperture.Stop();
}

// The device's messages are its own, its line may be shared. What they are about stands in the queue and in the configuration.
BOOLEAN Adapter::InterruptRoutine(_In_ ULONG MessageNumber) {
  BOOLEAN Event = MessageNumber == EVENT_MESSAGE;
  if (m_Pci.HasLine()) {
    CONST UCHAR Reasons = m_Pci.TakeInterrupt();
    if (Reasons == 0) return FALSE;
    Event = (Reasons & INTERRUPT_CONFIG) != 0;
  }
  if (Event) m_Monitor.OnInterrupt();
  m_Dxgkrnl.DxgkCbQueueDpc(m_Dxgkrnl.DeviceHandle);
  return TRUE;
}

VOID Adapter::DpcRoutine() {
#ifdef PAGED_DPC
  PAGED_CODE();
#endif
  m_Control.OnInterrupt();
  m_Display.OnDpc();
  m_Monitor.OnDpc();
  m_Dxgkrnl.DxgkCbNotifyDpc(m_Dxgkrnl.DeviceHandle);
}

NTSTATUS Adapter::QueryChildRelations(_Out_writes_bytes_(Size) DXGK_CHILD_DESCRIPTOR* Relations, _In_ ULONG Size) {
  PAGED_CODE();
  // The last element stays zero.
  if (Size < 2 * sizeof(DXGK_CHILD_DESCRIPTOR)) return STATUS_BUFFER_TOO_SMALL;
  Relations[0].ChildDeviceType = TypeVideoOutput;
  Relations[0].ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
  Relations[0].ChildCapabilities.Type.VideoOutput.InterfaceTechnology = D3DKMDT_VOT_OTHER;
  Relations[0].ChildCapabilities.Type.VideoOutput.MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
  Relations[0].ChildCapabilities.Type.VideoOutput.SupportsSdtvModes = FALSE;
  Relations[0].AcpiUid = 0;
  Relations[0].ChildUid = CHILD_UID;
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::QueryChildStatus(_Inout_ DXGK_CHILD_STATUS* Status) {
  PAGED_CODE();
  if (Status->ChildUid != CHILD_UID) return STATUS_INVALID_PARAMETER;
  if (Status->Type != StatusConnection) return STATUS_NOT_SUPPORTED;
  Status->HotPlug.Connected = m_Monitor.IsConnected();
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::QueryDeviceDescriptor(_In_ ULONG ChildUid, _Inout_ DXGK_DEVICE_DESCRIPTOR* Descriptor) {
  PAGED_CODE();
  if (ChildUid != CHILD_UID) return STATUS_INVALID_PARAMETER;
  if (!m_Monitor.HasEdid()) return STATUS_GRAPHICS_CHILD_DESCRIPTOR_NOT_SUPPORTED;
  UCHAR Edid[EDID_BYTES];
  if (Descriptor->DescriptorOffset >= sizeof(Edid)) return STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA;
  m_Monitor.CopyEdid(Edid);
  CONST ULONG Left = sizeof(Edid) - Descriptor->DescriptorOffset;
  Descriptor->DescriptorLength = min(Descriptor->DescriptorLength, Left);
  RtlCopyMemory(Descriptor->DescriptorBuffer, Edid + Descriptor->DescriptorOffset, Descriptor->DescriptorLength);
  return STATUS_SUCCESS;
}

// The device has no power states. What a monitor without power shows is dark.
NTSTATUS Adapter::SetPowerState(_In_ ULONG DeviceUid, _In_ DEVICE_POWER_STATE State) {
  PAGED_CODE();
  if (DeviceUid == CHILD_UID && State != PowerDeviceD0) m_Display.SetVisible(FALSE);
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::DestroyAllocations(_In_ CONST DXGKARG_DESTROYALLOCATION* Destroy) {
  PAGED_CODE();
  for (UINT i = 0; i < Destroy->NumAllocations; i++) {
    Allocation* Gone = static_cast<Allocation*>(Destroy->pAllocationList[i]);
    m_Display.Forget(Gone);
    delete Gone;
  }
  return STATUS_SUCCESS;
}

// DIRQL for flips.
NTSTATUS Adapter::SetSourceAddress(_In_ CONST DXGKARG_SETVIDPNSOURCEADDRESS* Set) {
  CONST Allocation* Surface = static_cast<CONST Allocation*>(Set->hAllocation);
  if (Set->VidPnSourceId != SOURCE_ID || Surface == NULL || IsHeap(&Surface->Surface)) return STATUS_INVALID_PARAMETER;
  m_Display.SetAddress(Set);
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::SetVisibility(_In_ CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility) {
  PAGED_CODE();
  if (Visibility->VidPnSourceId != SOURCE_ID && Visibility->VidPnSourceId != D3DDDI_ID_ALL) {
    return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
  }
  m_Display.SetVisible(Visibility->Visible);
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::ControlInterrupt(_In_ DXGK_INTERRUPT_TYPE Type, _In_ BOOLEAN Enable) {
  PAGED_CODE();
  if (Type != DXGK_INTERRUPT_CRTC_VSYNC) return STATUS_NOT_IMPLEMENTED;
  m_Display.EnableVSync(Enable);
  return STATUS_SUCCESS;
}
