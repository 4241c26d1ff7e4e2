#include "drivers/kms/kmd/framebuffer_cache.h"

#include <algorithm>
#include <utility>

#include "base/dma_buf.h"
#include "base/memory_map.h"

namespace tandem::kms {
namespace {

// More than the buffers of all swap chains that one head shows in turn; the oldest goes first.
constexpr std::size_t kMostEntries = 48;
constexpr std::uint64_t kSampleMemoryId = 0;

}  // namespace

Result<std::uint32_t> FramebufferCache::Find(const processor::ScanOutSurface& surface, std::uint32_t fourcc) {
  Entry wanted;
  wanted.width = surface.width;
  wanted.height = surface.height;
  wanted.pitch = surface.pitch;
  wanted.fourcc = fourcc;
  wanted.bytes = processor::SpanBytes(surface);
  if (surface.address == kSampleAddress) return IdOf(std::move(wanted), {});
  const auto lease = memory_.Resolve(surface.address, wanted.bytes);
  if (!lease) return Fail(ErrorKind::kNotFound, "Address 0x{:x} is not mapped.", surface.address);
  wanted.memory_id = lease->memory_id();
  if (wanted.memory_id != processor::kLocalMemoryId) {
    wanted.offset = lease->backing_offset();
    return IdOf(std::move(wanted), {lease->backing_fd(), lease->backing_is_dma_buf()});
  }
  wanted.offset = surface.address - processor::kLocalBase;
  auto buffer = local_.BufferAt(wanted.offset, wanted.bytes, wanted.pitch);
  if (!buffer.ok()) return std::move(buffer).error();
  wanted.local = *std::move(buffer);
  return IdOf(std::move(wanted), {});
}

Result<std::uint32_t> FramebufferCache::IdOf(Entry wanted, const Backing& backing) {
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return !entry.forgotten && entry.Fits(wanted); });
  if (found == entries_.end()) {
    // A picture whose place another one has taken shows nothing of it any more.
    for (Entry& entry : entries_) entry.forgotten = entry.forgotten || entry.LostItsPlaceTo(wanted);
    const auto made = Make(wanted, backing);
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

Result<std::uint32_t> FramebufferCache::Import(Entry& entry, const Backing& backing) {
  if (backing.fd < 0) return Fail(ErrorKind::kUnsupported, "The pages have no memfd, so they become no dma-buf.");
  if (entry.offset % PageSize() != 0) return Fail(ErrorKind::kUnsupported, "The picture begins inside a page.");
  // Some cards misread framebuffers that begin inside a buffer.
  if (backing.is_dma_buf && entry.offset != 0) return Fail(ErrorKind::kUnsupported, "The picture begins inside a dma-buf.");
  UniqueFd udmabuf;
  if (!backing.is_dma_buf) {
    const auto size = RoundUpToPages(entry.bytes);
    if (!size.ok()) return size.error();
    auto made = CreateDmaBuf(backing.fd, entry.offset, *size);
    if (!made.ok()) return std::move(made).error();
    udmabuf = *std::move(made);
  }
  auto imported = ImportedBuffer::Import(handles_, backing.is_dma_buf ? backing.fd : udmabuf.get());
  if (!imported.ok()) return std::move(imported).error();
  entry.imported = *std::move(imported);
  return entry.imported.handle();
}

Result<std::uint32_t> FramebufferCache::MakeSample(Entry& entry) {
  auto sample = CreateWithPitch(card_, entry.bytes, entry.pitch);
  if (!sample.ok()) return std::move(sample).error();
  entry.sample = *std::move(sample);
  return entry.sample.handle();
}

Result<void> FramebufferCache::Make(Entry& entry, const Backing& backing) {
  const Result<std::uint32_t> handle = entry.local != nullptr               ? entry.local->handle()
                                       : entry.memory_id == kSampleMemoryId ? MakeSample(entry)
                                                                            : Import(entry, backing);
  if (!handle.ok()) return handle.error();
  auto framebuffer = Framebuffer::Create(card_, LinearLayout(entry.fourcc, entry.width, entry.height, *handle, entry.pitch));
  if (!framebuffer.ok()) return std::move(framebuffer).error();
  entry.framebuffer = *std::move(framebuffer);
  return {};
}

void FramebufferCache::Forget(std::uint64_t memory_id) {
  for (Entry& entry : entries_) entry.forgotten = entry.forgotten || entry.memory_id == memory_id;
}

void FramebufferCache::Sweep(std::span<const std::uint32_t> in_use) {
  const auto idle = [&](const Entry& entry) { return std::ranges::find(in_use, entry.framebuffer.id()) == in_use.end(); };
  std::erase_if(entries_, [&](const Entry& entry) {
    return (entry.forgotten || entry.sample.handle() != 0) && (entry.framebuffer.id() == 0 || idle(entry));
  });
  while (entries_.size() > kMostEntries) {
    const auto oldest = std::ranges::min_element(entries_, {}, &Entry::used);
    if (!idle(*oldest)) return;
    entries_.erase(oldest);
  }
}

}  // namespace tandem::kms
