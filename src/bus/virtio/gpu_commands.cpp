#include "bus/virtio/gpu_commands.h"

#include <cstring>

#include "bus/pointer_picture.h"
#include "bus/virtio/edid.h"
#include "bus/virtio/gpu_structures.h"

namespace tandem::bus {
namespace {

using virtio::GpuAnswer;
using virtio::GpuCommand;

}  // namespace

std::optional<std::uint32_t> GpuCommands::Execute(bool of_cursor_queue, const Chain& chain, std::vector<std::byte>& answer) {
  virtio::GpuHeader command{}, header{};
  GpuAnswer answered = GpuAnswer::kUnspecified;
  Put(header, answer);
  if (chain.Read(0, &command, sizeof(command))) {
    answered = !of_cursor_queue
                   ? ExecuteControl(command, chain, answer)
                   : With<virtio::GpuCursor>(chain, [&](const auto& cursor) { return ExecuteCursor(command.type, cursor); });
  }
  header.type = static_cast<std::uint32_t>(answered);
  header.flags = command.flags & virtio::kGpuFence;
  if (header.flags != 0) header.fence = command.fence;
  header.context = command.context;
  std::memcpy(answer.data(), &header, sizeof(header));
  return header.flags == 0 || of_cursor_queue ? std::nullopt : in_3d_.Fence();
}

void GpuCommands::Reset() {
  in_3d_.Reset();
  resources_.Clear();
  pointer_.Hide();
  scanout_ = 0;
}

Result<void> GpuCommands::Show(outputs::Output& output, const color::BlitRect& part) {
  const GpuResource* const resource = scanout_ == 0 ? nullptr : resources_.Find(scanout_);
  if (resource == nullptr || resource->data() == nullptr) return Fail(ErrorKind::kUnsupported, "The driver scans nothing out.");
  if (part.right > scanout_rect_.width || part.bottom > scanout_rect_.height) {
    return Fail(ErrorKind::kUnsupported, "The driver scans out {} x {} pixels.", scanout_rect_.width, scanout_rect_.height);
  }
  return output.Show(SurfaceOf(*resource, part));
}

outputs::Surface GpuCommands::SurfaceOf(const GpuResource& resource, const color::BlitRect& part) {
  outputs::Surface surface;
  surface.width = part.width();
  surface.height = part.height();
  surface.format = resource.format;
  const std::uint64_t pitch = resource.pitch();
  surface.pixels = resource.data() + (scanout_rect_.y + part.top) * pitch + (std::uint64_t{scanout_rect_.x} + part.left) * 4;
  surface.id = reinterpret_cast<std::uintptr_t>(surface.pixels);
  surface.pitch = static_cast<std::uint32_t>(pitch);
  if (pointer_.Covers(part)) {
    CopyForPointer(surface, picture_);
    pointer_.Blend(part, resource.format, picture_.data(), surface.pitch);
    pointer_bytes_ += picture_.size();
  }
  return surface;
}

GpuAnswer GpuCommands::GetDisplayInfo(std::vector<std::byte>& answer) const {
  virtio::GpuDisplayInfo info{};
  info.scanouts[0] = {{0, 0, display_.width, display_.height}, display_.connected ? 1u : 0u, 0};
  Put(info, answer);
  return GpuAnswer::kDisplayInfo;
}

GpuAnswer GpuCommands::GetEdid(const virtio::GpuGetEdid& command, std::vector<std::byte>& answer) const {
  if (command.scanout != 0) return GpuAnswer::kInvalidScanout;
  virtio::GpuEdidAnswer description{};
  const auto edid = MakeEdid(display_.width, display_.height, display_.refresh_period_ns);
  description.bytes = static_cast<std::uint32_t>(edid.size());
  std::memcpy(description.edid.data(), edid.data(), edid.size());
  Put(description, answer);
  return GpuAnswer::kEdid;
}

GpuAnswer GpuCommands::Unref(const virtio::GpuResourceCommand& command) {
  const GpuResource* const resource = resources_.Find(command.resource);
  if (resource != nullptr && resource->texture != nullptr) in_3d_.Destroy(command.resource);
  const GpuAnswer answer = resources_.Unref(command.resource);
  if (answer == GpuAnswer::kOk && command.resource == scanout_) scanout_ = 0;
  return answer;
}

GpuAnswer GpuCommands::SetScanout(const virtio::GpuSetScanout& command) {
  if (command.scanout != 0) return GpuAnswer::kInvalidScanout;
  if (command.resource == 0) {
    scanout_ = 0;
    return GpuAnswer::kOk;
  }
  GpuResource* const resource = resources_.Find(command.resource);
  if (resource == nullptr) return GpuAnswer::kInvalidResource;
  if (!resource->IsPicture() || !resource->Has(command.rect)) return GpuAnswer::kInvalidParameter;
  if (resource->texture != nullptr) {
    if (const GpuAnswer reserved = resources_.ReservePicture(*resource); reserved != GpuAnswer::kOk) return reserved;
    scanout_is_stale_ = true;
  }
  scanout_ = command.resource;
  scanout_rect_ = command.rect;
  return GpuAnswer::kOk;
}

GpuAnswer GpuCommands::Flush(const virtio::GpuFlush& command) {
  GpuResource* const resource = resources_.Find(command.resource);
  if (resource == nullptr) return GpuAnswer::kInvalidResource;
  if (!resource->Has(command.rect)) return GpuAnswer::kInvalidParameter;
  if (command.resource != scanout_) return GpuAnswer::kOk;
  if (resource->texture != nullptr) {
    const virtio::GpuRect whole{0, 0, resource->width, resource->height};
    const GpuAnswer read = in_3d_.ReadPicture(scanout_, *resource, scanout_is_stale_ ? whole : command.rect);
    if (read != GpuAnswer::kOk) return read;
    scanout_is_stale_ = false;
  }
  ++flushes_;
  return GpuAnswer::kOk;
}

GpuAnswer GpuCommands::AttachBacking(const virtio::GpuAttachBacking& command, const Chain& chain) {
  if (command.entries == 0 || command.entries > GpuResources::kMaxBackingEntries) return GpuAnswer::kInvalidParameter;
  std::vector<virtio::GpuBackingEntry> entries(command.entries);
  if (!chain.Read(sizeof(command), entries.data(), entries.size() * sizeof(entries[0]))) return GpuAnswer::kUnspecified;
  std::vector<GuestRange> backing;
  backing.reserve(entries.size());
  for (const virtio::GpuBackingEntry& entry : entries) backing.push_back({entry.address, entry.bytes});
  return resources_.Attach(command.resource, backing);
}

GpuAnswer GpuCommands::TransferToHost2d(const virtio::GpuTransfer& command) {
  const GpuResource* const resource = resources_.Find(command.resource);
  const bool is_texture = resource != nullptr && resource->texture != nullptr;
  return is_texture ? in_3d_.TransferToHost2d(command) : resources_.Transfer(command);
}

GpuAnswer GpuCommands::ExecuteControl(const virtio::GpuHeader& header, const Chain& chain, std::vector<std::byte>& answer) {
  switch (static_cast<GpuCommand>(header.type)) {
    case GpuCommand::kGetDisplayInfo: return GetDisplayInfo(answer);
    case GpuCommand::kGetEdid:
      return With<virtio::GpuGetEdid>(chain, [&](const auto& command) { return GetEdid(command, answer); });
    case GpuCommand::kResourceCreate2d:
      return With<virtio::GpuCreate2d>(chain, [&](const auto& command) { return resources_.Create(command); });
    case GpuCommand::kResourceUnref:
      return With<virtio::GpuResourceCommand>(chain, [&](const auto& command) { return Unref(command); });
    case GpuCommand::kSetScanout:
      return With<virtio::GpuSetScanout>(chain, [&](const auto& command) { return SetScanout(command); });
    case GpuCommand::kResourceFlush: return With<virtio::GpuFlush>(chain, [&](const auto& command) { return Flush(command); });
    case GpuCommand::kTransferToHost2d:
      return With<virtio::GpuTransfer>(chain, [&](const auto& command) { return TransferToHost2d(command); });
    case GpuCommand::kResourceAttachBacking:
      return With<virtio::GpuAttachBacking>(chain, [&](const auto& command) { return AttachBacking(command, chain); });
    case GpuCommand::kResourceDetachBacking:
      return With<virtio::GpuResourceCommand>(chain, [&](const auto& command) { return resources_.Detach(command.resource); });
    default: return in_3d_.Execute(header, chain, answer);
  }
}

GpuAnswer GpuCommands::ExecuteCursor(std::uint32_t type, const virtio::GpuCursor& command) {
  if (command.scanout != 0) return GpuAnswer::kInvalidScanout;
  if (type == static_cast<std::uint32_t>(GpuCommand::kMoveCursor)) {
    pointer_.Move(command);
    return GpuAnswer::kOk;
  }
  if (type != static_cast<std::uint32_t>(GpuCommand::kUpdateCursor)) return GpuAnswer::kUnspecified;
  GpuResource* const resource = command.resource == 0 ? nullptr : resources_.Find(command.resource);
  if (command.resource != 0 && (resource == nullptr || !resource->IsPicture())) return GpuAnswer::kInvalidResource;
  if (resource != nullptr && resource->texture != nullptr && GpuPointer::Fits(*resource)) {
    const GpuAnswer read = in_3d_.ReadPicture(command.resource, *resource, {0, 0, resource->width, resource->height});
    if (read != GpuAnswer::kOk) return read;
  }
  return pointer_.Update(command, resource);
}

}  // namespace tandem::bus
