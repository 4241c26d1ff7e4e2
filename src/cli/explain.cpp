#include "cli/explain.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/printable.h"
#include "cli/exit_codes.h"
#include "cli/opengl.h"
#include "cli/policy.h"
#include "cli/policy_text.h"
#include "cli/run_checks.h"
#include "cli/terminal.h"
#include "config/selector.h"
#include "link/governor/encoding_policy.h"
#include "swapchain/decision.h"
#include "system/pair_report.h"

namespace tandem::cli {
namespace {

// The frames that a path is explained for: the program's own are not known before it runs.
constexpr std::uint32_t kWidth = 1920, kHeight = 1080, kPixelBytes = 4, kFramesPerSecond = 60;

// One answer with its reason.
struct Answer {
  const char* key;  // stable, of the JSON form
  const char* title;
  std::string value;   // empty: there is none
  std::string reason;  // sentences
};

struct Explained {
  std::vector<Answer> answers;
  bool refused = false;  // `tandem run` would not start the program
};

// `has_link`: the render adapter has memory of its own behind a bus.
Answer EncodingOf(const config::Settings& settings, const swapchain::PathDecision& decision, bool has_link) {
  const auto answer = [](std::string value, std::string reason) {
    return Answer{"encoding", "Encoding", std::move(value), std::move(reason)};
  };
  if (decision.encoding != link::LinkEncoding::kPlain)
    return answer(std::string(link::ToString(decision.encoding)), "The display adapter scans the encoded frames out.");
  if (decision.path != swapchain::Path::kCompressed) {
    const bool may_change =
        has_link && settings.path == swapchain::PathRequest::kAuto && !settings.encodings.off() && settings.link_limit == 0;
    const char* const change = " The link is measured when the program starts; a narrow one makes the path 'compressed'.";
    return answer("none", fmt::format("Frames of this path are not encoded.{}", may_change ? change : ""));
  }
  std::string names;
  for (const link::LinkEncoding encoding : link::kLinkEncodingsByPicture) {
    if (!link::IsBuilt(encoding) || !settings.encodings.Allows(encoding)) continue;
    names += (names.empty() ? "" : ", ") + std::string(link::ToString(encoding));
  }
  return answer("by measurement", "Chosen for each frame while the program runs, among " + names + ".");
}

Answer OpenGlOf(const Result<OpenGlChoice>& gl) {
  if (!gl.ok()) return {"gl", "OpenGL", {}, gl.error().message};
  return {"gl", "OpenGL", gl->zink ? "zink" : "as it is", gl->reason};
}

void AddPath(const config::Settings& settings, const config::AdapterInfo& render, const config::AdapterInfo& display,
             const system::AdapterPair* memory, Explained& explained) {
  swapchain::PairFacts facts = FactsOf(settings, render, display);
  facts.width = kWidth;
  facts.height = kHeight;
  facts.plain_bytes = std::uint64_t{kWidth} * kHeight * kPixelBytes * kFramesPerSecond;
  if (memory != nullptr && !memory->backing.chosen && facts.render_bounce_reason.empty())
    facts.render_bounce_reason = memory->backing.reason;
  const swapchain::PathCandidates candidates(settings.path, facts);
  if (!candidates.current()) {
    explained.refused = true;
    explained.answers.push_back({"path", "Path", {}, candidates.Failure().message});
    return;
  }
  const swapchain::PathDecision decision = candidates.Accept();
  std::string reason = fmt::format("For frames of {} x {} at {} Hz. {}", kWidth, kHeight, kFramesPerSecond, decision.reason);
  for (const std::string& refused : decision.refused) reason += " Not " + refused;
  explained.answers.push_back({"path", "Path", std::string(ToString(decision.path)), std::move(reason)});
  explained.answers.push_back(EncodingOf(settings, decision, facts.render_is_discrete));
}

// The adapters that follow lost ones.
Answer LossOf(const config::Settings& settings, std::span<const config::AdapterInfo> adapters,
              const config::AdapterPair& chosen) {
  Answer answer{"on_lost", "If lost", std::string(ToString(settings.on_lost)), {}};
  if (settings.on_lost == config::OnLost::kWait) {
    answer.reason = "The program waits for the same adapter.";
    return answer;
  }
  const std::size_t lost_display[] = {chosen.display}, lost_render[] = {chosen.render};
  const auto display = FindNextDisplay(settings.output.kind, adapters, chosen.render, lost_display);
  const auto render = FindNextRender(adapters, lost_render);
  const std::string shows = display ? adapters[*display].name : "the same adapter, started again,";
  answer.reason = fmt::format("After the display adapter {} shows. ", shows);
  answer.reason += render ? fmt::format("After the render adapter the program's next device is on {}.", adapters[*render].name)
                          : "No other adapter renders.";
  return answer;
}

const system::AdapterPair* FindPair(const system::PairReport& report, const config::AdapterPair& chosen) {
  const auto found = std::ranges::find_if(report.pairs, [&](const system::AdapterPair& pair) {
    return pair.render == chosen.render && pair.display == chosen.display;
  });
  return found == report.pairs.end() ? nullptr : &*found;
}

Result<Explained> Explain(const ExplainCommand& command) {
  const config::Settings& settings = command.traced.settings;
  Explained explained;
  const auto program = config::IdentifyText(command.program.front());
  if (!program.ok()) return program.error();
  const auto policy = ExplainProgram(*program, config::OwnEnvironment());
  if (!policy.ok()) return policy.error();
  explained.answers.push_back({"program", "Program", command.program.front(),
                               "'tandem run' serves it in any case. Without 'tandem run': " + DecisionSentence(*policy)});
  const auto gl = ChooseOpenGl(settings.gl, command.program.front(), OpenGlPlacesHere());
  explained.refused = !gl.ok();
  explained.answers.push_back(OpenGlOf(gl));
  const auto report = system::ReportPairs(MonotonicClock(), system::PairSource::kKept);
  if (!report.ok()) return report.error();
  const auto chosen = config::ChooseAdapters(settings, report->adapters);
  if (!chosen.ok()) return chosen.error();
  const config::AdapterInfo& render = report->adapters[chosen->render];
  const config::AdapterInfo& display = report->adapters[chosen->display];
  explained.answers.push_back({"render", "Render", render.name, chosen->render_reason});
  explained.answers.push_back({"display", "Display", display.name, chosen->display_reason});
  if (!settings.display_layers.empty()) {
    explained.answers.push_back({"layers", "Layers", config::LayerNamesText(settings.display_layers),
                                 "The frames pass these Vulkan layers on the display adapter."});
  }
  if (const auto refusal = RefusedBeforeStart(settings, render, display, WindowSystemsHere())) {
    explained.refused = true;
    explained.answers.push_back({"path", "Path", {}, refusal->message});
    return explained;
  }
  const system::AdapterPair* const memory = FindPair(*report, *chosen);
  if (memory != nullptr) {
    const std::string name = memory->backing.chosen ? system::NameOf(*memory->backing.chosen) : "";
    explained.answers.push_back({"memory", "Memory", name, memory->backing.reason});
    explained.answers.push_back({"fences", "Fences", {}, memory->fences});
  }
  AddPath(settings, render, display, memory, explained);
  explained.answers.push_back(LossOf(settings, report->adapters, *chosen));
  return explained;
}

std::string ExplainedText(const Explained& explained, const TextStyle& style) {
  std::string text;
  for (const Answer& answer : explained.answers) {
    const std::string head = fmt::format("{:<10}", answer.title);
    const std::string value = Escaped(answer.value), reason = Escaped(answer.reason);
    text += Wrapped(head, value.empty() ? reason : value, style);
    if (!value.empty()) text += Wrapped(std::string(head.size(), ' '), reason, style);
  }
  return text;
}

std::string ExplainedJson(const Explained& explained) {
  nlohmann::ordered_json all;
  for (const Answer& answer : explained.answers) {
    all[answer.key] = {{"value", answer.value.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(answer.value)},
                       {"reason", answer.reason}};
  }
  all["refused"] = explained.refused;
  return all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int ExplainRun(const ExplainCommand& command) {
  const auto explained = Explain(command);
  if (!explained.ok()) {
    std::fprintf(stderr, "tandem explain: %s\n", Printable(explained.error().message).c_str());
    return kExitFailure;
  }
  std::fputs(
      (command.format == ListFormat::kJson ? ExplainedJson(*explained) : ExplainedText(*explained, StyleOfStandardOutput()))
          .c_str(),
      stdout);
  return explained->refused ? kExitFailure : kExitOk;
}

}  // namespace tandem::cli
