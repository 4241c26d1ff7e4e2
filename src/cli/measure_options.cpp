#include "cli/measure_options.h"

#include <string>

#include <CLI/CLI.hpp>

#include "cli/help_text.h"

namespace tandem::cli {

CLI::App* AddEncodings(CLI::App& app, EncodingsCommand& command, bool& json) {
  CLI::App* const encodings =
      app.add_subcommand("encodings", "Measure the encodings for narrow links on pictures: size, quality, speed");
  encodings
      ->add_option("file", command.picture_files,
                   "PNG pictures, such as 'tandem run --output png:FILE' writes; without one, generated pictures")
      ->type_name("PNG");
  encodings->add_option("--pictures", command.pictures_folder, "Write original, decoded and difference side by side to FOLDER")
      ->type_name("FOLDER");
  encodings->add_flag("--json", json, "As JSON");
  return encodings;
}

CLI::App* AddBenchLink(CLI::App& app, BenchLinkCommand& command, bool& json) {
  CLI::App* const bench = app.add_subcommand("bench", "Measure on this machine");
  bench->require_subcommand(1);
  CLI::App* const bench_link = bench->add_subcommand(
      "link",
      "Frames between two software adapters over emulated narrow links: each encoding, and what the governor makes of it");
  bench_link
      ->add_option("--seconds", command.seconds,
                   "Length of each measurement (default 1: about seven minutes for the whole table, 40 lines of seven each)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 60.0));
  bench_link->add_flag("--quick", command.quick, "Only 1280 x 1024 at 100 frames a second over 250 MB/s");
  bench_link
      ->add_option("--filter", command.filter,
                   "Only lines that match this shell pattern, such as '3840x2160@60 250MB/s *' or 'latency *'")
      ->type_name("PATTERN");
  bench_link->add_flag("--json", json, "As JSON");
  return bench_link;
}

CLI::App* AddGpuReport(CLI::App& app, GpuReportCommand& command, bool& json) {
  CLI::App* const report =
      app.add_subcommand("gpu-report", "Measure and check this machine's Vulkan devices, without a display, and write a report");
  report->add_option("--minutes", command.minutes, "Longest time for all devices and sections together (default 8)")
      ->type_name("MINUTES")
      ->check(CLI::Range(0.1, 600.0));
  report->add_option("-o,--folder", command.folder, "Write report.md and report.json to FOLDER (default gpu-report)")
      ->type_name("FOLDER");
  report->add_option("--adapter", command.adapter, std::string("Only this device: ") + kSelectorHelp)->type_name("SEL");
  report->add_flag("--json", json, "Print the report as JSON instead of Markdown");
  report->add_option("--part", command.part)->group("");
  return report;
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

}  // namespace tandem::cli
