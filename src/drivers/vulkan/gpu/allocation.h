// What DxgkDdiCreateAllocation makes: a VkImage for an application, rows in system memory, or a primary.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <vulkan/vulkan_core.h>

#include "base/pass_meter.h"
#include "base/result.h"
#include "color/blit.h"
#include "drivers/vulkan/gpu/gpu.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "drivers/vulkan/gpu/local_memory.h"
#include "drivers/vulkan/gpu/private_data.h"

namespace tandem::vulkan {

// Where the rows are that stand for a primary's pixels.
enum class RowsPlace : std::uint8_t {
  kSystem,  // where the processor sees them
  kDevice,  // in the device's own memory, which the processor need not see
};

// Belongs to the adapter. Map, Unmap, Scratch and the shadow: the worker of the node whose turn it is; what is mapped or unmapped
// is not in use. The timeline members: any thread.
class Allocation {
 public:
  // The adapter, as the user-mode half reaches it through its allocations. Thread-safe.
  class Owner {
   public:
    virtual ~Owner() = default;
    // Queues the first layout of a fresh image, on the copy node.
    virtual void GiveFirstLayout(Allocation& allocation) = 0;
    // Signals what is not null once everything that used the image so far is done. Never blocks.
    virtual VkResult AcquireImage(Allocation& allocation, VkSemaphore semaphore, VkFence fence) = 0;
    // All uses of the image that were built are with the device: what its queues have waits for nothing that the processor
    // has yet to do.
    [[nodiscard]] virtual bool IsSubmitted(const Allocation& allocation) const = 0;
    // Pages could not be imported; they are bounced.
    virtual void ImportRefused(const std::string& reason) = 0;
  };

  // kImage: the VkImage, its memory and its timeline; others: nothing yet. kUnsupported with a sentence, kOutOfMemory, kInternal.
  [[nodiscard]] static Result<std::unique_ptr<Allocation>> Create(Gpu& gpu, Owner& owner, const AllocationData& data);
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  [[nodiscard]] Gpu& gpu() const { return gpu_; }
  [[nodiscard]] Owner& owner() const { return owner_; }
  [[nodiscard]] const AllocationData& data() const { return data_; }

  // Makes system pages usable, imported or bounced: `bytes` of them, from `offset` of the allocation on; they are one piece when
  // the last part came. kOutOfMemory when they can be neither. `may_import` false: the probe said that such pages cannot be
  // imported.
  Result<void> Map(std::byte* pages, std::uint64_t offset, std::uint64_t bytes, bool may_import);
  // Pages that a program's image lies over stay imported until others come: they are the backing store's, which is still there.
  void Unmap();
  // Null until mapped, and for images and primaries.
  [[nodiscard]] const HostBuffer* linear() const { return linear_.get(); }
  // Bytes from row to row wherever the rows are.
  [[nodiscard]] std::uint32_t pitch() const;
  // Where rows of kind kLinear are, be they mapped or of the device's own memory; nothing until they are.
  [[nodiscard]] Rows rows() const;
  // Rows that the processor sees, to stand for pixels that it does not see while it works on them; of an image for shaders, too.
  // Made at first use. kOutOfMemory.
  Result<Rows> Scratch();
  // Of a primary: what it holds, as a surface of kind kLinear; made at first use, where the processor sees it. kOutOfMemory.
  Result<Allocation*> Shadow();
  [[nodiscard]] RowsPlace shadow_place() const { return shadow_place_; }
  // The device had no memory for it once.
  [[nodiscard]] bool device_refused() const { return device_refused_; }
  // Makes it there, black, or moves it there, by the node's queue; `forget` is called with the rows that go. Blocks.
  // kOutOfMemory, kDeviceLost: it is where it was.
  Result<void> PlaceShadow(RowsPlace place, std::uint32_t node, const std::function<void(const Allocation&)>& forget);
  // Of a primary with a palette: its picture in colours, as another such surface; made at first use. kOutOfMemory.
  Result<Allocation*> Colored();
  // Of a primary: rows for its picture turned so, as another such surface; made at first use. One caller at a time. kOutOfMemory.
  Result<Allocation*> Turned(color::Rotation rotation);
  // Calls `use(rows)` for each of these that was made.
  template <class Use>
  void ForEachPicture(Use&& use) const {
    for (const Allocation* rows :
         {shadow_.get(), colored_.get(), turned_[0].get(), turned_[1].get(), turned_[2].get(), turned_[3].get()}) {
      if (rows != nullptr) use(*rows);
    }
  }

  // The backing store as DxgkDdiSetAllocationBackingStore gave it; null: not shared.
  void set_backing_store(std::byte* address) { backing_store_.store(address, std::memory_order_release); }
  [[nodiscard]] std::byte* backing_store() const { return backing_store_.load(std::memory_order_acquire); }

  // A linear VkImage over the mapped pages, of the given properties (usage, flags, view formats; extent, format and layout are
  // the allocation's): what an application draws into without a copy. kUnsupported with the reason. Made once; later calls answer
  // the same.
  Result<void> MakePresentable(const VkImageCreateInfo& wanted);
  [[nodiscard]] VkImage image() const { return image_.load(std::memory_order_acquire); }
  // For VkImageSwapchainCreateInfoKHR: an image with the properties of image(), unbound and the caller's; and its binding to the
  // memory of image(). There is an image().
  [[nodiscard]] VkResult CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias) const;
  [[nodiscard]] VkResult BindAlias(VkImage alias) const;
  // Why there is no image; empty when there is one or nobody asked.
  [[nodiscard]] std::string presentable_refusal() const;

  // The application's rendering into the image, as values of rendered(): NextRendered() is what the next release signals.
  // Waiting for RenderedValue() waits for every release so far; 0: none.
  [[nodiscard]] VkSemaphore rendered() const { return rendered_; }
  [[nodiscard]] std::uint64_t RenderedValue() const { return rendered_value_.load(std::memory_order_acquire); }
  // `submit` gets the value and returns whether its signal was queued; only then it counts. Serialized.
  template <class Submit>
  bool ReleaseAt(Submit submit) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::uint64_t next = rendered_value_.load(std::memory_order_relaxed) + 1;
    if (!submit(next)) return false;
    rendered_value_.store(next, std::memory_order_release);
    return true;
  }

  // Commands that read it: built by a DDI, which gives each its number, and handed to an engine, in any order of the contexts.
  [[nodiscard]] std::uint64_t NoteBuilt() { return built_.fetch_add(1, std::memory_order_acq_rel) + 1; }
  void NoteSubmitted(std::uint64_t use) {
    std::uint64_t last = submitted_.load(std::memory_order_relaxed);
    while (last < use && !submitted_.compare_exchange_weak(last, use, std::memory_order_release)) {
    }
  }
  [[nodiscard]] bool all_submitted() const {
    return submitted_.load(std::memory_order_acquire) == built_.load(std::memory_order_acquire);
  }

  // The last command of each lane that uses it, as a value of the lane's timeline; 0: none.
  void NoteUse(std::uint32_t lane, std::uint64_t value) { last_use_[lane].store(value, std::memory_order_release); }
  [[nodiscard]] std::uint64_t LastUse(std::uint32_t lane) const { return last_use_[lane].load(std::memory_order_acquire); }

  // The passes that presents ran to write it.
  const std::shared_ptr<PassMeter> passes = std::make_shared<PassMeter>();

  // A linear image whose picture was released to the host (RecordRelease) and not yet taken back.
  std::atomic<bool> released{false};

 private:
  struct ImageDescription;

  Allocation(Gpu& gpu, Owner& owner, const AllocationData& data);
  Result<void> CreateImage();
  // Rows of our own: black where the processor sees them, else nobody knows what.
  Result<std::unique_ptr<Allocation>> MakeRows(std::uint32_t width, std::uint32_t height, color::Format format, RowsPlace place);
  void Drop();
  Result<void> TryPresentable(const VkImageCreateInfo& wanted);
  Result<void> BindLinear(VkImage image);

  Gpu& gpu_;
  Owner& owner_;
  const AllocationData data_;
  std::unique_ptr<HostBuffer> linear_;
  std::unique_ptr<LocalMemory> local_;             // of rows in the device's own memory
  std::unique_ptr<ImageDescription> description_;  // of image_
  std::atomic<VkImage> image_{VK_NULL_HANDLE};
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkSemaphore rendered_ = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> rendered_value_{0};
  std::array<std::atomic<std::uint64_t>, kLaneCount> last_use_{};
  std::atomic<std::uint64_t> built_{0};
  std::atomic<std::uint64_t> submitted_{0};
  std::uint64_t mapped_bytes_ = 0;  // of pieces so far
  std::byte* mapped_at_ = nullptr;  // what the allocation's first byte is at, by the pieces
  std::unique_ptr<HostBuffer> scratch_;
  std::unique_ptr<Allocation> shadow_;
  RowsPlace shadow_place_ = RowsPlace::kSystem;
  bool device_refused_ = false;
  std::unique_ptr<Allocation> colored_;
  std::array<std::unique_ptr<Allocation>, 4> turned_;  // by rotation
  std::atomic<std::byte*> backing_store_{nullptr};
  mutable std::mutex mutex_;
  std::string refusal_;  // guarded by mutex_
};

// Does the device advertise linear images of these properties over imported host pages? kUnsupported with the reason.
[[nodiscard]] Result<void> OffersLinear(const Gpu& gpu, const AllocationData& data, VkImageUsageFlags usage,
                                        VkImageCreateFlags flags);

}  // namespace tandem::vulkan
