#include "system/render_driver.h"

#include <utility>

#include "drivers/vulkan/icd/library.h"
#include "drivers/vulkan/icd/manifest.h"

namespace tandem::system {

namespace {

Result<RenderDriver> OpenLibrary(const std::string& path) {
  auto library = vulkan::IcdLibrary::Open(path);
  if (!library.ok()) return std::move(library).error();
  return RenderDriver{library->get_instance_proc_addr(), library->get_physical_device_proc_addr()};
}

}  // namespace

Result<RenderDriver> OpenRenderDriver(const config::AdapterInfo& adapter) { return OpenLibrary(adapter.icd_library); }

Result<RenderDriver> OpenDriverOf(const std::string& manifest) {
  const auto read = vulkan::ReadManifest(manifest);
  if (!read.ok()) return read.error();
  if (read->library.ends_with(vulkan::kOwnDriverLibrary)) {
    return Fail(ErrorKind::kUnsupported, "Manifest {} names Tandem's own driver.", manifest);
  }
  return OpenLibrary(read->library);
}

}  // namespace tandem::system
