#include "drivers/vulkan/link/link_shader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "codec/tiles/tile_format.h"
#include "color/copy.h"
#include "color/nv12.h"
#include "drivers/vulkan/link/link_passes.h"

namespace tandem::vulkan {
namespace {

enum class Step : std::uint32_t { kEncode = 1, kProbe = 2, kDecode = 3, kNv12 = 4 };

RecordedWork::Key KeyOf(const BlitPlan& plan, const LinkJob& job, Step step) {
  RecordedWork::Key key;
  key.source = plan.command.source;
  key.destination = plan.command.destination;
  key.source_rows = plan.source.rows;
  key.destination_rows = plan.destination.rows;
  key.what = {static_cast<std::uint32_t>(step),
              static_cast<std::uint32_t>(job.part.encoding),
              job.part.first_row,
              job.part.row_count,
              (job.compares ? 1U : 0U) | (job.keeps ? 2U : 0U) | static_cast<std::uint32_t>(job.rotation) << 2,
              link::LinkYuvWord(job.part.colors.yuv)};
  return key;
}

link::LinkRows RowsOf(const BlitSide& surface, const RECT& rect) {
  return {{surface.rows.pixels, link::LinkSurfaceBytes(surface.width, surface.height)},
          static_cast<std::uint32_t>(rect.top),
          static_cast<std::uint32_t>(rect.bottom)};
}

}  // namespace

Result<std::unique_ptr<LinkShader>> LinkShader::Create(Gpu& gpu, Engine& engine) {
  if (gpu.compute_queue() == nullptr) return Fail(ErrorKind::kUnsupported, "No queue of {} takes dispatches.", gpu.name());
  std::unique_ptr<LinkShader> self(new LinkShader(gpu, engine));
  auto work = RecordedWork::Create(gpu, *gpu.compute_queue());
  if (!work.ok()) return std::move(work).error();
  self->work_ = *std::move(work);
  auto recorder = LinkRecorder::Create(gpu, *self->work_);
  if (!recorder.ok()) return std::move(recorder).error();
  self->recorder_ = *std::move(recorder);
  return self;
}

void LinkShader::Forget(const Allocation& allocation) {
  work_->Forget(&allocation);
  const std::lock_guard<std::mutex> lock(mutex_);
  kept_.erase(&allocation);
}

// Waits for the node's own queue work on the surfaces; the packet has already waited for the other timelines.
SubmitWaits LinkShader::WaitsOf(const BlitPlan& plan) const {
  SubmitWaits waits{};
  const std::uint32_t timeline = QueueTimeline(engine_.node());
  waits[0] = {engine_.timeline(), std::max(plan.command.source->LastUse(timeline), plan.command.destination->LastUse(timeline))};
  return waits;
}

Result<LinkJob> LinkShader::Begin(const BlitPlan& plan, bool encodes) {
  LinkJob job;
  job.picture = encodes ? plan.source : plan.destination;
  job.surface = encodes ? plan.destination : plan.source;
  job.rotation = plan.command.rotation;
  if (color::IsQuarterTurn(job.rotation)) std::swap(job.picture.width, job.picture.height);
  const Allocation& picture = encodes ? *plan.command.source : *plan.command.destination;
  if (picture.is_image()) job.image = &picture;
  if (job.surface.rows.pixels == nullptr) return Fail(ErrorKind::kUnsupported, "The link surface is not in system memory.");
  const auto fresh = recorder_->MakeRoom(job.picture);
  if (!fresh.ok()) return fresh.error();
  if (*fresh) work_->ForgetAll();
  return job;
}

Result<LinkShader::Kept*> LinkShader::KeptOf(const Allocation& surface, std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Kept>& kept = kept_[&surface];
  if (kept == nullptr) kept = std::make_unique<Kept>();
  if (kept->bytes == bytes) return kept.get();
  auto rows = LocalMemory::Create(gpu_, 0, bytes);
  if (!rows.ok()) return std::move(rows).error();
  work_->Forget(&surface);
  *kept = Kept{*std::move(rows), bytes, {}};
  return kept.get();
}

Result<link::EncodedRows> LinkShader::Encode(const BlitPlan& plan) {
  auto job = Begin(plan, true);
  if (!job.ok()) return std::move(job).error();
  auto kept = KeptOf(*plan.command.destination, std::uint64_t{job->picture.pitch} * job->picture.height);
  if (!kept.ok()) return std::move(kept).error();
  job->reference = (*kept)->rows->At(0);
  link::EncodedRows all;
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const link::LinkRows rows = RowsOf(job->surface, plan.command.rects[i]);
    const auto parts = link::LinkPartsToEncode(rows, job->picture.format, job->picture.width, job->picture.height);
    if (!parts.ok()) return parts.error();
    for (const link::LinkPart& part : *parts) {
      job->part = part;
      if (const std::string why = recorder_->limits().RefusalOf(*job, true); !why.empty())
        return Fail(ErrorKind::kUnsupported, "{}", why);
    }
    for (const link::LinkPart& part : *parts) {
      job->part = part;
      auto coded = EncodePart(plan, rows, *job, **kept);
      if (!coded.ok()) return coded;
      all.crossing += coded->crossing;
      all.passes += coded->passes;
    }
  }
  return all;
}

Result<link::EncodedRows> LinkShader::EncodeNv12(const BlitPlan& plan) {
  const BlitCommand& command = plan.command;
  const bool stays = command.rect_count == 1 && std::memcmp(&command.from, &command.to, sizeof(RECT)) == 0 &&
                     command.transfer == color::Transfer::kPassThrough;
  if (!stays) return Fail(ErrorKind::kUnsupported, "there is no shader for copies into NV12 that change more than the format");
  auto job = Begin(plan, true);
  if (!job.ok()) return std::move(job).error();
  const color::BlitRect area = plan.MemoryOf(command.rects[0]);
  job->part.encoding = link::LinkEncoding::kYuv420;
  job->part.first_row = area.top;
  job->part.row_count = area.height();
  if (const std::string why = recorder_->limits().RefusalOfNv12(*job, area.left, area.right); !why.empty())
    return Fail(ErrorKind::kUnsupported, "{}", why);
  RecordedWork::Key key = KeyOf(plan, *job, Step::kNv12);
  key.what = {static_cast<std::uint32_t>(Step::kNv12), area.left, area.top, area.right, area.bottom};
  const auto ran = work_->Run(
      key, [&](VkCommandBuffer& commands) { return recorder_->EncodeNv12(commands, *job, area.left, area.right); }, WaitsOf(plan),
      engine_);
  if (!ran.ok()) return ran.error();
  const std::uint64_t bytes = color::Nv12Bytes(area.width(), area.height());
  link::EncodedRows all{bytes, {std::uint64_t{area.width()} * area.height(), bytes}};
  all.passes += PassOver(*job, drivers::PixelBytes(job->picture.format));  // reading the picture
  return all;
}

// Produces only figures, like the processor's probe.
Result<PassCount> LinkShader::ProbePart(const BlitPlan& plan, const link::LinkRows& rows, const LinkJob& job) {
  const std::int64_t begin_ns = clock_.NowNs();
  const auto ran = work_->Run(
      KeyOf(plan, job, Step::kProbe), [&](VkCommandBuffer commands) { return recorder_->Probe(commands, job); }, WaitsOf(plan),
      engine_);
  if (!ran.ok()) return ran.error();
  std::uint64_t bytes = sizeof(codec::TileSliceHeader);
  for (std::uint32_t row = 0; row < codec::TileRows(job.part.row_count); ++row) {
    std::uint32_t row_bytes = 0;
    std::memcpy(&row_bytes, recorder_->figures() + 4 * std::size_t{row}, sizeof(row_bytes));
    bytes += sizeof(row_bytes) + row_bytes;
  }
  link::NoteLinkProbed(rows, {bytes, static_cast<std::uint64_t>(clock_.NowNs() - begin_ns)});
  return ProbingPasses(job, bytes);
}

Result<link::EncodedRows> LinkShader::EncodePart(const BlitPlan& plan, const link::LinkRows& rows, LinkJob& job, Kept& kept) {
  link::LinkReference& reference = kept.slices[job.part.index];
  const bool tiles = job.part.encoding == link::LinkEncoding::kLossless;
  job.compares = false;
  job.keeps = false;
  PassCount passes;
  if (job.part.probes) {
    const auto probed = ProbePart(plan, rows, job);
    if (!probed.ok()) return probed.error();
    passes = *probed;
  }
  job.compares = tiles && reference.Compares(job.part.held);
  job.keeps = tiles && reference.Keeps();
  std::int64_t begin_ns = clock_.NowNs();
  const auto ran = work_->Run(
      KeyOf(plan, job, Step::kEncode), [&](VkCommandBuffer& commands) { return recorder_->Encode(commands, job); }, WaitsOf(plan),
      engine_);
  if (!ran.ok()) return ran.error();
  // A software device's memory is system memory, so it has no link.
  const std::int64_t link_ns = gpu_.type() == VK_PHYSICAL_DEVICE_TYPE_CPU ? 0 : ran->second_ns;
  // Counts its own time and the processor's from here on, without other work in the queue.
  if (ran->known) begin_ns = clock_.NowNs() - ran->first_ns - ran->second_ns;
  const Rows& surface = job.surface.rows;
  if (surface.bounce != nullptr) {
    color::CopyBytes(surface.pixels + job.part.payload, surface.bounce + job.part.payload, job.part.capacity);
  }
  const auto coded = link::FinishEncodedPart(rows, job.picture.format, job.picture.width, job.part,
                                             job.compares ? reference.frame : 0, {begin_ns, link_ns}, clock_);
  if (!coded.ok()) return coded.error();
  if (tiles) {
    reference.Follow(job.compares, coded->unchanged, job.part.frame);
  } else {
    reference.frame = 0;
  }
  passes += EncodingPasses(job, coded->bytes);
  return link::EncodedRows{coded->bytes, passes};
}

Result<PassCount> LinkShader::Decode(const BlitPlan& plan) {
  auto job = Begin(plan, false);
  if (!job.ok()) return std::move(job).error();
  PassCount passes;
  for (std::uint32_t i = 0; i < plan.command.rect_count; ++i) {
    const link::LinkRows rows = RowsOf(job->surface, plan.command.rects[i]);
    const auto parts = link::LinkPartsToDecode(rows, job->picture.format, job->picture.width, job->picture.height, job->rotation);
    if (!parts.ok()) return parts.error();
    for (const link::LinkPart& part : *parts) {
      job->part = part;
      if (const std::string why = recorder_->limits().RefusalOf(*job, false); !why.empty())
        return Fail(ErrorKind::kUnsupported, "{}", why);
    }
    for (const link::LinkPart& part : *parts) {
      job->part = part;
      auto decoded = DecodePart(plan, rows, *job);
      if (!decoded.ok()) return decoded;
      passes += *decoded;
    }
  }
  return passes;
}

Result<PassCount> LinkShader::DecodePart(const BlitPlan& plan, const link::LinkRows& rows, const LinkJob& job) {
  const std::int64_t begin_ns = clock_.NowNs();
  const Rows& surface = job.surface.rows;
  if (surface.bounce != nullptr) {
    color::CopyBytes(surface.bounce + job.part.payload, surface.pixels + job.part.payload, job.part.bytes);
  }
  const auto ran = work_->Run(
      KeyOf(plan, job, Step::kDecode), [&](VkCommandBuffer& commands) { return recorder_->Decode(commands, job); }, WaitsOf(plan),
      engine_);
  if (!ran.ok()) return ran.error();
  link::FinishDecodedPart(rows, job.part, ran->known ? ran->first_ns + ran->second_ns : clock_.NowNs() - begin_ns);
  return DecodingPasses(job, link::ReadLinkSlice(rows.surface, job.part.index).unchanged);
}

}  // namespace tandem::vulkan
