#include "cli/driver_options.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/help_text.h"

namespace tandem::cli {
namespace {

void AddGuardPages(CLI::App& command, bool& guard_pages, CLI::Option* driver) {
  command.add_flag("--guard-pages", guard_pages, "Put a page without memory behind each of the driver's pool allocations")
      ->needs(driver);
}

}  // namespace

void AddDriverFile(CLI::App& command, std::string& registry, CLI::Option* driver) {
  command.add_option("--registry", registry, "Registry values and ACPI answers for the driver: a TOML file")
      ->type_name("FILE")
      ->needs(driver);
}

CLI::App* AddDriverBuild(CLI::App& app, DriverBuildCommand& command, bool& json) {
  CLI::App* const driver = app.add_subcommand("driver", "Build drivers for Tandem's kernel");
  driver->require_subcommand(1);
  CLI::App* const build =
      driver->add_subcommand("build", "Build a Windows display miniport's unmodified sources with clang; names what is missing");
  build->add_option("dir", command.places, "Folder or .vcxproj of the driver; further ones add their sources")
      ->required()
      ->type_name("DIR");
  build->add_option("-o,--output", command.output, "Write the driver to FILE (default: its name with .so, in this folder)")
      ->type_name("FILE");
  auto* const asan = build->add_flag("--asan", command.asan, "Build with AddressSanitizer");
  build->add_flag("--tsan", command.tsan, "Build with ThreadSanitizer")->excludes(asan);
  build->add_flag("--coverage", command.coverage, "Tell 'tandem fuzz' which edges of the code were taken");
  const auto repeated = [&](const char* name, std::vector<std::string>& values, const char* help, const char* type) {
    build->add_option(name, values, help)
        ->type_name(type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);  // What follows is a DIR.
  };
  repeated("-I,--include", command.includes, "Search FOLDER for headers, too; may be given again", "FOLDER");
  repeated("-D,--define", command.definitions, "Define a macro; may be given again", "NAME[=VALUE]");
  build->add_option("--keep", command.keep, "Keep the objects and the compiler's output in FOLDER")->type_name("FOLDER");
  build->add_flag("--json", json, "As JSON");
  return build;
}

void AddConform(CLI::App& conform, ConformCommand& command, bool& json) {
  auto* adapter =
      conform.add_option("--adapter", command.adapter, std::string("Only the driver of this adapter: ") + kSelectorHelp)
          ->type_name("SEL");
  CLI::Option* const driver = conform.add_option("--driver", command.driver,
                                                 "A driver of your own in place of an adapter: a shared object with DriverEntry");
  driver->type_name("FILE")->excludes(adapter);
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
  conform.add_flag("--through-shim", command.through_shim,
                   "Try the user-mode half, and its frames, through a driver made of two, in each of its forms");
  conform
      .add_flag("--fail-each", command.fail_each,
                "Let each allocation, mapping and callback fail once, in a trial of its own, in place of the rules")
      ->needs(driver);
  AddDriverFile(conform, command.registry, driver);
  AddGuardPages(conform, command.guard_pages, driver);
  conform.add_flag("--trace", command.trace, "Print each call of the driver: IRQL, arguments and status");
  conform.add_flag("--verbose", command.verbose, "Show everything that the driver and its sanitizer print, for each rule");
  conform.add_flag("--list", command.list, "Name the rules with their sentences and sources, and try none");
  conform.add_flag("--json", json, "Report as JSON");
  conform.add_option("--junit", command.junit, "Write a JUnit report to FILE as well")->type_name("FILE");
  conform.add_option("--trial", command.trial)->group("");
  conform.add_option("--failed-service", command.failed_service)->group("");
  conform.add_option("--known-left", command.known_left)->group("");
}

void AddFuzz(CLI::App& fuzz, FuzzCommand& command, bool& json) {
  CLI::Option* const driver = fuzz.add_option("--driver", command.driver, "The driver: a shared object with DriverEntry");
  driver->required()->type_name("FILE");
  AddDriverFile(fuzz, command.registry, driver);
  AddGuardPages(fuzz, command.guard_pages, driver);
  auto* const seconds =
      fuzz.add_option("--seconds", command.seconds, "Try new sequences for so long (default 60)")->type_name("SECONDS");
  seconds->check(CLI::Range(0.1, 1e7));
  fuzz.add_option("--runs", command.runs, "Try so many sequences in place of a time")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1'000'000'000))
      ->excludes(seconds);
  fuzz.add_option("--jobs", command.jobs, "Try so many sequences at a time, each in its process (default 1)")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 256));
  fuzz.add_option("--seed", command.seed, "Seed of the random sequences (default 1)")->type_name("NUMBER");
  fuzz.add_option("--limit", command.limit_s, "Seconds until the driver counts as hung (default 10)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 3600));
  fuzz.add_option("--corpus", command.corpus, "Begin with the sequences in FOLDER, and keep there what sees something new")
      ->type_name("FOLDER");
  fuzz.add_option("-o,--folder", command.folder, "Write each finding's shortest sequence to FOLDER (default fuzz-findings)")
      ->type_name("FOLDER");
  auto* const replay = fuzz.add_option("--replay", command.replay, "Try the one sequence in FILE");
  replay->type_name("FILE");
  fuzz.add_flag("--debug", command.debug, "With --replay: in this process, for a debugger")->needs(replay);
  fuzz.add_flag("--json", json, "Report as JSON");
  fuzz.add_option("--trial", command.trial)->group("");
  fuzz.add_option("--notes", command.notes)->group("");
}

}  // namespace tandem::cli
