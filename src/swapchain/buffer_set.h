// All surfaces of a swap chain, as its path wants them. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "link/surface/link_surface.h"
#include "swapchain/decision.h"
#include "swapchain/resource.h"

namespace tandem::swapchain {

// Constant after Build.
class BufferSet {
 public:
  // `step` says where it failed. The runtimes outlive the set.
  // `encoding`: PathDecision's.
  [[nodiscard]] static Result<std::unique_ptr<BufferSet>> Build(Path path, link::LinkEncoding encoding, Runtime& render,
                                                                Runtime& display, const SwapChainDesc& desc, BuildStep& step);

  [[nodiscard]] std::uint32_t image_count() const {
    return static_cast<std::uint32_t>(direct_ ? buffers_.size() : images_.size());
  }
  [[nodiscard]] std::uint32_t buffer_count() const { return static_cast<std::uint32_t>(buffers_.size()); }
  // The images are the buffers.
  [[nodiscard]] bool direct() const { return direct_; }

  // Of the render adapter: what the application draws into, and where its frame is copied to.
  [[nodiscard]] D3D10DDI_HRESOURCE image(std::uint32_t index) const {
    return direct_ ? buffers_[index].on_render->handle() : images_[index]->handle();
  }
  [[nodiscard]] D3D10DDI_HRESOURCE copy_destination(std::uint32_t buffer) const { return buffers_[buffer].on_render->handle(); }

  // Of the display adapter: the second copy's source, its destination and what is flipped to.
  [[nodiscard]] bool second_copy() const { return second_copy_; }
  // What the display adapter scans out unless there is a second copy.
  [[nodiscard]] const Resource& shared(std::uint32_t buffer) const { return *buffers_[buffer].on_display; }
  // What crosses is encoded: shared surfaces are link surfaces (link/surface/link_surface.h).
  [[nodiscard]] bool compressed() const { return compressed_; }
  // Frames are decoded into a picture for each buffer, and copied from there to a primary whose turn it is.
  [[nodiscard]] bool decodes_to_pictures() const { return compressed_ && in_turn_; }
  // What encoded frames of the buffer are decoded into, always the same: tiles that did not change are not sent, and stand there.
  [[nodiscard]] D3D10DDI_HRESOURCE decoded(std::uint32_t buffer) const {
    return (in_turn_ ? pictures_ : primaries_)[buffer]->handle();
  }
  // What the display adapter scans out is 4:2:0.
  [[nodiscard]] bool nv12() const { return nv12_; }
  [[nodiscard]] Result<std::byte*> MapShared(std::uint32_t buffer) const { return buffers_[buffer].on_display->Map(); }
  [[nodiscard]] D3D10DDI_HRESOURCE flip_surface(std::uint32_t buffer) const {
    return (second_copy_ ? primaries_[buffer] : buffers_[buffer].on_display)->handle();
  }
  // Calls `use(resource)` for each.
  template <class Use>
  void ForEachResource(Use&& use) const {
    for (const Buffer& buffer : buffers_) {
      use(*buffer.on_display);
      use(*buffer.on_render);
    }
    for (const auto* list : {&pictures_, &primaries_, &images_}) {
      for (const auto& resource : *list) use(*resource);
    }
  }
  // Of primaries of the display adapter's own.
  [[nodiscard]] DXGI_FORMAT primary_format(const SwapChainDesc& desc) const;
  // Primaries that take turns; 0: number i is for buffer i.
  [[nodiscard]] std::uint32_t primaries_in_turn() const { return in_turn_ ? static_cast<std::uint32_t>(primaries_.size()) : 0; }

 private:
  // The render adapter opens what the display adapter created, so that one goes first.
  struct Buffer {
    std::unique_ptr<Resource> on_display;  // cross-adapter; a primary unless there is a second copy, or a link surface
    std::unique_ptr<Resource> on_render;   // the same pages as on_display
  };

  BufferSet() = default;
  [[nodiscard]] DXGI_FORMAT SharedFormat(const SwapChainDesc& desc) const;
  Result<void> BuildBuffers(Runtime& render, Runtime& display, const SwapChainDesc& desc, std::uint32_t count, BuildStep& step);
  Result<void> BuildPictures(Runtime& display, const SwapChainDesc& desc, BuildStep& step);
  Result<void> BuildPrimaries(Runtime& display, const SwapChainDesc& desc, std::uint32_t count, BuildStep& step);
  Result<void> BuildImages(Runtime& render, const SwapChainDesc& desc, BuildStep& step);

  bool direct_ = false;
  bool second_copy_ = false;
  bool compressed_ = false;
  bool in_turn_ = false;
  bool nv12_ = false;
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<Resource>> pictures_;   // of the display adapter, in system memory; for each buffer
  std::vector<std::unique_ptr<Resource>> primaries_;  // the display adapter's own, of a second copy
  std::vector<std::unique_ptr<Resource>> images_;
};

}  // namespace tandem::swapchain
