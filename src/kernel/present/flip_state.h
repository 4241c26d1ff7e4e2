// The flips of one VidPn source in the flip queue.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/limits.h"
#include "base/ring.h"
#include "kernel/present/flip_queue.h"
#include "kernel/present/plane_flips.h"

namespace tandem::kernel {

// The targets that show a source, the primary one first, and which of them have reported the programmed flip.
class FlipTargets {
 public:
  void Set(std::span<const std::uint32_t> ids) {
    TANDEM_CHECK(ids.size() <= ids_.size());
    count_ = static_cast<std::uint32_t>(ids.size());
    for (std::uint32_t i = 0; i < count_; ++i) ids_[i] = ids[i];
    reported_ = 0;
  }
  // Its place among the targets; nothing for a target of another source.
  [[nodiscard]] std::optional<std::uint32_t> Find(std::uint32_t id) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (ids_[i] == id) return i;
    }
    return std::nullopt;
  }
  void BeginFlip() { reported_ = 0; }
  [[nodiscard]] bool HasReported(std::uint32_t place) const { return (reported_ >> place & 1) != 0; }
  // True once every target has reported the flip.
  bool Report(std::uint32_t place) {
    reported_ |= 1u << place;
    return reported_ == (1u << count_) - 1;
  }

 private:
  std::array<std::uint32_t, kMaxVidPnSources> ids_{};
  std::uint32_t count_ = 0;
  std::uint32_t reported_ = 0;  // bit N: the target in place N
};

// Its flips and mode changes, in this order: retired, overtaken, programmed, waiting; together never more than
// kMaxUnretiredFlips.
struct FlipState {
  FlipTargets targets;
  Ring<Flip, kMaxUnretiredFlips> waiting;
  std::optional<Flip> programmed;  // not yet reported by CRTC_VSYNC of every target
  bool programmed_is_mode = false;
  std::int64_t programmed_at_ns = 0;
  std::int64_t shown_at_ns = 0;  // when the primary target reported `programmed`
  // With room for a mode change beside as many flips as there may be.
  Ring<std::uint64_t, kMaxUnretiredFlips + 1> overtaken;  // cookies of what ends with `programmed`
  Ring<RetiredFlip, kMaxUnretiredFlips + 1> retired;      // the owner has not heard yet
  std::uint64_t vsyncs = 0;                               // vertical blanks of the primary target
  std::uint64_t shown_at_vsync = 0;                       // number of the vertical blank at which the last flip took effect
  bool visible = false;
  bool unseen = false;                        // invisible, and BlankUnseen blanks it
  std::optional<std::uint64_t> mode_address;  // shown by the mode change, and counts as the next flip to it
  std::uint32_t holds = 0;                    // HoldFlips calls that were not taken back
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  PlaneFlips planes;

  [[nodiscard]] bool full() const {
    return waiting.size() + (programmed ? 1 : 0) + overtaken.size() + retired.size() >= kMaxUnretiredFlips;
  }
  // Something else is programmed, or about to be.
  void Overtake() {
    if (programmed) overtaken.push(programmed->cookie);
    programmed.reset();
  }
  void SetProgrammed(const Flip& flip, bool is_mode) {
    programmed = flip;
    programmed_is_mode = is_mode;
    targets.BeginFlip();
  }
  void RetireProgrammed(std::int64_t time_ns) {
    Overtake();
    while (!overtaken.empty()) retired.push({overtaken.pop(), time_ns, vsyncs});
  }
  void RetireAll(std::int64_t time_ns) {
    RetireProgrammed(time_ns);
    while (!waiting.empty()) retired.push({waiting.pop().cookie, time_ns, vsyncs});
  }
  [[nodiscard]] bool WaitsInDma(std::uint64_t address) const {
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting.at(i).in_dma && waiting.at(i).address == address) return true;
    }
    return false;
  }
};

}  // namespace tandem::kernel
