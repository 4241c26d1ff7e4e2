// The text of `tandem status`.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/status.h"
#include "link/governor/encodings.h"
#include "status/live_folder.h"
#include "status/live_record.h"
#include "swapchain/swap_chain.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kProgramColumns = 17;
constexpr std::string_view kIndent = "         ";

std::string_view EncodingName(const status::LiveSwapChain& chain) { return chain.encoding ? ToString(*chain.encoding) : "-"; }

bool IsYuv(const status::LiveSwapChain& chain) {
  return chain.encoding == link::LinkEncoding::kYuv420 || chain.encoding == link::LinkEncoding::kYuv420Tiles;
}

std::string Row(std::string_view pid, std::string_view program, std::string_view path, std::string_view encoding,
                std::string_view rate, std::string_view latency, std::string_view link) {
  return fmt::format("{:>7}  {:<{}}  {:<10}  {:<9}  {:>8}  {:>8}  {:>9}\n", pid, program, kProgramColumns, path, encoding, rate,
                     latency, link);
}

std::string ChainRow(const std::string& pid, const std::string& program, const status::LiveSwapChain& chain,
                     std::int64_t now_ns) {
  const bool idle = status::IsIdle(chain, now_ns);
  const bool timed = !idle && chain.latency_ns != 0;
  const bool crosses = !idle && chain.path != swapchain::Path::kDirect;
  return Row(pid, program, ToString(chain.path), EncodingName(chain),
             idle ? "idle" : fmt::format("{:.1f}", status::ShownPerSecond(chain, now_ns)),
             timed ? fmt::format("{:.1f} ms", static_cast<double>(chain.latency_ns) / 1e6) : "-",
             crosses ? fmt::format("{:.1f}", static_cast<double>(chain.link_bytes_per_second) / 1e6) : "-");
}

std::string Details(const status::LiveSwapChain& chain, const TextStyle& style) {
  std::string text = Wrapped(
      kIndent,
      fmt::format("{} -> {}, {} x {}, {}", chain.render, chain.display, chain.width, chain.height, ToString(chain.present_mode)),
      style);
  const std::uint64_t link = chain.emulated_link != 0 ? chain.emulated_link : chain.measured_link;
  if (link != 0) {
    text += Wrapped(
        kIndent,
        fmt::format("Link: {:.0f} MB/s, {}", static_cast<double>(link) / 1e6, chain.emulated_link != 0 ? "emulated" : "measured"),
        style);
  }
  const bool composed = chain.shown_by == swapchain::ShownBy::kComposition;
  text += Wrapped(kIndent, fmt::format("Path: {}{}", composed ? "composed for now: " : "", chain.path_reason), style);
  if (chain.crossing_format != DXGI_FORMAT_UNKNOWN) {
    text += Wrapped(kIndent, fmt::format("Frames cross as {}.", swapchain::NameOf(chain.crossing_format)), style);
  }
  if (!chain.encoding_reason.empty()) text += Wrapped(kIndent, "Encoding: " + chain.encoding_reason, style);
  if (chain.frame_bytes != 0) {
    text += Wrapped(kIndent,
                    fmt::format("Frames have {} at the most; so far {} lost low bits for it.",
                                link::FrameBytesText(chain.frame_bytes), chain.lossy_frames),
                    style);
  }
  if (IsYuv(chain)) text += Wrapped(kIndent, "4:2:0: " + link::LinkYuvText(chain.yuv), style);
  return text;
}

}  // namespace

nlohmann::ordered_json SwapChainJson(const status::LiveSwapChain& chain, std::int64_t now_ns) {
  Json json{{"width", chain.width},
            {"height", chain.height},
            {"present_mode", std::string(ToString(chain.present_mode))},
            {"render_adapter", chain.render},
            {"display_adapter", chain.display},
            {"path", std::string(ToString(chain.path))},
            {"path_reason", chain.path_reason},
            {"shown_by", std::string(ToString(chain.shown_by))}};
  json["crossing_format"] = std::string(swapchain::NameOf(chain.crossing_format));
  json["encoding"] = chain.encoding ? Json(std::string(ToString(*chain.encoding))) : Json();
  json["encoding_reason"] = chain.encoding_reason;
  json["yuv"] = IsYuv(chain) ? Json(link::LinkYuvText(chain.yuv)) : Json();
  json["frames_presented"] = chain.frames.presented;
  json["frames_shown"] = chain.frames.shown;
  json["frames_dropped"] = chain.frames.dropped;
  json["frame_bytes"] = chain.frame_bytes;
  json["lossy_frames"] = chain.lossy_frames;
  json["frames_per_second"] = status::ShownPerSecond(chain, now_ns);
  json["latency_ms"] = static_cast<double>(chain.latency_ns) / 1e6;
  json["link_bytes_per_second"] = chain.link_bytes_per_second;
  json["measured_link_bytes_per_second"] = chain.measured_link;
  json["emulated_link_bytes_per_second"] = chain.emulated_link;
  json["age_ms"] = static_cast<double>(status::AgeNs(chain, now_ns)) / 1e6;
  return json;
}

std::string StatusTable(const status::LivePrograms& found, std::int64_t now_ns, const TextStyle& style) {
  if (found.programs.empty()) return "No program shows frames through Tandem now.\n";
  std::string text = Painted(Row("PID", "PROGRAM", "PATH", "ENCODING", "FRAMES/S", "LATENCY", "LINK MB/S"), Ink::kStrong, style);
  for (const status::LiveProgram& program : found.programs) {
    std::string pid = std::to_string(program.process.pid);
    std::string name = Cut(program.program, kProgramColumns);
    if (program.swap_chains.empty()) text += Row(pid, name, "-", "-", "-", "-", "-");
    for (const status::LiveSwapChain& chain : program.swap_chains) {
      text += ChainRow(pid, name, chain, now_ns) + Details(chain, style);
      pid.clear();
      name.clear();
    }
  }
  return text;
}

std::string StatusJson(const status::LivePrograms& found, std::int64_t now_ns, JsonShape shape) {
  auto programs = Json::array();
  for (const status::LiveProgram& program : found.programs) {
    auto chains = Json::array();
    for (const status::LiveSwapChain& chain : program.swap_chains) chains.push_back(SwapChainJson(chain, now_ns));
    programs.push_back({{"pid", program.process.pid}, {"program", program.program}, {"swap_chains", std::move(chains)}});
  }
  const Json root{{"programs", std::move(programs)}, {"unreadable", found.unreadable}};
  return root.dump(shape == JsonShape::kIndented ? 2 : -1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::cli
