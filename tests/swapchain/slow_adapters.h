// The soft driver with delays at each stage of a frame: what it is told, and what it tells, takes its time.
#pragma once

#include <atomic>
#include <cstdint>

namespace tandem::swapchain_test {

enum class Stage : std::uint8_t {
  kDraw,           // the application, between the halves of a picture
  kPresent,        // DxgkDdiPresent: the present is taken apart, of copies, decodings and flips
  kRenderSubmit,   // DxgkDdiSubmitCommand: the copy or encoding begins
  kRenderDone,     // its interrupt, behind the link where there is one
  kDisplaySubmit,  // the second copy or decoding begins
  kDisplayDone,    // its interrupt
  kFlip,           // DxgkDdiSetVidPnSourceAddress
  kBlank,          // the output, which is shown the picture before the interrupt of the vertical blank
};
inline constexpr std::uint8_t kStages = static_cast<std::uint8_t>(Stage::kBlank) + 1;

// How long a stage takes more. Thread-safe.
class Delays {
 public:
  virtual ~Delays() = default;
  [[nodiscard]] virtual std::int64_t NextNs(Stage stage) = 0;
};

// Sleeps for as long as the delays in force say; any thread. Draw and blank are the test's to call.
void Delay(Stage stage);

// In force while it lives, for adapters of the soft driver that start meanwhile: the first is taken for the render adapter, the
// others for the display's. One at a time; outlives the adapters.
class SlowAdapters {
 public:
  explicit SlowAdapters(Delays& delays);
  ~SlowAdapters();
  SlowAdapters(const SlowAdapters&) = delete;
  SlowAdapters& operator=(const SlowAdapters&) = delete;
};

}  // namespace tandem::swapchain_test
