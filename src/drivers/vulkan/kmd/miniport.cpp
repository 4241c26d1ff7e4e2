#include "drivers/vulkan/kmd/miniport.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "base/log.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/common/node_link.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/dma_buf_export.h"
#include "drivers/vulkan/gpu/linear_image.h"
#include "drivers/vulkan/icd/enumeration.h"

namespace tandem::vulkan {
namespace {

// How long the end of an adapter or an allocation waits for an application that never finishes its rendering.
constexpr std::uint64_t kStopTimeoutNs = 2'000'000'000;

// As much of the text as fits, zero-terminated.
template <std::size_t kBytes>
void CopyText(const std::string& text, std::array<char, kBytes>& to) {
  to.fill('\0');
  std::memcpy(to.data(), text.data(), std::min(text.size(), kBytes - 1));
}

}  // namespace

Result<void> Miniport::Start(const DXGKRNL_INTERFACE& callbacks) {
  callbacks_ = callbacks;
  if (description_.borrowed.has_value() == description_.own.has_value()) {
    return Fail(ErrorKind::kInvalidArgument, "A device is either borrowed or its own; both or none were described.");
  }
  Result<std::unique_ptr<Gpu>> gpu = description_.borrowed ? Gpu::Adopt(*description_.borrowed) : Gpu::Open(*description_.own);
  if (!gpu.ok()) return std::move(gpu).error();
  gpu_ = std::move(*gpu);
  probe_ = ProbeImports(*gpu_, MonotonicClock());
  Log(LogLevel::kInfo, "{}: {}", gpu_->name(), probe_.Summary());
  if (description_.exporter != nullptr) description_.exporter->Attach(*gpu_);
  if (gpu_->abandoned()) return Fail(ErrorKind::kTimeout, "The Vulkan device {} did not answer the probe.", gpu_->name());
  MeasureLinks();
  auto link = drivers::StartLink(description_.link_bytes_per_second, nodes_.engines);
  if (!link.ok()) return std::move(link).error();
  link_ = *std::move(link);
  if (description_.connectors != nullptr) {
    Result<std::unique_ptr<Display>> display = Display::Create(*gpu_, interrupts_, description_.connectors);
    if (!display.ok()) return std::move(display).error();
    display_ = std::move(*display);
  }
  paging_ = std::make_unique<PagingRunner>(*gpu_, *this);
  blits_ = std::make_unique<BlitRunner>(*gpu_, nodes_, display_.get(), link_.get());
  commands_ = std::make_unique<CommandRunner>(
      CommandRunner::Parts{*gpu_, nodes_, *paging_, *blits_, interrupts_, display_.get(), link_.get()});
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    Result<std::unique_ptr<Engine>> engine = Engine::Create(*gpu_, *commands_, node, link_.get());
    if (!engine.ok()) return std::move(engine).error();
    nodes_.engines[node] = std::move(*engine);
    Result<std::unique_ptr<CommandCache>> cache = CommandCache::Create(*nodes_.engines[node], *gpu_);
    if (!cache.ok()) return std::move(cache).error();
    nodes_.caches[node] = std::move(*cache);
    nodes_.blitters[node] = Blitter::Create(*gpu_, *nodes_.engines[node], *nodes_.caches[node], description_);
  }
  tier_ = FindTier();
  Log(LogLevel::kDebug, "{}: backing stores {} shared with the driver.", gpu_->name(), ShareBackingStores() ? "are" : "are not");
  return {};
}

// A software device's memory is the system's: there is no link to speak of.
void Miniport::MeasureLinks() {
  if (gpu_->type() == VK_PHYSICAL_DEVICE_TYPE_CPU) return;
  const auto probe = ProbeLink(*gpu_, MonotonicClock());
  if (!probe.ok()) {
    Log(LogLevel::kWarn, "{}: its link to system memory was not measured: {}", gpu_->name(), probe.error().message);
    return;
  }
  link_probe_ = *probe;
  Log(LogLevel::kInfo, "{}: its link to system memory carries {} MB/s out and {} MB/s in, after {} and {} us (measured).",
      gpu_->name(), link_probe_.out.bytes_per_second / 1'000'000, link_probe_.in.bytes_per_second / 1'000'000,
      link_probe_.out.latency_ns / 1000, link_probe_.in.latency_ns / 1000);
}

// Tier 2: patterns passed through imported pages, and linear images over such pages can be drawn into, sampled and stored to in
// every format that displays scan out. Foreign memory cannot be scanned out through a window system, so there is no tier 3.
std::uint32_t Miniport::FindTier() const {
  const bool by_address = probe_.Works(PageWay::kAnonymous) || probe_.Works(PageWay::kMemfd);
  const bool by_dma_buf = probe_.dma_buf_image.state == ImportState::kWorks;
  if (!by_address && !by_dma_buf) return 1;
  if (std::string missing; !LinearImageUses(gpu_->vk(), gpu_->physical(), missing)) {
    Log(LogLevel::kDebug, "{} is of tier 1: {}", gpu_->name(), missing);
    return 1;
  }
  Result<AllocationData> probe = DescribeSurface(AllocationKind::kLinear, 256, 256, color::Format::kB8G8R8A8Unorm, 0);
  VkImageCreateInfo wanted{};
  wanted.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const auto offers = [&](VkExternalMemoryHandleTypeFlagBits type) { return OffersLinear(*gpu_, *probe, wanted, type).ok(); };
  const bool offered = probe.ok() && ((by_dma_buf && offers(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)) ||
                                      (by_address && offers(VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT)));
  return offered ? 2 : 1;
}

void Miniport::Stop() {
  if (gpu_ == nullptr) return;
  if (description_.exporter != nullptr) description_.exporter->Detach();
  bool quiet = true;
  for (const auto& engine : nodes_.engines) {
    if (engine == nullptr) continue;
    quiet = engine->Drain(static_cast<std::int64_t>(kStopTimeoutNs)) && quiet;
    // Acquires that were queued behind the last packet.
    if (quiet && !gpu_->lost()) {
      const std::uint64_t last = engine->Submit(VK_NULL_HANDLE, {});
      const VkResult result = last == 0 ? VK_ERROR_DEVICE_LOST : gpu_->Wait(engine->timeline(), last, kStopTimeoutNs);
      quiet = result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
    }
  }
  gpu_->AwaitLost();
  if (!quiet) {
    Log(LogLevel::kWarn, "{}: work did not end within {} ns; its objects stay.", gpu_->name(), kStopTimeoutNs);
    gpu_->Abandon();
  }
  // A device that answers ends a trial soon; of one that does not the engines' end lets it go.
  for (const auto& blitter : nodes_.blitters) {
    if (quiet && blitter != nullptr) blitter->StopTrials();
  }
  for (const auto& engine : nodes_.engines) {
    if (engine != nullptr) engine->Stop();
  }
  link_.reset();
  display_.reset();
  for (auto& blitter : nodes_.blitters) blitter.reset();
  for (auto& cache : nodes_.caches) cache.reset();
  for (auto& engine : nodes_.engines) engine.reset();
  commands_.reset();
  blits_.reset();
  paging_.reset();
  gpu_.reset();
}

AdapterData Miniport::Describe() {
  AdapterData data;
  data.cross_adapter_tier = tier_;
  data.vidpn_sources = vidpn_sources();
  for (std::size_t i = 0; i < kPageWays; ++i) {
    const WayProbe& way = probe_.ways[i];
    data.ways[i].state = way.state;
    data.ways[i].result = way.result;
    data.ways[i].write_ns = static_cast<std::uint64_t>(way.write_ns);
    data.ways[i].read_ns = static_cast<std::uint64_t>(way.read_ns);
    CopyText(way.reason, data.ways[i].reason);
  }
  data.dma_buf_images = probe_.dma_buf_image.state;
  data.import_alignment = gpu_->import_alignment();
  data.sync_files = gpu_->crossing().sync_fd && !gpu_->uses_fences() ? 1 : 0;
  data.fences_in = gpu_->fences_in();
  data.fences_out = gpu_->fences_out();
  data.link_out_bytes_per_second = link_probe_.out.bytes_per_second;
  data.link_in_bytes_per_second = link_probe_.in.bytes_per_second;
  data.link_out_latency_ns = link_probe_.out.latency_ns;
  data.link_in_latency_ns = link_probe_.in.latency_ns;
  data.shaders_code_links = gpu_->compute_queue() != nullptr && description_.links != BlitEngine::kProcessor ? 1 : 0;
  data.bounced_copies = commands_->bounced_copies();
  data.bounced_bytes = commands_->bounced_bytes();
  data.borrowed = gpu_->borrowed() ? 1 : 0;
  data.device_lost = gpu_->lost() ? 1 : 0;
  const std::lock_guard<std::mutex> lock(refusal_mutex_);
  CopyText(refusal_.empty() ? probe_.Summary() : refusal_, data.reason);
  return data;
}

std::string Miniport::DescribeState() {
  std::string text = fmt::format("{}{}\n", gpu_->name(), gpu_->lost() ? ": lost" : "");
  for (const auto& engine : nodes_.engines) {
    if (engine == nullptr) continue;
    const Engine::State state = engine->Describe();
    text += fmt::format("node {}: fence {} of {}, {} packets, timeline {} of {}\n", engine->node(), state.completed_fence,
                        state.newest_fence == 0 ? state.completed_fence : state.newest_fence, state.queued, state.gpu_value,
                        state.last_value);
  }
  return text;
}

void Miniport::DmaBufRefused(const std::string& reason) {
  Log(LogLevel::kWarn, "{}: pages of a shared surface are not imported by a dma-buf: {}", gpu_->name(), reason);
  const std::lock_guard<std::mutex> lock(refusal_mutex_);
  refusal_ = reason;
}

void Miniport::ImportRefused(const std::string& reason) {
  Log(LogLevel::kWarn, "Pages of a shared surface will be copied by the CPU: {}", reason);
  const std::lock_guard<std::mutex> lock(refusal_mutex_);
  refusal_ = reason;
}

bool Miniport::ShareBackingStores() const {
  if (callbacks_.DxgkCbQueryFeatureSupport == nullptr) return false;
  DXGKARGCB_QUERYFEATURESUPPORT query{};
  query.DeviceHandle = callbacks_.DeviceHandle;
  query.FeatureId = DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD;
  query.DriverSupportState = DXGK_FEATURE_SUPPORT_STABLE;
  return NT_SUCCESS(callbacks_.DxgkCbQueryFeatureSupport(&query)) && query.Enabled != FALSE;
}

color::Rotation Miniport::RotationOf(const Allocation& destination) const {
  if (destination.data().kind != AllocationKind::kPrimary) return color::Rotation::kIdentity;
  return rotations_[destination.data().vidpn_source].load(std::memory_order_acquire);
}

ImportWays Miniport::WaysOf(const SystemPages& pages) const {
  const auto may = [this](PageWay way) { return probe_.Of(way).state != ImportState::kRefused; };
  if (pages.fd < 0) return {.addresses = may(PageWay::kAnonymous)};
  const bool images = probe_.dma_buf_image.state == ImportState::kWorks;
  return {may(PageWay::kMemfd), probe_.Works(PageWay::kDmaBuf), images};
}

void Miniport::Forget(const Allocation& allocation) {
  gpu_->AwaitLost();
  // First layouts and acquires are no packets of the kernel's, so it does not wait for them.
  for (std::uint32_t timeline = 0; timeline < kTimelineCount && !gpu_->lost(); ++timeline) {
    const std::uint64_t value = allocation.LastUse(timeline);
    if (value == 0) continue;
    const VkResult result = gpu_->Wait(nodes_.TimelineOf(timeline), value, kStopTimeoutNs);
    if (result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST) continue;
    Log(LogLevel::kWarn, "{}: an allocation goes while the device still works on it; nothing is freed any more.", gpu_->name());
    gpu_->Abandon();
  }
  blits_->Forget(allocation);
  DropRecordings(allocation);
}

void Miniport::DropRecordings(const Allocation& allocation) {
  for (const auto& blitter : nodes_.blitters) blitter->Forget(allocation);
  if (display_ != nullptr) display_->Forget(allocation);
}

void Miniport::GiveFirstLayout(Allocation& allocation) {
  CommandCache::Key key;
  key.opcode = Opcode::kFirstLayout;
  key.source = &allocation;
  const bool recorded = nodes_.caches[kCopyNode]->Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordInitialLayout(gpu_->vk(), commands, allocation.image());
        return true;
      },
      [&](VkCommandBuffer commands) {
        const std::uint64_t value = nodes_.engines[kCopyNode]->Submit(commands, {});
        allocation.NoteUse(QueueTimeline(kCopyNode), value);
        return value;
      });
  if (!recorded) gpu_->MarkLost("The recording of a first layout", VK_ERROR_OUT_OF_HOST_MEMORY);
}

bool Miniport::IsSubmitted(const Allocation& allocation) const {
  if (gpu_->lost()) return true;  // nothing will come any more
  if (!allocation.all_submitted()) return false;
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (allocation.LastUse(WorkerTimeline(node)) > nodes_.engines[node]->signalled_late()) return false;
  }
  return true;
}

VkResult Miniport::AcquireImage(Allocation& allocation, VkSemaphore semaphore, VkFence fence) {
  if (allocation.released.exchange(false)) {
    CommandCache::Key key;
    key.opcode = Opcode::kReacquire;
    key.source = &allocation;
    const bool recorded = nodes_.caches[kCopyNode]->Use(
        key,
        [&](VkCommandBuffer commands, CommandCache::Keep&) {
          RecordReacquire(gpu_->vk(), commands, allocation);
          return true;
        },
        [&](VkCommandBuffer commands) {
          const std::uint64_t value =
              nodes_.engines[kCopyNode]->Submit(commands, WaitsOf(nodes_, kCopyNode, {nullptr, &allocation, 0, 0}));
          if (value != 0) allocation.NoteUse(QueueTimeline(kCopyNode), value);
          return value;
        });
    if (!recorded) {
      allocation.released.store(true);
      return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
  }
  std::array<VkSemaphore, kTimelineCount + 1> waits{};
  std::array<std::uint64_t, kTimelineCount + 1> values{};
  std::array<VkPipelineStageFlags, kTimelineCount + 1> stages{};
  std::uint32_t count = 0;
  // The program draws into pages that others may still read.
  std::unique_lock<std::mutex> turn;
  if (allocation.fences() != nullptr) {
    turn = allocation.fences()->Turn();
    waits[0] = allocation.fences()->WaitForOthers();
    stages[0] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    if (waits[0] != VK_NULL_HANDLE) ++count;
  }
  for (std::uint32_t timeline = 0; timeline < kTimelineCount; ++timeline) {
    if (allocation.LastUse(timeline) == 0) continue;
    waits[count] = nodes_.TimelineOf(timeline);
    values[count] = allocation.LastUse(timeline);
    stages[count] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    ++count;
  }
  const std::uint64_t ignored = 0;  // of a binary semaphore
  VkTimelineSemaphoreSubmitInfo timeline{};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.waitSemaphoreValueCount = count;
  timeline.pWaitSemaphoreValues = values.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.waitSemaphoreCount = count;
  info.pWaitSemaphores = waits.data();
  info.pWaitDstStageMask = stages.data();
  if (semaphore != VK_NULL_HANDLE) {
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &ignored;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &semaphore;
  }
  return gpu_->Submit(gpu_->queue(kCopyNode).handle, info, fence);
}

}  // namespace tandem::vulkan
