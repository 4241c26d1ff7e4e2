// Counts of passes over pixels, kept by the driver that runs them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tandem {

// A pass reads and writes pixels, encoded or not: a copy, conversion, encoding or decoding. Converting a few rows at a time in
// the processor's cache belongs to the pass that uses these rows.
struct PassCount {
  std::uint64_t pixels = 0;  // processed by the passes
  std::uint64_t bytes = 0;   // written by the passes

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

// Escape private data (D3DKMTEscape): returns the meter of the presents that write an allocation. A driver without meters
// refuses it.
struct PassMeterEscape {
  static constexpr std::uint32_t kMagic = 0x534D5054;  // "TPMS"

  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE, in
  // Out: a pointer in this process; the caller deletes it. The meter outlives allocation and adapter.
  std::shared_ptr<const PassMeter>* meter = nullptr;
};
static_assert(sizeof(PassMeterEscape) == 16);

}  // namespace tandem
