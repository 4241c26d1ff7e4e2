#include "cli/launch.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/printable.h"
#include "cli/exit_codes.h"
#include "cli/opengl.h"
#include "cli/run_environment.h"
#include "config/settings.h"
#include "system/output_factory.h"

namespace tandem::cli {
namespace {
namespace fs = std::filesystem;

int Complain(const char* who, const std::string& sentence) {
  std::fprintf(stderr, "tandem %s: %s\n", who, sentence.c_str());
  return kExitFailure;
}

fs::path OwnPath() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

// Replaces this process by tandem-desktop with `words`; returns an exit code after a sentence when that is not possible. `who` is
// the command for that sentence.
int StartDesktopProgram(const char* who, std::vector<std::string> words) {
  std::error_code error;
  const fs::path folder = OwnPath().parent_path();
  const fs::path build = folder / "tandem-desktop";
  const fs::path installed = (folder.parent_path() / "libexec/tandem/tandem-desktop").lexically_normal();
  const fs::path program = fs::exists(build, error) ? build : installed;
  words.insert(words.begin(), program.string());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(program.c_str(), argv.data());
  if (errno != ENOENT) return Complain(who, program.string() + " cannot be started: " + std::strerror(errno) + ".");
  return Complain(who, "This part of Tandem is not installed (" + program.string() + "); a build with libglib2.0-dev has it.");
}

}  // namespace

int Launch(const LaunchCommand& command) {
  const config::Settings settings = WithAbsolutePaths(command.traced.settings);
  const auto render = CheckBeforeStart(settings);
  if (!render.ok()) return Complain("launch", render.error().message);
  const auto gl = ChooseOpenGl(settings.gl, command.entry, OpenGlPlacesHere());
  if (!gl.ok()) return Complain("launch", gl.error().message);
  if (gl->missing) std::fprintf(stderr, "tandem launch: The program draws without zink. %s\n", Printable(gl->reason).c_str());
  if (const auto output = system::CheckOutputFile(settings.output); !output.ok()) {
    return Complain("launch", output.error().Context("--output").message);
  }
  const auto environment = EnvironmentFor(settings, command.traced, *render, *gl);
  if (!environment.ok()) return Complain("launch", environment.error().message);
  std::vector<std::string> words{"launch"};
  if (command.dry_run) words.emplace_back("--dry-run");
  if (command.remember) words.emplace_back("--remember");
  if (!command.action.empty()) words.push_back("--action=" + command.action);
  for (const std::string& pair : *environment) words.push_back("--set=" + pair);
  words.emplace_back("--");
  words.push_back(command.entry);
  words.insert(words.end(), command.files.begin(), command.files.end());
  return StartDesktopProgram("launch", std::move(words));
}

int Menu(const MenuCommand& command) {
  const char* const action = command.action == MenuAction::kInstall  ? "install"
                             : command.action == MenuAction::kRemove ? "remove"
                                                                     : "list";
  std::vector<std::string> words{"menu", action, "--tandem=" + OwnPath().string()};
  if (command.format == ListFormat::kJson) words.emplace_back("--json");
  words.emplace_back("--");
  words.insert(words.end(), command.entries.begin(), command.entries.end());
  return StartDesktopProgram("menu", std::move(words));
}

}  // namespace tandem::cli
