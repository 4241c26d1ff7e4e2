// A kernel with two soft adapters, an output that reads every frame, and a test application that draws.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/thread.h"
#include "drivers/processor/user_mode.h"
#include "drivers/soft/soft_device.h"
#include "kernel/kernel.h"
#include "outputs/output.h"
#include "swapchain/swap_chain.h"
#include "tests/swapchain/pattern.h"

namespace tandem::swapchain {

inline void PrintTo(PresentMode mode, std::ostream* out) { *out << ToString(mode); }
inline void PrintTo(PathRequest path, std::ostream* out) { *out << ToString(path); }

}  // namespace tandem::swapchain

namespace tandem::swapchain_test {

// A limit for events that come soon unless the machine stalls.
inline constexpr std::int64_t kPatienceNs = 20'000'000'000;

// Reads the pictures shown. Allocates nothing per frame: room for kMaxShown numbers is reserved.
class ReadingOutput final : public outputs::Output {
 public:
  static constexpr std::size_t kMaxShown = 20000;
  static constexpr std::uint32_t kBroken = 0xFFFFFFFF;  // replaces the number of a damaged frame

  // `opaque` is the pictures' value. The scan-out thread calls `before_show`, which may block.
  explicit ReadingOutput(std::int64_t refresh_period_ns, std::uint32_t opaque = 0, std::function<void()> before_show = {});

  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override;
  Result<void> Show(const outputs::Surface& surface) override;
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  void Close() { lost_ = true; }  // the window is gone from now on
  // Sets the orientation of later frames in memory.
  void Turn(Turned turned) { turned_ = turned; }
  // Accepts any orientation, for tests that rotate the output during frames.
  void TurnAnyWay() { any_way_ = true; }
  // Numbers in the order shown; a frame shown twice in succession counts once.
  [[nodiscard]] std::vector<std::uint32_t> Numbers() const;
  [[nodiscard]] std::uint32_t last_width() const { return last_width_; }

 private:
  outputs::OutputInfo info_;
  const std::uint32_t opaque_;
  const std::function<void()> before_show_;
  std::atomic<bool> lost_{false};
  std::atomic<std::uint32_t> last_width_{0};
  std::atomic<Turned> turned_{Turned::kNot};
  std::atomic<bool> any_way_{false};
  mutable Mutex mutex_;
  std::vector<std::uint32_t> numbers_ TANDEM_GUARDED_BY(mutex_);
};

struct PairOptions {
  std::uint32_t render_tier = 3;
  std::uint32_t display_tier = 3;
  std::int64_t refresh_period_ns = 2'000'000;
  std::uint64_t scan_out_bytes_per_second = 0;  // display adapter's limit; 0: no limit
  std::uint32_t connectors = 1;                 // display adapter's connectors; the output uses the first
  PFND3D10DDI_OPENADAPTER open_display = processor::ProcessorOpenAdapter10_2;
  std::uint64_t link_bytes_per_second = 0;    // emulated by the render adapter; 0: no limit
  bool scans_out_nv12 = false;                // display adapter's setting
  bool dithers = false;                       // both adapters' setting
  std::uint32_t opaque = 0;                   // bits set in every pixel, for TestApplication
  std::function<void()> before_show{};        // argument of ReadingOutput
  std::shared_ptr<outputs::Output> output{};  // replaces the reading output; null: no replacement
};

// One more display adapter of a pair, with an output of its own. Must be gone before the pair.
struct Spare {
  std::shared_ptr<ReadingOutput> output;
  soft::DeviceDescription description;
  LUID luid{};
  std::unique_ptr<swapchain::RuntimeDevice> device;
};

// A constructor cannot use ASSERTs: Create returns null after a failed EXPECT.
class SoftPair {
 public:
  static std::unique_ptr<SoftPair> Create(const PairOptions& options);
  ~SoftPair();

  [[nodiscard]] swapchain::RuntimeDevice& render() { return *render_; }
  [[nodiscard]] swapchain::RuntimeDevice& display() { return *display_; }
  [[nodiscard]] kernel::Kernel& kernel() { return *kernel_; }
  [[nodiscard]] ReadingOutput& output() { return *output_; }
  [[nodiscard]] soft::Connectors& connectors() { return *connectors_; }
  [[nodiscard]] LUID display_luid() const { return display_luid_; }
  // Opens the display adapter for another user. Null after a failed EXPECT.
  [[nodiscard]] std::unique_ptr<swapchain::RuntimeDevice> OpenDisplay();
  // Starts another display adapter; of `options` those of display adapters count. Null after a failed EXPECT.
  [[nodiscard]] std::unique_ptr<Spare> AddDisplay(const PairOptions& options);
  void RemoveRender();
  void RemoveDisplay();

 private:
  SoftPair() = default;
  bool Start(const PairOptions& options);

  std::unique_ptr<kernel::Kernel> kernel_;
  kernel::Driver* driver_ = nullptr;
  std::shared_ptr<ReadingOutput> output_;
  std::shared_ptr<soft::Connectors> connectors_;
  soft::DeviceDescription render_description_;
  soft::DeviceDescription display_description_;
  LUID render_luid_{};
  LUID display_luid_{};
  std::unique_ptr<swapchain::RuntimeDevice> render_;
  std::unique_ptr<swapchain::RuntimeDevice> display_;
};

// Eight bits, and images that the processor draws into.
[[nodiscard]] inline swapchain::SwapChainDesc DrawnByProcessor(std::uint32_t width, std::uint32_t height,
                                                               swapchain::PathRequest path) {
  swapchain::SwapChainDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  desc.path = path;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

// Always chooses one encoding.
class Just final : public link::EncodingPolicy {
 public:
  explicit Just(link::LinkEncoding encoding) : encoding_(encoding) {}
  link::EncodingChoice Choose(std::int64_t /*now_ns*/, bool /*waited*/) override { return {encoding_, false}; }
  void Sent(const link::SentFrame& /*frame*/) override {}
  [[nodiscard]] std::optional<link::LinkEncoding> Only() const override { return encoding_; }
  [[nodiscard]] std::size_t Explain(std::span<char> /*room*/) const override { return 0; }

 private:
  const link::LinkEncoding encoding_;
};

// Draws into a swap chain's images by CPU.
class TestApplication {
 public:
  TestApplication(swapchain::RuntimeDevice& render, const swapchain::SwapChain& chain, const swapchain::SwapChainDesc& desc,
                  std::uint32_t opaque = 0);
  ~TestApplication();
  TestApplication(const TestApplication&) = delete;
  TestApplication& operator=(const TestApplication&) = delete;

  void Draw(std::uint32_t image, std::uint32_t number) const { Paint(pictures_[image], number); }
  // The number of the picture in the image; nothing if that is not whole.
  [[nodiscard]] std::optional<std::uint32_t> Number(std::uint32_t image) const {
    const Picture& picture = pictures_[image];
    return ReadNumber(picture.pixels, picture.width, picture.height, picture.pitch, picture.bytes_per_pixel, Turned::kNot,
                      picture.opaque);
  }
  // Fills every byte of the image.
  void Fill(std::uint32_t image, std::uint8_t level) const {
    const Picture& picture = pictures_[image];
    std::memset(picture.pixels, level, std::size_t{picture.pitch} * picture.height);
  }
  void DrawRows(std::uint32_t image, std::uint32_t number, std::uint32_t first, std::uint32_t count) const {
    PaintRows(pictures_[image], number, first, count);
  }

 private:
  swapchain::RuntimeDevice& render_;
  std::vector<Picture> pictures_;
  std::vector<D3DKMT_HANDLE> allocations_;
};

// Presents frames by a swap chain of their own and waits until the last one is on the screen. Fails the test at an error.
void ShowFrames(SoftPair& pair, const swapchain::SwapChainDesc& desc, std::uint32_t first, std::uint32_t count);

// Draws and presents frames first..first+count-1. The number is also the present id. Stops at an error.
Result<void> PresentFrames(swapchain::SwapChain& chain, const TestApplication& application, std::uint32_t first,
                           std::uint32_t count);

}  // namespace tandem::swapchain_test
