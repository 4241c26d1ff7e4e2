#include "swapchain/compositor.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"

namespace tandem::swapchain {

std::unique_ptr<Compositor> Compositor::Create(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format,
                                               std::uint32_t buffers, Primaries primaries, PassMeters& meters) {
  std::unique_ptr<Compositor> compositor(new Compositor(display, desc, format, buffers, meters));
  if (primaries == Primaries::kNow) static_cast<void>(compositor->SetFor(D3DDDI_ROTATION_IDENTITY, By::kCopies));
  return compositor;
}

Compositor::PrimarySet& Compositor::SetFor(D3DDDI_ROTATION rotation, By by) {
  const bool quarter = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
  PrimarySet& set = (by == By::kDecoding ? decoded_ : copied_)[quarter ? 1 : 0];
  if (std::exchange(set.made, true)) return set;
  auto made = MakePrimaries(set, quarter, by);
  for (const auto& primary : set.primaries) {
    if (made.ok()) meters_.Add(*primary);
  }
  if (made.ok()) return set;
  set.primaries.clear();
  set.refusal = std::move(made).error().message;
  Log(LogLevel::kInfo, "Frames that cannot be shown as they are have no primary to be {} to: {}",
      by == By::kDecoding ? "decoded" : "copied", set.refusal);
  return set;
}

Result<void> Compositor::MakePrimaries(PrimarySet& set, bool quarter, By by) {
  ResourceDesc surface;
  surface.width = quarter ? desc_.height : desc_.width;
  surface.height = quarter ? desc_.width : desc_.height;
  surface.format = format_;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  // Slices are decoded into it, or figures drawn.
  if (by == By::kDecoding || desc_.hud) surface.bind_flags |= D3D10_DDI_BIND_RENDER_TARGET;
  surface.primary = true;
  surface.vidpn_source = desc_.vidpn_source;
  for (std::uint32_t i = 0; i < (by == By::kDecoding ? buffers_ : kComposedPrimaries); ++i) {
    ScanOut answer = ScanOut::kYes;
    auto made = Resource::Create(display_, surface, answer);
    if (!made.ok()) return std::move(made).error();
    set.primaries.push_back(*std::move(made));
  }
  return {};
}

// A copy is rotated as the path is when it is queued. The copy is repeated if that rotation differs from its primary's.
Result<void> Compositor::Compose(D3D10DDI_HRESOURCE picture, D3DDDI_ROTATION rotation, Prepared& prepared) {
  PresentCall copy;
  copy.source = picture;
  copy.turn = Turn::kWithThePath;
  PrimarySet* set = nullptr;
  for (std::uint32_t turns = 0; turns < kMostTurns; ++turns) {
    set = &SetFor(rotation, By::kCopies);
    if (!set->refusal.empty()) return {};
    copy.destination = set->primaries[set->next]->handle();
    if (auto copied = display_.DxgiPresent(copy); !copied.ok()) return copied;
    const D3DDDI_ROTATION now = display_.RotationOf(desc_.vidpn_source);
    if (std::exchange(rotation, now) == now) break;
  }
  set->next = (set->next + 1) % kComposedPrimaries;
  prepared.by = ShownBy::kComposition;
  prepared.surface = copy.destination;
  prepared.context = copy.context;
  return {};
}

Result<Compositor::Prepared> Compositor::Prepare(const Resource& shared) {
  const auto answer =
      display_.CheckPlane(shared.kernel_resource(), desc_.width, desc_.height, desc_.vidpn_source, CheckKind::kPresent);
  if (!answer.ok()) return answer.error();
  Prepared prepared;
  prepared.surface = shared.handle();
  const D3DDDI_ROTATION rotation = answer->supported ? D3DDDI_ROTATION_IDENTITY : display_.RotationOf(desc_.vidpn_source);
  PrimarySet* const set = answer->supported ? nullptr : &SetFor(rotation, By::kCopies);
  const Way way = set != nullptr ? Way::kCopied : Way::kAsItIs;
  if (std::exchange(way_, way) != way) {
    prepared.reason = fmt::format("display adapter {} can scan this surface out again.", display_.binding().name);
    if (set != nullptr) {
      const std::string refusal =
          fmt::format("display adapter {} cannot scan this surface out as it is set up now ({})", display_.binding().name,
                      answer->try_again ? "overlay check, for the moment" : "overlay check");
      prepared.reason = set->refusal.empty() ? fmt::format("{}, so it copies each frame into its own memory.", refusal)
                                             : fmt::format("{}, and there is no primary to copy to: {}", refusal, set->refusal);
    }
  }
  if (set == nullptr || !set->refusal.empty()) return prepared;
  if (auto copied = Compose(shared.handle(), rotation, prepared); !copied.ok()) return std::move(copied).error();
  return prepared;
}

Result<Compositor::Prepared> Compositor::PrepareTurned(D3D10DDI_HRESOURCE picture, D3D10DDI_HRESOURCE primary) {
  const D3DDDI_ROTATION rotation = display_.RotationOf(desc_.vidpn_source);
  Prepared prepared;
  prepared.surface = primary;
  PrimarySet* const set = rotation == D3DDDI_ROTATION_IDENTITY ? nullptr : &SetFor(rotation, By::kCopies);
  const Way way = set != nullptr ? Way::kCopied : Way::kAsItIs;
  if (std::exchange(way_, way) != way) {
    prepared.reason = fmt::format("what display adapter {} shows is not turned any more.", display_.binding().name);
    if (set != nullptr) {
      prepared.reason = fmt::format(
          "what display adapter {} shows is turned, {}", display_.binding().name,
          set->refusal.empty() ? "so it copies each frame once more." : "and there is no primary to copy to: " + set->refusal);
    }
  }
  if (set == nullptr || !set->refusal.empty()) return prepared;
  if (auto copied = Compose(picture, rotation, prepared); !copied.ok()) return std::move(copied).error();
  return prepared;
}

std::optional<Compositor::TurnedPrimary> Compositor::PrimaryToDecodeTo(std::uint32_t buffer) {
  const D3DDDI_ROTATION rotation = display_.RotationOf(desc_.vidpn_source);
  if (rotation == D3DDDI_ROTATION_IDENTITY) return std::nullopt;
  const PrimarySet& set = SetFor(rotation, By::kDecoding);
  if (!set.refusal.empty()) return std::nullopt;
  return TurnedPrimary{set.primaries[buffer]->handle(), rotation};
}

Compositor::Prepared Compositor::PrepareDecoded(const TurnedPrimary& primary) {
  Prepared prepared;
  prepared.surface = primary.surface;
  if (std::exchange(way_, Way::kDecoded) != Way::kDecoded) {
    prepared.reason = fmt::format("what display adapter {} shows is turned, and so is each frame while it is decoded.",
                                  display_.binding().name);
  }
  return prepared;
}

}  // namespace tandem::swapchain
