#include "bus/virtio/gpu_resources.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "bus/virtio/gpu_backing.h"

namespace tandem::bus {
namespace {

using virtio::GpuAnswer;

std::uint64_t BytesOf(const virtio::GpuCreate3d& texture, const TexelBlock& block) {
  const auto blocks = [](std::uint64_t texels, std::uint32_t each) { return (texels + each - 1) / each; };
  const std::uint64_t level = blocks(texture.width, block.width) * blocks(texture.height, block.height) * block.bytes;
  const std::uint64_t layers = std::uint64_t{texture.depth} * std::max(1u, texture.array_size) * std::max(1u, texture.samples);
  return level * layers *
         (texture.last_level == 0 ? 1 : 2);  // smaller levels are a third at most, in one dimension as much again
}

bool IsBuffer(const virtio::GpuCreate3d& resource, const TexelBlock& block) {
  return block.bytes == 1 && block.width == 1 && resource.width <= GpuResources::kMaxBytes && resource.height == 1 &&
         resource.depth == 1 && resource.array_size <= 1 && resource.last_level == 0 && resource.samples <= 1;
}

// The renderer knows what it can do with the target; products of these fit 64 bits.
bool IsTexture(const virtio::GpuCreate3d& resource) {
  return resource.width <= kMaxSurfaceExtent && resource.height <= kMaxSurfaceExtent && resource.depth <= kMaxSurfaceExtent / 8 &&
         resource.array_size <= kMaxSurfaceExtent / 8 && resource.last_level <= GpuResources::kMaxLastLevel &&
         resource.samples <= GpuResources::kMaxSamples &&
         resource.target <= static_cast<std::uint32_t>(virtio::GpuTarget::kCubeArray);
}

}  // namespace

bool GpuResource::IsPicture() const {
  if (format == color::Format::kUnknown) return false;
  return texture == nullptr || texture->target == virtio::GpuTarget::kTexture2d ||
         texture->target == virtio::GpuTarget::kRectangle;
}

bool GpuResource::Has(const virtio::GpuRect& rect) const {
  return rect.width != 0 && rect.height != 0 && rect.x < width && rect.y < height && rect.width <= width - rect.x &&
         rect.height <= height - rect.y;
}

GpuAnswer GpuResources::Create(const virtio::GpuCreate2d& command) {
  const color::Format format = ScreenFormatOf(command.format);
  const std::uint64_t bytes = std::uint64_t{command.width} * command.height * 4;
  if (command.resource == 0 || resources_.contains(command.resource)) return GpuAnswer::kInvalidResource;
  if (format == color::Format::kUnknown || bytes == 0 || command.width > kMaxSurfaceExtent ||
      command.height > kMaxSurfaceExtent) {
    return GpuAnswer::kInvalidParameter;
  }
  if (resources_.size() == kMaxResources || bytes > kMaxBytes - bytes_) return GpuAnswer::kOutOfMemory;
  auto pixels = MemoryMap::CreateAnonymous(static_cast<std::size_t>(bytes));
  if (!pixels.ok()) return GpuAnswer::kOutOfMemory;
  bytes_ += bytes;
  resources_[command.resource] = {command.width, command.height, format, *std::move(pixels), {}};
  return GpuAnswer::kOk;
}

GpuAnswer GpuResources::Create3d(const virtio::GpuCreate3d& command) {
  const auto block = BlockOf(command.format);
  if (command.resource == 0 || resources_.contains(command.resource)) return GpuAnswer::kInvalidResource;
  const bool is_buffer = command.target == static_cast<std::uint32_t>(virtio::GpuTarget::kBuffer);
  if (!block || command.width == 0 || command.height == 0 || command.depth == 0 || (command.flags & ~virtio::kTopIsFirst) != 0 ||
      (command.bind & virtio::kBindStaging) != 0 || !(is_buffer ? IsBuffer(command, *block) : IsTexture(command))) {
    return GpuAnswer::kInvalidParameter;
  }
  auto texture = std::make_unique<GpuTexture>();
  texture->target = static_cast<virtio::GpuTarget>(command.target);
  texture->depth = command.depth;
  texture->array_size = std::max(1u, command.array_size);
  texture->last_level = command.last_level;
  texture->block = *block;
  texture->holds_results = command.bind == virtio::kBindCustom;
  texture->bytes = std::max<std::uint64_t>(BytesOf(command, *block), 1);
  // The renderer writes a whole result to such a buffer.
  if (texture->holds_results && command.width < sizeof(virtio::GpuQueryState)) return GpuAnswer::kInvalidParameter;
  if (resources_.size() == kMaxResources || texture->bytes > kMaxBytes - bytes_) return GpuAnswer::kOutOfMemory;
  bytes_ += texture->bytes;
  const color::Format format = command.samples <= 1 ? ScreenFormatOf(command.format) : color::Format::kUnknown;
  resources_[command.resource] = {command.width, command.height, format, {}, {}, std::move(texture)};
  return GpuAnswer::kOk;
}

GpuAnswer GpuResources::ReservePicture(GpuResource& resource) {
  GpuTexture& texture = *resource.texture;
  if (!texture.picture.empty()) return GpuAnswer::kOk;
  const std::uint64_t bytes = resource.pitch() * resource.height;
  if (bytes > kMaxBytes - bytes_) return GpuAnswer::kOutOfMemory;
  texture.picture.resize(static_cast<std::size_t>(bytes));
  texture.bytes += bytes;
  bytes_ += bytes;
  return GpuAnswer::kOk;
}

GpuAnswer GpuResources::Unref(std::uint32_t id) {
  const auto found = resources_.find(id);
  if (found == resources_.end()) return GpuAnswer::kInvalidResource;
  const GpuResource& resource = found->second;
  bytes_ -= resource.texture == nullptr ? resource.pitch() * resource.height : resource.texture->bytes;
  resources_.erase(found);
  return GpuAnswer::kOk;
}

// Ranges that follow each other become one.
GpuAnswer GpuResources::Attach(std::uint32_t id, std::span<const GuestRange> backing) {
  GpuResource* const resource = Find(id);
  if (resource == nullptr) return GpuAnswer::kInvalidResource;
  if (!resource->backing.empty()) return GpuAnswer::kUnspecified;
  for (const GuestRange& range : backing) {
    if (range.bytes == 0 || range.address + range.bytes < range.address) return GpuAnswer::kInvalidParameter;
  }
  for (const GuestRange& range : backing) {
    if (!resource->backing.empty() && resource->backing.back().address + resource->backing.back().bytes == range.address) {
      resource->backing.back().bytes += range.bytes;
    } else {
      resource->backing.push_back(range);
    }
  }
  return GpuAnswer::kOk;
}

GpuAnswer GpuResources::Detach(std::uint32_t id) {
  GpuResource* const resource = Find(id);
  if (resource == nullptr || resource->backing.empty()) return GpuAnswer::kInvalidResource;
  resource->backing.clear();
  return GpuAnswer::kOk;
}

GpuAnswer GpuResources::Transfer(const virtio::GpuTransfer& command) {
  GpuResource* const resource = Find(command.resource);
  if (resource == nullptr || resource->texture != nullptr || resource->backing.empty()) return GpuAnswer::kInvalidResource;
  const virtio::GpuRect& rect = command.rect;
  const std::uint64_t pitch = resource->pitch();
  if (!resource->Has(rect) || command.offset > kMaxBytes) return GpuAnswer::kInvalidParameter;
  const bool whole_rows = rect.width == resource->width;
  const std::uint64_t row_bytes = std::uint64_t{rect.width} * 4 * (whole_rows ? rect.height : 1);
  BackingCopies rows(resource->backing, copies_);
  for (std::uint32_t row = 0; row < (whole_rows ? 1 : rect.height); ++row) {
    std::byte* const to = resource->pixels.data() + (rect.y + row) * pitch + std::uint64_t{rect.x} * 4;
    if (!rows.Add(command.offset + row * pitch, row_bytes, to)) return GpuAnswer::kInvalidParameter;
  }
  if (!ReadGuest(copies_)) return GpuAnswer::kUnspecified;
  transferred_bytes_ += std::uint64_t{rect.width} * rect.height * 4;
  return GpuAnswer::kOk;
}

GpuResource* GpuResources::Find(std::uint32_t id) {
  const auto found = resources_.find(id);
  return found == resources_.end() ? nullptr : &found->second;
}

void GpuResources::Clear() {
  resources_.clear();
  bytes_ = 0;
}

}  // namespace tandem::bus
