// Moves of pixels between images and memory that the processor reaches.
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/kmd/blitter.h"

namespace tandem::vulkan {

bool Blitter::Submitted(bool recorded, std::uint64_t value) {
  if (!recorded) gpu_.MarkLost("The recording of a blit", VK_ERROR_OUT_OF_HOST_MEMORY);
  return value != 0 && engine_.Await(TimelinePoint{engine_.timeline(), value});
}

// `side` has the scratch's rows, which stand for an image or, with `rows`, for memory that the processor does not see.
bool Blitter::MoveAreas(Opcode opcode, const Allocation& allocation, const BlitSide& side, const Rows& rows) {
  const Dispatch& vk = gpu_.vk();
  CommandCache::Key key;
  key.opcode = opcode;
  key.source = &allocation;
  key.source_rows = side.rows;
  key.destination_rows = rows;
  key.parameters = std::as_bytes(std::span(areas_));
  std::uint64_t value = 0;
  const bool recorded = cache_.Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        if (rows.valid()) {
          const RowsLayout layout{side.pitch, drivers::PixelBytes(side.format)};
          const bool in = opcode == Opcode::kReadIn;
          RecordRows(vk, commands, in ? rows : side.rows, in ? side.rows : rows, layout, areas_);
        } else if (opcode == Opcode::kReadIn) {
          RecordReadIn(vk, commands, allocation, side.rows, areas_);
        } else {
          RecordWriteBack(vk, commands, allocation, side.rows, areas_);
        }
        return true;
      },
      [&](VkCommandBuffer commands) {
        value = engine_.Submit(commands, {});
        return value;
      });
  if (!Submitted(recorded, value)) return false;
  NoteAreas(side.format);
  return true;
}

// Read-only work on an image follows; only one device reads it meanwhile.
bool Blitter::ShowToProcessor(const Allocation& image) {
  CommandCache::Key key;
  key.opcode = Opcode::kFlush;
  key.source = &image;
  std::uint64_t value = 0;
  const bool recorded = cache_.Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordRelease(gpu_.vk(), commands, image);
        return true;
      },
      [&](VkCommandBuffer commands) {
        value = engine_.Submit(commands, {});
        return value;
      });
  return Submitted(recorded, value);
}

void Blitter::TakeFromProcessor(Allocation& image) {
  CommandCache::Key key;
  key.opcode = Opcode::kReacquire;
  key.source = &image;
  const bool recorded = cache_.Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep&) {
        RecordReacquire(gpu_.vk(), commands, image);
        return true;
      },
      [&](VkCommandBuffer commands) {
        const std::uint64_t value = engine_.Submit(commands, {});
        if (value != 0) image.NoteUse(QueueTimeline(engine_.node()), value);
        return value;
      });
  if (!recorded) gpu_.MarkLost("The recording of a blit", VK_ERROR_OUT_OF_HOST_MEMORY);
}

}  // namespace tandem::vulkan
