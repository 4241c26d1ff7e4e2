#include "bus/virtio/gpu_resources.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"

namespace tandem::bus {
namespace {

using virtio::GpuAnswer;

// kUnknown for a format that no output of this tree shows. A screen has no alpha.
color::Format FormatOf(std::uint32_t format) {
  switch (static_cast<virtio::GpuFormat>(format)) {
    case virtio::GpuFormat::kB8G8R8A8:
    case virtio::GpuFormat::kB8G8R8X8: return color::Format::kB8G8R8X8Unorm;
    case virtio::GpuFormat::kR8G8B8A8:
    case virtio::GpuFormat::kR8G8B8X8: return color::Format::kR8G8B8A8Unorm;
  }
  return color::Format::kUnknown;
}

// Adds the copy of a row from `offset` of the backing. False when the backing ends before.
bool AddCopies(const std::vector<GuestRange>& backing, std::uint64_t offset, std::byte* to, std::uint64_t bytes,
               std::vector<GuestCopy>& copies) {
  for (const GuestRange& range : backing) {
    if (offset >= range.bytes) {
      offset -= range.bytes;
      continue;
    }
    const std::uint64_t part = std::min(bytes, range.bytes - offset);
    copies.push_back({range.address + offset, to, static_cast<std::size_t>(part)});
    to += part;
    bytes -= part;
    offset = 0;
    if (bytes == 0) return true;
  }
  return false;
}

}  // namespace

bool GpuResource::Has(const virtio::GpuRect& rect) const {
  return rect.width != 0 && rect.height != 0 && rect.x < width && rect.y < height && rect.width <= width - rect.x &&
         rect.height <= height - rect.y;
}

GpuAnswer GpuResources::Create(const virtio::GpuCreate2d& command) {
  const color::Format format = FormatOf(command.format);
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

GpuAnswer GpuResources::Unref(std::uint32_t id) {
  const auto found = resources_.find(id);
  if (found == resources_.end()) return GpuAnswer::kInvalidResource;
  bytes_ -= found->second.pitch() * found->second.height;
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
  if (resource == nullptr || resource->backing.empty()) return GpuAnswer::kInvalidResource;
  const virtio::GpuRect& rect = command.rect;
  const std::uint64_t pitch = resource->pitch();
  if (!resource->Has(rect) || command.offset > kMaxBytes) return GpuAnswer::kInvalidParameter;
  const bool whole_rows = rect.width == resource->width;
  const std::uint64_t row_bytes = std::uint64_t{rect.width} * 4 * (whole_rows ? rect.height : 1);
  copies_.clear();
  for (std::uint32_t row = 0; row < (whole_rows ? 1 : rect.height); ++row) {
    std::byte* const to = resource->pixels.data() + (rect.y + row) * pitch + std::uint64_t{rect.x} * 4;
    if (!AddCopies(resource->backing, command.offset + row * pitch, to, row_bytes, copies_)) return GpuAnswer::kInvalidParameter;
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
