#include "cli/command_line.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/driver_options.h"
#include "cli/examples.h"
#include "cli/exit_codes.h"
#include "cli/help_text.h"
#include "cli/measure_options.h"
#include "cli/policy_options.h"
#include "cli/session_options.h"
#include "cli/setting_options.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cli/words.h"

namespace tandem::cli {
namespace {

void AddRun(CLI::App& run, std::vector<std::string>& program) {
  AddSettingOptions(run);
  run.add_option("program", program, "The program and its arguments, after --")->required()->type_name("PROGRAM");
  run.positionals_at_end();
}

CLI::App* AddLaunch(CLI::App& app, LaunchCommand& command) {
  CLI::App* launch = app.add_subcommand("launch", "Start a desktop entry with its own options and arguments, as a desktop does");
  AddSettingOptions(*launch);
  launch->add_option("--action", command.action, "One of the entry's actions in place of the entry itself")->type_name("NAME");
  launch->add_flag("--remember", command.remember,
                   "Serve this program from now on, on the adapter of --render: a table in ~/.config/tandem/tandem.toml");
  launch->add_flag("--dry-run", command.dry_run, "Show the entry, its command and what is set, and start nothing");
  launch->add_option("entry", command.entry, "Path or id of a desktop entry, or path of a program")
      ->required()
      ->type_name("ENTRY");
  launch->add_option("file", command.files, "Files or URIs for the program")->type_name("FILE");
  launch->positionals_at_end();
  return launch;
}

CLI::App* AddConfigShow(CLI::App& app, std::vector<std::string>& program, bool& json) {
  CLI::App* config = app.add_subcommand("config", "Show the settings that a program would get");
  config->require_subcommand(1);
  CLI::App* show = config->add_subcommand(
      "show",
      "Each setting with its value and origin: default, table of the file, variable or option, as 'tandem run' would see it");
  AddSettingOptions(*show);
  show->add_flag("--json", json, "As JSON");
  show->add_option("program", program, "The program, alone or with its arguments after --; without it, any program")
      ->type_name("PROGRAM");
  return show;
}

// `program` is empty for any program. A sentence for a wrong value, wherever it stands.
Result<config::TracedSettings> SettingsOf(const CLI::App& command, const std::string& program, const DefaultSettings& defaults) {
  auto traced = defaults(program);
  if (!traced.ok()) return traced;
  if (auto typed = SetTyped(command, *traced); !typed.ok()) return std::move(typed).error();
  return traced;
}

}  // namespace

Command ParseCommandLine(int argc, const char* const* argv, const DefaultSettings& defaults) {
  CLI::App app{"Tandem renders on one GPU and shows on another. 'tandem PROGRAM' is short for 'tandem run -- PROGRAM'.",
               "tandem"};
  app.formatter(std::make_shared<HelpText>(StyleOfStandardOutput()));  // before commands are added, which take it over
  bool verbose = false;
  CLI::Option* const verbosely =
      app.add_flag("--verbose", verbose, "With --version: the libraries, drivers, outputs and protocols");
  CLI::Option* const version =
      app.set_version_flag("-v,--version", [&verbose] { return verbose ? VerboseVersion() : std::string("tandem ") + kVersion; });
  verbosely->needs(version);
  app.require_subcommand(1);

  std::vector<std::string> program;
  CLI::App* run =
      app.add_subcommand("run", "Run an unmodified Vulkan or OpenGL program on the render adapter, seen on the display adapter");
  AddRun(*run, program);

  LaunchCommand launch_command;
  const CLI::App* const launch = AddLaunch(app, launch_command);

  bool json = false;
  CLI::App* const explain =
      app.add_subcommand("explain", "Say which adapters, path and encoding 'run' would take, and why; starts no program");
  AddRun(*explain, program);
  explain->add_flag("--json", json, "As JSON");
  CLI::App* adapters = app.add_subcommand("adapters", "List the adapters of this machine");
  adapters->add_flag("--json", json, "As JSON");
  MenuCommand menu_command;
  const CLI::App* const menu = AddMenu(app, menu_command, json);
  bool links = false;
  CLI::Option* const measured = adapters->add_flag("--links", links, "Start each adapter and measure its link to system memory");
  bool pairs = false;
  CLI::Option* const paired =
      adapters->add_flag("--pairs", pairs, "List pairs of adapters: the memory between them, its probes, the path that follows");
  paired->excludes(measured);
  bool cached = false;
  bool wake = false;
  CLI::Option* const from_cache = adapters->add_flag("--cached", cached, "From the cache, without opening a device");
  from_cache->excludes(measured)->excludes(paired);
  adapters->add_flag("--wake", wake, "Open all devices, also GPUs that are asleep")->excludes(from_cache);
  std::string listed_driver;
  CLI::Option* const of_driver = adapters->add_option(
      "--driver", listed_driver, "A driver of your own, a shared object with DriverEntry: what it says of its adapter");
  of_driver->type_name("FILE")->excludes(measured)->excludes(paired)->excludes(from_cache);
  std::string listed_registry;
  AddDriverFile(*adapters, listed_registry, of_driver);

  EncodingsCommand encodings_command;
  const CLI::App* const encodings = AddEncodings(app, encodings_command, json);

  BenchLinkCommand bench_link_command;
  const CLI::App* const bench_link = AddBenchLink(app, bench_link_command, json);

  GpuReportCommand gpu_report_command;
  const CLI::App* const gpu_report = AddGpuReport(app, gpu_report_command, json);

  ConformCommand conform_command;
  CLI::App* conform =
      app.add_subcommand("conform", "Try the rules of the driver contract on this machine's drivers, or on yours");
  AddConform(*conform, conform_command, json);

  FuzzCommand fuzz_command;
  CLI::App* fuzz =
      app.add_subcommand("fuzz", "Try random sequences of calls on a driver of your own, and shorten what breaks it");
  AddFuzz(*fuzz, fuzz_command, json);

  FeaturesCommand features_command;
  CLI::App* features = app.add_subcommand("features", "Show and override the features of the driver contract");
  AddFeatures(*features, features_command, json);

  PolicyCommand policy_command;
  CLI::App* policy = app.add_subcommand("policy", "Show and change which programs Tandem serves, and how");
  AddPolicy(*policy, policy_command, json);

  std::optional<double> watch_s;
  CLI::App* status = app.add_subcommand("status", "Show the programs that run under Tandem now: path, encoding, frames a second");
  status->add_option("--watch", watch_s, "Show it again and again, every SECONDS (default 1), until interrupted")
      ->type_name("SECONDS")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::Range(0.1, 3600.0));
  status->add_flag("--json", json, "As JSON; with --watch a line each time");

  DoctorCommand doctor_command;
  const CLI::App* const doctor = AddDoctor(app, doctor_command, json);

  ReportCommand report_command;
  const CLI::App* const report = AddReport(app, report_command);

  DriverBuildCommand driver_build_command;
  const CLI::App* const driver_build = AddDriverBuild(app, driver_build_command, json);

  SessionCommand session_command;
  const CLI::App* const enable = AddEnable(app, session_command, json);
  const CLI::App* const disable = AddDisable(app, session_command);

  CLI::App* config_show = AddConfigShow(app, program, json);
  AddExamples(app);

  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  std::vector<std::string> words = Understood({argv + 1, argv + argc}, commands);
  std::ranges::reverse(words);  // as parse() wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    if (app.exit(error, out, err) == 0) return PrintCommand{out.str(), kExitOk};
    return PrintCommand{MistakeText(app, error), kExitUsage};
  }

  const ListFormat format = json ? ListFormat::kJson : ListFormat::kTable;
  const auto formatted = [format](auto& parsed) -> Command {
    parsed.format = format;
    return parsed;
  };
  if (status->parsed()) return StatusCommand{watch_s.value_or(0), format};
  if (menu->parsed()) return formatted(menu_command);
  if (adapters->parsed()) {
    const auto devices = cached ? ListedDevices::kCached : wake ? ListedDevices::kAll : ListedDevices::kAwake;
    return AdaptersCommand{format, links, pairs, devices, listed_driver, listed_registry};
  }
  if (enable->parsed() || disable->parsed()) {
    if (disable->parsed()) session_command.action = SessionAction::kDisable;
    return formatted(session_command);
  }
  if (report->parsed()) return report_command;
  if (doctor->parsed()) return formatted(doctor_command);
  if (driver_build->parsed()) return formatted(driver_build_command);
  if (features->parsed()) return formatted(features_command);
  if (policy->parsed()) return formatted(policy_command);
  if (encodings->parsed()) return formatted(encodings_command);
  if (bench_link->parsed()) return formatted(bench_link_command);
  if (gpu_report->parsed()) return formatted(gpu_report_command);
  if (fuzz->parsed()) return formatted(fuzz_command);
  if (conform->parsed()) return formatted(conform_command);
  const CLI::App& command = config_show->parsed() ? *config_show
                            : launch->parsed()    ? *launch
                            : explain->parsed()   ? *explain
                                                  : *run;
  const std::string name = program.empty() ? std::string() : program.front();
  auto traced = SettingsOf(command, name, defaults);
  if (!traced.ok()) {
    const std::string who = config_show->parsed() ? "config show" : command.get_name();
    return PrintCommand{fmt::format("tandem {}: {}\n", who, traced.error().message), kExitUsage};
  }
  if (config_show->parsed()) {
    return ConfigShowCommand{*std::move(traced), name, format};
  }
  traced->settings.enabled = true;
  if (launch->parsed()) {
    launch_command.traced = *std::move(traced);
    return launch_command;
  }
  if (explain->parsed()) {
    return ExplainCommand{*std::move(traced), std::move(program), format};
  }
  return RunCommand{*std::move(traced), std::move(program)};
}

}  // namespace tandem::cli
