// VkSwapchainKHR, implemented by a swap chain of the runtime.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <vulkan/vulkan_core.h>

#include "base/thread.h"
#include "config/settings.h"
#include "layer/present_timings.h"
#include "layer/surface.h"
#include "link/governor/governor.h"
#include "status/frame_log.h"
#include "status/live_reporter.h"
#include "status/stats.h"
#include "swapchain/swap_chain.h"
#include "system/system.h"

namespace tandem::layer {

struct Device;

// Threads: externally synchronized like a VkSwapchainKHR; any thread may read statistics and status.
class Swapchain final : private swapchain::DisplayStatusSource, private swapchain::DisplaySuccession {
 public:
  // Returns VK_ERROR_NATIVE_WINDOW_IN_USE_KHR, VK_ERROR_SURFACE_LOST_KHR, VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_* or
  // VK_ERROR_DEVICE_LOST on failure.
  // `handle_memory` is the handle's value; null: the handle has one of its own.
  static VkResult Create(Device& device, std::shared_ptr<Surface> surface, const VkSwapchainCreateInfoKHR& info,
                         void* handle_memory, std::shared_ptr<Swapchain>& created);
  ~Swapchain() override;

  [[nodiscard]] VkSwapchainKHR handle() {
    return reinterpret_cast<VkSwapchainKHR>(handle_memory_ != nullptr ? handle_memory_ : this);
  }
  [[nodiscard]] void* handle_memory() const { return handle_memory_; }
  [[nodiscard]] const std::vector<VkImage>& images() const { return images_; }

  // CreateAlias() makes a VkImage like those of images(), which the application owns. BindAlias() binds it to the memory of
  // images()[index].
  VkResult CreateAlias(const VkAllocationCallbacks* allocator, VkImage& alias);
  VkResult BindAlias(VkImage alias, std::uint32_t index);

  // Returns VK_SUCCESS, VK_SUBOPTIMAL_KHR, VK_NOT_READY, VK_TIMEOUT or an error. `semaphore` and `fence` may each be null.
  VkResult Acquire(std::uint64_t timeout_ns, VkSemaphore semaphore, VkFence fence, std::uint32_t& index);

  struct Rendering {
    VkQueue queue = VK_NULL_HANDLE;
    std::uint32_t semaphore_count = 0;
    const VkSemaphore* semaphores = nullptr;
  };
  // Waits for `rendering` on its queue, then shows the image. The wait is submitted even if the present fails.
  // `at`: for swap chains with timings().
  VkResult QueuePresent(std::uint32_t index, std::uint64_t present_id, const Rendering& rendering, const swapchain::ShowAt& at);

  VkResult WaitForPresent(std::uint64_t present_id, std::uint64_t timeout_ns);
  // Null: created without VK_SWAPCHAIN_CREATE_PRESENT_TIMING_BIT_EXT.
  [[nodiscard]] PresentTimings* timings() const { return timings_.get(); }
  // timings() must not be null.
  VkResult TakeTimings(VkPastPresentationTimingPropertiesEXT& past) const;
  [[nodiscard]] std::int64_t refresh_period_ns() const { return desc_.refresh_period_ns; }
  VkResult Release(std::uint32_t index);
  void Retire();

 private:
  Swapchain(Device& device, std::shared_ptr<Surface> surface, std::shared_ptr<system::DisplaySurface> shown_on,
            system::RenderSession& session, void* handle_memory)
      : device_(device),
        surface_(std::move(surface)),
        session_(session),
        render_(session.render()),
        handle_memory_(handle_memory),
        shown_on_(std::move(shown_on)) {}

  [[nodiscard]] swapchain::DisplayStatus Status() const override;
  [[nodiscard]] std::optional<std::int64_t> SeenNs(std::int64_t shown_ns) const override;
  Result<swapchain::NextDisplay> TakeNext() override;
  // DisplaySurface::SeenAt; unknown while another display is looked for.
  [[nodiscard]] system::Seen SeenAt(std::int64_t shown_ns) const;
  // Null while another display is looked for.
  [[nodiscard]] std::shared_ptr<system::DisplaySurface> shown_on() const {
    const MutexLock lock(shown_on_mutex_);
    return shown_on_;
  }
  // Fits the frames into the output's window or blends them there, and begins its counts.
  void BeginOn(system::DisplaySurface& output) TANDEM_REQUIRES(shown_on_mutex_);
  VkResult CreateChain(const VkSwapchainCreateInfoKHR& info);
  Result<void> Present(std::uint32_t index, std::uint64_t present_id, const Rendering& rendering, const swapchain::ShowAt& at);
  void OpenFrameLogs(const config::Settings& settings);
  [[nodiscard]] Result<void> KeepWithin(const config::Settings& settings, link::EncodingRequest& encodings);
  // VK_SUCCESS, VK_SUBOPTIMAL_KHR when the window has another size, VK_ERROR_SURFACE_LOST_KHR.
  [[nodiscard]] VkResult WindowState() const;
  [[nodiscard]] status::SwapChainRecord Record() const;
  // SwapChainRecord::dithering.
  [[nodiscard]] std::string Dithering(const system::DisplaySurface& shown_on) const;
  // The fields of the output.
  void RecordOutput(status::SwapChainRecord& record) const;
  // The swap chain's properties when it is made.
  [[nodiscard]] status::LiveSwapChain Known(system::DisplaySurface& shown_on) const;
  // Calls of DxgkDdiPresent of both adapters since the swap chain was made.
  [[nodiscard]] std::vector<status::PresentSpan> Presents() const;

  Device& device_;
  const std::shared_ptr<Surface> surface_;
  system::RenderSession& session_;
  swapchain::RuntimeDevice& render_;  // owned by the session
  void* const handle_memory_;
  swapchain::SwapChainDesc desc_;
  std::string frame_bytes_refusal_;         // SwapChainRecord's
  std::optional<link::Governor> governor_;  // set if encodings are allowed
  std::optional<status::LiveReporter> live_;
  status::FrameQueues frames_;  // of the frame log and the trace
  std::unique_ptr<PresentTimings> timings_;
  std::unique_ptr<swapchain::SwapChain> chain_;
  std::vector<VkImage> images_;
  mutable Mutex shown_on_mutex_;
  system::Fit fit_ TANDEM_GUARDED_BY(shown_on_mutex_);
  bool blends_ TANDEM_GUARDED_BY(shown_on_mutex_) = false;
  std::shared_ptr<system::DisplaySurface> shown_on_ TANDEM_GUARDED_BY(shown_on_mutex_);
  bool fitted_ TANDEM_GUARDED_BY(shown_on_mutex_) = false;  // frames of every size fit the window
  // The output's counts before the swap chain used it.
  std::uint64_t output_written_before_ TANDEM_GUARDED_BY(shown_on_mutex_) = 0;
  system::DisplayReport reported_before_ TANDEM_GUARDED_BY(shown_on_mutex_);
  std::uint64_t written_by_lost_ TANDEM_GUARDED_BY(shown_on_mutex_) = 0;  // on outputs of lost adapters
  std::vector<status::PresentSpan> presents_before_;
  std::atomic<std::int64_t> first_present_ns_{0};
  std::atomic<std::int64_t> last_present_ns_{0};
  std::atomic<std::int64_t> cpu_before_ns_{0};
  std::atomic<bool> retired_{false};
  status::StatsBook::Id stats_id_ = 0;
};

// Resolves vkCreateSwapchainKHR and every other command of the extensions that we implement; null for any other name.
[[nodiscard]] PFN_vkVoidFunction SwapchainFunction(const char* name);

}  // namespace tandem::layer
