#include "drivers/vulkan/kmd/command_runner.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/sync_file.h"
#include "color/copy.h"
#include "drivers/vulkan/gpu/copy_recorder.h"

namespace tandem::vulkan {
namespace {

const CopyCommand* AsCopy(const CommandHeader* command) {
  return command != nullptr && command->opcode == Opcode::kCopy ? reinterpret_cast<const CopyCommand*>(command) : nullptr;
}
const BlitCommand* AsBlit(const CommandHeader* command) {
  return command != nullptr && command->opcode == Opcode::kBlit ? reinterpret_cast<const BlitCommand*>(command) : nullptr;
}

bool IsPrimary(const Allocation* allocation) {
  return allocation != nullptr && allocation->data().kind == AllocationKind::kPrimary;
}

PassCount PassOf(const CopyCommand& command) {
  std::uint64_t pixels = 0;
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    pixels += static_cast<std::uint64_t>(rect.right - rect.left) * static_cast<std::uint64_t>(rect.bottom - rect.top);
  }
  return {pixels, pixels * drivers::PixelBytes(command.destination->data().format)};
}

// Bytes of a copy out of the device's own memory into system memory.
std::uint64_t BytesThatCross(const CopyCommand& command) {
  if (command.source->data().kind == AllocationKind::kLinear || command.destination->data().kind != AllocationKind::kLinear)
    return 0;
  return PassOf(command).bytes;
}

std::span<const std::byte> TailOf(const CopyCommand& command) {
  const auto* first = reinterpret_cast<const std::byte*>(&command.offset_x);
  return {first, reinterpret_cast<const std::byte*>(command.rects + command.rect_count)};
}

void NoteUse(const CommandSurfaces& surfaces, std::uint32_t timeline, std::uint64_t value) {
  for (Allocation* allocation : {surfaces.source, surfaces.destination}) {
    if (allocation != nullptr && value != 0) allocation->NoteUse(timeline, value);
  }
}

// Without fences that cross, the processor waits for the readers of shared pages before the device writes there.
bool WaitsForReaders(const CopyCommand& copy) {
  return copy.destination->dma_buf() >= 0 && copy.destination->fences() == nullptr;
}

CommandCache::Key KeyOf(const CopyCommand& command, const Rows& source, const Rows& destination) {
  return {Opcode::kCopy, command.source, command.destination, source, destination, TailOf(command)};
}

}  // namespace

bool CommandRunner::FindRows(const CommandSurfaces& surfaces, const DmaToken& token, Rows& source, Rows& destination) const {
  source = parts_.paging.RowsOf(surfaces.source, token.source);
  destination = parts_.paging.RowsOf(surfaces.destination, token.destination);
  const auto found = [](const Allocation* allocation, const Rows& rows) {
    return allocation == nullptr || allocation->is_image() || IsPrimary(allocation) || rows.valid();
  };
  return found(surfaces.source, source) && found(surfaces.destination, destination);
}

SubmitWaits WaitsOf(const Nodes& nodes, std::uint32_t node, const CommandSurfaces& surfaces) {
  SubmitWaits waits{};
  if (surfaces.source != nullptr) waits[0] = {surfaces.source->rendered(), surfaces.rendered};
  for (std::uint32_t timeline = 0; timeline < kTimelineCount; ++timeline) {
    if (timeline == QueueTimeline(node)) continue;  // one queue, in order, with barriers
    for (const Allocation* allocation : {surfaces.source, surfaces.destination}) {
      if (allocation == nullptr) continue;
      waits[1 + timeline] = {nodes.TimelineOf(timeline), std::max(waits[1 + timeline].value, allocation->LastUse(timeline))};
    }
  }
  return waits;
}

void CommandRunner::Prepare(std::uint32_t node, const CommandHeader& command, const DmaToken& token) {
  const CopyCommand* copy = AsCopy(&command);
  if (copy == nullptr || IsPrimary(copy->destination) || parts_.nodes.engines[node]->has_deferred()) return;
  Rows source;
  Rows destination;
  if (!FindRows(SurfacesOf(&command), token, source, destination)) return;
  parts_.nodes.caches[node]->Use(
      KeyOf(*copy, source, destination),
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordCopy(parts_.gpu.vk(), commands, *copy, source, destination);
        return true;
      },
      [](VkCommandBuffer) { return std::uint64_t{0}; });
}

void CommandRunner::Submit(std::uint32_t node, UINT fence, const CommandHeader* command, const DmaToken& token) {
  const CommandSurfaces surfaces = SurfacesOf(command);
  Packet packet;
  packet.fence = fence;
  packet.command = command;
  packet.token = token;
  if (surfaces.destination != nullptr) packet.passes = surfaces.destination->passes.get();
  packet.queued_ns = MonotonicClock().NowNs();
  packet.waits = WaitsOf(parts_.nodes, node, surfaces);
  packet.deferred = parts_.nodes.engines[node]->has_deferred() || NeedsWorker(command, token) || WaitsForWorker(packet.waits);
  if (packet.deferred) {
    packet.waits[1 + WorkerTimeline(node)] = {};  // the worker takes packets in their order
    packet.late = parts_.nodes.engines[node]->ReserveLate();
    NoteUse(surfaces, WorkerTimeline(node), packet.late);
  } else if (command != nullptr) {
    packet.value = SubmitToGpu(node, *command, token, packet.waits);
  }
  if (surfaces.source != nullptr) surfaces.source->NoteSubmitted(surfaces.use);
  parts_.nodes.engines[node]->Queue(packet);
}

void CommandRunner::SubmitPaging(std::uint32_t node, UINT fence, const std::byte* commands, UINT bytes) {
  Packet packet;
  packet.fence = fence;
  packet.paging = commands;
  packet.paging_bytes = bytes;
  packet.deferred = true;
  packet.late = parts_.nodes.engines[node]->ReserveLate();
  // Earlier work on the other timelines comes first. The node's own worker takes its work in order.
  for (UINT at = 0; at + sizeof(PagingCommand) <= bytes; at += sizeof(PagingCommand)) {
    PagingCommand command;
    std::memcpy(&command, commands + at, sizeof(command));
    for (std::uint32_t timeline = 0; timeline < kTimelineCount && command.allocation != nullptr; ++timeline) {
      if (timeline == WorkerTimeline(node)) continue;
      packet.waits[1 + timeline] = {parts_.nodes.TimelineOf(timeline),
                                    std::max(packet.waits[1 + timeline].value, command.allocation->LastUse(timeline))};
    }
  }
  parts_.nodes.engines[node]->Queue(packet);
}

// A worker's timeline is signalled by the processor. What waits for that must not be on a queue before: everything behind it
// would wait, too, and a binary semaphore may depend on submitted work only (VUID-vkQueueSubmit-pWaitSemaphores-03238).
bool CommandRunner::WaitsForWorker(const SubmitWaits& waits) const {
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (waits[1 + WorkerTimeline(node)].value > parts_.nodes.engines[node]->signalled_late()) return true;
  }
  return false;
}

// True for commands with an image of the window system, a part for the processor, or rows that are not there yet.
bool CommandRunner::NeedsWorker(const CommandHeader* command, const DmaToken& token) const {
  if (AsBlit(command) != nullptr) return true;
  const CopyCommand* copy = AsCopy(command);
  if (copy == nullptr) return false;
  Rows source;
  Rows destination;
  return IsPrimary(copy->destination) || !FindRows(SurfacesOf(command), token, source, destination) || source.bounce != nullptr ||
         (WaitsForReaders(*copy) && !IsIdle(copy->destination->dma_buf(), 0));
}

void CommandRunner::Execute(Engine& engine, Packet& packet) {
  if (packet.paging != nullptr) {
    parts_.paging.Run(engine, packet);
    return;
  }
  if (packet.command == nullptr || parts_.gpu.lost()) return;
  Rows source;
  Rows destination;
  if (!FindRows(SurfacesOf(packet.command), packet.token, source, destination)) {
    Log(LogLevel::kError, "{}: a command of fence {} refers to memory that is not there.", parts_.gpu.name(), packet.fence);
    parts_.gpu.MarkLost("The mapping of a surface", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return;
  }
  const CopyCommand* copy = AsCopy(packet.command);
  const BlitCommand* blit = AsBlit(packet.command);
  const bool by_processor = blit != nullptr || (copy != nullptr && (source.bounce != nullptr || IsPrimary(copy->destination)));
  if (by_processor && !engine.Await(packet.waits)) return;
  if (blit != nullptr) {
    parts_.blits.Run(engine, packet, *blit, source, destination);
    return;
  }
  if (copy != nullptr && source.bounce != nullptr) CopyThroughBounce(*copy, true);
  if (copy != nullptr && IsPrimary(copy->destination)) {
    if (parts_.display != nullptr) parts_.display->Copy(*copy, copy->destination->passes.get());
    return;
  }
  for (std::uint32_t node = 0; node < kNodeCount; ++node) {
    if (!engine.Await(packet.waits[1 + WorkerTimeline(node)])) return;
  }
  if (copy != nullptr && WaitsForReaders(*copy) && !engine.AwaitIdle(copy->destination->dma_buf())) return;
  packet.value = SubmitToGpu(engine.node(), *packet.command, packet.token, packet.waits);
}

void CommandRunner::Finish(Engine&, Packet& packet) {
  const CopyCommand* copy = AsCopy(packet.command);
  if (copy == nullptr || parts_.gpu.lost()) return;
  if (!IsPrimary(copy->destination)) copy->destination->passes->Count(PassOf(*copy));  // that one counted for itself
  if (parts_.link != nullptr) packet.crossing = BytesThatCross(*copy);
  if (parts_.paging.RowsOf(copy->destination, packet.token.destination).bounce != nullptr) CopyThroughBounce(*copy, false);
}

void CommandRunner::GivenBack(const Packet& packet) {
  const CommandSurfaces surfaces = SurfacesOf(packet.command);
  if (surfaces.source != nullptr) surfaces.source->NoteGivenBack(surfaces.use);
}

std::uint64_t CommandRunner::SubmitToGpu(std::uint32_t node, const CommandHeader& command, const DmaToken& token,
                                         const SubmitWaits& waits) {
  switch (command.opcode) {
    case Opcode::kCopy: return SubmitCopy(node, reinterpret_cast<const CopyCommand&>(command), token, waits);
    case Opcode::kFlush: return SubmitFlush(node, reinterpret_cast<const FlushCommand&>(command), waits);
    default: return 0;
  }
}

std::uint64_t CommandRunner::SubmitCopy(std::uint32_t node, const CopyCommand& command, const DmaToken& token,
                                        const SubmitWaits& waits) {
  Rows source;
  Rows destination;
  static_cast<void>(FindRows(SurfacesOf(&command.header), token, source, destination));  // looked up before
  std::uint64_t value = 0;
  const bool recorded = parts_.nodes.caches[node]->Use(
      KeyOf(command, source, destination),
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordCopy(parts_.gpu.vk(), commands, command, source, destination);
        return true;
      },
      [&](VkCommandBuffer commands) {
        value = parts_.nodes.engines[node]->Submit(commands, waits, command.destination->fences());
        return value;
      });
  if (!recorded) parts_.gpu.MarkLost("The recording of a copy", VK_ERROR_OUT_OF_HOST_MEMORY);
  NoteUse(SurfacesOf(&command.header), QueueTimeline(node), value);
  return value;
}

std::uint64_t CommandRunner::SubmitFlush(std::uint32_t node, const FlushCommand& command, const SubmitWaits& waits) {
  Allocation& allocation = *command.allocation;
  if (allocation.image() == VK_NULL_HANDLE) return 0;
  // Flushed twice without an acquire: the picture is outside already, only the wait is left.
  if (allocation.released.exchange(true)) {
    const std::uint64_t value = parts_.nodes.engines[node]->Submit(VK_NULL_HANDLE, waits);
    if (value != 0) allocation.NoteUse(QueueTimeline(node), value);
    return value;
  }
  CommandCache::Key key;
  key.opcode = Opcode::kFlush;
  key.source = &allocation;
  std::uint64_t value = 0;
  const bool recorded = parts_.nodes.caches[node]->Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordRelease(parts_.gpu.vk(), commands, allocation);
        return true;
      },
      [&](VkCommandBuffer commands) {
        value = parts_.nodes.engines[node]->Submit(commands, waits, allocation.fences());
        return value;
      });
  if (!recorded) parts_.gpu.MarkLost("The recording of a flush", VK_ERROR_OUT_OF_HOST_MEMORY);
  if (value != 0) allocation.NoteUse(QueueTimeline(node), value);
  return value;
}

// Before the submission: the source's pages into the device's own buffer. After it: the destination's buffer into its pages.
void CommandRunner::CopyThroughBounce(const CopyCommand& command, bool before) {
  const Allocation& allocation = before ? *command.source : *command.destination;
  const Rows rows = allocation.rows();
  const std::uint64_t pitch = allocation.pitch();
  const std::uint64_t pixel_bytes = drivers::PixelBytes(allocation.data().format);
  const PassCount pass = PassOf(command);
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    const auto x = static_cast<std::uint64_t>(rect.left + (before ? command.offset_x : 0));
    const auto y = static_cast<std::uint64_t>(rect.top + (before ? command.offset_y : 0));
    const std::uint64_t offset = y * pitch + x * pixel_bytes;
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(rect.right - rect.left) * pixel_bytes;
    const auto row_count = static_cast<std::uint64_t>(rect.bottom - rect.top);
    std::byte* to = (before ? rows.bounce : rows.pixels) + offset;
    const std::byte* from = (before ? rows.pixels : rows.bounce) + offset;
    color::CopyRows(to, pitch, from, pitch, row_bytes, row_count);
  }
  bounced_copies_.fetch_add(1, std::memory_order_relaxed);
  bounced_bytes_.fetch_add(pass.bytes, std::memory_order_relaxed);
  command.destination->passes->Count(pass);
}

}  // namespace tandem::vulkan
