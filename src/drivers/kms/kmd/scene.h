// The picture of a head: planes of the card, lowest first, in pixels of the mode.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "color/blit.h"
#include "drivers/kms/card/mode.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {

struct ScenePlane {
  std::uint32_t framebuffer = 0;  // id
  color::BlitRect source;         // in the framebuffer
  color::BlitRect destination;    // on the mode's picture
  color::Rotation rotation = color::Rotation::kIdentity;
  bool blends = false;  // premultiplied alpha

  friend bool operator==(const ScenePlane&, const ScenePlane&) = default;
};

struct Scene {
  const Mode* mode = nullptr;
  std::uint32_t count = 0;
  std::array<ScenePlane, processor::kMaxScanOutPlanes> planes;
  color::BlitRect content;  // of the frame on the mode's picture
};

}  // namespace tandem::kms
