// An output that records its pictures, for rules about scan-out.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/condition.h"
#include "outputs/output.h"

namespace tandem::conform {

struct ShownPicture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::int64_t time_ns = 0;           // monotonic clock
  std::vector<std::uint32_t> pixels;  // row by row, in memory's byte order; empty unless the format has 4 bytes a pixel
  std::uint32_t color_mask = 0;       // the bits of a pixel that a screen shows: not its alpha
  [[nodiscard]] std::uint32_t At(std::uint32_t x, std::uint32_t y) const { return pixels[std::size_t{y} * width + x]; }
  [[nodiscard]] bool Shows(std::uint32_t x, std::uint32_t y, std::uint32_t pixel) const {
    return ((At(x, y) ^ pixel) & color_mask) == 0;
  }
};

// Time that what is due has to happen in, on a busy machine, too.
inline constexpr std::int64_t kPatienceNs = 30'000'000'000;

// Threads: any.
class RecordingOutput final : public outputs::Output {
 public:
  // A picture has `patience_ns` to arrive in.
  explicit RecordingOutput(std::int64_t refresh_period_ns, std::int64_t patience_ns = kPatienceNs);

  // The pictures come as copies of what a screen showed, not as the memory that is scanned out.
  void TakePhotographs() { photographs_ = true; }
  [[nodiscard]] bool takes_photographs() const { return photographs_; }

  [[nodiscard]] const outputs::OutputInfo& info() const override { return info_; }
  [[nodiscard]] outputs::OutputStatus Status() const override { return {outputs::OutputState::kOk, 0, 0}; }
  Result<void> Show(const outputs::Surface& surface) override;
  void Forget(std::uint64_t /*surface_id*/) override {}
  [[nodiscard]] std::uint64_t LastShowCopiedBytes() const override { return 0; }

  // The pictures so far, one for each time shown; at most the first kKept.
  [[nodiscard]] std::vector<ShownPicture> shown() const;
  // Checks the memory behind each picture from now on. `pixel` is the first pixel of the expected surface: it changes briefly,
  // and the picture must change with it. Null ends the check. Photographs are not checked.
  void Probe(std::uint32_t* pixel);
  // Pictures since Probe() that were not read from the probed pages.
  [[nodiscard]] std::uint32_t elsewhere() const;
  // False when fewer than `count` pictures arrive in time.
  [[nodiscard]] bool AwaitShown(std::size_t count);

  static constexpr std::size_t kKept = 256;

 private:
  outputs::OutputInfo info_;
  const std::int64_t patience_ns_;
  mutable std::mutex mutex_;
  Condition changed_;
  std::vector<ShownPicture> shown_;
  std::uint32_t* probe_ = nullptr;
  std::atomic<bool> photographs_{false};
  std::uint32_t elsewhere_ = 0;
};

}  // namespace tandem::conform
