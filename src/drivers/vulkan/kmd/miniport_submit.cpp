// The part of Miniport that turns commands into submissions.
#include "color/copy.h"
#include "drivers/vulkan/kmd/copy_recorder.h"
#include "drivers/vulkan/kmd/miniport.h"

namespace tandem::vulkan {
namespace {

const CopyCommand* AsCopy(const CommandHeader* command) {
  return command != nullptr && command->opcode == Opcode::kCopy ? reinterpret_cast<const CopyCommand*>(command) : nullptr;
}

bool Bounced(const Allocation& allocation) { return allocation.linear() != nullptr && !allocation.linear()->imported(); }

CommandCache::Key KeyOf(const CopyCommand& command) {
  return {Opcode::kCopy,    command.source, command.destination, command.offset_x,
          command.offset_y, command.rects,  command.rect_count};
}

}  // namespace

void Miniport::Prepare(std::uint32_t node, const CommandHeader& command) {
  const CopyCommand* copy = AsCopy(&command);
  if (copy == nullptr || copy->destination->data().kind == AllocationKind::kPrimary) return;
  caches_[node]->Use(
      KeyOf(*copy), [&](VkCommandBuffer commands) { RecordCopy(gpu_->vk(), commands, *copy); },
      [](VkCommandBuffer) { return std::uint64_t{0}; });
}

void Miniport::SubmitCommand(std::uint32_t node, UINT fence, const CommandHeader* command) {
  Packet packet;
  packet.fence = fence;
  packet.command = command;
  const CopyCommand* copy = AsCopy(command);
  // What needs the CPU first, or an image of the window system's, waits for its turn on the worker; and then whatever is behind
  // it.
  packet.deferred = engines_[node]->has_deferred() ||
                    (copy != nullptr && (Bounced(*copy->source) || copy->destination->data().kind == AllocationKind::kPrimary));
  if (!packet.deferred && command != nullptr) packet.value = SubmitToGpu(node, *command);
  engines_[node]->Queue(packet);
}

void Miniport::Execute(Engine& engine, Packet& packet) {
  if (packet.command == nullptr) return;
  const auto& command = *static_cast<const CommandHeader*>(packet.command);
  const CopyCommand* copy = AsCopy(&command);
  if (copy != nullptr && Bounced(*copy->source)) CopyThroughBounce(*copy, true);
  if (copy != nullptr && copy->destination->data().kind == AllocationKind::kPrimary) {
    if (display_ != nullptr) display_->Copy(*copy);
    return;
  }
  packet.value = SubmitToGpu(engine.node(), command);
}

void Miniport::Finish(Engine&, const Packet& packet) {
  const CopyCommand* copy = AsCopy(static_cast<const CommandHeader*>(packet.command));
  if (copy != nullptr && Bounced(*copy->destination) && !gpu_->lost()) CopyThroughBounce(*copy, false);
}

std::uint64_t Miniport::SubmitToGpu(std::uint32_t node, const CommandHeader& command) {
  switch (command.opcode) {
    case Opcode::kCopy: return SubmitCopy(node, reinterpret_cast<const CopyCommand&>(command));
    case Opcode::kFlush: return SubmitFlush(node, reinterpret_cast<const FlushCommand&>(command));
    default: return 0;
  }
}

std::uint64_t Miniport::SubmitCopy(std::uint32_t node, const CopyCommand& command) {
  const std::uint32_t other = node == kRenderNode ? kCopyNode : kRenderNode;
  const std::array<TimelinePoint, kMaxSubmitWaits> waits{{
      {command.source->rendered(), command.rendered},
      {engines_[other]->timeline(), command.source->LastUse(other)},
  }};
  std::uint64_t value = 0;
  const bool recorded = caches_[node]->Use(
      KeyOf(command), [&](VkCommandBuffer commands) { RecordCopy(gpu_->vk(), commands, command); },
      [&](VkCommandBuffer commands) {
        value = engines_[node]->Submit(commands, waits);
        return value;
      });
  if (!recorded) gpu_->Lose("The recording of a copy", VK_ERROR_OUT_OF_HOST_MEMORY);
  if (value != 0) {
    command.source->NoteUse(node, value);
    command.destination->NoteUse(node, value);
  }
  return value;
}

std::uint64_t Miniport::SubmitFlush(std::uint32_t node, const FlushCommand& command) {
  Allocation& allocation = *command.allocation;
  if (allocation.image() == VK_NULL_HANDLE) return 0;
  const std::uint32_t other = node == kRenderNode ? kCopyNode : kRenderNode;
  const std::array<TimelinePoint, kMaxSubmitWaits> waits{{
      {allocation.rendered(), command.rendered},
      {engines_[other]->timeline(), allocation.LastUse(other)},
  }};
  // Flushed twice without a hand-back: the picture is outside already, only the wait is left.
  if (allocation.released.exchange(true)) {
    const std::uint64_t value = engines_[node]->Submit(VK_NULL_HANDLE, waits);
    if (value != 0) allocation.NoteUse(node, value);
    return value;
  }
  CommandCache::Key key;
  key.opcode = Opcode::kFlush;
  key.source = &allocation;
  std::uint64_t value = 0;
  const bool recorded = caches_[node]->Use(
      key, [&](VkCommandBuffer commands) { RecordRelease(gpu_->vk(), commands, allocation.image()); },
      [&](VkCommandBuffer commands) {
        value = engines_[node]->Submit(commands, waits);
        return value;
      });
  if (!recorded) gpu_->Lose("The recording of a flush", VK_ERROR_OUT_OF_HOST_MEMORY);
  if (value != 0) allocation.NoteUse(node, value);
  return value;
}

// Before the submission: the source's pages into the device's own buffer. After it: the destination's buffer into its pages.
void Miniport::CopyThroughBounce(const CopyCommand& command, bool before) {
  const Allocation& allocation = before ? *command.source : *command.destination;
  const HostBuffer& rows = *allocation.linear();
  const std::uint64_t pitch = allocation.data().pitch;
  const std::uint64_t pixel_bytes = color::BytesPerPixel(allocation.data().format);
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < command.rect_count; ++i) {
    const RECT& rect = command.rects[i];
    const auto x = static_cast<std::uint64_t>(rect.left + (before ? command.offset_x : 0));
    const auto y = static_cast<std::uint64_t>(rect.top + (before ? command.offset_y : 0));
    const std::uint64_t offset = y * pitch + x * pixel_bytes;
    const std::uint64_t row_bytes = static_cast<std::uint64_t>(rect.right - rect.left) * pixel_bytes;
    const auto row_count = static_cast<std::uint64_t>(rect.bottom - rect.top);
    std::byte* to = (before ? rows.bounce() : rows.pages()) + offset;
    const std::byte* from = (before ? rows.pages() : rows.bounce()) + offset;
    color::CopyRows(to, pitch, from, pitch, row_bytes, row_count);
    bytes += row_bytes * row_count;
  }
  bounced_copies_.fetch_add(1, std::memory_order_relaxed);
  bounced_bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace tandem::vulkan
