#include "cli/run.h"

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "cli/bypass.h"
#include "cli/child_process.h"
#include "cli/exit_codes.h"
#include "cli/run_checks.h"
#include "cli/run_figures.h"
#include "config/adapter_info.h"
#include "config/layer_location.h"
#include "config/settings.h"
#include "status/run_note.h"
#include "swapchain/swap_chain.h"
#include "system/output_factory.h"
#include "system/system.h"
#include "system/tier_report.h"

namespace tandem::cli {
namespace {

int Complain(const Error& error, int code) {
  std::fprintf(stderr, "tandem run: %s\n", error.message.c_str());
  return code;
}

// The program may change its folder before the figures are written.
std::string Absolute(const std::string& path) {
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

config::Settings WithAbsolutePaths(config::Settings settings) {
  if (!settings.stats_json.empty()) settings.stats_json = Absolute(settings.stats_json);
  if (!settings.frame_log.empty()) settings.frame_log = Absolute(settings.frame_log);
  if (!settings.output.path.empty()) settings.output.path = Absolute(settings.output.path);
  return settings;
}

// Keys to export. The program, which may stand behind a wrapper, reads the file under its own name: only what was typed outweighs
// that. Files of the environment are exported again, for the program may run in another folder.
std::vector<std::string_view> Exported(const config::TracedSettings& traced) {
  std::vector<std::string_view> keys;
  for (const auto& [key, origin] : traced.origins) {
    const bool file = key == "output" || key == "stats_json" || key == "frame_log";
    if (origin.source == config::Source::kOption || (file && origin.source == config::Source::kEnvironment)) keys.push_back(key);
  }
  return keys;
}

struct Pair {
  config::AdapterInfo render, display;
};

// The settings choose the pair. A path that was asked for needs the kernel's tiers, for which the adapters start.
Result<Pair> ChoosePair(const config::Settings& settings) {
  auto system = system::System::Create(settings);
  if (!system.ok()) return std::move(system).error();
  std::vector<config::AdapterInfo> pair{(*system)->render_adapter(), (*system)->display_adapter()};
  system->reset();
  if (settings.path != swapchain::PathRequest::kAuto) {
    if (auto asked = system::AskTiers(pair, MonotonicClock()); !asked.ok()) return std::move(asked).error();
  }
  return Pair{std::move(pair[0]), std::move(pair[1])};
}

int ExitCodeFor(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound: return kExitNotFound;
    case ErrorKind::kUnsupported: return kExitNotExecutable;
    default: return kExitFailure;
  }
}

}  // namespace

int Run(const RunCommand& command) {
  const config::Settings settings = WithAbsolutePaths(command.traced.settings);
  // A wrong adapter is said here, in words; inside the program the layer could only step aside.
  const auto pair = ChoosePair(settings);
  if (!pair.ok()) return Complain(pair.error(), kExitFailure);
  const auto refused = RefusedBeforeStart(settings, pair->render, pair->display, WindowSystemsHere());
  if (refused) return Complain(*refused, kExitFailure);

  auto data_directory = config::FindLayerDataDirectory();
  if (!data_directory.ok()) return Complain(data_directory.error(), kExitFailure);

  auto figures = RunFigures::Create(settings);
  if (!figures.ok()) return Complain(figures.error(), kExitFailure);
  const auto output = system::CheckOutputFile(settings.output);
  if (!output.ok()) return Complain(output.error().Context("--output"), kExitFailure);
  const auto listed = config::ListedLayersWithOurs();
  config::Settings wanted = settings;
  wanted.enabled = wanted.enabled && !listed;  // in the chain once
  std::vector<std::string> environment = config::ToEnvironment(wanted, Exported(command.traced));
  environment.push_back("XDG_DATA_DIRS=" + config::DataDirsWith(*data_directory));
  if (listed) environment.push_back("VK_INSTANCE_LAYERS=" + *listed);
  // Whoever uses the command wants to be told why there is no picture; the layer alone stays silent.
  if (!EnvString("TANDEM_LOG")) environment.push_back("TANDEM_LOG=error");
  (*figures)->AddTo(environment);
  const auto note = status::RunNoteFile::Create();
  if (note.ok()) environment.push_back(std::string(status::kRunNoteVariable) + "=" + note->path());
  const auto end = RunProgram(command.program, environment, [&figures] { (*figures)->Started(); });
  if (!end.ok()) return Complain(end.error(), ExitCodeFor(end.error().kind));
  if (note.ok() && end->signal == 0) {
    const std::string sentence = BypassSentence(note->Read(), command.program[0]);
    if (!sentence.empty()) std::fprintf(stderr, "tandem run: %s\n", sentence.c_str());
  }
  (*figures)->CompleteAfter(*end, command.program[0]);
  return end->code;
}

}  // namespace tandem::cli
