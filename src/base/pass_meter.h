// Counts of passes over pixels, by the driver that runs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tandem {

// A pass reads pixels and writes them, encoded or not: a copy, a conversion, an encoding, a decoding. Rows that are converted a
// few at a time, in the processor's cache, belong to the pass that they are converted for.
struct PassCount {
  std::uint64_t pixels = 0;  // that the passes went over
  std::uint64_t bytes = 0;   // that they wrote

  PassCount& operator+=(const PassCount& other) {
    pixels += other.pixels;
    bytes += other.bytes;
    return *this;
  }
  friend bool operator==(const PassCount&, const PassCount&) = default;
};

// Thread-safe, without a lock.
class PassMeter {
 public:
  void Count(const PassCount& passes) {
    pixels_.fetch_add(passes.pixels, std::memory_order_relaxed);
    bytes_.fetch_add(passes.bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] PassCount count() const {
    return {pixels_.load(std::memory_order_relaxed), bytes_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<std::uint64_t> pixels_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

// Escape private data (D3DKMTEscape): where the driver counts the passes that its presents ran to write an allocation. A driver
// that counts none refuses it.
struct PassMeterEscape {
  static constexpr std::uint32_t kMagic = 0x534D5054;  // "TPMS"

  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE, in
  // Out: of this process, the caller's to delete. The meter stays when allocation and adapter go.
  std::shared_ptr<const PassMeter>* meter = nullptr;
};
static_assert(sizeof(PassMeterEscape) == 16);

}  // namespace tandem
