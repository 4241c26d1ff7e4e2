#include "cli/examples.h"

#include <array>
#include <string>

namespace tandem::cli {
namespace {

constexpr std::array kExamples{
    Example{"", "tandem run --render 0 --stats -- vkcube"},
    Example{"run", "tandem run --render 0 --stats -- vkcube"},
    Example{"run", "tandem run --gl -- glxgears"},
    Example{"launch", "tandem launch --render 0 org.example.Game"},
    Example{"explain", "tandem explain --render 0 -- vkcube"},
    Example{"adapters", "tandem adapters --pairs"},
    Example{"menu", "tandem menu install"},
    Example{"encodings", "tandem encodings --pictures decoded frame.png"},
    Example{"bench", "tandem bench link --quick"},
    Example{"bench link", "tandem bench link --quick"},
    Example{"gpu-report", "tandem gpu-report"},
    Example{"conform", "tandem conform --driver ./driver.so --filter 'Present.*'"},
    Example{"fuzz", "tandem fuzz --driver ./driver.so --seconds 60"},
    Example{"features", "tandem features state"},
    Example{"policy", "tandem policy explain vkcube"},
    Example{"policy allow", "tandem policy allow --render 0 vkcube"},
    Example{"policy deny", "tandem policy deny vkcube"},
    Example{"policy explain", "tandem policy explain vkcube"},
    Example{"status", "tandem status --watch 2"},
    Example{"report", "tandem report -o report.html before.csv after.csv"},
    Example{"doctor", "tandem doctor"},
    Example{"driver", "tandem driver build sources -o driver.so"},
    Example{"driver build", "tandem driver build sources -o driver.so"},
    Example{"enable", "tandem enable --user"},
    Example{"config", "tandem config show vkcube"},
    Example{"config show", "tandem config show vkcube"},
};

void AddTo(CLI::App& app, const std::string& command) {
  std::string footer;
  for (const Example& example : kExamples) {
    if (example.command == command) footer += "Example: " + std::string(example.line) + "\n";
  }
  const std::string first = command.substr(0, command.find(' '));
  app.footer(footer + "The manual: man tandem" + (first.empty() ? "" : "-") + first);
  for (CLI::App* const sub : app.get_subcommands([](const CLI::App*) { return true; }))
    AddTo(*sub, command + (command.empty() ? "" : " ") + sub->get_name());
}

}  // namespace

std::span<const Example> Examples() { return kExamples; }

void AddExamples(CLI::App& app) { AddTo(app, ""); }

}  // namespace tandem::cli
