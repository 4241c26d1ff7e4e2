#include "drivers/vulkan/gpu/dma_buf_fences.h"

#include "base/log.h"
#include "base/sync_file.h"

namespace tandem::vulkan {
namespace {

constexpr VkExternalSemaphoreHandleTypeFlagBits kSyncFd = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;

// The processor's wait for readers when a fence that was to cross did not.
constexpr int kLastResortMs = 1000;

VkResult CreateSemaphore(const Gpu& gpu, bool exports, VkSemaphore& out) {
  VkExportSemaphoreCreateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.handleTypes = kSyncFd;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  if (exports) info.pNext = &exported;
  const VkResult result = gpu.vk().CreateSemaphore(gpu.device(), &info, nullptr, &out);
  if (result != VK_SUCCESS) out = VK_NULL_HANDLE;
  return result;
}

}  // namespace

std::unique_ptr<DmaBufFences> DmaBufFences::Create(Gpu& gpu, int dma_buf) {
  if (!gpu.crossing().sync_fd || gpu.uses_fences() || !ExportSyncFile(dma_buf).ok()) return nullptr;
  std::unique_ptr<DmaBufFences> self(new DmaBufFences(gpu, dma_buf));
  const bool made =
      CreateSemaphore(gpu, false, self->wait_) == VK_SUCCESS && CreateSemaphore(gpu, true, self->signal_) == VK_SUCCESS;
  return made ? std::move(self) : nullptr;
}

DmaBufFences::~DmaBufFences() {
  gpu_.Destroy(wait_);
  gpu_.Destroy(signal_);
}

VkSemaphore DmaBufFences::WaitForOthers() {
  if (waiting_) return VK_NULL_HANDLE;
  std::uint64_t reached = 0;
  if (last_value_ != 0 && (gpu_.ReadValue(last_timeline_, reached) != VK_SUCCESS || reached < last_value_)) return VK_NULL_HANDLE;
  Result<UniqueFd> fence = ExportSyncFile(dma_buf_);
  if (fence.ok() && IsSignalled(*fence)) return VK_NULL_HANDLE;
  VkImportSemaphoreFdInfoKHR import{};
  import.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR;
  import.semaphore = wait_;
  import.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT;
  import.handleType = kSyncFd;
  import.fd = fence.ok() ? fence->get() : -1;
  if (!fence.ok() || gpu_.vk().ImportSemaphoreFdKHR(gpu_.device(), &import) != VK_SUCCESS) {
    Log(LogLevel::kWarn, "{}: the processor waits for the readers of a dma-buf.", gpu_.name());
    static_cast<void>(IsIdle(dma_buf_, kLastResortMs));
    return VK_NULL_HANDLE;
  }
  static_cast<void>(fence->Release());  // a successful import takes it
  waiting_ = true;
  gpu_.CountFenceIn();
  return wait_;
}

void DmaBufFences::Announce(VkSemaphore timeline, std::uint64_t value) {
  waiting_ = false;
  last_timeline_ = timeline;
  last_value_ = value;
  VkSemaphoreGetFdInfoKHR get{};
  get.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  get.semaphore = signal_;
  get.handleType = kSyncFd;
  int fd = -1;
  if (const VkResult result = gpu_.vk().GetSemaphoreFdKHR(gpu_.device(), &get, &fd); result != VK_SUCCESS) {
    // The semaphore stays signalled, and cannot be signalled again.
    gpu_.MarkLost("vkGetSemaphoreFdKHR", result);
    return;
  }
  const UniqueFd fence(fd);  // -1: the work is done already
  const Result<void> announced = fence.valid() ? ImportSyncFile(dma_buf_, fence, DmaBufUse::kWrite) : Result<void>();
  if (!announced.ok()) {
    Log(LogLevel::kWarn, "{}: readers of a dma-buf do not wait for its writer: {}", gpu_.name(), announced.error().message);
    return;
  }
  gpu_.CountFenceOut();
}

}  // namespace tandem::vulkan
