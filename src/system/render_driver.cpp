#include "system/render_driver.h"

#include <utility>

#include "drivers/vulkan/icd/library.h"

namespace tandem::system {

Result<RenderDriver> OpenRenderDriver(const config::AdapterInfo& adapter) {
  auto library = vulkan::IcdLibrary::Open(adapter.icd_library);
  if (!library.ok()) return std::move(library).error();
  return RenderDriver{library->get_instance_proc_addr(), library->get_physical_device_proc_addr()};
}

}  // namespace tandem::system
