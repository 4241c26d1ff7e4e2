#include "drivers/kms/kmd/framebuffer_cache.h"

#include <algorithm>
#include <utility>

#include "base/dma_buf.h"
#include "base/memory_map.h"

namespace tandem::kms {
namespace {

// More than the buffers of all swap chains that one head shows in turn; the oldest goes first.
constexpr std::size_t kMostEntries = 48;

}  // namespace

Result<std::uint32_t> FramebufferCache::Find(const processor::ScanOutSurface& surface, std::uint32_t fourcc) {
  const std::uint64_t bytes = processor::SpanBytes(surface);
  const auto lease = memory_.Resolve(surface.address, bytes);
  if (!lease) return Fail(ErrorKind::kNotFound, "Address 0x{:x} is not mapped.", surface.address);
  Entry wanted;
  wanted.memory_id = lease->memory_id();
  wanted.offset =
      wanted.memory_id == processor::kLocalMemoryId ? surface.address - processor::kLocalBase : lease->backing_offset();
  wanted.width = surface.width;
  wanted.height = surface.height;
  wanted.pitch = surface.pitch;
  wanted.fourcc = fourcc;
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return !entry.forgotten && entry.Fits(wanted); });
  if (found == entries_.end()) {
    const auto made = Make(wanted, *lease, bytes);
    if (!made.ok()) {
      if (made.error().kind != ErrorKind::kUnsupported && made.error().kind != ErrorKind::kLimit) return made.error();
      wanted.refusal = made.error().message;
    }
    entries_.push_back(std::move(wanted));
    found = entries_.end() - 1;
  }
  found->used = ++questions_;
  if (!found->refusal.empty()) return Fail(ErrorKind::kUnsupported, "{}", found->refusal);
  return found->framebuffer.id();
}

Result<void> FramebufferCache::Make(Entry& entry, const processor::GpuMemory::Lease& lease, std::uint64_t span_bytes) {
  std::uint32_t handle = local_.handle();
  std::uint64_t offset = entry.offset;
  if (entry.memory_id != processor::kLocalMemoryId) {
    if (lease.backing_fd() < 0) return Fail(ErrorKind::kUnsupported, "The pages have no memfd, so they become no dma-buf.");
    const std::uint64_t first = entry.offset / processor::kGpuPageBytes * processor::kGpuPageBytes;
    const auto size = RoundUpToPages(entry.offset + span_bytes - first);
    if (!size.ok()) return size.error();
    const auto dma_buf = CreateDmaBuf(lease.backing_fd(), first, *size);
    if (!dma_buf.ok()) return dma_buf.error();
    auto imported = ImportedBuffer::Import(handles_, dma_buf->get());
    if (!imported.ok()) return std::move(imported).error();
    entry.buffer = *std::move(imported);
    handle = entry.buffer.handle();
    offset = entry.offset - first;
  }
  FramebufferLayout layout = LinearLayout(entry.fourcc, entry.width, entry.height, handle, entry.pitch);
  for (FramebufferPlane& plane : layout.planes) {
    if (plane.handle == 0) continue;
    if (offset + plane.offset_bytes > UINT32_MAX) return Fail(ErrorKind::kUnsupported, "The picture begins beyond 4 GiB.");
    plane.offset_bytes += static_cast<std::uint32_t>(offset);
  }
  auto framebuffer = Framebuffer::Create(card_, layout);
  if (!framebuffer.ok()) return std::move(framebuffer).error();
  entry.framebuffer = *std::move(framebuffer);
  return {};
}

void FramebufferCache::Forget(std::uint64_t memory_id) {
  for (Entry& entry : entries_) entry.forgotten = entry.forgotten || entry.memory_id == memory_id;
}

void FramebufferCache::Sweep(std::span<const std::uint32_t> in_use) {
  const auto idle = [&](const Entry& entry) { return std::ranges::find(in_use, entry.framebuffer.id()) == in_use.end(); };
  std::erase_if(entries_, [&](const Entry& entry) { return entry.forgotten && (entry.framebuffer.id() == 0 || idle(entry)); });
  while (entries_.size() > kMostEntries) {
    const auto oldest = std::ranges::min_element(entries_, {}, &Entry::used);
    if (!idle(*oldest)) return;
    entries_.erase(oldest);
  }
}

}  // namespace tandem::kms
