#include "drivers/vulkan/kmd/blitter.h"

#include <utility>

#include "base/log.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/link/link_blit.h"
#include "drivers/vulkan/link/nv12_blit.h"

namespace tandem::vulkan {
namespace {

bool IsPrimary(const Allocation& allocation) { return allocation.data().kind == AllocationKind::kPrimary; }

// Place of a side's pixels when the rows are its scratch's; nothing of an image.
Rows HomeOf(const Allocation* allocation, const BlitSide& side) {
  return allocation == nullptr || allocation->is_image() ? Rows{} : side.rows;
}

BlitSide WithoutRows(const Allocation& allocation) {
  return {{}, allocation.data().format, allocation.pitch(), allocation.data().width, allocation.data().height};
}

}  // namespace

std::unique_ptr<Blitter> Blitter::Create(Gpu& gpu, Engine& engine, CommandCache& cache, const DeviceDescription& description) {
  std::unique_ptr<Blitter> self(new Blitter(gpu, engine, cache, description));
  const BlitEngine wanted = description.blits;
  // Measured on lavapipe and SwiftShader: 60 to 200 times what the processor takes.
  const bool slow = gpu.type() == VK_PHYSICAL_DEVICE_TYPE_CPU;
  self->wanted_ = wanted != BlitEngine::kCheapest ? wanted : slow ? BlitEngine::kProcessor : BlitEngine::kShader;
  if (self->wanted_ == BlitEngine::kProcessor) return self;
  if (!engine.queue().compute) {
    Log(LogLevel::kInfo, "{}: node {} has no compute; its blits are the processor's.", gpu.name(), engine.node());
    return self;
  }
  Result<std::unique_ptr<BlitShader>> shader = BlitShader::Create(gpu);
  if (shader.ok()) {
    self->shader_ = std::move(*shader);
  } else {
    Log(LogLevel::kWarn, "{}: blits are the processor's: {}", gpu.name(), shader.error().message);
  }
  return self;
}

Result<BlitSide> Blitter::SideOf(Allocation& allocation, const Rows& rows) const {
  BlitSide side = WithoutRows(allocation);
  side.rows = rows;
  if (rows.valid()) return side;
  if (IsPrimary(allocation)) {
    Result<Allocation*> shadow = allocation.pictures().Shadow();
    if (!shadow.ok()) return std::move(shadow).error();
    side.rows = (*shadow)->rows();
    return side;
  }
  Result<Rows> scratch = allocation.pictures().Scratch();
  if (!scratch.ok()) return std::move(scratch).error();
  side.rows = *scratch;
  return side;
}

void Blitter::SetAreas(const BlitPlan& plan) {
  areas_.clear();
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) areas_.push_back(plan.MemoryOf(plan.command.rects[i]));
}

void Blitter::NoteAreas(color::Format written) {
  for (const color::BlitRect& area : areas_) {
    const std::uint64_t pixels = std::uint64_t{area.width()} * area.height();
    passes_ += {pixels, pixels * drivers::PixelBytes(written)};
  }
}

Blitter::Counters Blitter::counters() const {
  return {by_processor_.load(), by_shader_.load(), links_.recorded(), links_.passes()};
}

void Blitter::Forget(const Allocation& allocation) {
  cache_.Forget(&allocation);
  links_.Forget(allocation);
}

std::uint64_t Blitter::Run(const BlitCommand& command, const Rows& source, const Rows& destination,
                           const drivers::SourcePalette* palette) {
  BlitPlan plan{command, {}, {}, command.source == command.destination, palette};
  Result<BlitSide> to = SideOf(*command.destination, destination);
  if (command.source != nullptr) plan.source = WithoutRows(*command.source);
  if (to.ok()) plan.destination = *to;
  const bool fetches = command.source != nullptr && !ReadsInPlace(plan);
  Result<BlitSide> from = fetches ? SideOf(*command.source, source) : Result<BlitSide>(plan.source);
  if (!to.ok() || !from.ok()) {
    Log(LogLevel::kError, "A blit cannot be done: {}", to.ok() ? from.error().message : to.error().message);
    gpu_.MarkLost("A blit's scratch", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return 0;
  }
  plan.source = *from;
  const std::uint64_t crossing = RunPlan(plan);
  command.destination->passes->Count(std::exchange(passes_, {}));
  const bool converts = !IsLinkBlit(command) && !IsNv12Blit(command) && !plan.fills() && command.source->is_image();
  return converts && command.destination->data().kind == AllocationKind::kLinear ? BytesOfAreas(plan.destination.format)
                                                                                 : crossing;
}

bool Blitter::ReadsInPlace(const BlitPlan& plan) const {
  const Allocation& source = *plan.command.source;
  if (!source.is_image() || plan.same_surface) return false;
  const bool host = source.host_pixels().pixels != nullptr;
  if (IsLinkBlit(plan.command) || IsNv12Blit(plan.command)) return host && !links_.wants_shaders();
  return shader_ != nullptr ? BlitShader::ReadsImage(plan) : host || FetchesInStrips(plan);
}

bool Blitter::FetchesInStrips(const BlitPlan& plan) const {
  const BlitCommand& command = plan.command;
  return shader_ == nullptr && !plan.fills() && !plan.same_surface && command.source->has_rows_for_host() &&
         !IsLinkBlit(command) && !IsNv12Blit(command);
}

void Blitter::BlitStrips(const BlitPlan& plan) {
  const Allocation& image = *plan.command.source;
  VkResult result = VK_SUCCESS;
  const bool whole = BlitFetchedRows(plan, room_, [&](std::uint32_t first, std::uint32_t count, std::byte* rows) {
    result = image.CopyRowsOut(first, count, rows);
    return result == VK_SUCCESS;
  });
  if (!whole) gpu_.MarkLost("vkCopyImageToMemoryEXT", result);
}

std::uint64_t Blitter::BytesOfAreas(color::Format format) const {
  std::uint64_t pixels = 0;
  for (const color::BlitRect& area : areas_) pixels += std::uint64_t{area.width()} * area.height();
  return pixels * drivers::PixelBytes(format);
}

std::uint64_t Blitter::RunPlan(BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  if (IsLinkBlit(command) || IsNv12Blit(command)) {
    const bool has_rows = plan.source.rows.valid();
    if (const auto coded = has_rows ? links_.Run(plan) : std::nullopt) {
      if (coded->done) by_shader_.fetch_add(1, std::memory_order_relaxed);
      passes_ += coded->passes;
      return coded->crossing;
    }
  } else if (shader_ != nullptr && !plan.has_indexes() && shader_->Takes(plan)) {
    if (RunByShader(plan)) by_shader_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  by_processor_.fetch_add(1, std::memory_order_relaxed);
  return RunByProcessor(plan);
}

// A side that the processor does not see is worked on in its scratch; of an image that is where its rows are already, unless
// the processor reads the image itself.
bool Blitter::StandIn(Allocation* allocation, BlitSide& side) {
  if (allocation == nullptr) return false;
  if (allocation->is_image() && side.rows.valid()) return true;
  if (side.rows.pixels != nullptr) return false;
  if (const auto host = allocation->host_pixels(); host.pixels != nullptr) {
    side.rows.pixels = host.pixels;
    side.pitch = host.pitch;
    return false;
  }
  Result<Rows> scratch = allocation->pictures().Scratch();
  if (scratch.ok()) side.rows = *scratch;
  return scratch.ok();
}

std::uint64_t Blitter::RunByProcessor(BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  const Rows source = HomeOf(command.source, plan.source);
  const Rows destination = HomeOf(command.destination, plan.destination);
  const bool in_strips = FetchesInStrips(plan);
  const bool from_scratch = !in_strips && StandIn(command.source, plan.source);
  const bool to_scratch = StandIn(command.destination, plan.destination);
  const bool has_source = plan.fills() || in_strips || plan.source.rows.pixels != nullptr;
  if (plan.destination.rows.pixels == nullptr || !has_source) {
    gpu_.MarkLost("A blit's scratch", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return 0;
  }
  const bool link = IsLinkBlit(command);
  const bool keys = to_scratch && command.key != color::ColorKey::kNone && !plan.same_surface;
  // The scratch of an image has the pixels that were decoded last, by anybody.
  const bool keeps = link && to_scratch && destination.valid() && MayKeepPixels(plan);
  if (from_scratch) {
    // An encoding reads the rows that it writes.
    if (link) SetAreas(plan);
    if (!link) areas_.assign(1, plan.source.whole());
    if (!MoveAreas(Opcode::kReadIn, *command.source, plan.source, source)) return 0;
  }
  if (keys || keeps) {
    areas_.assign(1, plan.destination.whole());
    if (keeps) SetAreas(plan);
    if (!MoveAreas(Opcode::kReadIn, *command.destination, plan.destination, destination)) return 0;
  }
  const bool in_place = !plan.fills() && command.source->is_image() && !from_scratch;
  if (in_place && !ShowToProcessor(*command.source)) return 0;
  std::uint64_t crossing = 0;
  if (link) {
    const auto ran = RunLinkBlit(plan, room_);
    if (!ran.ok()) {
      links_.Fail(ran.error());
      return 0;
    }
    crossing = ran->crossing;
    passes_ += ran->passes;
    if (to_scratch) SetAreas(plan);
  } else if (IsNv12Blit(command)) {
    crossing = RunNv12Blit(plan, room_);
    SetAreas(plan);
    NoteAreas(color::Format::kUnknown);  // pixels; the bytes are those that cross
    passes_.bytes += crossing;
  } else {
    if (in_strips) {
      BlitStrips(plan);
    } else {
      BlitByProcessor(plan, room_);
    }
    SetAreas(plan);
    NoteAreas(plan.destination.format);
  }
  if (in_place) TakeFromProcessor(*command.source);
  if (!to_scratch) return crossing;
  static_cast<void>(MoveAreas(Opcode::kWriteBack, *command.destination, plan.destination, destination));
  return crossing;
}

}  // namespace tandem::vulkan
