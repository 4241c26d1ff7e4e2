#include "drivers/kms/kmd/scene_maker.h"

#include <utility>

#include <fmt/core.h>

#include "drivers/kms/kmd/formats.h"
#include "drivers/processor/kmd/scan_out_frame.h"

namespace tandem::kms {
namespace {

bool IsImported(const processor::ScanOutSurface& surface) { return surface.address >= processor::kApertureBase; }

Scene OnePlane(const Mode& mode, std::uint32_t framebuffer, const processor::ScanOutSurface& surface,
               const color::BlitRect& content, color::Rotation rotation) {
  Scene scene;
  scene.mode = &mode;
  scene.count = 1;
  scene.planes[0] = {framebuffer, {0, 0, surface.width, surface.height}, content, rotation, false};
  scene.content = content;
  return scene;
}

}  // namespace

const Mode* ChooseMode(const Connector& connector, std::uint32_t width, std::uint32_t height) {
  const Mode* best = nullptr;
  for (const Mode& mode : connector.modes) {
    if (mode.width != width || mode.height != height || mode.interlaced()) continue;
    if (best == nullptr || mode.refresh_hz > best->refresh_hz) best = &mode;
  }
  return best != nullptr ? best : connector.preferred_mode();
}

const Mode* SceneMaker::ModeFor(const processor::ScanOutFrame& frame, color::Rotation rotation) const {
  const bool quarter = color::IsQuarterTurn(rotation);
  return ChooseMode(planes_.connector(), quarter ? frame.height : frame.width, quarter ? frame.width : frame.height);
}

Result<SceneMaker::Made> SceneMaker::Make(const processor::ScanOutFrame& frame, color::Rotation rotation,
                                          std::uint32_t on_screen) {
  const Mode* const mode = ModeFor(frame, rotation);
  if (mode == nullptr) return Fail(ErrorKind::kSurfaceLost, "Nothing is connected to {}.", planes_.connector().name);
  if (frame.plane_count > 1 || (frame.plane_count == 1 && rotation == color::Rotation::kIdentity)) {
    if (auto made = MakePlanes(frame, *mode)) return *made;
    return Compose(frame, rotation, on_screen);
  }
  const Shape shape{frame.width, frame.height, frame.pitch, frame.format, rotation, IsImported(frame)};
  if (shape.imported && imports_refused_.load(std::memory_order_acquire)) {
    why_composed_ = "The card takes memory of others in tests and refuses it in commits.";
    return Compose(frame, rotation, on_screen);
  }
  if (!decided_ || decided_->shape != shape) decided_ = Decide(frame, shape, *mode);
  if (decided_->composes) return Compose(frame, rotation, on_screen);
  const auto framebuffer = framebuffers_.Find(frame, decided_->fourcc);
  if (!framebuffer.ok()) {
    why_composed_ = framebuffer.error().message;
    return Compose(frame, rotation, on_screen);
  }
  return Made{OnePlane(*mode, *framebuffer, frame, decided_->content, rotation), false, shape.imported, 0};
}

// A plane as large as it can be, a plane of the picture's own size, and last the processor.
SceneMaker::Decision SceneMaker::Decide(const processor::ScanOutFrame& frame, const Shape& shape, const Mode& mode) {
  const bool quarter = color::IsQuarterTurn(shape.rotation);
  const std::uint32_t width = quarter ? shape.height : shape.width, height = quarter ? shape.width : shape.height;
  const color::BlitRect filled = FillInto(width, height, mode.width, mode.height);
  const color::BlitRect own = FitInto(width, height, mode.width, mode.height);
  why_composed_ = fmt::format("No plane of {} reads pictures of this format.", planes_.connector().name);
  for (const std::uint32_t fourcc : OpaqueFourccs(shape.format)) {
    if (!planes_.plane(0).TakesLinear(fourcc)) continue;
    const auto framebuffer = framebuffers_.Find(frame, fourcc);
    if (!framebuffer.ok()) {
      why_composed_ = framebuffer.error().message;
      continue;
    }
    for (const color::BlitRect& content : {filled, own}) {
      const Scene scene = OnePlane(mode, *framebuffer, frame, content, shape.rotation);
      const CommitResult tested = planes_.Test(scene);
      if (tested.done()) return {shape, fourcc, content, false};
      why_composed_ =
          ToError(tested, fmt::format("A plane of {} x {} pixels on {}", frame.width, frame.height, planes_.connector().name))
              .message;
    }
  }
  return {shape, 0, {}, true};
}

std::optional<Scene> SceneMaker::Ask(const processor::ScanOutFrame& frame, color::Rotation rotation) {
  const Mode* const mode = ModeFor(frame, rotation);
  if (mode == nullptr) return std::nullopt;
  const auto made = MakePlanes(frame, *mode);
  return made ? std::optional(made->scene) : std::nullopt;
}

std::optional<SceneMaker::Made> SceneMaker::MakePlanes(const processor::ScanOutFrame& frame, const Mode& mode) {
  if (frame.plane_count > planes_.plane_count() || frame.width > mode.width || frame.height > mode.height) return std::nullopt;
  const color::BlitRect content = FitInto(frame.width, frame.height, mode.width, mode.height);
  Made made;
  made.scene.mode = &mode;
  made.scene.count = frame.plane_count;
  made.scene.content = content;
  for (std::uint32_t i = 0; i < frame.plane_count; ++i) {
    const processor::ScanOutPlane& plane = frame.planes[i];
    const bool imported = IsImported(plane.surface);
    if (imported && imports_refused_.load(std::memory_order_acquire)) return std::nullopt;
    made.imported = made.imported || imported;
    const bool blends = plane.blend == processor::PlaneBlend::kPremultiplied;
    const auto opaque = OpaqueFourccs(plane.surface.format);
    if (opaque.empty()) return std::nullopt;
    std::uint32_t fourcc = blends ? BlendedFourcc(plane.surface.format) : opaque.front();
    if (!blends && !planes_.plane(i).TakesLinear(fourcc)) fourcc = opaque.back();
    const auto framebuffer = framebuffers_.Find(plane.surface, fourcc);
    if (!framebuffer.ok()) return std::nullopt;
    const color::BlitRect& at = plane.destination;
    made.scene.planes[i] = {*framebuffer,
                            plane.source,
                            {at.left + content.left, at.top + content.top, at.right + content.left, at.bottom + content.top},
                            plane.rotation,
                            blends};
  }
  return made;
}

Result<SceneMaker::Made> SceneMaker::Compose(const processor::ScanOutFrame& frame, color::Rotation rotation,
                                             std::uint32_t on_screen) {
  const Mode* const mode = ModeFor(frame, rotation);
  if (mode == nullptr) return Fail(ErrorKind::kSurfaceLost, "Nothing is connected to {}.", planes_.connector().name);
  const auto written = staging_.Write(frame, rotation, memory_, mode->width, mode->height, on_screen);
  if (!written.ok()) return written.error();
  Made made;
  made.scene.mode = mode;
  made.scene.count = 1;
  const color::BlitRect whole{0, 0, mode->width, mode->height};
  made.scene.planes[0] = {written->framebuffer, whole, whole, color::Rotation::kIdentity, false};
  made.scene.content = written->content;
  made.composed = true;
  made.written_bytes = written->bytes;
  return made;
}

}  // namespace tandem::kms
