// Blits by the shader.
#include <span>

#include "color/copy.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/kmd/blitter.h"

namespace tandem::vulkan {
namespace {

PassCount PassOverAll(const BlitSide& side) {
  return {std::uint64_t{side.width} * side.height, std::uint64_t{side.pitch} * side.height};
}

PassCount CopyWhole(std::byte* to, const std::byte* from, const BlitSide& side) {
  const PassCount pass = PassOverAll(side);
  color::CopyBytes(to, from, pass.bytes);
  return pass;
}

std::span<const std::byte> TailOf(const BlitCommand& command) {
  const auto* first = reinterpret_cast<const std::byte*>(&command.pixel);
  return {first, reinterpret_cast<const std::byte*>(command.rects + command.rect_count)};
}

}  // namespace

bool Blitter::RunByShader(const BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  const Dispatch& vk = gpu_.vk();
  SetAreas(plan);
  // Bounced rows: what is read, and what is kept around what is written.
  if (!plan.fills() && plan.source.rows.bounce != nullptr)
    passes_ += CopyWhole(plan.source.rows.bounce, plan.source.rows.pixels, plan.source);
  if (plan.destination.rows.bounce != nullptr && !plan.same_surface) {
    passes_ += CopyWhole(plan.destination.rows.bounce, plan.destination.rows.pixels, plan.destination);
  }
  const bool in_place = !plan.fills() && !plan.source.rows.valid();
  const bool from_image = !plan.fills() && !in_place && command.source->is_image();
  const bool to_image = command.destination->is_image();
  const bool keeps = to_image && !plan.same_surface && command.key != color::ColorKey::kNone;
  CommandCache::Key key;
  key.opcode = Opcode::kBlit;
  key.source = command.source;
  key.destination = command.destination;
  key.source_rows = plan.source.rows;
  key.destination_rows = plan.destination.rows;
  key.parameters = TailOf(command);
  const color::BlitRect all_from = plan.source.whole();
  const color::BlitRect all_to = plan.destination.whole();
  std::uint64_t value = 0;
  const bool recorded = cache_.Use(
      key,
      [&](VkCommandBuffer commands, CommandCache::Keep& keep) {
        if (from_image) RecordReadIn(vk, commands, *command.source, plan.source.rows, {&all_from, 1});
        if (keeps) RecordReadIn(vk, commands, *command.destination, plan.destination.rows, {&all_to, 1});
        if (in_place) RecordImageRead(vk, commands, command.source->image());
        for (const Rows* rows : {&plan.source.rows, &plan.destination.rows}) RecordTakeIn(vk, commands, *rows);
        RecordShaderBegin(vk, commands);
        Result<std::shared_ptr<void>> job = shader_->Record(commands, plan);
        if (!job.ok()) return false;
        keep = std::move(*job);
        RecordShaderEnd(vk, commands);
        for (const Rows* rows : {&plan.source.rows, &plan.destination.rows}) RecordGiveOut(vk, commands, *rows);
        if (in_place) RecordImageReadEnd(vk, commands, command.source->image());
        if (to_image) RecordWriteBack(vk, commands, *command.destination, plan.destination.rows, areas_);
        return true;
      },
      [&](VkCommandBuffer commands) {
        value = engine_.Submit(commands, {});
        return value;
      });
  if (!Submitted(recorded, value)) return false;
  NoteAreas(plan.destination.format);
  if (to_image) NoteAreas(plan.destination.format);
  if (from_image) passes_ += PassOverAll(plan.source);
  if (keeps) passes_ += PassOverAll(plan.destination);
  if (plan.destination.rows.bounce != nullptr) {
    passes_ += CopyWhole(plan.destination.rows.pixels, plan.destination.rows.bounce, plan.destination);
  }
  return true;
}

}  // namespace tandem::vulkan
