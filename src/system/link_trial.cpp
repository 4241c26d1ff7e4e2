#include "system/link_trial.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "color/copy.h"
#include "drivers/processor/umd/umd_device.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "link/governor/governor.h"
#include "outputs/headless/headless_output.h"
#include "swapchain/swap_chain.h"

#include <d3dkmthk.h>

namespace tandem::system {
namespace {

// One more than the ring has, so that no buffer gets the same picture twice in succession.
constexpr std::uint32_t kImages = swapchain::kDefaultRingBuffers + 1;
static_assert(kImages == kLinkPictures);
constexpr std::int64_t kPatienceNs = 10'000'000'000;

// A kernel with a render adapter behind the link and a display adapter with a virtual screen.
class Pair {
 public:
  Result<void> Start(const LinkTrialRequest& request) {
    auto kernel = kernel::Kernel::Create(MonotonicClock());
    if (!kernel.ok()) return std::move(kernel).error();
    kernel_ = *std::move(kernel);
    auto driver = kernel_->LoadDriver(soft::SoftDriverEntry, "soft");
    if (!driver.ok()) return std::move(driver).error();
    outputs::HeadlessOptions options;
    options.refresh_hz = request.frames_per_second;
    auto output = outputs::CreateHeadlessOutput(options);
    if (!output.ok()) return std::move(output).error();
    display_description_.connectors = soft::CreateConnectors(1);
    display_description_.scans_out_nv12 = request.scan_out_nv12;
    if (auto plugged = display_description_.connectors->Plug(*std::move(output)); !plugged.ok())
      return std::move(plugged).error();
    render_description_.link_bytes_per_second = request.link_bytes_per_second;
    auto render = Add(**driver, render_description_, "render");
    if (!render.ok()) return std::move(render).error();
    render_ = *std::move(render);
    auto display = Add(**driver, display_description_, "display");
    if (!display.ok()) return std::move(display).error();
    display_ = *std::move(display);
    return {};
  }
  ~Pair() {
    render_.reset();
    display_.reset();
  }

  [[nodiscard]] swapchain::RuntimeDevice& render() { return *render_; }
  [[nodiscard]] swapchain::RuntimeDevice& display() { return *display_; }
  [[nodiscard]] std::uint64_t scanned_out_bytes() const { return display_description_.connectors->CountersOf(0).written_bytes; }

 private:
  Result<std::unique_ptr<swapchain::RuntimeDevice>> Add(kernel::Driver& driver, soft::DeviceDescription& description,
                                                        const char* name) {
    auto luid = kernel_->AddAdapter(driver, &description, name);
    if (!luid.ok()) return std::move(luid).error();
    return swapchain::RuntimeDevice::Create(
        {*luid, processor::ProcessorOpenAdapter10_2, name, {}, description.link_bytes_per_second});
  }

  soft::DeviceDescription render_description_;
  soft::DeviceDescription display_description_;
  std::unique_ptr<kernel::Kernel> kernel_;
  std::unique_ptr<swapchain::RuntimeDevice> render_;
  std::unique_ptr<swapchain::RuntimeDevice> display_;
};

Result<void> Fill(swapchain::RuntimeDevice& render, const swapchain::SwapChain& chain, const LinkTrialRequest& request,
                  LinkPictures& pictures) {
  for (std::uint32_t i = 0; i < chain.image_count(); ++i) {
    const processor::UmdResource& image = processor::FromHandle(chain.image(i));
    D3DKMT_LOCK2 lock{};
    lock.hDevice = render.kernel_device();
    lock.hAllocation = image.allocation;
    if (!NT_SUCCESS(D3DKMTLock2(&lock))) return Fail(ErrorKind::kInternal, "An image of the trial cannot be mapped.");
    const auto& picture = pictures.At(request.content, request.width, request.height, i);
    const std::uint64_t row = std::uint64_t{request.width} * 4;
    color::CopyRows(static_cast<std::byte*>(lock.pData), image.data.pitch, picture.data(), row, row, request.height);
    const D3DKMT_UNLOCK2 unlock{render.kernel_device(), image.allocation};
    static_cast<void>(D3DKMTUnlock2(&unlock));
  }
  return {};
}

// A pair, a governor and a swap chain with pictures in its images.
struct Trial {
  Pair pair;
  std::optional<link::Governor> governor;
  std::unique_ptr<swapchain::SwapChain> chain;

  Result<void> Start(const LinkTrialRequest& request, swapchain::PresentMode mode, LinkPictures& pictures) {
    if (auto started = pair.Start(request); !started.ok()) return started;
    const auto refresh_ns = static_cast<std::int64_t>(1e9 / request.frames_per_second);
    governor.emplace(link::GovernorDesc{request.encodings.Built(), link::ContentKind::kAuto, request.width, request.height,
                                        refresh_ns, request.link_bytes_per_second, 0});
    swapchain::SwapChainDesc desc;
    desc.width = request.width;
    desc.height = request.height;
    desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    desc.image_count = kImages;
    desc.present_mode = mode;
    desc.path = swapchain::PathRequest::kCompressed;
    desc.refresh_period_ns = refresh_ns;
    desc.encodings = &*governor;
    desc.link_slices = request.slices;
    auto made = swapchain::SwapChain::Create(pair.render(), pair.display(), desc, MonotonicClock());
    if (!made.ok()) return std::move(made).error();
    chain = *std::move(made);
    return Fill(pair.render(), *chain, request, pictures);
  }
};

// Presents until `end_ns`.
Result<void> PresentUntil(swapchain::SwapChain& chain, std::int64_t end_ns) {
  while (MonotonicClock().NowNs() < end_ns) {
    const auto image = chain.Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    if (auto presented = chain.Present(*image, 0); !presented.ok()) return presented;
  }
  return {};
}

}  // namespace

Result<LinkLatency> TryLinkLatency(LinkTrialRequest request, LinkPictures& pictures) {
  request.frames_per_second = 1000;
  Trial trial;
  if (auto started = trial.Start(request, swapchain::PresentMode::kImmediate, pictures); !started.ok())
    return std::move(started).error();
  const std::int64_t end_ns = MonotonicClock().NowNs() + static_cast<std::int64_t>(request.seconds * 1e9);
  // Exact times; a swap chain's own figures come from buckets up to 3 % wide.
  std::vector<std::int64_t> took_ns;
  while (took_ns.size() < 2 * kImages || MonotonicClock().NowNs() < end_ns) {
    const auto image = trial.chain->Acquire(kPatienceNs);
    if (!image.ok()) return image.error();
    const std::int64_t begin_ns = MonotonicClock().NowNs();
    const std::uint64_t id = took_ns.size() + 1;
    if (auto presented = trial.chain->Present(*image, id); !presented.ok()) return std::move(presented).error();
    if (auto shown = trial.chain->WaitForPresent(id, kPatienceNs); !shown.ok()) return std::move(shown).error();
    took_ns.push_back(MonotonicClock().NowNs() - begin_ns);
  }
  const double bytes = static_cast<double>(trial.chain->statistics().link_bytes) / static_cast<double>(took_ns.size());
  const auto middle = took_ns.begin() + static_cast<std::ptrdiff_t>(took_ns.size() / 2);
  std::ranges::nth_element(took_ns, middle);
  return LinkLatency{*middle, static_cast<std::int64_t>(bytes * 1e9 / static_cast<double>(request.link_bytes_per_second))};
}

Result<LinkTrial> TryLink(const LinkTrialRequest& request, LinkPictures& pictures) {
  Trial setup;
  if (auto started = setup.Start(request, swapchain::PresentMode::kFifo, pictures); !started.ok())
    return std::move(started).error();
  swapchain::SwapChain& chain = *setup.chain;
  const auto span_ns = static_cast<std::int64_t>(request.seconds * 1e9);
  if (auto warm = PresentUntil(chain, MonotonicClock().NowNs() + span_ns / 4); !warm.ok()) return std::move(warm).error();
  const swapchain::Statistics before = chain.statistics();
  const std::uint64_t scanned_before = setup.pair.scanned_out_bytes();
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  if (auto ran = PresentUntil(chain, begin_ns + span_ns); !ran.ok()) return std::move(ran).error();
  const swapchain::Statistics after = chain.statistics();
  const std::uint64_t scanned_after = setup.pair.scanned_out_bytes();
  const auto elapsed_ns = static_cast<double>(MonotonicClock().NowNs() - begin_ns);

  LinkTrial trial;
  const std::uint64_t shown = after.frames_shown - before.frames_shown;
  trial.frames_per_second = static_cast<double>(shown) * 1e9 / elapsed_ns;
  std::uint64_t encoded = 0;
  for (std::uint32_t i = 0; i < link::kLinkEncodings; ++i) {
    trial.frames[i] = after.frames_by_encoding[i] - before.frames_by_encoding[i];
    encoded += trial.frames[i];
  }
  if (encoded != 0)
    trial.bytes_per_frame = static_cast<double>(after.link_bytes - before.link_bytes) / static_cast<double>(encoded);
  if (shown != 0) {
    const std::uint64_t written = after.bytes_moved - before.bytes_moved + scanned_after - scanned_before;
    trial.bytes_written_per_frame = static_cast<double>(written) / static_cast<double>(shown);
  }
  trial.latency_p50_ns = after.latency_p50_ns;
  trial.reason = after.encoding_reason;
  return trial;
}

}  // namespace tandem::system
