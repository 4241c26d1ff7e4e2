#include "layer/swapchain.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/cpu_time.h"
#include "base/limits.h"
#include "base/log.h"
#include "color/format.h"
#include "layer/device.h"
#include "layer/formats.h"
#include "layer/guard.h"
#include "layer/process.h"

namespace tandem::layer {
namespace {

std::int64_t ToDeadline(std::uint64_t timeout_ns) {
  constexpr auto kLongest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(timeout_ns, kLongest));
}

bool HasWindow(const system::WindowStatus& status) { return status.width != 0 && status.height != 0; }

}  // namespace

Swapchain::~Swapchain() {
  surface_->ForgetCurrent(handle());
  if (chain_) chain_->Retire();  // accepted frames are shown and counted
  if (stats_id_ != 0) Process::Get().stats().Close(stats_id_);
  chain_.reset();
  for (const auto& queue : frames_.all()) queue->Close();
}

swapchain::DisplayStatus Swapchain::Status() const {
  std::shared_ptr<system::DisplaySurface> shown_on;
  bool fitted = false;
  {
    const MutexLock lock(shown_on_mutex_);
    shown_on = shown_on_;
    fitted = fitted_;
  }
  if (shown_on == nullptr) return swapchain::DisplayStatus::kOk;
  const system::WindowStatus status = shown_on->Status();
  if (status.state == system::WindowState::kLost) {
    // The outputs of a lost adapter go with it, which says nothing of the window. The swap chain answers for the adapter.
    const bool adapter_lost = swapchain::IsLost(shown_on->display().kernel_device());
    return adapter_lost ? swapchain::DisplayStatus::kOk : swapchain::DisplayStatus::kLost;
  }
  const bool fits = fitted || !HasWindow(status) || (status.width == desc_.width && status.height == desc_.height);
  return fits ? swapchain::DisplayStatus::kOk : swapchain::DisplayStatus::kResized;
}

void Swapchain::BeginOn(system::DisplaySurface& output) {
  fitted_ = output.SetFit(fit_) && fit_.scaling != system::Scaling::kNone;
  output.SetBlending(blends_);
  output_written_before_ = output.output_written_bytes();
  reported_before_ = output.display_report();
}

Result<swapchain::NextDisplay> Swapchain::TakeNext() {
  std::shared_ptr<system::DisplaySurface> lost;  // released without the lock
  {
    const MutexLock lock(shown_on_mutex_);
    lost = std::move(shown_on_);
    if (lost != nullptr) written_by_lost_ += lost->output_written_bytes() - output_written_before_;
  }
  lost.reset();
  auto next = surface_->TakeNextOutput();
  if (!next.ok()) return std::move(next).error();
  system::DisplaySurface& output = **next;
  const MutexLock lock(shown_on_mutex_);
  shown_on_ = *next;
  BeginOn(output);
  return swapchain::NextDisplay{&output.display(), output.vidpn_source(), output.shown_depth(), output.slow_flips(),
                                output.refresh_period_ns()};
}

VkResult Swapchain::WindowState() const {
  switch (Status()) {
    case swapchain::DisplayStatus::kLost: return VK_ERROR_SURFACE_LOST_KHR;
    case swapchain::DisplayStatus::kResized: return VK_SUBOPTIMAL_KHR;
    case swapchain::DisplayStatus::kOk: break;
  }
  return VK_SUCCESS;
}

VkResult Swapchain::CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias) {
  return system::RenderSession::CreateAlias(chain_->image(0), allocator, alias);
}

VkResult Swapchain::BindAlias(VkImage alias, std::uint32_t index) {
  if (index >= images_.size()) return VK_ERROR_INITIALIZATION_FAILED;
  return system::RenderSession::BindAlias(chain_->image(index), alias);
}

VkResult Swapchain::Acquire(std::uint64_t timeout_ns, VkSemaphore semaphore, VkFence fence, std::uint32_t& index) {
  if (retired_.load(std::memory_order_relaxed)) return VK_ERROR_OUT_OF_DATE_KHR;
  const auto to_result = [timeout_ns](const Error& error) {
    return error.kind == ErrorKind::kTimeout && timeout_ns == 0 ? VK_NOT_READY : ToVkResult(error);
  };
  const Clock& clock = device_.instance->system->clock();
  const std::int64_t started_ns = clock.NowNs();
  auto acquired = chain_->Acquire(ToDeadline(timeout_ns));
  if (!acquired.ok()) return to_result(acquired.error());
  if (!system::RenderSession::CanAcquireImage(chain_->image(*acquired))) {
    // The copy waits for its turn before the device, after copies of other swap chains.
    const std::int64_t left_ns = ToDeadline(timeout_ns) - (clock.NowNs() - started_ns);
    const auto copied = chain_->AwaitCopies(*acquired, std::max<std::int64_t>(left_ns, 0));
    if (!copied.ok()) {
      static_cast<void>(chain_->Release(*acquired));
      return to_result(copied.error());
    }
  }
  const auto handed = session_.AcquireImage(chain_->image(*acquired), semaphore, fence);
  if (!handed.ok()) {
    Log(LogLevel::kError, "Image {} cannot be acquired. {}", *acquired, handed.error().message);
    static_cast<void>(chain_->Release(*acquired));
    return ToVkResult(handed.error());
  }
  index = *acquired;
  return WindowState();
}

VkResult Swapchain::QueuePresent(std::uint32_t index, std::uint64_t present_id, const Rendering& rendering,
                                 const swapchain::ShowAt& at) {
  const auto presented = Present(index, present_id, rendering, at);
  if (timings_) timings_->Presented(presented.ok());
  if (!presented.ok()) return ToVkResult(presented.error());
  const VkResult state = WindowState();
  return state == VK_SUBOPTIMAL_KHR && device_.instance->workarounds.quiet_presents ? VK_SUCCESS : state;
}

Result<void> Swapchain::Present(std::uint32_t index, std::uint64_t present_id, const Rendering& rendering,
                                const swapchain::ShowAt& at) {
  if (index >= images_.size()) return Fail(ErrorKind::kOutOfDate, "The swap chain has no image {}.", index);
  const std::int64_t now_ns = device_.instance->system->clock().NowNs();
  if (first_present_ns_.load(std::memory_order_relaxed) == 0) {
    cpu_before_ns_.store(ProcessCpuNs(), std::memory_order_relaxed);
    first_present_ns_.store(now_ns, std::memory_order_relaxed);
  }
  last_present_ns_.store(now_ns, std::memory_order_relaxed);
  const auto handed =
      session_.ReleaseImage(chain_->image(index), rendering.queue, std::span(rendering.semaphores, rendering.semaphore_count));
  if (!handed.ok()) {
    Log(LogLevel::kError, "Image {} cannot be released. {}", index, handed.error().message);
    return handed.error();
  }
  if (retired_.load(std::memory_order_relaxed)) {
    static_cast<void>(chain_->Release(index));
    return Fail(ErrorKind::kOutOfDate, "The swap chain is retired.");
  }
  return chain_->Present(index, present_id, at);
}

VkResult Swapchain::WaitForPresent(std::uint64_t present_id, std::uint64_t timeout_ns) {
  const auto shown = chain_->WaitForPresent(present_id, ToDeadline(timeout_ns));
  return shown.ok() ? VK_SUCCESS : ToVkResult(shown.error());
}

VkResult Swapchain::Release(std::uint32_t index) {
  const auto released = chain_->Release(index);
  return released.ok() ? VK_SUCCESS : ToVkResult(released.error());
}

void Swapchain::Retire() {
  if (!retired_.exchange(true)) chain_->Retire();
}

std::vector<status::PresentSpan> Swapchain::Presents() const {
  std::vector<status::PresentSpan> spans;
  std::vector<LUID> adapters{render_.binding().luid};
  if (const auto shown_on = this->shown_on()) adapters.push_back(shown_on->display().binding().luid);
  for (const LUID& adapter : adapters) {
    const auto presents = device_.instance->system->DdiPresentsOf(adapter);
    if (!presents) continue;
    const std::uint64_t name = std::uint64_t{static_cast<std::uint32_t>(adapter.HighPart)} << 32 | adapter.LowPart;
    const auto before = std::ranges::find(presents_before_, name, &status::PresentSpan::adapter);
    spans.push_back({name, before == presents_before_.end() ? *presents : before->to, *presents});
  }
  return spans;
}

status::LiveSwapChain Swapchain::Known(system::DisplaySurface& shown_on) const {
  status::LiveSwapChain known;
  known.width = desc_.width;
  known.height = desc_.height;
  known.present_mode = desc_.present_mode;
  const swapchain::PathDecision decision = chain_->decision();
  known.path = decision.path;
  known.path_reason = decision.reason;
  known.crossing_format = decision.crossing_format;
  known.yuv = desc_.link_colors.yuv;
  known.frame_bytes = desc_.frame_bytes;
  known.measured_link = swapchain::MeasuredLink(render_, shown_on.display()).bytes_per_second;
  known.emulated_link = render_.binding().emulated_link;
  known.render = render_.binding().name;
  known.display = shown_on.display().binding().name;
  return known;
}

std::string Swapchain::Dithering(const system::DisplaySurface& shown_on) const {
  const auto frames = static_cast<color::Format>(desc_.format);
  if (!Process::Get().settings()->dither || link::HasEightBits(frames)) return {};
  const swapchain::PathDecision decision = chain_->decision();
  const bool compressed = decision.path == swapchain::Path::kCompressed;
  const std::string why = shown_on.WhyNotDithered(decision.crossing_format);
  if (why.empty()) return "Colours of more than eight bits are dithered when they are reduced to eight.";
  return fmt::format("Colours of more than eight bits are {}: {}.",
                     compressed ? "dithered on the link, but not on the display" : "not dithered", why);
}

system::Seen Swapchain::SeenAt(std::int64_t shown_ns) const {
  const auto display = shown_on();
  return display == nullptr ? system::Seen{} : display->SeenAt(shown_ns);
}

std::optional<std::int64_t> Swapchain::SeenNs(std::int64_t shown_ns) const {
  const system::Seen seen = SeenAt(shown_ns);
  if (seen.fate == system::Fate::kPending) return std::nullopt;
  return seen.fate == system::Fate::kSeen ? seen.at_ns : shown_ns;
}

VkResult Swapchain::TakeTimings(VkPastPresentationTimingPropertiesEXT& past) const {
  return timings_->Take(past, [this](std::int64_t shown_ns) { return SeenAt(shown_ns); });
}

void Swapchain::RecordOutput(status::SwapChainRecord& record) const {
  const MutexLock lock(shown_on_mutex_);
  record.output_written_bytes = written_by_lost_;
  if (shown_on_ == nullptr) {
    record.shown_on = "no display adapter";
    return;
  }
  record.shown_on = shown_on_->description();
  record.dithering = Dithering(*shown_on_);
  record.output_written_bytes += shown_on_->output_written_bytes() - output_written_before_;
  if (const system::DisplayReport report = shown_on_->display_report(); report.reports) {
    record.display_counts = {report.seen - reported_before_.seen, report.replaced - reported_before_.replaced, report.pending};
  }
  record.display_tier = shown_on_->display().cross_adapter_tier();
  record.measured_link = swapchain::MeasuredLink(render_, shown_on_->display());
}

status::SwapChainRecord Swapchain::Record() const {
  status::SwapChainRecord record;
  record.width = desc_.width;
  record.height = desc_.height;
  record.format = ToString(ToVkFormat(desc_.format));
  record.images = chain_->image_count();
  record.present_mode = ToString(desc_.present_mode);
  record.decision = chain_->decision();
  record.events = chain_->events();
  record.display_changes = chain_->display_changes();
  record.statistics = chain_->statistics();
  record.frame_bytes = desc_.frame_bytes;
  record.frame_bytes_refusal = frame_bytes_refusal_;
  record.yuv = link::LinkYuvText(desc_.link_colors.yuv);
  record.render_tier = render_.cross_adapter_tier();
  record.emulated_link = render_.binding().emulated_link;
  RecordOutput(record);
  record.presents = Presents();
  const std::int64_t first_ns = first_present_ns_.load(std::memory_order_relaxed);
  if (first_ns != 0) {
    record.wall_ns = last_present_ns_.load(std::memory_order_relaxed) - first_ns;
    record.cpu_ns = ProcessCpuNs() - cpu_before_ns_.load(std::memory_order_relaxed);
  }
  return record;
}

}  // namespace tandem::layer
