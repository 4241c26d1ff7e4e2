#include "cli/last_figures.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/status.h"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string NameOfSignal(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name == nullptr ? std::string() : "SIG" + std::string(name);
}

status::LiveCounts AllFrames(const status::LiveProgram& program) {
  status::LiveCounts all = program.earlier;
  for (const status::LiveSwapChain& chain : program.swap_chains) all += chain.frames;
  return all;
}

double AgeMs(const LastFigures& last) {
  const std::int64_t reported_ns = LastReported(last.program);
  return static_cast<double>(reported_ns == 0 ? 0 : std::max<std::int64_t>(last.ended_ns - reported_ns, 0)) / 1e6;
}

std::string Frames(const status::LiveCounts& frames) {
  return fmt::format("{} frames presented, {} shown, {} dropped", frames.presented, frames.shown, frames.dropped);
}

std::string SummaryOfChain(const status::LiveSwapChain& chain) {
  std::string text = fmt::format(
      "tandem: rendered on {}, shown by {}\n"
      "tandem: {}x{} {}\n"
      "tandem:   path {}: {}\n",
      chain.render, chain.display, chain.width, chain.height, ToString(chain.present_mode), ToString(chain.path),
      chain.path_reason);
  if (!chain.encoding_reason.empty()) text += fmt::format("tandem:   {}\n", chain.encoding_reason);
  return text + fmt::format("tandem:   {}; {:.1f} shown a second at last\n", Frames(chain.frames),
                            static_cast<double>(chain.millihertz) / 1e3);
}

}  // namespace

std::string HowEnded(int signal) {
  if (signal == 0) return "ended early";
  const std::string name = NameOfSignal(signal);
  return fmt::format("was ended by signal {}{}", signal, name.empty() ? name : " (" + name + ")");
}

std::int64_t LastReported(const status::LiveProgram& program) {
  std::int64_t reported_ns = 0;
  for (const status::LiveSwapChain& chain : program.swap_chains) reported_ns = std::max(reported_ns, chain.reported_ns);
  return reported_ns;
}

std::string SummaryOf(const LastFigures& last) {
  const status::LiveProgram& program = last.program;
  std::string text = fmt::format("tandem: {} (process {}) {}. {:.0f} ms before it had reported:\n", program.program,
                                 program.process.pid, HowEnded(last.signal), AgeMs(last));
  for (const status::LiveSwapChain& chain : program.swap_chains) text += SummaryOfChain(chain);
  if (program.earlier != status::LiveCounts()) {
    text += fmt::format("tandem: swap chains that were gone by then: {}\n", Frames(program.earlier));
  }
  return text;
}

std::string JsonOf(const LastFigures& last) {
  const status::LiveProgram& program = last.program;
  Json root{{"tandem", TANDEM_VERSION}, {"program", program.program}, {"pid", program.process.pid}};
  root["ended_by_signal"] = last.signal == 0 ? Json() : Json(last.signal);
  root["ended_by_signal_name"] = last.signal == 0 ? Json() : Json(NameOfSignal(last.signal));
  root["reported_ms_before_end"] = AgeMs(last);
  auto chains = Json::array();
  for (const status::LiveSwapChain& chain : program.swap_chains) chains.push_back(SwapChainJson(chain, chain.reported_ns));
  if (!chains.empty()) {
    root.update(chains.back());
    for (const char* each : {"width", "height", "age_ms"}) root.erase(each);
  }
  const status::LiveCounts frames = AllFrames(program);
  root["frames_presented"] = frames.presented;
  root["frames_shown"] = frames.shown;
  root["frames_dropped"] = frames.dropped;
  root["swap_chains"] = std::move(chains);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::cli
