// The picture that a CRTC shows, written by the card into memory: screenshots and tests.
#pragma once

#include <cstdint>
#include <vector>

#include "base/memory_map.h"
#include "base/result.h"
#include "drivers/kms/card/atomic_request.h"
#include "drivers/kms/card/buffer.h"
#include "drivers/kms/card/framebuffer.h"
#include "drivers/kms/card/resources.h"

namespace tandem::kms {

// A writeback connector with a buffer of its own. One thread at a time; card and resources outlive it.
class Writeback {
 public:
  // `fourcc` is one of WritebackFormats(). kUnsupported for a CRTC without a writeback connector, or a format that this one does
  // not write; DumbBuffer's and Framebuffer's errors.
  [[nodiscard]] static Result<Writeback> Create(const Card& card, const Resources& resources, const Crtc& crtc,
                                                std::uint32_t width, std::uint32_t height, std::uint32_t fourcc);

  // Writes what the CRTC shows, which is as large as the buffer, and waits for it: a modeset the first time. `timeout_ns` limits
  // the wait for flips that are pending and for the picture; kTimeout. ToError()'s for a commit that the card refuses.
  [[nodiscard]] Result<void> Capture(std::int64_t timeout_ns);

  // Row 0 of the last picture; rows are pitch_bytes() apart.
  [[nodiscard]] const std::byte* pixels() const { return map_.data(); }
  [[nodiscard]] std::uint32_t pitch_bytes() const { return buffer_.pitch_bytes(); }

 private:
  Writeback() = default;
  // The fence of one picture that was asked for.
  [[nodiscard]] Result<UniqueFd> Request(std::int64_t deadline_ns);

  const Card* card_ = nullptr;
  const Connector* connector_ = nullptr;
  std::uint32_t crtc_id_ = 0;
  DumbBuffer buffer_;
  MemoryMap map_;
  Framebuffer framebuffer_;
  AtomicRequest request_;
};

// The writeback connector that the CRTC can use; null without one.
[[nodiscard]] const Connector* FindWriteback(const Resources& resources, const Crtc& crtc);

// The formats that the connector writes.
[[nodiscard]] std::vector<std::uint32_t> WritebackFormats(const Card& card, const Connector& connector);

}  // namespace tandem::kms
