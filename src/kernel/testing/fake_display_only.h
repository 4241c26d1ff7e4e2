// A display-only miniport for tests: it shows one mode on a frame buffer that its bus has, and misbehaves on command.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"

#include <dispmprt.h>

namespace tandem::kernel {

// One device of one driver. Set it up, and hand Entry() to StartDisplayOnlyAdapter. Only one exists at a time.
class FakeDisplayOnly {
 public:
  FakeDisplayOnly() {
    TANDEM_CHECK(instance_ == nullptr);
    instance_ = this;
    FillTable();
  }
  ~FakeDisplayOnly() { instance_ = nullptr; }
  FakeDisplayOnly(const FakeDisplayOnly&) = delete;
  FakeDisplayOnly& operator=(const FakeDisplayOnly&) = delete;

  static DRIVER_INITIALIZE* Entry() {
    return [](DRIVER_OBJECT* driver, UNICODE_STRING* path) {
      return DxgkInitializeDisplayOnlyDriver(driver, path, &instance_->table);
    };
  }

  // Answers of the driver.
  KMDDOD_INITIALIZATION_DATA table{};
  DXGK_DRIVERCAPS caps{};
  std::size_t caps_bytes = 0;  // what it must be asked for at least
  BOOLEAN connected = TRUE;
  // Empty: the driver shows what it is asked for.
  std::vector<D3DKMDT_2DREGION> modes;
  // Not 0: with no modes of its own, the driver adds a target mode of this frequency.
  UINT target_hertz = 0;
  NTSTATUS added = STATUS_SUCCESS;  // the status of that
  // Gives the driver DxgkDdiControlInterrupt, and no DxgkDdiGetScanLine.
  void ControlVSync() {
    table.DxgkDdiControlInterrupt = [](HANDLE, CONST DXGK_INTERRUPT_TYPE, BOOLEAN) { return NTSTATUS{STATUS_SUCCESS}; };
  }
  // Null: STATUS_SUCCESS.
  std::function<NTSTATUS(const DXGKARG_PRESENT_DISPLAYONLY&)> on_present;

  // Seen by the driver.
  DXGKRNL_INTERFACE kernel{};
  DXGK_DISPLAY_INFORMATION post_display{};
  std::vector<std::string> calls;  // DDIs between StartDevice and RemoveDevice
  UINT committed_width = 0;
  UINT committed_height = 0;

 private:
  void FillTable() {
    table.Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    caps.WDDMVersion = DXGKDDI_WDDMv1_2;
    table.DxgkDdiAddDevice = [](CONST PDEVICE_OBJECT, PVOID* context) {
      *context = instance_;
      return NTSTATUS{STATUS_SUCCESS};
    };
    table.DxgkDdiStartDevice = [](CONST PVOID, PDXGK_START_INFO, PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children) {
      instance_->kernel = *interface;
      *sources = *children = 1;
      return interface->DxgkCbAcquirePostDisplayOwnership(interface->DeviceHandle, &instance_->post_display);
    };
    table.DxgkDdiStopDevice = [](CONST PVOID) { return Called("StopDevice"); };
    table.DxgkDdiRemoveDevice = [](CONST PVOID) { return Called("RemoveDevice"); };
    table.DxgkDdiInterruptRoutine = [](CONST PVOID, ULONG) { return BOOLEAN{FALSE}; };
    table.DxgkDdiDpcRoutine = [](CONST PVOID) {};
    table.DxgkDdiQueryAdapterInfo = [](HANDLE, CONST DXGKARG_QUERYADAPTERINFO* query) {
      if (query->Type != DXGKQAITYPE_DRIVERCAPS) return NTSTATUS{STATUS_NOT_SUPPORTED};
      if (query->OutputDataSize < instance_->caps_bytes) return NTSTATUS{STATUS_BUFFER_TOO_SMALL};
      std::memcpy(query->pOutputData, &instance_->caps, std::min<std::size_t>(query->OutputDataSize, sizeof(caps)));
      return NTSTATUS{STATUS_SUCCESS};
    };
    table.DxgkDdiQueryChildRelations = [](CONST PVOID, PDXGK_CHILD_DESCRIPTOR children, ULONG) {
      children[0].ChildDeviceType = TypeVideoOutput;
      children[0].ChildCapabilities.HpdAwareness = HpdAwarenessInterruptible;
      return NTSTATUS{STATUS_SUCCESS};
    };
    table.DxgkDdiQueryChildStatus = [](CONST PVOID, PDXGK_CHILD_STATUS status, BOOLEAN) {
      status->HotPlug.Connected = instance_->connected;
      return NTSTATUS{STATUS_SUCCESS};
    };
    table.DxgkDdiIsSupportedVidPn = [](HANDLE, DXGKARG_ISSUPPORTEDVIDPN* query) {
      query->IsVidPnSupported = TRUE;
      return NTSTATUS{STATUS_SUCCESS};
    };
    table.DxgkDdiEnumVidPnCofuncModality = [](HANDLE, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
      if (instance_->target_hertz != 0) return instance_->OfferTargetMode(*args);
      return instance_->modes.empty() ? NTSTATUS{STATUS_SUCCESS} : instance_->OfferModes(args->hConstrainingVidPn);
    };
    table.DxgkDdiSetVidPnSourceVisibility = [](HANDLE, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY* set) {
      return Called(set->Visible != FALSE ? "Visible" : "Dark");
    };
    table.DxgkDdiCommitVidPn = [](HANDLE, CONST DXGKARG_COMMITVIDPN* commit) {
      return instance_->ReadCommit(commit->hFunctionalVidPn);
    };
    table.DxgkDdiPresentDisplayOnly = [](HANDLE, CONST DXGKARG_PRESENT_DISPLAYONLY* present) {
      Called("PresentDisplayOnly");
      return instance_->on_present ? instance_->on_present(*present) : NTSTATUS{STATUS_SUCCESS};
    };
  }

  static NTSTATUS Called(const char* ddi) {
    instance_->calls.emplace_back(ddi);
    return STATUS_SUCCESS;
  }

  // Calls `use(functions, pinned mode or null)` for the source's modes in a VidPN.
  template <class Use>
  NTSTATUS ReadPinned(D3DKMDT_HVIDPN vidpn, Use use) {
    CONST DXGK_VIDPN_INTERFACE* functions = nullptr;
    NTSTATUS status = kernel.DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
    if (!NT_SUCCESS(status)) return status;
    D3DKMDT_HVIDPNSOURCEMODESET set{};
    CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* sources = nullptr;
    CONST D3DKMDT_VIDPN_SOURCE_MODE* pinned = nullptr;
    if (status = functions->pfnAcquireSourceModeSet(vidpn, 0, &set, &sources); !NT_SUCCESS(status)) return status;
    status = sources->pfnAcquirePinnedModeInfo(set, &pinned);
    if (!NT_SUCCESS(status)) pinned = nullptr;
    use(*functions, pinned);
    if (pinned != nullptr) static_cast<void>(sources->pfnReleaseModeInfo(set, pinned));
    return functions->pfnReleaseSourceModeSet(vidpn, set);
  }

  // Replaces the source's modes by its own, while none is pinned.
  NTSTATUS OfferModes(D3DKMDT_HVIDPN vidpn) {
    CONST DXGK_VIDPN_INTERFACE* functions = nullptr;
    bool has_mode = false;
    NTSTATUS status = ReadPinned(vidpn, [&](const DXGK_VIDPN_INTERFACE& all, const D3DKMDT_VIDPN_SOURCE_MODE* pinned) {
      functions = &all;
      has_mode = pinned != nullptr;
    });
    if (!NT_SUCCESS(status) || has_mode) return status;
    D3DKMDT_HVIDPNSOURCEMODESET set{};
    CONST DXGK_VIDPNSOURCEMODESET_INTERFACE* sources = nullptr;
    if (status = functions->pfnCreateNewSourceModeSet(vidpn, 0, &set, &sources); !NT_SUCCESS(status)) return status;
    for (const D3DKMDT_2DREGION& size : modes) {
      D3DKMDT_VIDPN_SOURCE_MODE* mode = nullptr;
      if (status = sources->pfnCreateNewModeInfo(set, &mode); !NT_SUCCESS(status)) return status;
      mode->Type = D3DKMDT_RMT_GRAPHICS;
      mode->Format.Graphics.PrimSurfSize = mode->Format.Graphics.VisibleRegionSize = size;
      mode->Format.Graphics.Stride = size.cx * 4;
      mode->Format.Graphics.PixelFormat = D3DDDIFMT_A8R8G8B8;
      mode->Format.Graphics.ColorBasis = D3DKMDT_CB_SCRGB;
      mode->Format.Graphics.PixelValueAccessMode = D3DKMDT_PVAM_DIRECT;
      if (status = sources->pfnAddMode(set, mode); !NT_SUCCESS(status)) return status;
    }
    return functions->pfnAssignSourceModeSet(vidpn, 0, set);
  }

  // Replaces the target's modes by one of 640 x 480, while nothing is pinned.
  NTSTATUS OfferTargetMode(const DXGKARG_ENUMVIDPNCOFUNCMODALITY& args) {
    if (args.EnumPivotType != D3DKMDT_EPT_NOPIVOT) return STATUS_SUCCESS;
    CONST DXGK_VIDPN_INTERFACE* functions = nullptr;
    const D3DKMDT_HVIDPN vidpn = args.hConstrainingVidPn;
    NTSTATUS status = kernel.DxgkCbQueryVidPnInterface(vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &functions);
    if (!NT_SUCCESS(status)) return status;
    D3DKMDT_HVIDPNTARGETMODESET set{};
    CONST DXGK_VIDPNTARGETMODESET_INTERFACE* targets = nullptr;
    if (status = functions->pfnCreateNewTargetModeSet(vidpn, 0, &set, &targets); !NT_SUCCESS(status)) return status;
    D3DKMDT_VIDPN_TARGET_MODE* mode = nullptr;
    if (status = targets->pfnCreateNewModeInfo(set, &mode); !NT_SUCCESS(status)) return status;
    mode->VideoSignalInfo.TotalSize = mode->VideoSignalInfo.ActiveSize = {640, 480};
    mode->VideoSignalInfo.VSyncFreq = mode->VideoSignalInfo.HSyncFreq = {target_hertz, 1};
    mode->VideoSignalInfo.PixelRate = target_hertz;
    added = targets->pfnAddMode(set, mode);
    if (NT_SUCCESS(added)) return functions->pfnAssignTargetModeSet(vidpn, 0, set);
    static_cast<void>(targets->pfnReleaseModeInfo(set, mode));
    static_cast<void>(functions->pfnReleaseTargetModeSet(vidpn, set));
    return added;
  }

  NTSTATUS ReadCommit(D3DKMDT_HVIDPN vidpn) {
    const NTSTATUS status =
        ReadPinned(vidpn, [this](const DXGK_VIDPN_INTERFACE& /*functions*/, const D3DKMDT_VIDPN_SOURCE_MODE* pinned) {
          if (pinned == nullptr) return;
          committed_width = pinned->Format.Graphics.PrimSurfSize.cx;
          committed_height = pinned->Format.Graphics.PrimSurfSize.cy;
        });
    Called("CommitVidPn");
    // A VidPN without the source has no modes of it.
    return status == STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE ? STATUS_SUCCESS : status;
  }

  static inline FakeDisplayOnly* instance_ = nullptr;
};

}  // namespace tandem::kernel
