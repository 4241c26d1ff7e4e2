#include "swapchain/compositor.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"

namespace tandem::swapchain {

std::unique_ptr<Compositor> Compositor::Create(Runtime& display, const SwapChainDesc& desc, DXGI_FORMAT format,
                                               Primaries primaries) {
  std::unique_ptr<Compositor> compositor(new Compositor(display, desc, format));
  if (primaries == Primaries::kNow) static_cast<void>(compositor->SetFor(D3DDDI_ROTATION_IDENTITY));
  return compositor;
}

Compositor::PrimarySet& Compositor::SetFor(D3DDDI_ROTATION rotation) {
  const bool quarter = rotation == D3DDDI_ROTATION_90 || rotation == D3DDDI_ROTATION_270;
  PrimarySet& set = quarter ? sideways_ : upright_;
  if (std::exchange(set.made, true)) return set;
  auto made = quarter ? MakePrimaries(set, desc_.height, desc_.width) : MakePrimaries(set, desc_.width, desc_.height);
  if (made.ok()) return set;
  for (auto& primary : set.primaries) primary.reset();
  set.refusal = std::move(made).error().message;
  Log(LogLevel::kInfo, "Frames that cannot be shown as they are have no primary to be copied to: {}", set.refusal);
  return set;
}

Result<void> Compositor::MakePrimaries(PrimarySet& set, std::uint32_t width, std::uint32_t height) {
  ResourceDesc surface;
  surface.width = width;
  surface.height = height;
  surface.format = format_;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  surface.primary = true;
  surface.vidpn_source = desc_.vidpn_source;
  for (auto& primary : set.primaries) {
    ScanOut answer = ScanOut::kYes;
    auto made = Resource::Create(display_, surface, answer);
    if (!made.ok()) return std::move(made).error();
    primary = *std::move(made);
  }
  return {};
}

Result<void> Compositor::Compose(D3D10DDI_HRESOURCE picture, PrimarySet& set, Prepared& prepared) {
  PresentCall copy;
  copy.source = picture;
  copy.destination = set.primaries[set.next]->handle();
  copy.turn = Turn::kWithThePath;
  if (auto copied = display_.Present(copy); !copied.ok()) return copied;
  set.next = (set.next + 1) % kComposedPrimaries;
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
  PrimarySet* const set = answer->supported ? nullptr : &SetFor(display_.RotationOf(desc_.vidpn_source));
  if (std::exchange(composed_, set != nullptr) != (set != nullptr)) {
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
  if (auto copied = Compose(shared.handle(), *set, prepared); !copied.ok()) return std::move(copied).error();
  return prepared;
}

Result<Compositor::Prepared> Compositor::PrepareTurned(D3D10DDI_HRESOURCE picture, D3D10DDI_HRESOURCE primary) {
  const D3DDDI_ROTATION rotation = display_.RotationOf(desc_.vidpn_source);
  Prepared prepared;
  prepared.surface = primary;
  PrimarySet* const set = rotation == D3DDDI_ROTATION_IDENTITY ? nullptr : &SetFor(rotation);
  if (std::exchange(composed_, set != nullptr) != (set != nullptr)) {
    prepared.reason = fmt::format("what display adapter {} shows is not turned any more.", display_.binding().name);
    if (set != nullptr) {
      prepared.reason = fmt::format(
          "what display adapter {} shows is turned, {}", display_.binding().name,
          set->refusal.empty() ? "so it copies each frame once more." : "and there is no primary to copy to: " + set->refusal);
    }
  }
  if (set == nullptr || !set->refusal.empty()) return prepared;
  if (auto copied = Compose(picture, *set, prepared); !copied.ok()) return std::move(copied).error();
  return prepared;
}

}  // namespace tandem::swapchain
