#include "swapchain/user_mode_driver.h"

#include <utility>

#include <dlfcn.h>

#include "base/thread.h"

namespace tandem::swapchain {
namespace {

struct SearchPath {
  Mutex mutex;
  std::string folder TANDEM_GUARDED_BY(mutex);
};
SearchPath& TheSearchPath() {
  static SearchPath path;
  return path;
}

}  // namespace

void SetUserModeDriverFolder(std::string folder) {
  SearchPath& path = TheSearchPath();
  const MutexLock lock(path.mutex);
  path.folder = std::move(folder);
}

Result<PFND3D10DDI_OPENADAPTER> LoadUserModeDriver(const std::string& file_name) {
  SearchPath& path = TheSearchPath();
  const MutexLock lock(path.mutex);
  if (path.folder.empty() || file_name.empty() || file_name.find('/') != std::string::npos) {
    return Fail(ErrorKind::kInvalidArgument, "'{}' in folder '{}' is no user-mode driver.", file_name, path.folder);
  }
  const std::string file = path.folder + "/" + file_name;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail(ErrorKind::kNotFound, "The user-mode driver cannot be loaded: {}.", dlerror());
  const auto entry = reinterpret_cast<PFND3D10DDI_OPENADAPTER>(dlsym(library, "OpenAdapter10_2"));
  if (entry == nullptr) return Fail(ErrorKind::kNotFound, "{} exports no OpenAdapter10_2.", file);
  return entry;
}

}  // namespace tandem::swapchain
