// The soft driver with delays at each stage of a frame: calls into it and reports from it are slow.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem::swapchain_test {

enum class Stage : std::uint8_t {
  kDraw,           // the application, between the halves of a picture
  kPresent,        // DxgkDdiPresent, for copies, decodings and flips
  kRenderSubmit,   // DxgkDdiSubmitCommand: the copy or encoding begins
  kRenderDone,     // the interrupt, after the link if there is one
  kDisplaySubmit,  // the second copy or decoding begins
  kDisplayDone,    // the interrupt
  kFlip,           // DxgkDdiSetVidPnSourceAddress
  kBlank,          // the output gets the picture before the interrupt of the vertical blank
};
inline constexpr std::uint8_t kStages = static_cast<std::uint8_t>(Stage::kBlank) + 1;

// The additional time of a stage. Thread-safe.
class Delays {
 public:
  virtual ~Delays() = default;
  [[nodiscard]] virtual std::int64_t NextNs(Stage stage) = 0;
};

// Sleeps for the time that the delays in force give; any thread. Tests call it for kDraw and kBlank.
void Delay(Stage stage);

// While it lives, delays apply to adapters of the soft driver that start. The first adapter counts as the render adapter, the
// others as display adapters. One at a time; must outlive the adapters.
class SlowAdapters {
 public:
  explicit SlowAdapters(Delays& delays);
  ~SlowAdapters();
  SlowAdapters(const SlowAdapters&) = delete;
  SlowAdapters& operator=(const SlowAdapters&) = delete;
};

}  // namespace tandem::swapchain_test
