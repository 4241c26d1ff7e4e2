#include "cli/session_options.h"

#include <CLI/CLI.hpp>

namespace tandem::cli {
namespace {

void AddScope(CLI::App& command, SessionCommand& session) {
  auto* const user = command.add_flag_callback(
      "--user", [&session] { session.system = false; }, "For your own sessions (default)");
  command.add_flag("--system", session.system, "For the sessions of every user")->excludes(user);
}

}  // namespace

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

}  // namespace tandem::cli
