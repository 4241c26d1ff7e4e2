#include "drivers/vulkan/kmd/blit_runner.h"

#include "base/log.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/link/link_blit.h"

namespace tandem::vulkan {

// What shaders decode into a primary is in the device's own memory, so that only encoded bytes come over its link; where a target
// turns it the processor has to see it.
void BlitRunner::PlacePicture(std::uint32_t node, const BlitCommand& blit, const Rows& source) {
  Allocation& primary = *blit.destination;
  const bool turned = display_ != nullptr && display_->Turns(primary.data().vidpn_source);
  const bool was_local = primary.pictures().shadow_place() == RowsPlace::kDevice;
  const bool local =
      !turned && !primary.pictures().device_refused() && (was_local || nodes_.blitters[node]->DecodesByShader(blit, source));
  if (local == was_local) return;
  const auto placed =
      primary.pictures().PlaceShadow(local ? RowsPlace::kDevice : RowsPlace::kSystem, node, [&](const Allocation& gone) {
        if (display_ != nullptr) display_->Forget(gone);
        for (const auto& blitter : nodes_.blitters) blitter->Forget(primary);
      });
  if (placed.ok()) {
    Log(LogLevel::kDebug, "{}: a primary is in {} memory.", gpu_.name(), local ? "the device's own" : "system");
  } else {
    Log(LogLevel::kInfo, "{}: a primary stays in {} memory: {}", gpu_.name(), local ? "system" : "the device's own",
        placed.error().message);
  }
}

void BlitRunner::Run(Engine& engine, Packet& packet, const BlitCommand& blit, const Rows& source, const Rows& destination) {
  const bool indexes = blit.destination->data().format == drivers::kPaletteFormat;
  const bool primary = blit.destination->data().kind == AllocationKind::kPrimary;
  const bool shows = primary && display_ != nullptr;
  if (primary) PlacePicture(engine.node(), blit, source);
  std::unique_lock<std::mutex> lock(palette_mutex_, std::defer_lock);
  if (shows && indexes) lock.lock();
  const drivers::SourcePalette* palette = blit.source == nullptr ? nullptr : &palettes_[blit.source->data().vidpn_source];
  packet.crossing = nodes_.blitters[engine.node()]->Run(blit, source, destination, palette);
  if (link_ != nullptr && packet.crossing != 0 && IsLinkSurface(*blit.destination)) {
    NoteLinkTime(blit, destination, link_->TimeOf(packet.crossing));
  }
  if (!shows || gpu_.lost()) return;
  if (indexes) {
    ShowInColors(*blit.destination);
  } else {
    Show(engine.node(), blit);
  }
}

// All of a primary's indexes, in the colours of now, go to the window.
void BlitRunner::ShowInColors(Allocation& primary) {
  Result<Allocation*> shadow = primary.pictures().Shadow();
  Result<Allocation*> colored = primary.pictures().Colored();
  if (!shadow.ok() || !colored.ok()) {
    Log(LogLevel::kError, "{}: a primary cannot be shown in colours: {}", gpu_.name(),
        shadow.ok() ? colored.error().message : shadow.error().message);
    return;
  }
  const AllocationData& data = primary.data();
  drivers::ColorIndexes(palettes_[data.vidpn_source].colors(), (*colored)->rows().pixels, (*colored)->pitch(),
                        (*shadow)->rows().pixels, (*shadow)->pitch(), data.width, data.height);
  const std::uint64_t pixels = std::uint64_t{data.width} * data.height;
  primary.passes->Count({pixels, pixels * drivers::PixelBytes(drivers::kPaletteColors)});
  CopyCommand copy;
  copy.source = *colored;
  copy.destination = &primary;
  copy.rects[copy.rect_count++] = {0, 0, static_cast<LONG>(data.width), static_cast<LONG>(data.height)};
  display_->Copy(copy, nullptr);
}

// What a blit left in a primary's shadow goes to the window.
void BlitRunner::Show(std::uint32_t node, const BlitCommand& blit) {
  Result<Allocation*> shadow = blit.destination->pictures().Shadow();
  if (!shadow.ok()) return;
  std::vector<std::byte>& room = shown_[node];
  room.resize(sizeof(CopyCommand) + blit.rect_count * sizeof(RECT));
  auto& copy = *new (room.data()) CopyCommand();
  copy.source = *shadow;
  copy.destination = blit.destination;
  const auto& data = blit.destination->data();
  const PictureExtent picture = PictureOf(data.width, data.height, blit.rotation);
  for (std::uint32_t i = 0; i < blit.rect_count; ++i) {
    const RECT& rect = blit.rects[i];
    const color::BlitRect at =
        color::RotatedRect({static_cast<std::uint32_t>(rect.left), static_cast<std::uint32_t>(rect.top),
                            static_cast<std::uint32_t>(rect.right), static_cast<std::uint32_t>(rect.bottom)},
                           picture.width, picture.height, blit.rotation);
    copy.rects[copy.rect_count++] = {static_cast<LONG>(at.left), static_cast<LONG>(at.top), static_cast<LONG>(at.right),
                                     static_cast<LONG>(at.bottom)};
  }
  display_->Copy(copy, nullptr);
}

void BlitRunner::AddPalettePrimary(Allocation& primary) {
  const std::lock_guard<std::mutex> lock(palette_mutex_);
  palette_primaries_.push_back(&primary);
}

void BlitRunner::Forget(const Allocation& allocation) {
  const std::lock_guard<std::mutex> lock(palette_mutex_);
  std::erase(palette_primaries_, &allocation);
}

void BlitRunner::SetPalette(const DXGKARG_SETPALETTE& args) {
  palettes_[args.VidPnSourceId].Set(args);
  const std::lock_guard<std::mutex> lock(palette_mutex_);
  for (Allocation* primary : palette_primaries_) {
    if (primary->data().vidpn_source != args.VidPnSourceId || !display_->Keeps(*primary)) continue;
    ShowInColors(*primary);
    display_->ShowAgain(*primary);
  }
}

}  // namespace tandem::vulkan
