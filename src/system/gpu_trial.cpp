#include "system/gpu_trial.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "drivers/vulkan/gpu/engine.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/link_probe.h"
#include "drivers/vulkan/gpu/memory_trial.h"
#include "drivers/vulkan/gpu/probe.h"
#include "drivers/vulkan/link/link_shader.h"

namespace tandem::system {
namespace {

constexpr std::int64_t kDrainNs = 5'000'000'000;

std::string UsesOf(VkQueueFlags flags) {
  std::string text;
  for (const auto& [bit, name] : {std::pair{VK_QUEUE_GRAPHICS_BIT, "graphics"},
                                  {VK_QUEUE_COMPUTE_BIT, "compute"},
                                  {VK_QUEUE_TRANSFER_BIT, "transfer"},
                                  {VK_QUEUE_SPARSE_BINDING_BIT, "sparse"}}) {
    if ((flags & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string ToText(vulkan::ImportState state) {
  switch (state) {
    case vulkan::ImportState::kWorks: return "works";
    case vulkan::ImportState::kRefused: return "refused";
    case vulkan::ImportState::kUntested: break;
  }
  return "untested";
}

class Trial final : public GpuTrial, public vulkan::Engine::Owner {
 public:
  ~Trial() override {
    shader_.reset();
    if (engine_ == nullptr) return;
    engine_->Drain(kDrainNs);
    engine_->Stop();
  }

  Result<void> Start(const config::AdapterInfo& adapter) {
    auto gpu = vulkan::Gpu::Open({adapter.icd_library, adapter.device_uuid, adapter.driver_uuid});
    if (!gpu.ok()) return std::move(gpu).error();
    gpu_ = *std::move(gpu);
    return {};
  }

  [[nodiscard]] GpuFacts Facts() const override {
    const vulkan::Dispatch& vk = gpu_->vk();
    const VkPhysicalDeviceProperties properties = vk.ReadProperties(gpu_->physical());
    GpuFacts facts;
    const std::uint32_t version = properties.apiVersion;
    facts.vulkan_version =
        fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    VkPhysicalDeviceMemoryProperties memory{};
    vk.GetPhysicalDeviceMemoryProperties(gpu_->physical(), &memory);
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
      facts.heaps.push_back({memory.memoryHeaps[i].size, (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0});
    }
    std::uint32_t count = 0;
    vk.GetPhysicalDeviceQueueFamilyProperties(gpu_->physical(), &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vk.GetPhysicalDeviceQueueFamilyProperties(gpu_->physical(), &count, families.data());
    for (const VkQueueFamilyProperties& family : families) {
      facts.families.push_back({UsesOf(family.queueFlags), family.queueCount, family.timestampValidBits});
    }
    facts.import_alignment_bytes = gpu_->import_alignment();
    facts.max_storage_bytes = properties.limits.maxStorageBufferRange;
    facts.max_image_extent = properties.limits.maxImageDimension2D;
    return facts;
  }

  Result<GpuSharing> TrySharing() override {
    const vulkan::ImportProbe probe = vulkan::ProbeImports(*gpu_, MonotonicClock());
    const auto found = [&probe](vulkan::PageWay way) { return ToText(probe.Of(way).state); };
    GpuSharing sharing;
    sharing.anonymous = found(vulkan::PageWay::kAnonymous);
    sharing.memfd = found(vulkan::PageWay::kMemfd);
    sharing.dma_buf = found(vulkan::PageWay::kDmaBuf);
    sharing.exported = found(vulkan::PageWay::kExported);
    sharing.reason = probe.Summary();
    const auto link = vulkan::ProbeLink(*gpu_, MonotonicClock());
    if (!link.ok()) return link.error();
    sharing.out = link->out;
    sharing.in = link->in;
    return sharing;
  }

  Result<GpuMemory> TryMemory() override {
    const auto local = vulkan::TimeLocalCopies(*gpu_, MonotonicClock());
    if (!local.ok()) return local.error();
    const auto overlap = vulkan::TimeOverlap(*gpu_, MonotonicClock());
    if (!overlap.ok()) return overlap.error();
    return GpuMemory{*local, overlap->separate_queues, overlap->out_ns, overlap->work_ns, overlap->both_ns, overlap->Share()};
  }

  Result<GpuCoding> TryCoding(const GpuCodingRequest& request, LinkPictures& pictures) override {
    if (auto ready = MakeShader(); !ready.ok()) return std::move(ready).error();
    const auto direction = request.encodes ? vulkan::LinkDirection::kEncode : vulkan::LinkDirection::kDecode;
    const auto& picture = pictures.At(LinkContent::kGame, request.width, request.height, 0);
    const std::atomic<bool> stop{false};
    const auto tried = shader_->Try({direction, request.encoding}, picture, request.width, request.height, stop);
    if (!tried.ok()) return tried.error();
    return GpuCoding{tried->bytes,           tried->coding_ns,          tried->crossing_ns,
                     tried->times.shader_ns, tried->times.processor_ns, tried->same};
  }

 private:
  // No packets are queued.
  void Execute(vulkan::Engine& /*engine*/, vulkan::Packet& /*packet*/) override {}
  void Finish(vulkan::Engine& /*engine*/, vulkan::Packet& /*packet*/) override {}
  void GivenBack(const vulkan::Packet& /*packet*/) override {}
  void Completed(std::uint32_t /*node*/, UINT /*fence*/) override {}

  Result<void> MakeShader() {
    if (shader_ != nullptr) return {};
    if (engine_ == nullptr) {
      auto engine = vulkan::Engine::Create(*gpu_, *this, vulkan::kCopyNode, nullptr);
      if (!engine.ok()) return std::move(engine).error();
      engine_ = *std::move(engine);
    }
    auto shader = vulkan::LinkShader::Create(*gpu_, *engine_);
    if (!shader.ok()) return std::move(shader).error();
    shader_ = *std::move(shader);
    return {};
  }

  std::unique_ptr<vulkan::Gpu> gpu_;
  std::unique_ptr<vulkan::Engine> engine_;
  std::unique_ptr<vulkan::LinkShader> shader_;
};

}  // namespace

Result<std::unique_ptr<GpuTrial>> GpuTrial::Open(const config::AdapterInfo& adapter) {
  auto trial = std::make_unique<Trial>();
  if (auto started = trial->Start(adapter); !started.ok()) return std::move(started).error();
  return std::unique_ptr<GpuTrial>(std::move(trial));
}

}  // namespace tandem::system
