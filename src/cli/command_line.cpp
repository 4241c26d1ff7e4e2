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

CLI::App* AddMenu(CLI::App& app, MenuCommand& command, bool& json) {
  CLI::App* menu = app.add_subcommand("menu", "\"Run on …\" in the menus of file managers and desktop entries");
  menu->require_subcommand(1);
  const auto add = [&](MenuAction action, const char* name, const char* help) {
    CLI::App* one = menu->add_subcommand(name, help);
    one->callback([&command, action] { command.action = action; });
    one->add_flag("--json", json, "As JSON");
    return one;
  };
  add(MenuAction::kInstall, "install",
      "Put it there for each GPU, for the file managers that are here and the entries that are named")
      ->add_option("entry", command.entries, "Identifiers of desktop entries that get an action for each GPU")
      ->type_name("ENTRY");
  add(MenuAction::kRemove, "remove", "Take away what 'install' wrote, and nothing else");
  add(MenuAction::kList, "list", "Show where it is");
  return menu;
}

void AddScope(CLI::App& command, SessionCommand& session) {
  auto* const user = command.add_flag_callback(
      "--user", [&session] { session.system = false; }, "For your own sessions (default)");
  command.add_flag("--system", session.system, "For the sessions of every user")->excludes(user);
}

CLI::App* AddEnable(CLI::App& app, SessionCommand& session, bool& json) {
  CLI::App* const enable =
      app.add_subcommand("enable", "Switch Tandem on in new sessions, for programs whose policy says use = \"always\"");
  AddScope(*enable, session);
  enable
      ->add_option("--keep-asleep", session.keep_asleep,
                   "Adapter whose Vulkan driver only programs served by Tandem open; may be given again")
      ->type_name("SEL")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  enable->add_flag("--show-asleep", session.show_asleep,
                   "Let other programs see that adapter; its driver is opened when they create a device");
  auto* const status = enable->add_flag_callback(
      "--status", [&session] { session.action = SessionAction::kStatus; }, "Show what is switched on, and change nothing");
  enable->add_flag("--json", json, "With --status: as JSON")->needs(status);
  return enable;
}

CLI::App* AddDisable(CLI::App& app, SessionCommand& session) {
  CLI::App* const disable = app.add_subcommand("disable", "Take back what 'tandem enable' wrote");
  AddScope(*disable, session);
  return disable;
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

void AddGpuReport(CLI::App& report, GpuReportCommand& command, bool& json) {
  report.add_option("--minutes", command.minutes, "Longest time for all devices and sections together (default 8)")
      ->type_name("MINUTES")
      ->check(CLI::Range(0.1, 600.0));
  report.add_option("-o,--folder", command.folder, "Write report.md and report.json to FOLDER (default gpu-report)")
      ->type_name("FOLDER");
  report.add_option("--adapter", command.adapter, std::string("Only this device: ") + kSelectorHelp)->type_name("SEL");
  report.add_flag("--json", json, "Print the report as JSON instead of Markdown");
  report.add_option("--part", command.part)->group("");
}

CLI::App* AddReport(CLI::App& app, ReportCommand& command) {
  CLI::App* const report =
      app.add_subcommand("report", "Make a page of charts of one or more runs: frame times, latencies, path and encoding");
  report
      ->add_option("file", command.files,
                   "Frame logs and files of --stats-json; two that differ in the extension alone are one run")
      ->required()
      ->type_name("FILE");
  report->add_option("-o,--output", command.output, "Write the page to FILE (default report.html, or none with --trace)")
      ->type_name("FILE");
  report->add_option("--trace", command.trace, "Write the frames to FILE as a trace for Perfetto (https://ui.perfetto.dev)")
      ->type_name("FILE");
  return report;
}

CLI::App* AddDoctor(CLI::App& app, DoctorCommand& command, bool& json) {
  CLI::App* const doctor = app.add_subcommand(
      "doctor", "Check this machine: Vulkan, layers, devices, session and settings; the exit code is 1 if something is broken");
  doctor->add_flag("--json", json, "As JSON");
  doctor->add_option("--root", command.root)->group("");
  return doctor;
}

void AddFeatureAction(CLI::App& features, FeaturesCommand& command, bool& json, FeatureAction action, const char* name,
                      const char* help) {
  CLI::App* app = features.add_subcommand(name, help);
  app->callback([&command, action] { command.action = action; });
  const bool pair = action == FeatureAction::kServe || action == FeatureAction::kGuest;
  const char* const whose = pair ? "The adapter" : "Of this adapter only";
  app->add_option("--adapter", command.adapter, fmt::format("{}: {}", whose, kSelectorHelp))->required(pair)->type_name("SEL");
  app->add_flag("--json", json, "As JSON");
  if (pair) app->add_option("socket", command.socket, "Path of a Unix socket")->required()->type_name("SOCKET");
  if (action != FeatureAction::kSet && action != FeatureAction::kUnset) return;
  app->add_option("feature", command.feature, "Name or id, as 'tandem features list' prints it")
      ->required()
      ->type_name("FEATURE");
  const bool set = action == FeatureAction::kSet;
  app->add_option("values", command.values,
                  set ? "enabled=, min_version= with max_version=, allow_experimental="
                      : "enabled, min_version, max_version, allow_experimental (default: all of them)")
      ->required(set)
      ->type_name(set ? "KEY=VALUE" : "KEY");
}

void AddFeatures(CLI::App& features, FeaturesCommand& command, bool& json) {
  features.require_subcommand(1);
  const auto add = [&](FeatureAction action, const char* name, const char* help) {
    AddFeatureAction(features, command, json, action, name, help);
  };
  add(FeatureAction::kList, "list", "Every feature that the kernel knows; the same for every adapter");
  add(FeatureAction::kConfig, "config", "The overrides of each adapter");
  add(FeatureAction::kState, "state", "What each adapter's driver and the kernel agreed on");
  add(FeatureAction::kSet, "set", "Override a feature, for tests and development");
  add(FeatureAction::kUnset, "unset", "Take an override back");
  add(FeatureAction::kServe, "serve", "Answer guests for the features of an adapter, at a new socket, until interrupted");
  add(FeatureAction::kGuest, "guest", "Start an adapter as a guest's and show what it and its host, at the socket, agreed on");
}

// Commands about one program name it. `explain` takes a process in its place.
void AddPolicy(CLI::App& policy, PolicyCommand& command, bool& json) {
  policy.require_subcommand(1);
  const auto add = [&](PolicyAction action, const char* name, const char* help) {
    CLI::App* const app = policy.add_subcommand(name, help);
    app->callback([&command, action] { command.action = action; });
    app->add_flag("--json", json, "As JSON");
    return app;
  };
  add(PolicyAction::kList, "list", "Every table of every file, weakest first, and what it says");
  add(PolicyAction::kCheck, "check", "Name what is wrong in the files, each with its line")
      ->add_option("file", command.files, "These files in place of the machine's")
      ->type_name("FILE");
  const char* const what =
      "Name or path of the executable, ID.desktop, or windows:, steam:, flatpak:, desktop:, application:, engine:";
  CLI::App* const allow = add(PolicyAction::kAllow, "allow", "Serve a program from now on: writes your file");
  allow->add_option("program", command.program, what)->required()->type_name("PROGRAM");
  allow
      ->add_option("--render", command.render,
                   std::string("Adapter that renders: auto, power-saving, high-performance, ") + kSelectorHelp)
      ->type_name("SEL");
  add(PolicyAction::kDeny, "deny", "Leave a program alone from now on: writes your file")
      ->add_option("program", command.program, what)
      ->required()
      ->type_name("PROGRAM");
  CLI::App* const explain =
      add(PolicyAction::kExplain, "explain", "Name the line that decides each setting, and those that lost and why");
  CLI::Option* const program = explain->add_option("program", command.program, what)->type_name("PROGRAM");
  explain->add_option("--pid", command.pid, "The program that runs as this process")
      ->type_name("PID")
      ->excludes(program)
      ->check(CLI::PositiveNumber);
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
  CLI::App* encodings =
      app.add_subcommand("encodings", "Measure the encodings for narrow links on pictures: size, quality, speed");
  encodings
      ->add_option("file", encodings_command.picture_files,
                   "PNG pictures, such as 'tandem run --output png:FILE' writes; without one, generated pictures")
      ->type_name("PNG");
  encodings
      ->add_option("--pictures", encodings_command.pictures_folder,
                   "Write original, decoded and difference side by side to FOLDER")
      ->type_name("FOLDER");
  encodings->add_flag("--json", json, "As JSON");

  BenchLinkCommand bench_link_command;
  CLI::App* bench = app.add_subcommand("bench", "Measure on this machine");
  bench->require_subcommand(1);
  CLI::App* bench_link = bench->add_subcommand(
      "link",
      "Frames between two software adapters over emulated narrow links: each encoding, and what the governor makes of it");
  bench_link
      ->add_option("--seconds", bench_link_command.seconds,
                   "Length of each measurement (default 1: about seven minutes for the whole table, 40 lines of seven each)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 60.0));
  bench_link->add_flag("--quick", bench_link_command.quick, "Only 1280 x 1024 at 100 frames a second over 250 MB/s");
  bench_link
      ->add_option("--filter", bench_link_command.filter,
                   "Only lines that match this shell pattern, such as '3840x2160@60 250MB/s *' or 'latency *'")
      ->type_name("PATTERN");
  bench_link->add_flag("--json", json, "As JSON");

  GpuReportCommand gpu_report_command;
  CLI::App* gpu_report =
      app.add_subcommand("gpu-report", "Measure and check this machine's Vulkan devices, without a display, and write a report");
  AddGpuReport(*gpu_report, gpu_report_command, json);

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

  if (status->parsed()) return StatusCommand{watch_s.value_or(0), json ? ListFormat::kJson : ListFormat::kTable};
  if (menu->parsed()) {
    menu_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return menu_command;
  }
  if (adapters->parsed()) {
    const auto devices = cached ? ListedDevices::kCached : wake ? ListedDevices::kAll : ListedDevices::kAwake;
    return AdaptersCommand{json ? ListFormat::kJson : ListFormat::kTable, links, pairs, devices, listed_driver, listed_registry};
  }
  if (enable->parsed() || disable->parsed()) {
    session_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    if (disable->parsed()) session_command.action = SessionAction::kDisable;
    return session_command;
  }
  if (report->parsed()) return report_command;
  if (doctor->parsed()) {
    doctor_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return doctor_command;
  }
  if (driver_build->parsed()) {
    driver_build_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return driver_build_command;
  }
  if (features->parsed()) {
    features_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return features_command;
  }
  if (policy->parsed()) {
    policy_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return policy_command;
  }
  if (encodings->parsed()) {
    encodings_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return encodings_command;
  }
  if (bench_link->parsed()) {
    bench_link_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return bench_link_command;
  }
  if (gpu_report->parsed()) {
    gpu_report_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return gpu_report_command;
  }
  if (fuzz->parsed()) {
    fuzz_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return fuzz_command;
  }
  if (conform->parsed()) {
    conform_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return conform_command;
  }
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
    return ConfigShowCommand{*std::move(traced), name, json ? ListFormat::kJson : ListFormat::kTable};
  }
  traced->settings.enabled = true;
  if (launch->parsed()) {
    launch_command.traced = *std::move(traced);
    return launch_command;
  }
  if (explain->parsed()) {
    return ExplainCommand{*std::move(traced), std::move(program), json ? ListFormat::kJson : ListFormat::kTable};
  }
  return RunCommand{*std::move(traced), std::move(program)};
}

}  // namespace tandem::cli
