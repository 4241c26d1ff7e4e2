// The adapter: the device's parts, and the DDIs that are not another class's.
#pragma once

#include "Allocation.h"
#include "Aperture.h"
#include "Commands.h"
#include "ControlQueue.h"
#include "Display.h"
#include "Engine.h"
#include "Monitor.h"

#define SOURCE_ID 0
#define TARGET_ID 0

class Adapter {
 public:
  Adapter();
  ~Adapter() { Stop(); }

  NTSTATUS Start(_In_ DXGKRNL_INTERFACE* Dxgkrnl, _Out_ ULONG* NumberOfSources, _Out_ ULONG* NumberOfChildren);
  VOID Stop();
  BOOLEAN InterruptRoutine(_In_ ULONG MessageNumber);
  VOID DpcRoutine();
  NTSTATUS QueryChildRelations(_Out_writes_bytes_(Size) DXGK_CHILD_DESCRIPTOR* Relations, _In_ ULONG Size);
  NTSTATUS QueryChildStatus(_Inout_ DXGK_CHILD_STATUS* Status);
  NTSTATUS QueryDeviceDescriptor(_In_ ULONG ChildUid, _Inout_ DXGK_DEVICE_DESCRIPTOR* Descriptor);
  NTSTATUS SetPowerState(_In_ ULONG DeviceUid, _In_ DEVICE_POWER_STATE State);

  NTSTATUS QueryAdapterInfo(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query);
  NTSTATUS GetNodeMetadata(_In_ UINT NodeOrdinal, _Out_ DXGKARG_GETNODEMETADATA* Metadata);
  NTSTATUS BuildPagingBuffer(_Inout_ DXGKARG_BUILDPAGINGBUFFER* Paging);
  NTSTATUS DestroyAllocations(_In_ CONST DXGKARG_DESTROYALLOCATION* Destroy);

  NTSTATUS SetSourceAddress(_In_ CONST DXGKARG_SETVIDPNSOURCEADDRESS* Set);
  NTSTATUS SetVisibility(_In_ CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility);
  NTSTATUS ControlInterrupt(_In_ DXGK_INTERRUPT_TYPE Type, _In_ BOOLEAN Enable);

  NTSTATUS IsSupportedVidPn(_Inout_ DXGKARG_ISSUPPORTEDVIDPN* Support);
  NTSTATUS RecommendMonitorModes(_In_ CONST DXGKARG_RECOMMENDMONITORMODES* Modes);
  NTSTATUS RecommendFunctionalVidPn(_In_ CONST DXGKARG_RECOMMENDFUNCTIONALVIDPN* Recommend);
  NTSTATUS EnumVidPnCofuncModality(_In_ CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality);
  NTSTATUS CommitVidPn(_In_ CONST DXGKARG_COMMITVIDPN* Commit);

  DXGKRNL_INTERFACE* Kernel() { return &m_Dxgkrnl; }
  Engine* GetEngine() { return &m_Engine; }
  Display* GetDisplay() { return &m_Display; }

 private:
  NTSTATUS StartDevice();
  NTSTATUS QueryCaps(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query);
  NTSTATUS QuerySegments(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query);

  DXGKRNL_INTERFACE m_Dxgkrnl;
  VirtioPci m_Pci;
  ControlQueue m_Control;
  Aperture m_Aperture;
  Engine m_Engine;
  Display m_Display;
  ULONG64 m_Features;  // of the device, that both sides know
  Monitor m_Monitor;
};

// A device or a context of the adapter has no state of its own.
NTSTATUS DescribeContext(_Inout_ DXGKARG_CREATECONTEXT* Create);
NTSTATUS BuildPresent(_Inout_ DXGKARG_PRESENT* Present);
NTSTATUS BuildRender(_Inout_ DXGKARG_RENDER* Render);
VOID PatchAddresses(_In_ CONST DXGKARG_PATCH* Patch);
