#include "system/frame_trial.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "color/copy.h"
#include "color/format.h"
#include "conform/recording_output.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/one_shot.h"
#include "drivers/vulkan/umd/application_images.h"
#include "drivers/vulkan/umd/umd_device.h"
#include "kernel/kernel.h"
#include "link/governor/governor.h"
#include "link/surface/link_slices.h"
#include "system/graphics.h"

namespace tandem::system {
namespace {

constexpr std::int64_t kPatienceNs = 10'000'000'000;
constexpr std::int64_t kRefreshPeriodNs = 4'000'000;
constexpr color::Format kFormat = color::Format::kB8G8R8A8Unorm;
constexpr LinkContent kContent = LinkContent::kGame;
constexpr std::uint64_t kAssumedLinkBytes = 8'000'000'000;  // where the link was not measured

// Both adapters in a kernel of their own.
class Pair {
 public:
  Result<void> Start(const config::AdapterInfo& render, const FrameTrialRequest& request) {
    config::AdapterInfo display = request.display.value_or(config::AdapterInfo());
    if (!request.display) display.driver = display.name = "soft";
    auto graphics = Graphics::Create(MonotonicClock(), {render, display}, {});
    if (!graphics.ok()) return std::move(graphics).error();
    graphics_ = *std::move(graphics);
    auto shows = request.display ? StartVulkanDisplay(display, request) : StartSoftDisplay(display);
    if (!shows.ok()) return shows;
    return StartRender(render, request);
  }

  [[nodiscard]] swapchain::RuntimeDevice& render() { return *render_; }
  [[nodiscard]] swapchain::RuntimeDevice& display() { return *display_; }
  // Null on a Vulkan display.
  [[nodiscard]] conform::RecordingOutput* output() { return output_.get(); }
  [[nodiscard]] std::uint64_t link_bytes_per_second() const { return link_bytes_per_second_; }

 private:
  Result<void> StartSoftDisplay(const config::AdapterInfo& display) {
    output_ = std::make_shared<conform::RecordingOutput>(kRefreshPeriodNs);
    soft_.connectors = soft::CreateConnectors(1);
    if (auto plugged = soft_.connectors->Plug(output_); !plugged.ok()) return std::move(plugged).error();
    auto shows = graphics_->AddSoftAdapter(&soft_, display);
    if (!shows.ok()) return std::move(shows).error();
    return OpenDisplay({*shows, &processor::ProcessorOpenAdapter10_2, display.name, {}, 0});
  }

  Result<void> StartVulkanDisplay(const config::AdapterInfo& display, const FrameTrialRequest& request) {
    vulkan_display_.own = vulkan::OwnDevice{display.icd_library, display.device_uuid, display.driver_uuid};
    vulkan_display_.connectors = vulkan::CreateWsiConnectors(1);
    auto shows = graphics_->AddVulkanAdapter(vulkan_display_, display);
    if (!shows.ok()) return std::move(shows).error();
    vulkan::WsiTarget window;
    window.width = request.width;
    window.height = request.height;
    auto plugged = vulkan_display_.connectors->Plug(window);
    if (!plugged.ok()) return std::move(plugged).error();
    auto imports = Graphics::VulkanImports(*shows);
    if (!imports.ok()) return std::move(imports).error();
    const std::string bounce = imports->memfd || imports->anonymous ? std::string() : imports->reason;
    return OpenDisplay({*shows, &vulkan::VulkanOpenAdapter10_2, display.name, bounce, 0, imports->link_in, {}});
  }

  Result<void> OpenDisplay(const swapchain::AdapterBinding& binding) {
    auto device = swapchain::RuntimeDevice::Create(binding);
    if (!device.ok()) return std::move(device).error();
    display_ = *std::move(device);
    return {};
  }

  Result<void> StartRender(const config::AdapterInfo& render, const FrameTrialRequest& request) {
    const bool by_processor = request.path == swapchain::PathRequest::kCpuCopy;
    vulkan_.own = vulkan::OwnDevice{render.icd_library, render.device_uuid, render.driver_uuid, !by_processor};
    vulkan_.links = vulkan::BlitEngine::kShader;
    auto draws = graphics_->AddVulkanAdapter(vulkan_, render);
    if (!draws.ok()) return std::move(draws).error();
    auto imports = Graphics::VulkanImports(*draws);
    if (!imports.ok()) return std::move(imports).error();
    const auto kind = imports->memfd ? kernel::BackingStoreKind::kMemfd : kernel::BackingStoreKind::kAnonymous;
    graphics_->kernel().SetBackingStorePreference(kind);
    link_bytes_per_second_ = imports->link_out.bytes_per_second;
    const bool imports_pages = imports->memfd || imports->anonymous;
    const std::string bounce = by_processor ? "the requested path imports no pages" : imports_pages ? "" : imports->reason;
    auto device =
        swapchain::RuntimeDevice::Create({*draws, &vulkan::VulkanOpenAdapter10_2, render.name, bounce, 0, imports->link_out, {}});
    if (!device.ok()) return std::move(device).error();
    render_ = *std::move(device);
    return {};
  }

  vulkan::DeviceDescription vulkan_;
  vulkan::DeviceDescription vulkan_display_;
  soft::DeviceDescription soft_;
  std::shared_ptr<conform::RecordingOutput> output_;
  std::unique_ptr<Graphics> graphics_;
  std::unique_ptr<swapchain::RuntimeDevice> display_;
  std::unique_ptr<swapchain::RuntimeDevice> render_;
  std::uint64_t link_bytes_per_second_ = 0;
};

// Uploads pictures into the swap chain's images, as a program's rendering would write them.
class Uploader {
 public:
  static Result<Uploader> Create(vulkan::Gpu& gpu, std::uint64_t bytes) {
    auto shot = vulkan::OneShot::Create(gpu, vulkan::kRenderNode);
    if (!shot.ok()) return std::move(shot).error();
    auto rows = vulkan::HostBuffer::CreateBounce(gpu, nullptr, bytes);
    if (!rows.ok()) return std::move(rows).error();
    return Uploader(gpu, *std::move(shot), *std::move(rows));
  }

  // The image is the display's again when this returns.
  Result<void> Upload(swapchain::RuntimeDevice& render, D3D10DDI_HRESOURCE resource, const std::vector<std::byte>& picture) {
    if (vulkan::ApplicationImage(resource) == VK_NULL_HANDLE) {
      return Fail(ErrorKind::kUnsupported, "{}", vulkan::ApplicationImageRefusal(resource));
    }
    const auto& image = *static_cast<const vulkan::UmdResource*>(resource.pDrvPrivate)->object();
    const auto [width, height] = std::pair(image.data().width, image.data().height);
    color::CopyRows(rows_->bounce(), image.pitch(), picture.data(), std::uint64_t{width} * 4, std::uint64_t{width} * 4, height);
    const color::BlitRect all{0, 0, width, height};
    const VkResult uploaded = shot_->Run(
        [&](VkCommandBuffer commands) {
          vulkan::RecordWriteBack(gpu_->vk(), commands, image, rows_->rows(), {&all, 1});
        },
        kPatienceNs);
    if (uploaded != VK_SUCCESS)
      return Fail(ErrorKind::kDeviceLost, "The upload of a picture answered {}.", vulkan::ToString(uploaded));
    return vulkan::ReleaseImage(render.umd_device(), resource, gpu_->queue(vulkan::kRenderNode).handle, {}, {});
  }

 private:
  Uploader(vulkan::Gpu& gpu, std::unique_ptr<vulkan::OneShot> shot, std::unique_ptr<vulkan::HostBuffer> rows)
      : gpu_(&gpu), shot_(std::move(shot)), rows_(std::move(rows)) {}
  vulkan::Gpu* gpu_;
  std::unique_ptr<vulkan::OneShot> shot_;
  std::unique_ptr<vulkan::HostBuffer> rows_;
};

// The picture as the processor brings it through the encoding, in the slices of a swap chain's frame.
Result<std::vector<std::byte>> Expected(const FrameTrialRequest& request, const std::vector<std::byte>& picture) {
  if (!request.encoding) return picture;
  const auto [width, height] = std::pair(request.width, request.height);
  std::vector<std::byte> surface(link::LinkSurfaceBytes(width, height));
  link::InitializeLinkSurface(surface, link::LinkSliceRows(height, swapchain::kDefaultLinkSlices));
  link::RequestLinkFrame(surface, 1, *request.encoding);
  const link::LinkRows rows{surface, 0, height};
  const std::uint64_t pitch = std::uint64_t{width} * 4;
  std::vector<std::byte> room;
  std::vector<std::byte> drawn = picture;
  std::vector<std::byte> shown(pitch * height);
  const auto coded = link::EncodeLinkRows(rows, {drawn.data(), pitch, kFormat, width, height}, MonotonicClock(), room);
  if (!coded.ok()) return coded.error();
  auto decoded = link::DecodeLinkRows(rows, {shown.data(), pitch, kFormat, width, height}, MonotonicClock(), room);
  if (!decoded.ok()) return std::move(decoded).error();
  return shown;
}

bool IsPicture(const conform::ShownPicture& shown, const std::vector<std::byte>& expected) {
  return shown.pixels.size() * 4 == expected.size() && std::memcmp(shown.pixels.data(), expected.data(), expected.size()) == 0;
}

// Pictures of the screen that are not the next expected one; a display may show one several times.
std::uint32_t CountWrong(const std::vector<conform::ShownPicture>& shown,
                         const std::array<std::vector<std::byte>, kLinkPictures>& expected, std::uint32_t frames) {
  std::uint32_t next = 0;
  std::uint32_t wrong = 0;
  for (const conform::ShownPicture& picture : shown) {
    if (next > 0 && IsPicture(picture, expected[(next - 1) % kLinkPictures])) continue;
    if (!IsPicture(picture, expected[next % kLinkPictures])) ++wrong;
    ++next;
  }
  return wrong + (next < frames ? frames - next : 0);
}

}  // namespace

Result<FrameTrial> TryFrames(const config::AdapterInfo& render, const FrameTrialRequest& request, LinkPictures& pictures) {
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  Pair pair;
  if (auto started = pair.Start(render, request); !started.ok()) return std::move(started).error();
  link::EncodingRequest encodings;
  if (request.encoding) encodings = link::EncodingRequest::Just(*request.encoding);
  encodings.asked_for = request.encoding.has_value();
  const std::uint64_t link = pair.link_bytes_per_second() != 0 ? pair.link_bytes_per_second() : kAssumedLinkBytes;
  link::Governor governor(
      {encodings.Built(), link::ContentKind::kAuto, request.width, request.height, kRefreshPeriodNs, link, 0});
  VkImageCreateInfo info{};
  info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  vulkan::SetApplicationImageInfo(pair.render().umd_device(), info);
  swapchain::SwapChainDesc desc;
  desc.width = request.width;
  desc.height = request.height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = request.encoding ? swapchain::PathRequest::kCompressed : request.path;
  desc.refresh_period_ns = kRefreshPeriodNs;
  desc.encodings = request.encoding ? &governor : nullptr;
  auto chain = swapchain::SwapChain::Create(pair.render(), pair.display(), desc, MonotonicClock());
  if (!chain.ok()) return std::move(chain).error();
  std::array<std::vector<std::byte>, kLinkPictures> expected;
  for (std::uint32_t i = 0; i < kLinkPictures; ++i) {
    auto picture = Expected(request, pictures.At(kContent, request.width, request.height, i));
    if (!picture.ok()) return std::move(picture).error();
    expected[i] = *std::move(picture);
  }
  const auto& first = *static_cast<const vulkan::UmdResource*>((*chain)->image(0).pDrvPrivate)->object();
  auto uploader = Uploader::Create(first.gpu(), std::uint64_t{first.pitch()} * request.height);
  if (!uploader.ok()) return std::move(uploader).error();

  FrameTrial trial;
  for (std::uint32_t frame = 0; frame < request.frames; ++frame) {
    const auto image = (*chain)->Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    if (auto copied = (*chain)->AwaitCopies(*image, kPatienceNs); !copied.ok()) return std::move(copied).error();
    const auto& picture = pictures.At(kContent, request.width, request.height, frame % kLinkPictures);
    auto uploaded = uploader->Upload(pair.render(), (*chain)->image(*image), picture);
    if (!uploaded.ok()) return std::move(uploaded).error();
    if (auto presented = (*chain)->Present(*image, frame + 1); !presented.ok()) return std::move(presented).error();
    if (frame != 0) continue;
    if (auto shown = (*chain)->WaitForPresent(1, kPatienceNs); !shown.ok()) return std::move(shown).error();
    trial.first_frame_ns = MonotonicClock().NowNs() - begin_ns;
  }
  if (auto shown = (*chain)->WaitForPresent(request.frames, kPatienceNs); !shown.ok()) return std::move(shown).error();
  if (pair.output() != nullptr) static_cast<void>(pair.output()->AwaitShown(request.frames));
  const swapchain::Statistics statistics = (*chain)->statistics();
  trial.path = (*chain)->decision().path;
  trial.reason = (*chain)->decision().reason;
  trial.frames_shown = static_cast<std::uint32_t>(statistics.frames_shown);
  if (pair.output() != nullptr) trial.wrong_frames = CountWrong(pair.output()->shown(), expected, request.frames);
  trial.latency_p50_ns = statistics.latency_p50_ns;
  const double shown = std::max<double>(1, static_cast<double>(statistics.frames_shown));
  trial.copies_per_frame = statistics.full_frame_copies / shown;
  trial.bytes_per_frame = static_cast<double>(statistics.bytes_moved) / shown;
  trial.link_bytes_per_frame = static_cast<double>(statistics.link_bytes) / shown;
  return trial;
}

}  // namespace tandem::system
