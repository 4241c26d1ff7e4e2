#include "system/render_session.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"
#include "drivers/vulkan/gpu/dma_buf_export.h"
#include "drivers/vulkan/umd/application_images.h"

namespace tandem::system {

RenderSession::RenderSession(Renders& renders, std::unique_ptr<vulkan::DeviceDescription> description, LUID adapter)
    : renders_(renders), description_(std::move(description)), adapter_(adapter) {}

RenderSession::~RenderSession() {
  device_.reset();
  renders_.End(adapter_);
}

Result<void> RenderSession::Open(const std::string& name, const std::string& bounce_reason, const ImportAbilities& imports) {
  swapchain::AdapterBinding binding{
      adapter_, &vulkan::VulkanOpenAdapter10_2, name, bounce_reason, description_->link_bytes_per_second, imports.link_out, {}};
  if (!imports.codes_links) {
    binding.encode_refusal = fmt::format("no queue of {} takes the shaders that encode before the link", name);
  }
  auto device = swapchain::RuntimeDevice::Create(binding);
  if (!device.ok()) return std::move(device).error();
  device_ = *std::move(device);
  return {};
}

std::shared_ptr<DmaBufSource> RenderSession::dma_bufs() const { return description_->exporter; }

void RenderSession::SetImageInfo(const VkImageCreateInfo& info) { vulkan::SetApplicationImageInfo(device_->umd_device(), info); }

VkImage RenderSession::Image(D3D10DDI_HRESOURCE resource) { return vulkan::ApplicationImage(resource); }

std::string RenderSession::WhyNoImage(D3D10DDI_HRESOURCE resource) { return vulkan::ApplicationImageRefusal(resource); }

VkResult RenderSession::CreateAlias(D3D10DDI_HRESOURCE resource, const VkAllocationCallbacks* allocator, VkImage& alias) {
  return vulkan::CreateAliasImage(resource, allocator, alias);
}

VkResult RenderSession::BindAlias(D3D10DDI_HRESOURCE resource, VkImage alias) { return vulkan::BindAliasImage(resource, alias); }

Result<void> RenderSession::ReleaseImage(D3D10DDI_HRESOURCE resource, VkQueue queue, std::span<const VkSemaphore> semaphores) {
  static constexpr std::array<std::uint64_t, kMaxWaitSemaphores> kBinary{};
  TANDEM_CHECK(semaphores.size() <= kBinary.size());
  return vulkan::ReleaseImage(device_->umd_device(), resource, queue, semaphores, std::span(kBinary).first(semaphores.size()));
}

bool RenderSession::CanAcquireImage(D3D10DDI_HRESOURCE resource) { return vulkan::CanAcquireImage(resource); }

Result<void> RenderSession::AcquireImage(D3D10DDI_HRESOURCE resource, VkSemaphore semaphore, VkFence fence) {
  return vulkan::AcquireImage(device_->umd_device(), resource, semaphore, fence);
}

}  // namespace tandem::system
