// The picture of one head: what it takes to put a frame on the screen, without any time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "color/blit.h"
#include "drivers/kms/card/resources.h"
#include "drivers/kms/card/writeback.h"
#include "drivers/kms/kmd/crtc_planes.h"
#include "drivers/kms/kmd/cursor.h"
#include "drivers/kms/kmd/framebuffer_cache.h"
#include "drivers/kms/kmd/picture_place.h"
#include "drivers/kms/kmd/scene_maker.h"
#include "drivers/kms/kmd/screens.h"
#include "drivers/kms/kmd/staging.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

// The parts that all heads of a card share. They outlive the heads.
struct CardParts {
  const Card& card;
  const Resources& resources;  // of the start
  GemHandles& handles;
  LocalPictures& local;
  ScreensImpl& screens;
  std::atomic<bool>& imports_refused;  // the card took imported memory in a test and refused it in a commit
  bool dithers = false;
};

// A connector with the CRTC and the planes that show on it.
struct HeadParts {
  Connector connector;
  Crtc crtc;
  std::vector<Plane> planes;  // the primary one first
};

enum class Showing : std::uint8_t {
  kPending,   // on the screen at the next vertical blank, and a FlipEvent tells
  kShown,     // on the screen
  kBusy,      // the CRTC has a commit that is not shown yet: again soon
  kNotShown,  // nothing changed; the reason is logged once
  kGone,      // nothing will be shown: the card is gone
};

// One thread, the head's.
class HeadPicture {
 public:
  // `cursor` outlives it, and lies over the pictures that are shown.
  HeadPicture(std::uint32_t target, const CardParts& card, const HeadParts& head, processor::GpuMemory& memory, Cursor& cursor);
  // The console's picture is back.
  ~HeadPicture();

  [[nodiscard]] Showing Show(const processor::ScanOutFrame& frame, color::Rotation rotation, bool tears);
  // The pending picture is on the screen.
  void Flipped();
  // Tells who watches the target what it shows now.
  void WriteBack();
  void SwitchOff();
  // True if the planes can read the frame where it is; changes nothing.
  [[nodiscard]] bool CanRead(const processor::ScanOutFrame& frame, color::Rotation rotation);

  void Forget(std::uint64_t memory_id) { framebuffers_.Forget(memory_id); }
  // Another display is in the connector: the CRTC goes dark, and the next picture sets a mode of the new one.
  void SetConnector(const Connector& connector);
  // Another session may have changed everything: the next picture sets its mode.
  void ForgetMode();

 private:
  [[nodiscard]] Showing MakeAndCommit(const processor::ScanOutFrame& frame, color::Rotation rotation, bool tears);
  [[nodiscard]] Showing Commit(const SceneMaker::Made& made, bool tears, CommitResult& result);
  // The pending picture is the one that is shown.
  void Settle();
  void Sweep();
  void Place(const std::optional<PicturePlace>& place);

  const std::uint32_t target_;
  const CardParts card_;
  CrtcPlanes planes_;
  FramebufferCache framebuffers_;
  Staging staging_;
  SceneMaker maker_;
  std::array<std::uint32_t, processor::kMaxScanOutPlanes> shown_{}, pending_{};  // framebuffers
  Cursor& cursor_;
  std::optional<PicturePlace> place_, pending_place_;  // nothing: dark
  std::uint32_t width_ = 0, height_ = 0;               // of the mode
  bool refusal_was_logged_ = false;
  bool tearing_refused_ = false;
  std::unique_ptr<Writeback> writeback_;
};

}  // namespace tandem::kms
