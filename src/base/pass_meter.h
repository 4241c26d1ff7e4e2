// Counts and times of passes over pixels, kept by the driver that runs them.
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

// Times of the passes that wrote a surface, by the monotonic clock; 0: not known.
struct PassTimes {
  std::int64_t begin_ns = 0;       // the engine begins the first pass
  std::int64_t end_ns = 0;         // the engine has done the last pass
  std::int64_t link_begin_ns = 0;  // the first written byte enters an emulated link
  std::int64_t link_end_ns = 0;    // the last written byte leaves it

  friend bool operator==(const PassTimes&, const PassTimes&) = default;
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

  // Times of one pass, noted before its fence is complete. Passes over one surface are noted in their order.
  void NoteWork(std::int64_t begin_ns, std::int64_t end_ns) { work_.Note(begin_ns, end_ns); }
  void NoteLink(std::int64_t begin_ns, std::int64_t end_ns) { link_.Note(begin_ns, end_ns); }
  // Times of all passes since the last call. Precondition: the fences of these passes are complete, and no pass runs.
  PassTimes TakeTimes() {
    PassTimes times;
    work_.Take(times.begin_ns, times.end_ns);
    link_.Take(times.link_begin_ns, times.link_end_ns);
    return times;
  }

 private:
  struct Span {
    void Note(std::int64_t from_ns, std::int64_t to_ns) {
      if (begin_ns.load(std::memory_order_relaxed) == 0) begin_ns.store(from_ns, std::memory_order_relaxed);
      end_ns.store(to_ns, std::memory_order_relaxed);
    }
    void Take(std::int64_t& from_ns, std::int64_t& to_ns) {
      from_ns = begin_ns.exchange(0, std::memory_order_relaxed);
      to_ns = end_ns.exchange(0, std::memory_order_relaxed);
    }

    std::atomic<std::int64_t> begin_ns{0};
    std::atomic<std::int64_t> end_ns{0};
  };

  std::atomic<std::uint64_t> pixels_{0};
  std::atomic<std::uint64_t> bytes_{0};
  Span work_;
  Span link_;
};

// Escape private data (D3DKMTEscape): returns the meter of the presents that write an allocation. A driver without meters
// refuses it.
struct PassMeterEscape {
  static constexpr std::uint32_t kMagic = 0x534D5054;  // "TPMS"

  std::uint32_t magic = kMagic;
  std::uint32_t allocation = 0;  // D3DKMT_HANDLE, in
  // Out: a pointer in this process; the caller deletes it. The meter outlives allocation and adapter.
  std::shared_ptr<PassMeter>* meter = nullptr;
};
static_assert(sizeof(PassMeterEscape) == 16);

}  // namespace tandem
