#include "cli/policy_options.h"

#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/help_text.h"

namespace tandem::cli {
namespace {

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

}  // namespace

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

}  // namespace tandem::cli
