#include "bus/virtio/virgl_library.h"

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace tandem::bus {
namespace {

constexpr char kVirglName[] = "libvirglrenderer.so.1";

void* OpenForVirgl(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); }

// libepoxy, which virglrenderer calls OpenGL through, ends the process when it does not find one of these.
Result<void> LoadGraphics() {
  if (OpenForVirgl("libEGL.so.1") == nullptr) return Fail(ErrorKind::kUnsupported, "libEGL.so.1 is not installed.");
  if (OpenForVirgl("libOpenGL.so.0") == nullptr && OpenForVirgl("libGL.so.1") == nullptr) {
    return Fail(ErrorKind::kUnsupported, "Neither libOpenGL.so.0 nor libGL.so.1 is installed.");
  }
  return {};
}

Result<VirglLibrary> FindFunctions() {
  if (Result<void> graphics = LoadGraphics(); !graphics.ok()) return std::move(graphics).error();
  void* const library = OpenForVirgl(kVirglName);
  if (library == nullptr) {
    const char* const why = dlerror();
    return Fail(ErrorKind::kUnsupported, "{} is not loaded: {}.", kVirglName, why == nullptr ? "no reason is given" : why);
  }
  VirglLibrary found;
  const char* missing = nullptr;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find("virgl_set_debug_callback", found.set_debug_callback);
#define TANDEM_FIND_VIRGL(name) find("virgl_renderer_" #name, found.name)
  TANDEM_FIND_VIRGL(init);
  TANDEM_FIND_VIRGL(cleanup);
  TANDEM_FIND_VIRGL(get_cap_set);
  TANDEM_FIND_VIRGL(fill_caps);
  TANDEM_FIND_VIRGL(context_create);
  TANDEM_FIND_VIRGL(context_destroy);
  TANDEM_FIND_VIRGL(ctx_attach_resource);
  TANDEM_FIND_VIRGL(ctx_detach_resource);
  TANDEM_FIND_VIRGL(submit_cmd);
  TANDEM_FIND_VIRGL(resource_create);
  TANDEM_FIND_VIRGL(resource_unref);
  TANDEM_FIND_VIRGL(transfer_write_iov);
  TANDEM_FIND_VIRGL(transfer_read_iov);
  TANDEM_FIND_VIRGL(create_fence);
  TANDEM_FIND_VIRGL(poll);
#undef TANDEM_FIND_VIRGL
  if (missing != nullptr) return Fail(ErrorKind::kUnsupported, "{} has no function {}.", kVirglName, missing);
  return found;
}

}  // namespace

bool VirglIsInstalled() {
  const std::unique_ptr<void, int (*)(void*)> program(dlopen(nullptr, RTLD_LAZY), &dlclose);
  Dl_serinfo size{};
  if (program == nullptr || dlinfo(program.get(), RTLD_DI_SERINFOSIZE, &size) != 0) return false;
  std::vector<std::max_align_t> storage(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const list = reinterpret_cast<Dl_serinfo*>(storage.data());
  if (dlinfo(program.get(), RTLD_DI_SERINFOSIZE, list) != 0 || dlinfo(program.get(), RTLD_DI_SERINFO, list) != 0) return false;
  const Dl_serpath* const paths = list->dls_serpath;
  for (unsigned int i = 0; i < list->dls_cnt; ++i) {
    if (access((std::string(paths[i].dls_name) + "/" + kVirglName).c_str(), R_OK) == 0) return true;
  }
  return false;
}

Result<VirglLibrary> LoadVirgl() {
  static const Result<VirglLibrary> loaded = FindFunctions();
  return loaded;
}

}  // namespace tandem::bus
