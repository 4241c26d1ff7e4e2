// All surfaces of a swap chain, created for its path. Internal to the module.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "link/surface/link_surface.h"
#include "swapchain/decision.h"
#include "swapchain/resource.h"

namespace tandem::swapchain {

// Resources of the render adapter that the application draws into. They outlive the display adapter that they were made for.
using Images = std::vector<std::shared_ptr<Resource>>;

// Constant after Build.
class BufferSet {
 public:
  // `encoding`: PathDecision::encoding. `images`: those that exist already; empty: the set makes them. On failure `step` names
  // the failing step. The runtimes must outlive the set.
  [[nodiscard]] static Result<std::unique_ptr<BufferSet>> Build(Path path, link::LinkEncoding encoding, Runtime& render,
                                                                Runtime& display, const SwapChainDesc& desc, const Images& images,
                                                                BuildStep& step);

  [[nodiscard]] const Images& images() const { return images_; }
  [[nodiscard]] std::uint32_t image_count() const { return static_cast<std::uint32_t>(images_.size()); }
  [[nodiscard]] std::uint32_t buffer_count() const { return static_cast<std::uint32_t>(buffers_.size()); }
  // True if the images are the buffers.
  [[nodiscard]] bool direct() const { return direct_; }

  // Resources of the render adapter: the image that the application draws into, and the destination of its copy.
  [[nodiscard]] D3D10DDI_HRESOURCE image(std::uint32_t index) const { return images_[index]->handle(); }
  [[nodiscard]] D3D10DDI_HRESOURCE copy_destination(std::uint32_t buffer) const { return buffers_[buffer].on_render->handle(); }
  // Meter of the passes that copy into the buffer; null: there is no copy, or the driver counts none.
  [[nodiscard]] PassMeter* copy_meter(std::uint32_t buffer) const {
    return direct_ ? nullptr : buffers_[buffer].on_render->meter().get();
  }

  // Resources of the display adapter: the second copy's source and destination, and the surface to flip to.
  [[nodiscard]] bool second_copy() const { return second_copy_; }
  // The surface that the display adapter scans out unless there is a second copy.
  [[nodiscard]] const Resource& shared(std::uint32_t buffer) const { return *buffers_[buffer].on_display; }
  // True if frames cross encoded: shared surfaces are link surfaces (link/surface/link_surface.h).
  [[nodiscard]] bool compressed() const { return compressed_; }
  // True if frames are decoded into a picture for each buffer, then copied to the next primary in turn.
  [[nodiscard]] bool decodes_to_pictures() const { return compressed_ && in_turn_; }
  // Destination for encoded frames of the buffer. It is always the same, because unchanged tiles are not sent and must still
  // stand there.
  [[nodiscard]] D3D10DDI_HRESOURCE decoded(std::uint32_t buffer) const {
    return (in_turn_ ? pictures_ : primaries_)[buffer]->handle();
  }
  // True if the display adapter scans out 4:2:0.
  [[nodiscard]] bool nv12() const { return nv12_; }
  [[nodiscard]] Result<std::byte*> MapShared(std::uint32_t buffer) const { return buffers_[buffer].on_display->Map(); }
  [[nodiscard]] D3D10DDI_HRESOURCE flip_surface(std::uint32_t buffer) const {
    return (second_copy_ ? primaries_[buffer] : buffers_[buffer].on_display)->handle();
  }
  // Calls `use(resource)` for each resource.
  template <class Use>
  void ForEachResource(Use&& use) const {
    for (const Buffer& buffer : buffers_) {
      use(*buffer.on_display);
      use(*buffer.on_render);
    }
    for (const auto* list : {&pictures_, &primaries_}) {
      for (const auto& resource : *list) use(*resource);
    }
    for (const auto& image : images_) use(*image);
  }
  // Format of the display adapter's own primaries.
  [[nodiscard]] DXGI_FORMAT primary_format(const SwapChainDesc& desc) const;
  // Format of the frames between both adapters; on the compressed path the one that is decoded.
  [[nodiscard]] DXGI_FORMAT crossing_format(const SwapChainDesc& desc) const {
    return nv12_ ? DXGI_FORMAT_NV12 : primary_format(desc);
  }
  // Conversion by the copy into the shared buffer. Encoders convert without being asked.
  [[nodiscard]] CrossingCurve crossing_curve() const { return compressed_ || nv12_ ? CrossingCurve::kNone : crossing_.curve; }
  // True if that copy changes the format.
  [[nodiscard]] bool converts(const SwapChainDesc& desc) const {
    return !compressed_ && !nv12_ && crossing_.format != desc.format;
  }
  // Number of primaries that take turns; 0: primary i belongs to buffer i.
  [[nodiscard]] std::uint32_t primaries_in_turn() const { return in_turn_ ? static_cast<std::uint32_t>(primaries_.size()) : 0; }

 private:
  // The display adapter creates a buffer before the render adapter opens it.
  struct Buffer {
    std::unique_ptr<Resource> on_display;  // cross-adapter; a primary unless there is a second copy or a link surface
    std::shared_ptr<Resource> on_render;   // pages of on_display; on the direct path one of the images
  };

  BufferSet() = default;
  [[nodiscard]] DXGI_FORMAT SharedFormat(const SwapChainDesc& desc) const;
  Result<void> BuildBuffers(Runtime& render, Runtime& display, const SwapChainDesc& desc, std::uint32_t count, BuildStep& step);
  Result<void> BuildPictures(Runtime& display, const SwapChainDesc& desc, BuildStep& step);
  Result<void> BuildPrimaries(Runtime& display, const SwapChainDesc& desc, std::uint32_t count, BuildStep& step);
  Result<void> BuildImages(Runtime& render, const SwapChainDesc& desc, BuildStep& step);

  CrossingFormat crossing_;  // paths without encodings
  bool direct_ = false;
  bool second_copy_ = false;
  bool compressed_ = false;
  bool in_turn_ = false;
  bool nv12_ = false;
  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<Resource>> pictures_;   // display adapter's, in system memory; one for each buffer
  std::vector<std::unique_ptr<Resource>> primaries_;  // display adapter's own, for the second copy
  Images images_;
};

}  // namespace tandem::swapchain
