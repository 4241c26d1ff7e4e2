#include "drivers/vulkan/link/link_engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/memory_map.h"
#include "color/blit.h"
#include "color/format.h"
#include "drivers/vulkan/gpu/copy_recorder.h"
#include "drivers/vulkan/gpu/host_buffer.h"
#include "link/surface/link_parts.h"
#include "link/surface/link_surface.h"

namespace tandem::vulkan {
namespace {

struct Extent {
  std::uint32_t width;
  std::uint32_t height;
};
constexpr std::array<Extent, 2> kPictures = {{{256, 128}, {1280, 720}}};  // whole pitches
constexpr std::int64_t kSubmissionNs = 2'000'000;                         // longer than any GPU needs to start and to report
// A software device has no round trip to other hardware.
constexpr std::int64_t kSoftwareSubmissionNs = 200'000;
constexpr std::int64_t kFarBehind = 4;
constexpr int kRuns = 3;          // after one warm-up run
constexpr int kRunsToDecide = 2;  // because one run may have been disturbed
constexpr color::Format kFormat = color::Format::kB8G8R8A8Unorm;

// Step numbers of recordings, distinct from those of link_shader.cpp.
enum class Step : std::uint32_t { kShader = 101, kOut = 102, kIn = 103 };

// A picture in the device's own memory, its copy visible to the processor, and a link surface.
class Trial {
 public:
  Trial(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder, LinkTask task, Clock& clock,
        const std::atomic<bool>& stop)
      : gpu_(gpu),
        engine_(engine),
        work_(work),
        recorder_(recorder),
        encodes_(task.direction == LinkDirection::kEncode),
        encoding_(task.encoding),
        clock_(clock),
        stop_(stop) {}

  // The device may still write into these pages if its work cannot be awaited.
  ~Trial() {
    if (gpu_.abandoned()) static_cast<void>(new MemoryMap(std::move(pages_)));
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  Result<LinkEngineTimes> Run(Extent extent) {
    work_.ForgetAll();
    if (auto made = Make(extent); !made.ok()) return std::move(made).error();
    if (const std::string why = Refusal(); !why.empty()) return Fail(ErrorKind::kUnsupported, "{}", why);
    auto times = ShortestTimes(
        std::uint64_t{extent.width} * extent.height, gpu_.type(), [this] { return ByProcessor(); },
        [this] { return ByShader(); });
    if (times.ok()) work_.ForgetAll();
    return times;
  }

  // Replaces the picture that the processor draws otherwise.
  void Show(std::span<const std::byte> picture) { given_ = picture; }

  Result<LinkTaskTrial> RunAndCompare(Extent extent) {
    LinkTaskTrial trial;
    const auto times = Run(extent);
    if (!times.ok()) return times.error();
    trial.times = *times;
    trial.coding_ns = coding_ns_;
    trial.crossing_ns = crossing_ns_;
    if (auto ready = Restore(); !ready.ok()) return std::move(ready).error();
    const auto by_processor = Outcome(ByProcessor());
    if (!by_processor.ok()) return by_processor.error();
    if (auto ready = Restore(); !ready.ok()) return std::move(ready).error();
    const auto by_shader = Outcome(ByShader());
    if (!by_shader.ok()) return by_shader.error();
    work_.ForgetAll();
    trial.same = *by_processor == *by_shader;
    trial.bytes = link::ReadLinkSlice(Bytes(), 0).bytes;
    return trial;
  }

  // Precondition: the task is the encoding of kYuv420.
  Result<YuvPassTimes> RunPasses(Extent extent) {
    if (auto made = Make(extent); !made.ok()) return std::move(made).error();
    if (const std::string why = Refusal(); !why.empty()) return Fail(ErrorKind::kUnsupported, "{}", why);
    YuvPassTimes times{std::uint64_t{extent.width} * extent.height, 0, 0};
    for (const auto& [passes, time] : {std::pair(YuvPasses::kFused, &times.fused_ns), {YuvPasses::kThree, &times.three_ns}}) {
      work_.ForgetAll();
      recorder_.UsePasses(passes);
      for (int run = 0; run <= kRuns; ++run) {
        const auto shader = ByShader();
        if (!shader.ok()) return shader.error();
        *time = run <= 1 ? *shader : std::min(*time, *shader);
      }
    }
    work_.ForgetAll();
    return times;
  }

 private:
  // The picture that was given, and a surface that has none.
  Result<void> Restore() {
    std::memcpy(seen_->bounce(), given_.data(), given_.size());
    Clear();
    return Copy(Step::kIn);
  }

  void Clear() {
    link::InitializeLinkSurface(Bytes(), link::LinkSliceRows(job_.picture.height, 1));
    frame_ = 0;
  }

  // The coded bytes after an encoding; the decoded pixels else.
  Result<std::vector<std::byte>> Outcome(const Result<std::int64_t>& ran) {
    if (!ran.ok()) return ran.error();
    if (encodes_) {
      const auto coded = Bytes().subspan(job_.part.payload, link::ReadLinkSlice(Bytes(), 0).bytes);
      return std::vector<std::byte>(coded.begin(), coded.end());
    }
    if (auto copied = Copy(Step::kOut); !copied.ok()) return std::move(copied).error();
    const std::byte* const pixels = seen_->bounce();
    return std::vector<std::byte>(pixels, pixels + std::uint64_t{job_.picture.pitch} * job_.picture.height);
  }

  // The reason why shaders refuse the current picture; empty if they accept it.
  std::string Refusal() {
    job_.part.encoding = encoding_;
    job_.part.row_count = job_.picture.height;
    return recorder_.limits().RefusalOf(job_, encodes_);
  }

  Result<void> Make(Extent extent) {
    const std::uint32_t pitch = extent.width * 4;
    const std::uint64_t bytes = std::uint64_t{pitch} * extent.height;
    auto pages = MemoryMap::CreateAnonymous(link::LinkSurfaceBytes(extent.width, extent.height));
    if (!pages.ok()) return std::move(pages).error();
    surface_.reset();
    pages_ = *std::move(pages);
    VkResult refusal = VK_SUCCESS;
    auto surface = HostBuffer::Import(gpu_, pages_.data(), pages_.size_bytes(), refusal);
    if (!surface.ok()) surface = HostBuffer::CreateBounce(gpu_, pages_.data(), pages_.size_bytes());
    if (!surface.ok()) return std::move(surface).error();
    surface_ = *std::move(surface);
    auto seen = HostBuffer::CreateBounce(gpu_, nullptr, bytes);
    if (!seen.ok()) return std::move(seen).error();
    seen_ = *std::move(seen);
    auto local = LocalMemory::Create(gpu_, 0, bytes);
    if (!local.ok()) return std::move(local).error();
    local_ = *std::move(local);
    if (!given_.empty()) {
      std::memcpy(seen_->bounce(), given_.data(), bytes);
    } else {
      for (std::uint64_t i = 0; i < bytes; ++i) seen_->bounce()[i] = static_cast<std::byte>(i / 64 + i % 4 * (i * i / 4096));
    }
    job_ = LinkJob();
    job_.picture = {local_->At(0), kFormat, pitch, extent.width, extent.height};
    if (auto room = recorder_.MakeRoom(job_.picture); !room.ok()) return std::move(room).error();
    job_.surface = {surface_->rows(), link::kLinkFormat, link::LinkReferencePitch(extent.width), extent.width, extent.height};
    Clear();
    return Copy(Step::kIn);
  }

  [[nodiscard]] std::span<std::byte> Bytes() { return {pages_.data(), pages_.size_bytes()}; }
  [[nodiscard]] link::LinkRows RowsOfAll() { return {Bytes(), 0, job_.picture.height}; }

  Result<void> Copy(Step step) {
    const color::BlitRect all{0, 0, job_.picture.width, job_.picture.height};
    const Rows from = step == Step::kIn ? seen_->rows() : local_->At(0);
    const Rows to = step == Step::kIn ? local_->At(0) : seen_->rows();
    RecordedWork::Key key;
    key.what = {static_cast<std::uint32_t>(step)};
    const auto ran = work_.Run(
        key,
        [&](VkCommandBuffer commands) {
          RecordRows(gpu_.vk(), commands, from, to, {job_.picture.pitch, 4}, {&all, 1});
          return Result<RecordedWork::Keep>(RecordedWork::Keep());
        },
        {}, engine_);
    return ran.ok() ? Result<void>() : Result<void>(ran.error());
  }

  // Makes a slice to decode, if decoding is timed.
  Result<void> Prepare() {
    if (stop_.load(std::memory_order_relaxed)) return Fail(ErrorKind::kTimeout, "The trial was ended.");
    // A decoder that holds the picture would find all of it unchanged.
    if (!encodes_) Clear();
    link::RequestLinkFrame(Bytes(), ++frame_, encoding_);
    if (encodes_) return {};
    const auto coded = link::EncodeLinkRows(
        RowsOfAll(), {seen_->bounce(), job_.picture.pitch, kFormat, job_.picture.width, job_.picture.height}, clock_, room_);
    return coded.ok() ? Result<void>() : Result<void>(coded.error());
  }

  Result<std::int64_t> ByProcessor() {
    if (auto prepared = Prepare(); !prepared.ok()) return std::move(prepared).error();
    const std::int64_t begin_ns = clock_.NowNs();
    const auto [width, height] = std::pair(job_.picture.width, job_.picture.height);
    if (encodes_) {
      if (auto copied = Copy(Step::kOut); !copied.ok()) return std::move(copied).error();
      const auto coded =
          link::EncodeLinkRows(RowsOfAll(), {seen_->bounce(), job_.picture.pitch, kFormat, width, height}, clock_, room_);
      if (!coded.ok()) return coded.error();
    } else {
      auto decoded =
          link::DecodeLinkRows(RowsOfAll(), {seen_->bounce(), job_.picture.pitch, kFormat, width, height}, clock_, room_);
      if (!decoded.ok()) return std::move(decoded).error();
      if (auto copied = Copy(Step::kIn); !copied.ok()) return std::move(copied).error();
    }
    return clock_.NowNs() - begin_ns;
  }

  Result<std::int64_t> ByShader() {
    if (auto prepared = Prepare(); !prepared.ok()) return std::move(prepared).error();
    const std::int64_t begin_ns = clock_.NowNs();
    const auto [width, height] = std::pair(job_.picture.width, job_.picture.height);
    const auto parts = encodes_ ? link::LinkPartsToEncode(RowsOfAll(), kFormat, width, height)
                                : link::LinkPartsToDecode(RowsOfAll(), kFormat, width, height);
    if (!parts.ok()) return parts.error();
    job_.part = parts->parts[0];
    const Rows& rows = job_.surface.rows;
    if (rows.bounce != nullptr && !encodes_) {
      std::memcpy(rows.bounce + job_.part.payload, rows.pixels + job_.part.payload, job_.part.bytes);
    }
    RecordedWork::Key key;
    key.what = {static_cast<std::uint32_t>(Step::kShader)};
    const auto ran = work_.Run(
        key,
        [&](VkCommandBuffer& commands) { return encodes_ ? recorder_.Encode(commands, job_) : recorder_.Decode(commands, job_); },
        {}, engine_);
    if (!ran.ok()) return ran.error();
    if (ran->known) Note(encodes_ ? ran->first_ns : ran->second_ns, encodes_ ? ran->second_ns : ran->first_ns);
    if (!encodes_) {
      link::FinishDecodedPart(RowsOfAll(), job_.part, 0);
      return clock_.NowNs() - begin_ns;
    }
    if (rows.bounce != nullptr) {
      std::memcpy(rows.pixels + job_.part.payload, rows.bounce + job_.part.payload, job_.part.capacity);
    }
    const auto coded = link::FinishEncodedPart(RowsOfAll(), kFormat, width, job_.part, 0, {begin_ns, 0}, clock_);
    if (!coded.ok()) return coded.error();
    return clock_.NowNs() - begin_ns;
  }

  void Note(std::int64_t coding_ns, std::int64_t crossing_ns) {
    if (!work_.has_clock()) return;
    coding_ns_ = coding_ns_ == 0 ? coding_ns : std::min(coding_ns_, coding_ns);
    crossing_ns_ = crossing_ns_ == 0 ? crossing_ns : std::min(crossing_ns_, crossing_ns);
  }

  Gpu& gpu_;
  Engine& engine_;
  RecordedWork& work_;
  LinkRecorder& recorder_;
  const bool encodes_;
  const link::LinkEncoding encoding_;
  Clock& clock_;
  const std::atomic<bool>& stop_;
  MemoryMap pages_;
  std::unique_ptr<HostBuffer> surface_;
  std::unique_ptr<HostBuffer> seen_;
  std::unique_ptr<LocalMemory> local_;
  LinkJob job_;
  std::uint64_t frame_ = 0;
  std::vector<std::byte> room_;
  std::span<const std::byte> given_;
  std::int64_t coding_ns_ = 0;  // the shortest; 0: unknown
  std::int64_t crossing_ns_ = 0;
};

}  // namespace

bool IsDecided(const LinkEngineTimes& small, VkPhysicalDeviceType device) {
  const std::int64_t submission_ns = device == VK_PHYSICAL_DEVICE_TYPE_CPU ? kSoftwareSubmissionNs : kSubmissionNs;
  return small.shader_ns > kFarBehind * small.processor_ns && small.shader_ns - small.processor_ns > submission_ns;
}

Result<LinkEngineTimes> ShortestTimes(std::uint64_t pixels, VkPhysicalDeviceType device, const LinkRun& processor,
                                      const LinkRun& shader) {
  LinkEngineTimes times{pixels, 0, 0};
  for (int run = 0; run <= kRuns; ++run) {
    const auto processor_ns = processor();
    if (!processor_ns.ok()) return processor_ns.error();
    const auto shader_ns = shader();
    if (!shader_ns.ok()) return shader_ns.error();
    times.processor_ns = run <= 1 ? *processor_ns : std::min(times.processor_ns, *processor_ns);
    times.shader_ns = run <= 1 ? *shader_ns : std::min(times.shader_ns, *shader_ns);
    if (run >= kRunsToDecide && IsDecided(times, device)) break;
  }
  return times;
}

bool IsShaderCheaper(const LinkEngineTimes& times) { return times.shader_ns < times.processor_ns; }

Result<LinkEngineTimes> TimeLinkEngines(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder, LinkTask task,
                                        Clock& clock, const std::atomic<bool>& stop) {
  Trial trial(gpu, engine, work, recorder, task, clock, stop);
  Result<LinkEngineTimes> times = trial.Run(kPictures[0]);
  if (!times.ok() || IsDecided(*times, gpu.type())) return times;
  return trial.Run(kPictures[1]);
}

Result<LinkTaskTrial> TryLinkTask(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder, LinkTask task,
                                  std::span<const std::byte> picture, std::uint32_t width, std::uint32_t height, Clock& clock,
                                  const std::atomic<bool>& stop) {
  Trial trial(gpu, engine, work, recorder, task, clock, stop);
  trial.Show(picture);
  return trial.RunAndCompare({width, height});
}

YuvPasses CheaperPasses(const YuvPassTimes& times) {
  return times.three_ns < times.fused_ns ? YuvPasses::kThree : YuvPasses::kFused;
}

Result<YuvPassTimes> TimeYuvPasses(Gpu& gpu, Engine& engine, RecordedWork& work, LinkRecorder& recorder, Clock& clock,
                                   const std::atomic<bool>& stop) {
  // The small picture takes long enough on a software device.
  const bool slow = gpu.type() == VK_PHYSICAL_DEVICE_TYPE_CPU;
  return Trial(gpu, engine, work, recorder, {LinkDirection::kEncode, link::LinkEncoding::kYuv420}, clock, stop)
      .RunPasses(kPictures[slow ? 0 : 1]);
}

}  // namespace tandem::vulkan
