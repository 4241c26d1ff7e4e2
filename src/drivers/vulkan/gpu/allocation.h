// The object behind DxgkDdiCreateAllocation: a VkImage for an application, rows in system memory, or a primary.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/pass_meter.h"
#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/dma_buf_fences.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/pictures.h"
#include "drivers/vulkan/gpu/private_data.h"

namespace tandem::vulkan {

struct ImageDescription;

// System pages and the descriptor behind them. Owns nothing.
struct SystemPages {
  std::byte* address = nullptr;
  int fd = -1;                  // -1: anonymous pages
  std::uint64_t fd_offset = 0;  // bytes to the first page
  bool is_dma_buf = false;      // otherwise the descriptor is a memfd's
};

// The ways in which the probe saw the device import such pages.
struct ImportWays {
  bool addresses = false;
  bool dma_bufs = false;        // preferred
  bool dma_buf_images = false;  // of a program that draws into the pages
};

// Belongs to the adapter. Map, Unmap and the pictures: the worker of the node that runs the command; pages being mapped or
// unmapped are not in use. The timeline members: any thread.
class Allocation {
 public:
  // The adapter, as the user-mode half reaches it through its allocations. Thread-safe.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Queues the first layout of a new image on the copy node.
    virtual void GiveFirstLayout(Allocation& allocation) = 0;
    // Signals the non-null arguments once all earlier uses of the image are done. Never blocks.
    virtual VkResult AcquireImage(Allocation& allocation, VkSemaphore semaphore, VkFence fence) = 0;
    // True if every built use of the image was submitted to the device, so its queues wait for no future work of the processor.
    [[nodiscard]] virtual bool IsSubmitted(const Allocation& allocation) const = 0;
    // Reports that pages could not be imported by a dma-buf, which is tried before their address.
    virtual void DmaBufRefused(const std::string& reason) = 0;
    // Reports that pages could not be imported and are bounced.
    virtual void ImportRefused(const std::string& reason) = 0;
  };

  // Creates the VkImage, its memory and its timeline for kImage; for other kinds it creates nothing yet. kUnsupported with a
  // sentence, kOutOfMemory, kInternal.
  [[nodiscard]] static Result<std::unique_ptr<Allocation>> Create(Gpu& gpu, Owner& owner, const AllocationData& data);
  // Rows of the driver's own, of kind kLinear: black where the processor sees them, undefined elsewhere. kOutOfMemory.
  [[nodiscard]] static Result<std::unique_ptr<Allocation>> CreateRows(Gpu& gpu, Owner& owner, std::uint32_t width,
                                                                      std::uint32_t height, color::Format format,
                                                                      RowsPlace place);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  [[nodiscard]] Gpu& gpu() const { return gpu_; }
  [[nodiscard]] Owner& owner() const { return owner_; }
  [[nodiscard]] const AllocationData& data() const { return data_; }
  [[nodiscard]] bool is_image() const { return data_.kind == AllocationKind::kImage; }

  // Makes `bytes` of system pages, from `offset` of the allocation on, usable by import or bounce. After the last part they are
  // one piece. kOutOfMemory when both fail.
  Result<void> Map(const SystemPages& pages, std::uint64_t offset, std::uint64_t bytes, const ImportWays& ways);
  // Pages under a program's image stay imported until others replace them: they belong to the backing store, which still
  // exists.
  void Unmap();
  // Orders writes with other devices; null: the pages are no dma-buf, or the processor waits.
  [[nodiscard]] DmaBufFences* fences() const { return fences_.get(); }
  // -1: the pages are not imported by one.
  [[nodiscard]] int dma_buf() const { return linear_ == nullptr ? -1 : linear_->source().dma_buf; }
  // Null until mapped; always null for images and primaries.
  [[nodiscard]] const HostBuffer* linear() const { return linear_.get(); }
  // Bytes from row to row, wherever the rows are.
  [[nodiscard]] std::uint32_t pitch() const;
  // The rows of kind kLinear, mapped or in the device's own memory; empty before.
  [[nodiscard]] Rows rows() const;
  // Rows that stand for the pixels, where these are not rows themselves.
  [[nodiscard]] Pictures& pictures() { return pictures_; }
  [[nodiscard]] const Pictures& pictures() const { return pictures_; }

  // The pixels of an image where the processor reads them itself. Software devices have such images for formats whose frames
  // a copy converts. Null: the image is not one of these.
  struct HostPixels {
    std::byte* pixels = nullptr;
    std::uint32_t pitch = 0;  // bytes
  };
  [[nodiscard]] HostPixels host_pixels() const { return host_pixels_; }
  // True if the processor copies rows out of the image itself (CopyRowsOut). Software devices offer that for images whose pixels
  // it does not read where they are.
  [[nodiscard]] bool has_rows_for_host() const { return rows_for_host_; }
  // Copies image rows [first, first + count) to `rows`, pitch() bytes apart. Precondition: has_rows_for_host(), and the image was
  // released to the host (RecordRelease).
  [[nodiscard]] VkResult CopyRowsOut(std::uint32_t first, std::uint32_t count, std::byte* rows) const;
  // A view for shaders that convert while they copy. VK_NULL_HANDLE: the image has none.
  [[nodiscard]] VkImageView sampled() const { return sampled_; }

  // The backing store from DxgkDdiSetAllocationBackingStore; null: not shared.
  void set_backing_store(std::byte* address) { backing_store_.store(address, std::memory_order_release); }
  [[nodiscard]] std::byte* backing_store() const { return backing_store_.load(std::memory_order_acquire); }

  // Creates a linear VkImage over the mapped pages, into which an application renders without a copy. `wanted` gives usage,
  // flags and view formats; extent, format and layout are the allocation's. kUnsupported with the reason. Made once; later
  // calls return the first result.
  Result<void> MakePresentable(const VkImageCreateInfo& wanted);
  // The transfer between the program and users of the pages outside the device; an image over a dma-buf has one.
  [[nodiscard]] const OutsideFamilies& outside() const { return outside_; }
  // True if image() is over the pages' dma-buf, not over their address.
  [[nodiscard]] bool image_by_dma_buf() const { return image_by_dma_buf_; }
  [[nodiscard]] VkImage image() const { return image_.load(std::memory_order_acquire); }
  // For VkImageSwapchainCreateInfoKHR. CreateAlias() makes an unbound image with the properties of image(), which the caller
  // owns; BindAlias() binds it to the memory of image(). Precondition: image() is not null.
  [[nodiscard]] VkResult CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias) const;
  [[nodiscard]] VkResult BindAlias(VkImage alias) const;
  // The reason why there is no image; empty if there is one or none was requested.
  [[nodiscard]] std::string presentable_refusal() const;

  // The application's rendering into the image, as values of rendered(), which a release raises by one. A wait for
  // RenderedValue() waits for every release so far; 0: none, and no other image had the timeline.
  [[nodiscard]] VkSemaphore rendered() const { return rendered_; }
  [[nodiscard]] std::uint64_t RenderedValue() const { return rendered_value_.load(std::memory_order_acquire); }
  // Calls of `submit` are serialized. It gets the value and returns true if its signal was queued; only then the value counts.
  template <class Submit>
  bool ReleaseAt(Submit submit) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t next = rendered_value_.load(std::memory_order_relaxed) + 1;
    if (!submit(next)) return false;
    rendered_value_.store(next, std::memory_order_release);
    return true;
  }

  // Commands that read the allocation. A DDI builds and numbers them; engines get them in any order of the contexts.
  [[nodiscard]] std::uint64_t NoteBuilt() { return built_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  void NoteSubmitted(std::uint64_t use) {
    std::uint64_t last = submitted_.load(std::memory_order_relaxed);
    while (last < use && !submitted_.compare_exchange_weak(last, use, std::memory_order_release)) {
    }
  }
  // The command will be submitted again, and those after it.
  void NoteGivenBack(std::uint64_t use) {
    std::uint64_t last = submitted_.load(std::memory_order_relaxed);
    while (last >= use && !submitted_.compare_exchange_weak(last, use - 1, std::memory_order_release)) {
    }
  }
  [[nodiscard]] bool all_submitted() const {
    return submitted_.load(std::memory_order_acquire) == built_.load(std::memory_order_acquire);
  }

  // The last command on each timeline that uses the allocation, as a value of that timeline; 0: none.
  void NoteUse(std::uint32_t timeline, std::uint64_t value) { last_use_[timeline].store(value, std::memory_order_release); }
  [[nodiscard]] std::uint64_t LastUse(std::uint32_t timeline) const {
    return last_use_[timeline].load(std::memory_order_acquire);
  }

  // Passes of the presents that wrote the allocation.
  const std::shared_ptr<PassMeter> passes = std::make_shared<PassMeter>();

  // A linear image whose picture was released to the host (RecordRelease) and not yet acquired again.
  std::atomic<bool> released{false};

 private:
  Allocation(Gpu& gpu, Owner& owner, const AllocationData& data);
  Result<void> CreateImage();
  // Binds memory to an image that was created with description_.
  Result<void> BindOwnMemory(VkImage image, VkMemoryPropertyFlags required);
  Result<void> CreateHostImage();
  void CreateSampledView();
  void Drop();
  Result<void> TryPresentable(const VkImageCreateInfo& wanted);
  Result<void> TryImage(const VkImageCreateInfo& wanted, const ImportSource& source);
  Result<void> BindLinear(VkImage image, const ImportSource& source);
  // Null, and the owner knows why, when the device takes the pages in none of the ways.
  std::unique_ptr<HostBuffer> Import(const SystemPages& pages);

  Gpu& gpu_;
  Owner& owner_;
  const AllocationData data_;
  std::unique_ptr<HostBuffer> linear_;
  std::unique_ptr<DmaBufFences> fences_;           // of linear_
  std::unique_ptr<LocalMemory> local_;             // rows in the device's own memory
  std::unique_ptr<ImageDescription> description_;  // belongs to image_
  std::atomic<VkImage> image_{VK_NULL_HANDLE};
  OutsideFamilies outside_;
  bool image_by_dma_buf_ = false;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  HostPixels host_pixels_;
  bool rows_for_host_ = false;
  VkImageView sampled_ = VK_NULL_HANDLE;
  VkSemaphore rendered_ = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> rendered_value_{0};
  std::array<std::atomic<std::uint64_t>, kTimelineCount> last_use_{};
  std::atomic<std::uint64_t> built_{0};
  std::atomic<std::uint64_t> submitted_{0};
  ImportWays ways_;                 // of the mapped pages
  std::uint64_t mapped_bytes_ = 0;  // total of the pieces so far
  std::byte* mapped_at_ = nullptr;  // address of the allocation's first byte, derived from the pieces
  Pictures pictures_{*this};
  std::atomic<std::byte*> backing_store_{nullptr};
  mutable std::mutex mutex_;
  std::string refusal_;  // guarded by mutex_
};

}  // namespace tandem::vulkan
