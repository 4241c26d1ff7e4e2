// Dma-bufs that a compositor prefers: the events of zwp_linux_dmabuf_feedback_v1, read without trust.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace tandem::outputs {

struct DmaBufFormat {
  std::uint32_t fourcc = 0;    // DRM format
  std::uint64_t modifier = 0;  // DRM format modifier

  friend bool operator==(const DmaBufFormat&, const DmaBufFormat&) = default;
};

// Formats that one device reads.
struct DmaBufTranche {
  std::optional<std::uint64_t> device;  // dev_t of its DRM node
  bool scans_out = false;               // the display reads them without a copy of the compositor's
  std::vector<DmaBufFormat> formats;
};

// Threads: one.
class DmaBufFeedback {
 public:
  // Takes the descriptor. A table that is shorter than `size_bytes`, or no file, is a fault(), and its whole entries count.
  void SetTable(UniqueFd table, std::uint32_t size_bytes);
  // `device` is a dev_t. Other sizes are a fault().
  void SetMainDevice(std::span<const std::byte> device);
  void SetTrancheDevice(std::span<const std::byte> device);
  void SetTrancheFlags(bool scans_out) { tranche_.scans_out = scans_out; }
  // Positions in the table. Those outside of it are a fault().
  void AddTrancheFormats(std::span<const std::uint16_t> positions);
  void EndTranche();
  // The tranches that ended since the last call replace those before. The table stays, for the next batch may leave it out.
  void Done();

  [[nodiscard]] std::optional<std::uint64_t> main_device() const { return main_device_; }
  [[nodiscard]] const std::vector<DmaBufTranche>& tranches() const { return tranches_; }  // preferred first; empty before Done
  // True if a device of the compositor's reads them.
  [[nodiscard]] bool Takes(const DmaBufFormat& format) const;
  // A sentence on the first event that contradicts the protocol; empty if none did.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void Blame(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }
  [[nodiscard]] std::optional<std::uint64_t> ToDevice(std::span<const std::byte> bytes);

  std::vector<DmaBufFormat> table_;
  std::optional<std::uint64_t> main_device_;
  DmaBufTranche tranche_;
  std::vector<DmaBufTranche> tranches_;
  std::vector<DmaBufTranche> next_;
  std::size_t positions_ = 0;  // in `next_` and `tranche_`
  std::string fault_;
};

}  // namespace tandem::outputs
