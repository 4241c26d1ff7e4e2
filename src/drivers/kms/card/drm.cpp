#include "drivers/kms/card/drm.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fmt/core.h>

namespace tandem::kms {
namespace {

struct LoadedDrm {
  DrmLibrary functions{};
  std::string missing;  // a sentence; empty: everything is there
};

template <class Function>
void FindInDrm(void* library, const char* name, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && missing.empty()) missing = fmt::format("libdrm.so.2 has no {}; 2.4.114 has.", name);
}

LoadedDrm LoadLibdrm() {
  LoadedDrm loaded;
  void* library = dlopen("libdrm.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* why = dlerror();
    loaded.missing = fmt::format("libdrm.so.2 is not loaded: {}.", why == nullptr ? "no reason is given" : why);
    return loaded;
  }
  DrmLibrary& found = loaded.functions;
#define TANDEM_FIND(name) FindInDrm(library, "drm" #name, found.name, loaded.missing)
  TANDEM_FIND(Ioctl);
  TANDEM_FIND(GetVersion);
  TANDEM_FIND(FreeVersion);
  TANDEM_FIND(GetCap);
  TANDEM_FIND(SetClientCap);
  TANDEM_FIND(IsMaster);
  TANDEM_FIND(SetMaster);
  TANDEM_FIND(DropMaster);
  TANDEM_FIND(GetDevice2);
  TANDEM_FIND(FreeDevice);
  TANDEM_FIND(PrimeFDToHandle);
  TANDEM_FIND(PrimeHandleToFD);
  TANDEM_FIND(CloseBufferHandle);
  TANDEM_FIND(CrtcGetSequence);
  TANDEM_FIND(CrtcQueueSequence);
  TANDEM_FIND(ModeGetResources);
  TANDEM_FIND(ModeFreeResources);
  TANDEM_FIND(ModeGetConnector);
  TANDEM_FIND(ModeFreeConnector);
  TANDEM_FIND(ModeConnectorGetPossibleCrtcs);
  TANDEM_FIND(ModeGetConnectorTypeName);
  TANDEM_FIND(ModeGetCrtc);
  TANDEM_FIND(ModeFreeCrtc);
  TANDEM_FIND(ModeGetPlaneResources);
  TANDEM_FIND(ModeFreePlaneResources);
  TANDEM_FIND(ModeGetPlane);
  TANDEM_FIND(ModeFreePlane);
  TANDEM_FIND(ModeObjectGetProperties);
  TANDEM_FIND(ModeFreeObjectProperties);
  TANDEM_FIND(ModeGetProperty);
  TANDEM_FIND(ModeFreeProperty);
  TANDEM_FIND(ModeGetPropertyBlob);
  TANDEM_FIND(ModeFreePropertyBlob);
  TANDEM_FIND(ModeFormatModifierBlobIterNext);
  TANDEM_FIND(ModeCreatePropertyBlob);
  TANDEM_FIND(ModeDestroyPropertyBlob);
  TANDEM_FIND(ModeAddFB2WithModifiers);
  TANDEM_FIND(ModeRmFB);
  TANDEM_FIND(ModeCreateDumbBuffer);
  TANDEM_FIND(ModeMapDumbBuffer);
  TANDEM_FIND(ModeDestroyDumbBuffer);
  TANDEM_FIND(ModeCreateLease);
  TANDEM_FIND(ModeRevokeLease);
#undef TANDEM_FIND
  return loaded;
}

const LoadedDrm& TheDrm() {
  static const LoadedDrm drm = LoadLibdrm();
  return drm;
}

}  // namespace

Result<void> LoadDrm() {
  const std::string& missing = TheDrm().missing;
  if (missing.empty()) return {};
  return Fail(ErrorKind::kUnsupported, "{}", missing);
}

const DrmLibrary& Drm() { return TheDrm().functions; }

ErrorKind KindOf(int error) {
  switch (error) {
    case ENODEV: return ErrorKind::kDeviceLost;
    case ENOMEM: return ErrorKind::kOutOfMemory;
    case ENOSPC:
    case EMFILE:
    case ENFILE: return ErrorKind::kLimit;
    case EINVAL:
    case ERANGE:
    case ENOSYS:
    case ENOTTY:
    case EOPNOTSUPP: return ErrorKind::kUnsupported;
    case ENOENT: return ErrorKind::kNotFound;
    default: return ErrorKind::kIo;
  }
}

std::string ErrnoText(int error) {
  const char* name = strerrorname_np(error);
  return fmt::format("{} ({})", name == nullptr ? "an unknown error" : name, std::strerror(error));
}

}  // namespace tandem::kms
