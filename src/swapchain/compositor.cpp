#include "swapchain/compositor.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"

namespace tandem::swapchain {

std::unique_ptr<Compositor> Compositor::Create(Runtime& display, const SwapChainDesc& desc) {
  std::unique_ptr<Compositor> compositor(new Compositor(display, desc));
  if (auto made = compositor->MakePrimaries(); !made.ok()) {
    for (auto& primary : compositor->primaries_) primary.reset();
    compositor->no_primaries_ = made.error().message;
    Log(LogLevel::kInfo, "Frames that cannot be scanned out have no primary to be copied to: {}", compositor->no_primaries_);
  }
  return compositor;
}

Result<void> Compositor::MakePrimaries() {
  ResourceDesc surface;
  surface.width = desc_.width;
  surface.height = desc_.height;
  surface.format = desc_.format;
  surface.bind_flags = D3D10_DDI_BIND_PRESENT;
  surface.primary = true;
  surface.vidpn_source = desc_.vidpn_source;
  for (auto& primary : primaries_) {
    ScanOut answer = ScanOut::kYes;
    auto made = Resource::Create(display_, surface, answer);
    if (!made.ok()) return std::move(made).error();
    primary = *std::move(made);
  }
  return {};
}

std::string Compositor::Refusal(const OverlayAnswer& answer) const {
  const std::string refusal =
      fmt::format("display adapter {} cannot scan this surface out as it is set up now ({})", display_.binding().name,
                  answer.try_again ? "overlay check, for the moment" : "overlay check");
  return no_primaries_.empty() ? fmt::format("{}, so it copies each frame into its own memory.", refusal)
                               : fmt::format("{}, and there is no primary to copy to: {}", refusal, no_primaries_);
}

Result<Compositor::Prepared> Compositor::Prepare(const Resource& shared) {
  const auto answer =
      display_.CheckPlane(shared.kernel_resource(), desc_.width, desc_.height, desc_.vidpn_source, CheckKind::kPresent);
  if (!answer.ok()) return answer.error();
  Prepared prepared;
  if (refused_ == answer->supported) {
    prepared.reason = answer->supported
                          ? fmt::format("display adapter {} can scan this surface out again.", display_.binding().name)
                          : Refusal(*answer);
    refused_ = !answer->supported;
  }
  prepared.surface = shared.handle();
  if (answer->supported || !no_primaries_.empty()) return prepared;
  prepared.by = ShownBy::kComposition;
  prepared.surface = primaries_[next_]->handle();
  next_ = (next_ + 1) % kComposedPrimaries;
  PresentCall copy;
  copy.source = shared.handle();
  copy.destination = prepared.surface;
  copy.turn = Turn::kWithThePath;
  if (auto copied = display_.Present(copy); !copied.ok()) return std::move(copied).error();
  return prepared;
}

}  // namespace tandem::swapchain
