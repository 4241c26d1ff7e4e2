// The device of the driver: one video present source, one target, and the frame buffer between them.
#pragma once

extern "C" {
#include <dispmprt.h>
#include <ntddk.h>
#include <ntstrsafe.h>
}

#include "Shared\Trace.H"

#define DEVICE_TAG 'vDoD'
#define SOURCE_ID 0
#define TARGET_ID 0
#define CHILD_UID 0

enum class PoolKind { Paged, NonPaged };
void* __cdecl operator new(size_t Size, PoolKind Kind);
void __cdecl operator delete(void* Object);
void __cdecl operator delete(void* Object, size_t Size);

class Device {
 public:
  explicit Device(_In_ DEVICE_OBJECT* PhysicalDeviceObject);
  ~Device();

  NTSTATUS Start(_In_ DXGK_START_INFO* StartInfo, _In_ DXGKRNL_INTERFACE* Dxgkrnl, _Out_ ULONG* NumberOfSources,
                 _Out_ ULONG* NumberOfChildren);
  VOID Stop();
  NTSTATUS StopAndRelease(_In_ D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, _Out_ DXGK_DISPLAY_INFORMATION* Information);
  NTSTATUS SetPowerState(_In_ ULONG DeviceUid, _In_ DEVICE_POWER_STATE State);
  NTSTATUS QueryChildRelations(_Out_writes_bytes_(Size) DXGK_CHILD_DESCRIPTOR* Relations, _In_ ULONG Size);
  NTSTATUS QueryChildStatus(_Inout_ DXGK_CHILD_STATUS* Status);
  NTSTATUS QueryAdapterInfo(_In_ CONST DXGKARG_QUERYADAPTERINFO* Query);
  NTSTATUS SetVisibility(_In_ CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* Visibility);
  NTSTATUS Present(_In_ CONST DXGKARG_PRESENT_DISPLAYONLY* Present);
  NTSTATUS SystemDisplayEnable(_In_ D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId, _Out_ UINT* Width, _Out_ UINT* Height,
                               _Out_ D3DDDIFORMAT* Format);
  VOID SystemDisplayWrite(_In_ VOID* Source, _In_ UINT Width, _In_ UINT Height, _In_ UINT Stride, _In_ UINT X, _In_ UINT Y);

  NTSTATUS IsSupportedVidPn(_Inout_ DXGKARG_ISSUPPORTEDVIDPN* Support);
  NTSTATUS RecommendMonitorModes(_In_ CONST DXGKARG_RECOMMENDMONITORMODES* Modes);
  NTSTATUS EnumVidPnCofuncModality(_In_ CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* Modality);
  NTSTATUS CommitVidPn(_In_ CONST DXGKARG_COMMITVIDPN* Commit);

 private:
  VOID Blacken();
  VOID Unmap();
  NTSTATUS CopyRect(_In_ CONST DXGKARG_PRESENT_DISPLAYONLY* Present, _In_ CONST RECT* Rect);
  VOID MoveRect(_In_ CONST D3DKMT_MOVE_RECT* Move);
  VOID DescribeSignal(_Out_ D3DKMDT_VIDEO_SIGNAL_INFO* Signal) const;
  NTSTATUS AddSourceMode(D3DKMDT_HVIDPN VidPn, CONST DXGK_VIDPN_INTERFACE* Interface);
  NTSTATUS AddTargetMode(D3DKMDT_HVIDPN VidPn, CONST DXGK_VIDPN_INTERFACE* Interface);
  BOOLEAN IsOwnMode(_In_ CONST D3DKMDT_VIDPN_SOURCE_MODE* Mode) const;

  DEVICE_OBJECT* m_PhysicalDeviceObject;
  DXGKRNL_INTERFACE m_Dxgkrnl;
  DXGK_DISPLAY_INFORMATION m_Display;  // The firmware's frame buffer, whose mode never changes.
  BYTE* m_FrameBuffer;                 // NULL: not mapped.
  FAST_MUTEX m_Lock;                   // Guards the frame buffer's contents.
  BOOLEAN m_Started;
  BOOLEAN m_Visible;
};
