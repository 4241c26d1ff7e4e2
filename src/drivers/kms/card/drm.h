// The functions of libdrm, which is loaded with the first card and belongs to no program before that.
#pragma once

#include <string>

#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include "base/result.h"

namespace tandem::kms {

// Members bear the functions' names without "drm". The library stays loaded.
struct DrmLibrary {
  decltype(&::drmIoctl) Ioctl;
  decltype(&::drmGetVersion) GetVersion;
  decltype(&::drmFreeVersion) FreeVersion;
  decltype(&::drmGetCap) GetCap;
  decltype(&::drmSetClientCap) SetClientCap;
  decltype(&::drmIsMaster) IsMaster;
  decltype(&::drmSetMaster) SetMaster;
  decltype(&::drmDropMaster) DropMaster;
  decltype(&::drmGetDevice2) GetDevice2;
  decltype(&::drmFreeDevice) FreeDevice;
  decltype(&::drmPrimeFDToHandle) PrimeFDToHandle;
  decltype(&::drmPrimeHandleToFD) PrimeHandleToFD;
  decltype(&::drmCloseBufferHandle) CloseBufferHandle;
  decltype(&::drmCrtcGetSequence) CrtcGetSequence;
  decltype(&::drmCrtcQueueSequence) CrtcQueueSequence;
  decltype(&::drmModeGetResources) ModeGetResources;
  decltype(&::drmModeFreeResources) ModeFreeResources;
  decltype(&::drmModeGetConnector) ModeGetConnector;
  decltype(&::drmModeFreeConnector) ModeFreeConnector;
  decltype(&::drmModeConnectorGetPossibleCrtcs) ModeConnectorGetPossibleCrtcs;
  decltype(&::drmModeGetConnectorTypeName) ModeGetConnectorTypeName;
  decltype(&::drmModeGetCrtc) ModeGetCrtc;
  decltype(&::drmModeFreeCrtc) ModeFreeCrtc;
  decltype(&::drmModeGetPlaneResources) ModeGetPlaneResources;
  decltype(&::drmModeFreePlaneResources) ModeFreePlaneResources;
  decltype(&::drmModeGetPlane) ModeGetPlane;
  decltype(&::drmModeFreePlane) ModeFreePlane;
  decltype(&::drmModeObjectGetProperties) ModeObjectGetProperties;
  decltype(&::drmModeFreeObjectProperties) ModeFreeObjectProperties;
  decltype(&::drmModeGetProperty) ModeGetProperty;
  decltype(&::drmModeFreeProperty) ModeFreeProperty;
  decltype(&::drmModeGetPropertyBlob) ModeGetPropertyBlob;
  decltype(&::drmModeFreePropertyBlob) ModeFreePropertyBlob;
  decltype(&::drmModeFormatModifierBlobIterNext) ModeFormatModifierBlobIterNext;
  decltype(&::drmModeCreatePropertyBlob) ModeCreatePropertyBlob;
  decltype(&::drmModeDestroyPropertyBlob) ModeDestroyPropertyBlob;
  decltype(&::drmModeAddFB2WithModifiers) ModeAddFB2WithModifiers;
  decltype(&::drmModeRmFB) ModeRmFB;
  decltype(&::drmModeCreateDumbBuffer) ModeCreateDumbBuffer;
  decltype(&::drmModeMapDumbBuffer) ModeMapDumbBuffer;
  decltype(&::drmModeDestroyDumbBuffer) ModeDestroyDumbBuffer;
  decltype(&::drmModeCreateLease) ModeCreateLease;
  decltype(&::drmModeRevokeLease) ModeRevokeLease;
};

// Loads libdrm.so.2 at the first call. kUnsupported when it is not installed or older than 2.4.114. Thread-safe.
[[nodiscard]] Result<void> LoadDrm();

// LoadDrm must have succeeded before; Card::Open and Card::Adopt call it.
[[nodiscard]] const DrmLibrary& Drm();

// The kind for a failed call: ENODEV is kDeviceLost, ENOMEM kOutOfMemory, ENOSPC and EMFILE kLimit, EINVAL and the like
// kUnsupported, the rest kIo. `error` is an errno value above 0.
[[nodiscard]] ErrorKind KindOf(int error);

// "EINVAL (Invalid argument)"
[[nodiscard]] std::string ErrnoText(int error);

}  // namespace tandem::kms
