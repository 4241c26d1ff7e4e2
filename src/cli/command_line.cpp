#include "cli/command_line.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/exit_codes.h"
#include "cli/help_text.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "cli/words.h"
#include "config/settings_key.h"

namespace tandem::cli {
namespace {

constexpr const char* kSelectorHelp = "index, PCI address, vendor:device, UUID or part of the name (see 'tandem adapters')";

// Of an option; most likely a variable of a script that is not set.
std::string RefuseEmpty(const std::string& text) { return text.empty() ? "The value is empty." : ""; }

struct RunText {
  std::string render;
  std::string display;
  std::string output;
  std::string path;
  std::string buffers;
  std::string present_mode;
  std::string encode;
  std::string content;
  std::string frame_bytes;
  std::string link_limit;
  std::string scan_out_nv12;
  std::string yuv;
  std::string dither;
  std::string stats_json;
  std::string frame_log;
  bool stats = false;
  std::vector<std::string> program;
};

void AddRun(CLI::App& run, RunText& text) {
  run.add_option("--render", text.render, std::string("Adapter that renders: ") + kSelectorHelp)->type_name("SEL");
  run.add_option("--display", text.display, std::string("Adapter that shows: ") + kSelectorHelp)->type_name("SEL");
  run.add_option("--output", text.output,
                 "Where the pictures go: auto, window, headless, png:FILE, y4m:FILE or raw:FILE (default auto)")
      ->type_name("WHERE");
  run.add_option(
         "--path", text.path,
         "Way of the frames: auto, direct, one-copy, two-copy, cpu or compressed; anything but auto fails when it cannot be had "
         "(default auto)")
      ->type_name("PATH");
  run.add_option("--buffers", text.buffers,
                 "How many buffers: images, shared buffers and primaries of the display adapter, such as 2,3,2 (default auto)")
      ->type_name("COUNTS");
  run.add_option("--present-mode", text.present_mode, "In place of the program's own: fifo, fifo-relaxed, mailbox or immediate")
      ->type_name("MODE");
  run.add_option(
         "--encode", text.encode,
         "Encodings on a narrow link: auto, off, or those that may be used, of plain, packed, lossless, 420, 420-tiles and bc1, "
         "with commas between; no-420 and so on are left out of auto (default auto)")
      ->type_name("WHICH");
  run.add_option("--content", text.content,
                 "What the program shows: game (4:2:0 and BC1 may be used), desktop (pictures stay exact) or auto (default)")
      ->type_name("KIND");
  run.add_option("--frame-bytes", text.frame_bytes,
                 "The most bytes of an encoded frame, such as 2MB; lossless ones lose low bits where they would have more "
                 "(default off)")
      ->type_name("SIZE");
  run.add_option("--link-limit", text.link_limit,
                 "Emulate a link of this bandwidth between render adapter and system memory, such as 250MB/s (default off)")
      ->type_name("RATE");
  run.add_option("--scan-out-nv12", text.scan_out_nv12,
                 "Whether the software adapter scans 4:2:0 frames out as they crossed: on or off (default on)")
      ->type_name("FLAG");
  run.add_option("--yuv", text.yuv,
                 "How 4:2:0 is made: bt709, bt601 or bt2020, full or limited, nearest or bilinear, with commas between (default "
                 "bt709,full,nearest)")
      ->type_name("HOW");
  run.add_option("--dither", text.dither,
                 "Whether pictures of ten bits or half floats are dithered where they become eight bits: on or off (default off)")
      ->type_name("FLAG");
  run.add_flag("--stats", text.stats, "Print a summary on standard error when the program ends");
  run.add_option("--stats-json", text.stats_json, "Write the figures of the run to FILE when the program ends")
      ->type_name("FILE");
  run.add_option("--frame-log", text.frame_log, "Write a line for each frame to FILE, as comma-separated values")
      ->type_name("FILE");
  for (CLI::Option* const option : run.get_options()) option->check(RefuseEmpty);
  run.add_option("program", text.program, "The program and its arguments, after --")->required()->type_name("PROGRAM");
  run.positionals_at_end();
}

void AddConform(CLI::App& conform, ConformCommand& command, bool& json) {
  auto* adapter =
      conform.add_option("--adapter", command.adapter, std::string("Only the driver of this adapter: ") + kSelectorHelp)
          ->type_name("SEL");
  conform.add_option("--driver", command.driver, "A driver of your own in place of an adapter: a shared object with DriverEntry")
      ->type_name("FILE")
      ->excludes(adapter);
  conform.add_option("--filter", command.filter, "Only what matches this shell pattern, such as 'Present.*'")
      ->type_name("PATTERN");
  conform.add_option("--limit", command.limit_s, "Seconds until a rule counts as hung (default 60)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  conform.add_option("--jobs", command.jobs, "Try so many rules at a time (default 1)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 256));
  conform.add_option("--repeat", command.repeat, "Try each rule so many times, each time with the next seed (default 1)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1'000'000));
  conform.add_option("--seed", command.seed, "Seed of the random work of rules (default 1)")->type_name("NUMBER");
  auto* debug = conform.add_option("--debug", command.debug,
                                   "Try one rule in this process: for a debugger; what the driver prints passes through");
  debug->type_name("RULE");
  conform.add_flag("--trace", command.trace, "Print each call of the driver: IRQL, arguments and status");
  conform.add_flag("--verbose", command.verbose, "Show everything that the driver and its sanitizer print, for each rule");
  conform.add_flag("--list", command.list, "Name the rules with their sentences and sources, and try none");
  conform.add_flag("--json", json, "Report as JSON");
  conform.add_option("--junit", command.junit, "Write a JUnit report to FILE as well")->type_name("FILE");
  conform.add_option("--trial", command.trial)->group("");
}

void AddFeatureAction(CLI::App& features, FeaturesCommand& command, bool& json, FeatureAction action, const char* name,
                      const char* help) {
  CLI::App* app = features.add_subcommand(name, help);
  app->callback([&command, action] { command.action = action; });
  app->add_option("--adapter", command.adapter, std::string("Of this adapter only: ") + kSelectorHelp)->type_name("SEL");
  app->add_flag("--json", json, "As JSON");
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
}

// The first thing that is wrong with what was typed, as a sentence.
std::optional<Error> Apply(const RunText& text, config::Settings& settings) {
  settings.enabled = true;
  if (!text.render.empty()) settings.render = text.render;
  if (!text.display.empty()) settings.display = text.display;
  if (!text.stats_json.empty()) settings.stats_json = text.stats_json;
  if (!text.frame_log.empty()) settings.frame_log = text.frame_log;
  settings.stats = settings.stats || text.stats;
  if (!text.output.empty()) {
    auto output = config::ParseOutputSpec(text.output);
    if (!output.ok()) return std::move(output).error().Context("--output");
    settings.output = *output;
  }
  if (!text.path.empty()) {
    auto path = swapchain::ParsePathRequest(text.path);
    if (!path.ok()) return std::move(path).error().Context("--path");
    settings.path = *path;
  }
  if (!text.buffers.empty()) {
    auto buffers = config::ParseBufferCounts(text.buffers);
    if (!buffers.ok()) return std::move(buffers).error().Context("--buffers");
    settings.buffers = *buffers;
  }
  if (!text.encode.empty()) {
    auto encodings = link::ParseEncodings(text.encode);
    if (!encodings.ok()) return std::move(encodings).error().Context("--encode");
    if (encodings->Built().off() && !encodings->off()) {
      return Fail(ErrorKind::kInvalidArgument, "Encoding '{}' is left out of this build.", text.encode).Context("--encode");
    }
    settings.encodings = *encodings;
  }
  if (!text.content.empty()) {
    auto content = link::ParseContentKind(text.content);
    if (!content.ok()) return std::move(content).error().Context("--content");
    settings.content = *content;
  }
  if (!text.frame_bytes.empty()) {
    auto bytes = link::ParseFrameBytes(text.frame_bytes);
    if (!bytes.ok()) return std::move(bytes).error().Context("--frame-bytes");
    settings.frame_bytes = *bytes;
  }
  if (!text.link_limit.empty()) {
    auto limit = link::ParseLinkLimit(text.link_limit);
    if (!limit.ok()) return std::move(limit).error().Context("--link-limit");
    settings.link_limit = *limit;
  }
  if (!text.scan_out_nv12.empty()) {
    auto flag = config::ParseFlag(text.scan_out_nv12);
    if (!flag.ok()) return std::move(flag).error().Context("--scan-out-nv12");
    settings.scan_out_nv12 = *flag;
  }
  if (!text.yuv.empty()) {
    auto yuv = link::ParseYuv(text.yuv);
    if (!yuv.ok()) return std::move(yuv).error().Context("--yuv");
    settings.yuv = *yuv;
  }
  if (!text.dither.empty()) {
    auto flag = config::ParseFlag(text.dither);
    if (!flag.ok()) return std::move(flag).error().Context("--dither");
    settings.dither = *flag;
  }
  if (!text.present_mode.empty()) {
    auto mode = swapchain::ParsePresentMode(text.present_mode);
    if (!mode.ok()) return std::move(mode).error().Context("--present-mode");
    settings.present_mode = *mode;
  }
  return std::nullopt;
}

std::vector<std::string_view> TypedSettings(const CLI::App& run) {
  std::vector<std::string_view> variables;
  for (const config::SettingKey& key : config::SettingKeys()) {
    std::string name(key.name);
    std::ranges::replace(name, '_', '-');
    const CLI::Option* const option = run.get_option_no_throw("--" + name);
    if (option != nullptr && option->count() > 0) variables.emplace_back(key.variable);
  }
  return variables;
}

}  // namespace

Command ParseCommandLine(int argc, const char* const* argv, const DefaultSettings& defaults) {
  CLI::App app{"Tandem renders on one GPU and shows on another.", "tandem"};
  app.formatter(std::make_shared<HelpText>(StyleOfStandardOutput()));  // before commands are added, which take it over
  app.set_version_flag("-v,--version", std::string("tandem ") + kVersion);
  app.require_subcommand(1);
  app.footer("Example: tandem run --render 0 --stats -- vkcube\nThe manual: man tandem");

  RunText run_text;
  CLI::App* run =
      app.add_subcommand("run", "Run an unmodified Vulkan program on the render adapter, seen on the display adapter");
  AddRun(*run, run_text);

  bool json = false;
  CLI::App* adapters = app.add_subcommand("adapters", "List the adapters of this machine");
  adapters->add_flag("--json", json, "As JSON");
  bool links = false;
  adapters->add_flag("--links", links, "Start each adapter and measure its link to system memory");

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

  ConformCommand conform_command;
  CLI::App* conform =
      app.add_subcommand("conform", "Try the rules of the driver contract on this machine's drivers, or on yours");
  AddConform(*conform, conform_command, json);

  FeaturesCommand features_command;
  CLI::App* features = app.add_subcommand("features", "Show and override the features of the driver contract");
  AddFeatures(*features, features_command, json);

  std::optional<double> watch_s;
  CLI::App* status = app.add_subcommand("status", "Show the programs that run under Tandem now: path, encoding, frames a second");
  status->add_option("--watch", watch_s, "Show it again and again, every SECONDS (default 1), until interrupted")
      ->type_name("SECONDS")
      ->expected(0, 1)
      ->default_str("1")
      ->check(CLI::Range(0.1, 3600.0));
  status->add_flag("--json", json, "As JSON; with --watch a line each time");

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
  if (adapters->parsed()) return AdaptersCommand{json ? ListFormat::kJson : ListFormat::kTable, links};
  if (features->parsed()) {
    features_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return features_command;
  }
  if (encodings->parsed()) {
    encodings_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return encodings_command;
  }
  if (bench_link->parsed()) {
    bench_link_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return bench_link_command;
  }
  if (conform->parsed()) {
    conform_command.format = json ? ListFormat::kJson : ListFormat::kTable;
    return conform_command;
  }
  auto settings = defaults(run_text.program.front());
  if (!settings.ok()) return PrintCommand{"tandem run: " + settings.error().message + "\n", kExitUsage};
  RunCommand command{*std::move(settings), TypedSettings(*run), std::move(run_text.program)};
  if (auto error = Apply(run_text, command.settings)) return PrintCommand{"tandem run: " + error->message + "\n", kExitUsage};
  return command;
}

}  // namespace tandem::cli
