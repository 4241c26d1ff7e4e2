#include "system/driver_library.h"

#include <utility>

#include <dlfcn.h>

#include "base/log.h"
#include "conform/driver_setup.h"

#include <tandem_driver_host.h>

namespace tandem::system {
namespace {

// dlopen would search a name without a slash in the system's folders.
void* Load(const std::string& path) {
  void* const library = dlopen(path.find('/') == std::string::npos ? ("./" + path).c_str() : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) conform::InstallSetupOf(library);
  return library;
}

template <class Function>
Function Find(void* library, const char* name) {
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

DriverLibrary::DriverLibrary(const std::string& path, Result<void> values)
    : path_(path),
      name_(path.substr(path.rfind('/') + 1)),
      handle_(Load(path)),
      why_not_(handle_ == nullptr ? dlerror() : ""),
      values_(std::move(values)),
      crash_watch_(path, Find<const void*>(handle_, "DriverEntry")),
      host_(Find<PFNTANDEM_ATTACH_KERNEL>(handle_, TANDEM_ATTACH_KERNEL)),
      open_adapter_(Find<PFND3D10DDI_OPENADAPTER>(handle_, "OpenAdapter10_2")) {}

DriverLibrary::~DriverLibrary() {
  const std::string left = host_.Detach();
  if (!left.empty()) Log(LogLevel::kWarn, "The display driver is unloaded: {}", left);
  if (handle_ != nullptr) dlclose(handle_);
}

Result<DRIVER_INITIALIZE*> DriverLibrary::Entry() const {
  if (handle_ == nullptr) return Fail(ErrorKind::kNotFound, "Display driver {} cannot be loaded: {}.", path_, why_not_);
  auto* const entry = Find<DRIVER_INITIALIZE*>(handle_, "DriverEntry");
  if (entry == nullptr) return Fail(ErrorKind::kNotFound, "Display driver {} exports no DriverEntry.", path_);
  if (!values_.ok()) return values_.error();
  return entry;
}

}  // namespace tandem::system
