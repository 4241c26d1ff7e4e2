#include "drivers/vulkan/kmd/blitter.h"

#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "color/copy.h"
#include "drivers/vulkan/format.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/link/link_blit.h"
#include "drivers/vulkan/link/nv12_blit.h"
#include "link/governor/encodings.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

bool IsImage(const Allocation& allocation) { return allocation.data().kind == AllocationKind::kImage; }

bool IsPrimary(const Allocation& allocation) { return allocation.data().kind == AllocationKind::kPrimary; }

// Place of a side's pixels when the rows are its scratch's; nothing of an image.
Rows HomeOf(const Allocation* allocation, const BlitSide& side) {
  return allocation == nullptr || IsImage(*allocation) ? Rows{} : side.rows;
}

BlitSide WithoutRows(const Allocation& allocation) {
  return {{}, allocation.data().format, allocation.pitch(), allocation.data().width, allocation.data().height};
}

color::BlitRect All(const BlitSide& side) { return {0, 0, side.width, side.height}; }

PassCount PassOverAll(const BlitSide& side) {
  return {std::uint64_t{side.width} * side.height, std::uint64_t{side.pitch} * side.height};
}

PassCount CopyWhole(std::byte* to, const std::byte* from, const BlitSide& side) {
  const PassCount pass = PassOverAll(side);
  color::CopyBytes(to, from, pass.bytes);
  return pass;
}

std::string NameOf(LinkTask task) {
  return fmt::format("{} {}", task.direction == LinkDirection::kEncode ? "encoding" : "decoding", link::ToString(task.encoding));
}

std::span<const std::byte> TailOf(const BlitCommand& command) {
  const auto* first = reinterpret_cast<const std::byte*>(&command.pixel);
  return {first, reinterpret_cast<const std::byte*>(command.rects + command.rect_count)};
}

}  // namespace

std::unique_ptr<Blitter> Blitter::Create(Gpu& gpu, Engine& engine, CommandCache& cache, const DeviceDescription& description) {
  std::unique_ptr<Blitter> self(new Blitter(gpu, engine, cache));
  const BlitEngine wanted = description.blits;
  self->wanted_for_links_ = description.links;
  self->wanted_passes_ = description.yuv_passes;
  self->memory_ = description.memory;
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
  const LinkShader* const links = link_view_.load(std::memory_order_acquire);
  return {by_processor_.load(), by_shader_.load(), links == nullptr ? 0 : links->recorded(),
          links == nullptr ? YuvPasses::kFused : links->passes()};
}

void Blitter::Forget(const Allocation& allocation) {
  cache_.Forget(&allocation);
  if (LinkShader* const links = link_view_.load(std::memory_order_acquire)) links->Forget(allocation);
}

void Blitter::StopTrials() { choice_.Stop(); }

bool Blitter::MakeLinkShader(const std::string& what) {
  if (link_shader_ != nullptr) return true;
  if (link_shader_failed_) return false;
  auto made = LinkShader::Create(gpu_, engine_);
  if (!made.ok()) {
    link_shader_failed_ = true;
    Log(LogLevel::kInfo, "{}: {} for links is the processor's: {}", gpu_.name(), what, made.error().message);
    return false;
  }
  link_shader_ = *std::move(made);
  if (wanted_passes_) link_shader_->UsePasses(*wanted_passes_);
  link_view_.store(link_shader_.get(), std::memory_order_release);
  return true;
}

// Nothing: it failed, and may do better another time.
std::optional<LinkVerdict> Blitter::Try(LinkTask task, const std::string& what, const std::atomic<bool>& stop) {
  // Not the one that codes frames: that one is the node's.
  const auto trial = LinkShader::Create(gpu_, engine_);
  const auto times = trial.ok() ? (*trial)->Time(task, stop) : Result<LinkEngineTimes>(trial.error());
  if (!times.ok()) {
    Log(LogLevel::kInfo, "{}: {} for links is the processor's: {}", gpu_.name(), what, times.error().message);
    return std::nullopt;
  }
  LinkVerdict verdict{IsShaderCheaper(*times), YuvPasses::kFused};
  Log(LogLevel::kInfo, "{}: {} for links is the {}'s: {} pixels take the shader {} us, the processor {} us.", gpu_.name(), what,
      verdict.shader ? "shader" : "processor", times->pixels, times->shader_ns / 1000, times->processor_ns / 1000);
  const bool makes420 = task.direction == LinkDirection::kEncode && task.encoding == link::LinkEncoding::kYuv420;
  if (!verdict.shader || wanted_passes_ || !makes420) return verdict;
  const auto passes = (*trial)->TimePasses(stop);
  if (!passes.ok()) {
    Log(LogLevel::kInfo, "{}: the ways to 4:2:0 are not timed: {}", gpu_.name(), passes.error().message);
    return verdict;
  }
  verdict.passes = CheaperPasses(*passes);
  Log(LogLevel::kInfo, "{}: shaders make 4:2:0 in {}: {} pixels take {} us in one pass, {} us in three.", gpu_.name(),
      verdict.passes == YuvPasses::kFused ? "one pass" : "three passes", passes->pixels, passes->fused_ns / 1000,
      passes->three_ns / 1000);
  return verdict;
}

LinkVerdict Blitter::Judge(LinkTask task, const std::atomic<bool>& stop) {
  const std::string what = NameOf(task);
  std::optional<LinkVerdict> verdict;
  if (memory_ != nullptr) {
    if (const auto kept = memory_->Recall(what)) verdict = ParseLinkVerdict(*kept);
  }
  if (!verdict) {
    verdict = Try(task, what, stop);
    if (verdict && memory_ != nullptr && !stop.load(std::memory_order_relaxed))
      memory_->Keep(what, std::string(ToString(*verdict)));
  }
  if (!verdict || !verdict->shader || !MakeLinkShader(what)) return {};
  if (!wanted_passes_ && verdict->passes != YuvPasses::kFused) link_shader_->UsePasses(verdict->passes);
  return *verdict;
}

// Null: the processor codes, at least this frame. On a software device always: there shaders took 60 to 200 times what it takes.
LinkShader* Blitter::ShaderFor(LinkTask task) {
  if (wanted_for_links_ == BlitEngine::kProcessor) return nullptr;
  if (wanted_for_links_ == BlitEngine::kShader) return MakeLinkShader(NameOf(task)) ? link_shader_.get() : nullptr;
  if (gpu_.type() == VK_PHYSICAL_DEVICE_TYPE_CPU) return nullptr;
  const auto verdict = choice_.Find(task);
  return verdict && verdict->shader ? link_view_.load(std::memory_order_acquire) : nullptr;
}

bool Blitter::DecodesByShader(const BlitCommand& command, const Rows& surface) {
  if (command.source == nullptr || !IsLinkSurface(*command.source)) return false;
  const AllocationData& crossed = command.source->data();
  const BlitSide side{surface, link::kLinkFormat, 0, crossed.width, crossed.height};
  const auto row = static_cast<std::uint32_t>(command.rects[0].top);
  const link::LinkEncoding encoding = LinkEncodingAt(side, row, false);
  // A plain frame is a copy, whoever makes it: what comes after it counts.
  const bool plain = encoding == link::LinkEncoding::kPlain;
  const LinkShader* const shader = ShaderFor({LinkDirection::kDecode, plain ? link::LinkEncoding::kLossless : encoding});
  return shader != nullptr && shader->Takes(side, command.destination->data().format);
}

void Blitter::FailLink(const Error& error) {
  Log(LogLevel::kError, "{}: a frame does not cross the link: {}", gpu_.name(), error.message);
  gpu_.MarkLost("A frame that crosses a link", VK_ERROR_DEVICE_LOST);
}

// Nothing: it is the processor's.
std::optional<std::uint64_t> Blitter::RunLinkByShader(const BlitPlan& plan) {
  const bool nv12 = IsNv12Blit(plan.command);
  const bool encodes = nv12 || IsLinkSurface(*plan.command.destination);
  const BlitSide& surface = encodes ? plan.destination : plan.source;
  const auto row = static_cast<std::uint32_t>(plan.command.rects[0].top);
  const link::LinkEncoding encoding = nv12 ? link::LinkEncoding::kYuv420 : LinkEncodingAt(surface, row, encodes);
  LinkShader* const shader = ShaderFor({encodes ? LinkDirection::kEncode : LinkDirection::kDecode, encoding});
  if (shader == nullptr) return std::nullopt;
  std::uint64_t crossing = 0;
  std::optional<Error> failed;
  if (encodes) {
    auto encoded = nv12 ? shader->EncodeNv12(plan) : shader->Encode(plan);
    if (encoded.ok()) crossing = encoded->crossing;
    if (encoded.ok()) passes_ += encoded->passes;
    if (!encoded.ok()) failed = std::move(encoded).error();
  } else {
    auto decoded = shader->Decode(plan);
    if (decoded.ok()) passes_ += *decoded;
    if (!decoded.ok()) failed = std::move(decoded).error();
  }
  if (!failed) {
    by_shader_.fetch_add(1, std::memory_order_relaxed);
    return crossing;
  }
  if (failed->kind == ErrorKind::kUnsupported || failed->kind == ErrorKind::kOutOfMemory ||
      failed->kind == ErrorKind::kOutOfVideoMemory) {
    if (link_refusal_ != failed->message) {
      link_refusal_ = failed->message;
      Log(LogLevel::kInfo, "{}: the processor codes what crosses the link: {}", gpu_.name(), link_refusal_);
    }
    return std::nullopt;
  }
  FailLink(*failed);
  return 0;
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
  const bool converts = !IsLinkBlit(command) && !IsNv12Blit(command) && !plan.fills() && IsImage(*command.source);
  return converts && command.destination->data().kind == AllocationKind::kLinear ? BytesOfAreas(plan.destination.format)
                                                                                 : crossing;
}

bool Blitter::ReadsInPlace(const BlitPlan& plan) const {
  const Allocation& source = *plan.command.source;
  if (!IsImage(source) || plan.same_surface) return false;
  const bool host = source.host_pixels().pixels != nullptr;
  if (IsLinkBlit(plan.command) || IsNv12Blit(plan.command)) return host && wanted_for_links_ != BlitEngine::kShader;
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
    if (const auto crossing = has_rows ? RunLinkByShader(plan) : std::nullopt) return *crossing;
  } else if (shader_ != nullptr && !plan.has_indexes() && shader_->Takes(plan)) {
    if (RunByShader(plan)) by_shader_.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  by_processor_.fetch_add(1, std::memory_order_relaxed);
  return RunByProcessor(plan);
}

bool Blitter::Submitted(bool recorded, std::uint64_t value) {
  if (!recorded) gpu_.MarkLost("The recording of a blit", VK_ERROR_OUT_OF_HOST_MEMORY);
  return value != 0 && engine_.Await(TimelinePoint{engine_.timeline(), value});
}

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
  const bool from_image = !plan.fills() && !in_place && IsImage(*command.source);
  const bool to_image = IsImage(*command.destination);
  const bool keeps = to_image && !plan.same_surface && command.key != color::ColorKey::kNone;
  CommandCache::Key key;
  key.opcode = Opcode::kBlit;
  key.source = command.source;
  key.destination = command.destination;
  key.source_rows = plan.source.rows;
  key.destination_rows = plan.destination.rows;
  key.parameters = TailOf(command);
  const color::BlitRect all_from = All(plan.source);
  const color::BlitRect all_to = All(plan.destination);
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

// A side that the processor does not see is worked on in its scratch; of an image that is where its rows are already, unless
// the processor reads the image itself.
bool Blitter::StandIn(Allocation* allocation, BlitSide& side) {
  if (allocation == nullptr) return false;
  if (IsImage(*allocation) && side.rows.valid()) return true;
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
    if (!link) areas_.assign(1, All(plan.source));
    if (!MoveAreas(Opcode::kReadIn, *command.source, plan.source, source)) return 0;
  }
  if (keys || keeps) {
    areas_.assign(1, All(plan.destination));
    if (keeps) SetAreas(plan);
    if (!MoveAreas(Opcode::kReadIn, *command.destination, plan.destination, destination)) return 0;
  }
  const bool in_place = !plan.fills() && IsImage(*command.source) && !from_scratch;
  if (in_place && !ShowToProcessor(*command.source)) return 0;
  std::uint64_t crossing = 0;
  if (link) {
    const auto ran = RunLinkBlit(plan, room_);
    if (!ran.ok()) {
      FailLink(ran.error());
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
