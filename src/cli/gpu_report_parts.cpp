#include "cli/gpu_report_parts.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "cli/exit_codes.h"
#include "config/adapter_info.h"
#include "conform/contained.h"
#include "link/surface/link_surface.h"
#include "swapchain/swap_chain.h"
#include "system/frame_trial.h"
#include "system/gpu_trial.h"
#include "system/pair_report.h"
#include "system/pci_link.h"
#include "system/system.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

// 2160p; a processor that is a device would take minutes for it.
constexpr std::uint32_t kWidth = 3840, kHeight = 2160;
constexpr std::uint32_t kSlowWidth = 640, kSlowHeight = 360;

void Print(const Json& row) {
  std::puts(row.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

void Print(const char* property, const Json& value) { Print({{"property", property}, {"value", value}}); }

double Microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e3; }
double Milliseconds(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }
double Gigabytes(double bytes) { return bytes / 1e9; }
double Gigabytes(std::uint64_t bytes) { return Gigabytes(static_cast<double>(bytes)); }

std::string ToText(const system::PciLink& link) {
  return fmt::format("{} GT/s x{}, {:.1f} GB/s each way", link.gigatransfers_per_second, link.lanes,
                     Gigabytes(link.BytesPerSecond()));
}

Result<void> Device(const config::AdapterInfo& adapter) {
  Print("name", adapter.name);
  Print("kind", adapter.kind == "cpu" ? std::string("cpu: the processor stands in for a GPU") : adapter.kind);
  Print("driver", adapter.driver_detail);
  Print("id", fmt::format("{:04x}:{:04x}", adapter.vendor_id, adapter.device_id));
  if (!adapter.pci_address.empty()) Print("PCI address", adapter.pci_address);
  if (const auto links = system::ReadPciLinks("", adapter.pci_address)) {
    Print("PCI link now", ToText(links->now));
    Print("PCI link at most", ToText(links->most));
  }
  auto trial = system::GpuTrial::Open(adapter);
  if (!trial.ok()) return std::move(trial).error();
  const system::GpuFacts facts = (*trial)->Facts();
  Print("Vulkan", facts.vulkan_version);
  for (const auto& heap : facts.heaps) {
    Print("memory heap", fmt::format("{:.2f} GB{}", Gigabytes(heap.bytes), heap.device_local ? ", device-local" : ""));
  }
  for (const auto& family : facts.families) {
    Print("queue family", fmt::format("{} x {}, clock of {} bits", family.queues, family.uses, family.timestamp_bits));
  }
  Print("alignment of imported pages", facts.import_alignment_bytes);
  Print("largest storage buffer", facts.max_storage_bytes);
  Print("largest image extent", facts.max_image_extent);
  return {};
}

Result<void> Sharing(const config::AdapterInfo& adapter) {
  auto trial = system::GpuTrial::Open(adapter);
  if (!trial.ok()) return std::move(trial).error();
  const auto sharing = (*trial)->TrySharing();
  if (!sharing.ok()) return sharing.error();
  Print("import of a memfd's pages", sharing->memfd);
  Print("import of anonymous pages", sharing->anonymous);
  Print("import of a memfd as a dma-buf", sharing->dma_buf);
  Print("export of a dma-buf", sharing->exported);
  Print("reason", sharing->reason);
  Print("link out GB/s", Gigabytes(sharing->out.bytes_per_second));
  Print("link out latency us", Microseconds(sharing->out.latency_ns));
  Print("link in GB/s", Gigabytes(sharing->in.bytes_per_second));
  Print("link in latency us", Microseconds(sharing->in.latency_ns));
  if (const auto links = system::ReadPciLinks("", adapter.pci_address)) {
    Print("link out, share of the PCI link", static_cast<double>(sharing->out.bytes_per_second) / links->now.BytesPerSecond());
    Print("link in, share of the PCI link", static_cast<double>(sharing->in.bytes_per_second) / links->now.BytesPerSecond());
  }
  return {};
}

// GB/s; null: not measured.
Json Rate(std::uint64_t bytes_per_second) { return bytes_per_second == 0 ? Json() : Json(Gigabytes(bytes_per_second)); }

Result<void> Pairs(const config::AdapterInfo& adapter) {
  const auto report = system::ReportPairs(MonotonicClock(), system::PairSource::kMeasured);
  if (!report.ok()) return report.error();
  for (const system::AdapterPair& pair : report->pairs) {
    const config::AdapterInfo& render = report->adapters[pair.render];
    const config::AdapterInfo& display = report->adapters[pair.display];
    if (render.index != adapter.index && display.index != adapter.index) continue;
    const auto way = static_cast<std::size_t>(pair.backing.chosen.value_or(system::BackingWay::kMemfd));
    const system::BackingCandidate& memory = pair.backing.candidates[way];
    Print({{"pair", fmt::format("{} to {}", render.name, display.name)},
           {"memory", pair.backing.chosen ? system::NameOf(*pair.backing.chosen) : "the processor copies"},
           {"path", pair.path.empty() ? "none" : pair.path},
           {"render_writes_GBps", Rate(memory.render.write_bytes_per_second)},
           {"display_reads_GBps", Rate(memory.display.read_bytes_per_second)},
           {"memory_reason", pair.backing.reason},
           {"path_reason", pair.path_reason},
           {"fences", pair.fences}});
  }
  return {};
}

Result<void> Memory(const config::AdapterInfo& adapter) {
  auto trial = system::GpuTrial::Open(adapter);
  if (!trial.ok()) return std::move(trial).error();
  const auto memory = (*trial)->TryMemory();
  if (!memory.ok()) return memory.error();
  Print("copies in local memory GB/s", Gigabytes(memory->local_bytes_per_second));
  Print("copies of frames have a queue of their own", memory->separate_queues);
  Print("64 MiB to pages ms", Milliseconds(memory->copy_ns));
  Print("other work ms", Milliseconds(memory->work_ns));
  Print("both at once ms", Milliseconds(memory->both_ns));
  Print("share that overlaps", memory->overlap);
  return {};
}

// Share of `ns` that moving `least_bytes` takes at `bytes_per_second`.
Json Share(double least_bytes, std::uint64_t bytes_per_second, std::int64_t ns) {
  if (bytes_per_second == 0 || ns == 0) return {};
  return least_bytes / static_cast<double>(bytes_per_second) * 1e9 / static_cast<double>(ns);
}

Result<void> Coding(const config::AdapterInfo& adapter) {
  auto trial = system::GpuTrial::Open(adapter);
  if (!trial.ok()) return std::move(trial).error();
  const bool slow = adapter.kind == "cpu";
  const std::uint32_t width = slow ? kSlowWidth : kWidth;
  const std::uint32_t height = slow ? kSlowHeight : kHeight;
  const auto memory = (*trial)->TryMemory();
  const auto sharing = (*trial)->TrySharing();
  // A copy reads and writes each byte.
  const std::uint64_t local = memory.ok() ? 2 * memory->local_bytes_per_second : 0;
  const double pixels = 4.0 * width * height;
  system::LinkPictures pictures;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding) || encoding == link::LinkEncoding::kPlain) continue;
    for (const bool encodes : {true, false}) {
      Json row{{"task", fmt::format("{} {}", encodes ? "encode" : "decode", link::ToString(encoding))},
               {"size", fmt::format("{}x{}", width, height)}};
      const auto coding = (*trial)->TryCoding({encodes, encoding, width, height}, pictures);
      if (!coding.ok() && coding.error().kind != ErrorKind::kUnsupported) return coding.error();
      if (!coding.ok()) {
        row["bits"] = "not by shaders: " + coding.error().message;
        Print(row);
        continue;
      }
      const auto coded = static_cast<double>(coding->bytes);
      const std::uint64_t link = !sharing.ok() ? 0 : encodes ? sharing->out.bytes_per_second : sharing->in.bytes_per_second;
      row["bits"] = coding->same ? "the processor's" : "WRONG";
      row["coded_bytes"] = coding->bytes;
      row["coding_us"] = coding->coding_ns == 0 ? Json() : Json(Microseconds(coding->coding_ns));
      row["share_of_memory"] = Share(pixels + coded, local, coding->coding_ns);
      row["crossing_us"] = coding->crossing_ns == 0 ? Json() : Json(Microseconds(coding->crossing_ns));
      row["share_of_link"] = Share(coded, link, coding->crossing_ns);
      row["with_wait_us"] = Microseconds(coding->shader_ns);
      row["processor_us"] = Microseconds(coding->processor_ns);
      Print(row);
    }
  }
  return {};
}

Json RowOf(const std::string& asked, const Result<system::FrameTrial>& frames, const system::FrameTrialRequest& request) {
  Json row{{"asked", asked}};
  if (!frames.ok()) {
    const bool refused = frames.error().kind == ErrorKind::kUnsupported;
    row["path"] = nullptr;
    row["pixels"] = (refused ? "not to be had: " : "WRONG: ") + frames.error().message;
    return row;
  }
  row["path"] = ToString(frames->path);
  const std::uint32_t count = request.frames;
  row["pixels"] = request.display             ? fmt::format("{} frames shown, nobody sees them", frames->frames_shown)
                  : frames->wrong_frames == 0 ? fmt::format("{} frames right", count)
                                              : fmt::format("WRONG in {} of {} frames", frames->wrong_frames, count);
  row["first_frame_ms"] = Milliseconds(frames->first_frame_ns);
  row["latency_ms"] = Milliseconds(frames->latency_p50_ns);
  row["copies"] = frames->copies_per_frame;
  row["bytes_written"] = frames->bytes_per_frame;
  row["link_bytes"] = frames->link_bytes_per_frame == 0 ? Json() : Json(frames->link_bytes_per_frame);
  return row;
}

// Devices that show on a headless surface.
std::vector<config::AdapterInfo> OtherDisplays(const config::AdapterInfo& adapter, std::vector<config::AdapterInfo> all) {
  std::erase_if(all, [&](const config::AdapterInfo& other) {
    return other.index == adapter.index || std::ranges::find(other.outputs, "wsi-headless") == other.outputs.end();
  });
  return all;
}

Result<void> Frames(const config::AdapterInfo& adapter, const std::vector<config::AdapterInfo>& all) {
  if (!adapter.can_render) return Fail(ErrorKind::kUnsupported, "{}", adapter.tier_reason);
  using swapchain::PathRequest;
  system::LinkPictures pictures;
  system::FrameTrialRequest request;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy, PathRequest::kCpuCopy}) {
    request.path = path;
    Print(RowOf(std::string(ToString(path)), system::TryFrames(adapter, request, pictures), request));
  }
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding)) continue;
    request.encoding = encoding;
    Print(RowOf("encoded " + std::string(link::ToString(encoding)), system::TryFrames(adapter, request, pictures), request));
  }
  request.encoding.reset();
  request.path = PathRequest::kAuto;
  for (const config::AdapterInfo& display : OtherDisplays(adapter, all)) {
    request.display = display;
    Print(RowOf("to " + display.name, system::TryFrames(adapter, request, pictures), request));
  }
  return {};
}

Result<void> Run(const GpuReportCommand& command) {
  const auto adapters = system::System::List();
  const auto found = std::ranges::find(adapters, command.adapter,
                                       [](const config::AdapterInfo& adapter) { return std::to_string(adapter.index); });
  if (found == adapters.end()) return Fail(ErrorKind::kNotFound, "There is no adapter {}.", command.adapter);
  if (command.part == "device") return Device(*found);
  if (command.part == "sharing") return Sharing(*found);
  if (command.part == "pairs") return Pairs(*found);
  if (command.part == "memory") return Memory(*found);
  if (command.part == "coding") return Coding(*found);
  if (command.part == "frames") return Frames(*found, adapters);
  return Fail(ErrorKind::kInvalidArgument, "There is no section '{}'.", command.part);
}

}  // namespace

int RunReportPart(const GpuReportCommand& command) {
  const auto ran = Run(command);
  const bool told =
      conform::TellOutcome(ran.ok() ? conform::Outcome{} : conform::Outcome{conform::Verdict::kFail, ran.error().message});
  return told ? kExitOk : kExitFailure;
}

SectionResult RunSection(std::string_view section, std::uint32_t adapter, std::int64_t limit_ms) {
  conform::ContainedTrial trial;
  trial.argv = {"/proc/self/exe", "gpu-report", "--part", std::string(section), "--adapter", std::to_string(adapter)};
  trial.limit_ms = limit_ms;
  const std::int64_t begin_ns = MonotonicClock().NowNs();
  const conform::ContainedOutcome ended = conform::RunContained(trial);
  const bool in_time = MonotonicClock().NowNs() - begin_ns < limit_ms * 1'000'000;
  SectionResult result;
  result.state = ended.outcome.verdict == conform::Verdict::kPass ? "done" : in_time ? "failed" : "partial";
  if (result.state == "failed") result.reason = ended.outcome.seen;
  if (result.state == "partial")
    result.reason = fmt::format("Its time, {:.0f} s, was over.", static_cast<double>(limit_ms) / 1e3);
  // Drivers may print, too.
  std::istringstream lines(ended.printed);
  for (std::string line; std::getline(lines, line);) {
    Json row = Json::parse(line, nullptr, false);
    if (!row.is_object()) continue;
    result.wrong = result.wrong || line.find("\"WRONG") != std::string::npos;
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace tandem::cli
