#include "color/format.h"
#include "config/adapter_info.h"
#include "config/card_selector.h"
#include "config/settings.h"
#include "layer/swapchain.h"
#include "link/governor/encodings.h"
#include "link/governor/governor.h"
#include "link/surface/link_slices.h"
#include "link/surface/link_surface.h"
#include "status/live_process.h"
#include "status/live_record.h"
#include "swapchain/runtime_device.h"
#include "swapchain/swap_chain.h"
#include "system/render_session.h"
#include "system/system.h"

#include <algorithm>

#include <unistd.h>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/log.h"
#include "layer/chain.h"
#include "layer/device.h"
#include "layer/formats.h"
#include "layer/guard.h"
#include "layer/newer_vulkan.h"
#include "layer/present_scaling.h"
#include "layer/process.h"
#include "layer/surface_queries.h"

#include <d3d10umddi.h>

namespace tandem::layer {
namespace {

constexpr VkSwapchainCreateFlagsKHR kUnderstoodFlags =
    VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR | VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT |
    VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR | VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR |
    VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT;

// The image that the application would get from its own driver.
VkImageCreateInfo ToImageInfo(const VkSwapchainCreateInfoKHR& info) {
  auto image = Structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, nullptr);
  if ((info.flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR) != 0) {
    image.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  }
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = info.imageFormat;
  image.extent = {info.imageExtent.width, info.imageExtent.height, 1};
  image.mipLevels = 1;
  image.arrayLayers = info.imageArrayLayers;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.tiling = VK_IMAGE_TILING_OPTIMAL;
  image.usage = info.imageUsage;
  image.sharingMode = info.imageSharingMode;
  image.queueFamilyIndexCount = info.imageSharingMode == VK_SHARING_MODE_CONCURRENT ? info.queueFamilyIndexCount : 0;
  image.pQueueFamilyIndices = info.pQueueFamilyIndices;
  image.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  return image;
}

UINT ToBindFlags(VkImageUsageFlags usage) {
  UINT flags = 0;
  if ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0) flags |= D3D10_DDI_BIND_RENDER_TARGET;
  if ((usage & (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT)) != 0) flags |= D3D10_DDI_BIND_SHADER_RESOURCE;
  return flags;
}

// Fails for parameters that the surface or the device does not support.
Result<void> CheckAgainstSurface(const VkSwapchainCreateInfoKHR& info, Surface& surface, const Instance& instance,
                                 const system::DisplayWindow& window) {
  if ((info.flags & ~kUnderstoodFlags) != 0) {
    return Fail(ErrorKind::kUnsupported, "Swap chain flags {:#x} are not supported; the supported ones are {:#x}.", info.flags,
                kUnderstoodFlags);
  }
  if (info.imageArrayLayers != 1)
    return Fail(ErrorKind::kLimit, "The swap chain has {} array layers; the limit is 1.", info.imageArrayLayers);
  const auto [width, height] = info.imageExtent;
  if (width == 0 || height == 0 || width > kMaxSurfaceExtent || height > kMaxSurfaceExtent) {
    return Fail(ErrorKind::kLimit, "The swap chain has {} x {} pixels; 1 to {} are allowed.", width, height, kMaxSurfaceExtent);
  }
  if (info.minImageCount > kMaxAppImages) {
    return Fail(ErrorKind::kLimit, "The swap chain has {} images; the limit is {}.", info.minImageCount, kMaxAppImages);
  }
  auto formats = FormatsOf(surface, instance);
  if (!formats.ok()) return formats.error();
  const bool known_format = std::any_of(formats->begin(), formats->end(), [&info](const VkSurfaceFormatKHR& known) {
    return known.format == info.imageFormat && known.colorSpace == info.imageColorSpace;
  });
  if (!known_format) {
    return Fail(ErrorKind::kUnsupported, "The surface does not support format {} with colour space {}.",
                static_cast<int>(info.imageFormat), static_cast<int>(info.imageColorSpace));
  }
  const auto mode = ToPresentMode(info.presentMode);
  const auto modes = window.present_modes();
  if (!mode.has_value() || std::find(modes.begin(), modes.end(), *mode) == modes.end()) {
    return Fail(ErrorKind::kUnsupported, "The surface does not support present mode {}.", static_cast<int>(info.presentMode));
  }
  return {};
}

// Requires that an image of the application's driver backs the resource.
class HasVulkanImage final : public swapchain::ImageCheck {
 public:
  [[nodiscard]] Result<void> Check(D3D10DDI_HRESOURCE image) const override {
    if (system::RenderSession::Image(image) != VK_NULL_HANDLE) return {};
    const std::string refusal = system::RenderSession::WhyNoImage(image);
    return Fail(ErrorKind::kUnsupported, "{}", refusal.empty() ? "The resource has no Vulkan image." : refusal);
  }
};

bool DeviceTakes(const Device& device, const VkImageCreateInfo& image) {
  VkImageFormatProperties properties{};
  const VkResult result = device.instance->next.GetPhysicalDeviceImageFormatProperties(
      device.physical_device, image.format, image.imageType, image.tiling, image.usage, image.flags, &properties);
  return result == VK_SUCCESS && image.extent.width <= properties.maxExtent.width &&
         image.extent.height <= properties.maxExtent.height;
}

// The encodings that keep alpha.
link::EncodingRequest WithAlpha(const link::EncodingRequest& encodings) {
  return encodings.Allows(link::LinkEncoding::kPlain) ? link::EncodingRequest::Just(link::LinkEncoding::kPlain)
                                                      : link::EncodingRequest{.allowed = {}};
}

}  // namespace

VkResult Swapchain::Create(Device& device, std::shared_ptr<Surface> surface, const VkSwapchainCreateInfoKHR& info,
                           void* handle_memory, std::shared_ptr<Swapchain>& created) {
  // The old swap chain is retired even if the creation of the new one fails.
  const auto old = info.oldSwapchain == VK_NULL_HANDLE ? nullptr : device.swapchains.Find(info.oldSwapchain);
  if (old != nullptr) old->Retire();
  const VkSwapchainKHR current = surface->current();
  if (current != VK_NULL_HANDLE && current != info.oldSwapchain) return VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;

  auto window = surface->Look();
  if (!window.ok()) return ToVkCreationResult(window.error());
  const auto checked = CheckAgainstSurface(info, *surface, *device.instance, **window);
  if (!checked.ok()) {
    Process::Get().stats().RefuseSwapChain(checked.error().message);
    return ToVkCreationResult(checked.error());
  }
  // The render adapter first: the memory between both is chosen before the display adapter starts.
  auto session = device.Session();
  if (!session.ok()) {
    Process::Get().stats().RefuseSwapChain("The render adapter cannot be started. " + session.error().message);
    return ToVkCreationResult(session.error());
  }
  auto shown_on = surface->TakeOutput();
  if (!shown_on.ok()) {
    Process::Get().stats().RefuseSwapChain(shown_on.error().message);
    return ToVkCreationResult(shown_on.error());
  }
  std::shared_ptr<Swapchain> made(new Swapchain(device, std::move(surface), *shown_on, **session, handle_memory));
  const VkResult result = made->CreateChain(info);
  if (result != VK_SUCCESS) return result;
  made->surface_->SetCurrent(made->handle());
  created = std::move(made);
  return VK_SUCCESS;
}

// Restricts `encodings` to those that keep a frame within the user's byte limit. kLimit when none remains.
Result<void> Swapchain::KeepWithin(const config::Settings& settings, link::EncodingRequest& encodings) {
  if (settings.frame_bytes == 0) return {};
  const std::string bytes = link::FrameBytesText(settings.frame_bytes);
  const bool compresses = settings.path == swapchain::PathRequest::kAuto || settings.path == swapchain::PathRequest::kCompressed;
  if (encodings.off() || !compresses) {
    frame_bytes_refusal_ = fmt::format("Frames may have more than {}: {}.", bytes,
                                       encodings.off() ? "no encoding is allowed" : "the requested path does not encode them");
    return {};
  }
  if (link::StaysExact(settings.content)) {
    frame_bytes_refusal_ =
        fmt::format("Frames may have more than {}: content {} keeps them exact.", bytes, ToString(settings.content));
    return {};
  }
  const color::Format format = link::LinkedFormat(static_cast<color::Format>(desc_.format), desc_.link_colors);
  const std::uint32_t slice_rows = link::LinkSliceRows(desc_.height, desc_.link_slices);
  const link::EncodingRequest within = encodings.Within(settings.frame_bytes, {format, desc_.width, desc_.height, slice_rows});
  if (within.off()) {
    return Fail(ErrorKind::kLimit,
                "None of the encodings that are allowed ({}) keeps a frame of {} x {} pixels within {}; lossless, which may lose "
                "bits for it, does from {} bytes on.",
                link::ToString(encodings), desc_.width, desc_.height, bytes,
                link::LeastLinkFrameBytes(format, desc_.width, desc_.height, slice_rows));
  }
  encodings = within;
  desc_.frame_bytes = settings.frame_bytes;
  return {};
}

void Swapchain::OpenFrameLogs(const config::Settings& settings) {
  if (settings.frame_log.empty() && settings.trace.empty()) return;
  const system::System& system = *device_.instance->system;
  const config::AdapterInfo& render = system.render_adapter();
  const config::AdapterInfo& display = system.display_adapter();
  const status::FrameLogRun run{.begin_ns = system.clock().NowNs(),
                                .pid = getpid(),
                                .program = status::ExecutableName(),
                                .render_adapter = render.name,
                                .driver = render.driver_detail,
                                .render_gpu = render.index,
                                .display_adapter = display.name,
                                .display_gpu = display.index};
  Process& process = Process::Get();
  if (!settings.frame_log.empty()) {
    frames_.Add(process.frame_log().Open(settings.frame_log, status::FormatOf(settings.frame_log_format), run));
  }
  if (!settings.trace.empty()) frames_.Add(process.trace().Open(settings.trace, status::TraceFormatOfFrames(), run));
}

VkResult Swapchain::CreateChain(const VkSwapchainCreateInfoKHR& info) {
  VkImageCreateInfo image = ToImageInfo(info);
  if (!DeviceTakes(device_, image)) {
    Log(LogLevel::kError, "The render adapter has no image of format {} with usage {:#x}.", ToString(image.format), image.usage);
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  auto views = Structure<VkImageFormatListCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr);
  if (const auto* list = Find<VkImageFormatListCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO)) {
    views.viewFormatCount = list->viewFormatCount;
    views.pViewFormats = list->pViewFormats;
    image.pNext = &views;
  }
  session_.SetImageInfo(image);

  const config::Settings& settings = *Process::Get().settings();
  const auto output = this->shown_on();
  system::DisplaySurface& shown_on = *output;
  desc_.width = info.imageExtent.width;
  desc_.height = info.imageExtent.height;
  desc_.format = ToDxgiFormat(info.imageFormat);
  const config::BufferCounts& buffers = settings.buffers;
  desc_.image_count = std::clamp(std::max(info.minImageCount, buffers.images), 2U, kMaxAppImages);
  if (buffers.ring != 0) desc_.ring_buffers = buffers.ring;
  desc_.display_buffers = buffers.display;
  desc_.present_mode = settings.present_mode.value_or(ToPresentMode(info.presentMode).value_or(swapchain::PresentMode::kFifo));
  desc_.slow_flips = shown_on.slow_flips();
  desc_.path = settings.path;
  desc_.shown_depth = shown_on.shown_depth();
  desc_.link_colors = {settings.dither, desc_.shown_depth != swapchain::ShownDepth::kEightBits, settings.yuv};
  link::EncodingRequest encodings = settings.encodings.Built();
  const bool blends = info.compositeAlpha == VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR;
  if (blends) encodings = WithAlpha(encodings);
  if (auto kept = KeepWithin(settings, encodings); !kept.ok()) {
    Process::Get().stats().RefuseSwapChain(kept.error().message);
    return ToVkCreationResult(kept.error());
  }
  if (!encodings.off()) {
    link::GovernorDesc governor{encodings, settings.content, desc_.width, desc_.height, shown_on.refresh_period_ns(), 0, 0};
    governor.link_bytes_per_second = render_.binding().emulated_link;
    const LinkMeasure measured = swapchain::MeasuredLink(render_, shown_on.display());
    if (governor.link_bytes_per_second == 0 && measured.bytes_per_second != 0) {
      governor.link_bytes_per_second = measured.bytes_per_second;
      governor.link_latency_ns = std::max<std::int64_t>(measured.latency_ns, 1);
    }
    governor.format = link::LinkedFormat(static_cast<color::Format>(desc_.format), desc_.link_colors);
    governor_.emplace(governor);
    desc_.encodings = &*governor_;
    // Plain frames would exceed the limit.
    const bool limited = desc_.frame_bytes != 0 && !encodings.Allows(link::LinkEncoding::kPlain);
    if ((encodings.asked_for || limited) && settings.path == swapchain::PathRequest::kAuto) {
      desc_.path = swapchain::PathRequest::kCompressed;
    }
  }
  desc_.vidpn_source = shown_on.vidpn_source();
  desc_.bind_flags = ToBindFlags(info.imageUsage);
  desc_.refresh_period_ns = shown_on.refresh_period_ns();
  desc_.display_status = this;
  desc_.succession = this;
  desc_.hud = settings.hud;
  desc_.live = &live_.emplace(Process::Get().live());
  OpenFrameLogs(settings);
  desc_.frames = frames_.all().empty() ? nullptr : &frames_;
  if ((info.flags & VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT) != 0) {
    timings_ = std::make_unique<PresentTimings>(desc_.frames);
    desc_.frames = timings_.get();
    desc_.timed = true;
  }
  const HasVulkanImage image_check;
  desc_.image_check = &image_check;
  {
    const MutexLock lock(shown_on_mutex_);
    fit_ = ToFit(info);
    blends_ = blends;
    BeginOn(shown_on);
  }
  auto chain = swapchain::SwapChain::Create(render_, shown_on.display(), desc_, device_.instance->system->clock());
  if (!chain.ok()) {
    Process::Get().stats().RefuseSwapChain(chain.error().message);
    return ToVkCreationResult(chain.error());
  }
  desc_.image_check = nullptr;
  chain_ = *std::move(chain);
  const status::LiveSwapChain known = Known(shown_on);
  live_->Begin(known);
  for (const auto& queue : frames_.all()) {
    queue->present_mode = desc_.present_mode;
    queue->whole_display = device_.instance->system->display_adapter().driver == config::kCardKind;
    queue->link = known.emulated_link != 0 ? "emulated" : known.measured_link != 0 ? "measured" : "none";
  }
  for (std::uint32_t index = 0; index < chain_->image_count(); ++index) {
    images_.push_back(system::RenderSession::Image(chain_->image(index)));
  }
  Log(LogLevel::kInfo, "Swap chain {} x {} {} {}: path {}. {}", desc_.width, desc_.height, ToString(info.imageFormat),
      ToString(desc_.present_mode), swapchain::ToString(chain_->decision().path), chain_->decision().reason);
  presents_before_ = Presents();
  stats_id_ = Process::Get().stats().Open([this] { return Record(); });
  return VK_SUCCESS;
}

}  // namespace tandem::layer
