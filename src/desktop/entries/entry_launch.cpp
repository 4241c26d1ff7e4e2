#include "desktop/entries/entry_launch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <gio/gdesktopappinfo.h>

#include "base/env.h"
#include "base/unique_fd.h"
#include "config/settings.h"
#include "desktop/entries/glib_owner.h"
#include "desktop/entries/text_file.h"

namespace tandem::desktop {
namespace {

constexpr char kMain[] = G_KEY_FILE_DESKTOP_GROUP;

struct Found {
  EntryCommand command;
  Glib<GAppInfo> info;
};

std::string TextOf(GKeyFile* file, const char* group, const char* key) {
  const GlibText text(g_key_file_get_string(file, group, key, nullptr));
  return text == nullptr ? std::string() : text.get();
}

bool FlagOf(GKeyFile* file, const char* key) { return g_key_file_get_boolean(file, kMain, key, nullptr) != FALSE; }

// Without "." and "..", and with one slash between names.
std::string Canonical(const std::string& path) { return GlibText(g_canonicalize_filename(path.c_str(), nullptr)).get(); }

// The user's folder first.
std::vector<std::string> ApplicationsFolders() {
  std::vector<std::string> folders{Canonical(g_get_user_data_dir()) + "/applications/"};
  for (const gchar* const* folder = g_get_system_data_dirs(); *folder != nullptr; ++folder) {
    folders.push_back(Canonical(*folder) + "/applications/");
  }
  return folders;
}

// Entries of the applications folders are in the menus anyway. Elsewhere, in a folder of downloads for example, whoever trusts an
// entry says so by the executable bit, as for file managers.
bool IsTrusted(const std::string& path) {
  const auto folders = ApplicationsFolders();
  return std::ranges::any_of(folders, [&](const std::string& folder) { return path.starts_with(folder); }) ||
         access(path.c_str(), X_OK) == 0;
}

Result<std::string> PathOf(const std::string& entry) {
  if (entry.find('/') != std::string::npos || g_file_test(entry.c_str(), G_FILE_TEST_IS_REGULAR) != FALSE) {
    std::string path = Canonical(entry);
    if (g_file_test(path.c_str(), G_FILE_TEST_IS_REGULAR) == FALSE) {
      return Fail(ErrorKind::kNotFound, "There is no file {}.", path);
    }
    return path;
  }
  const std::string id = entry.ends_with(".desktop") ? entry : entry + ".desktop";
  // The entry may be of a program that is not installed, so files are looked for first.
  for (const std::string& folder : ApplicationsFolders()) {
    std::string file = folder + id;
    if (g_file_test(file.c_str(), G_FILE_TEST_IS_REGULAR) != FALSE) return file;
  }
  // "kde-konsole.desktop" may lie in a folder kde.
  const Glib<GAppInfo> info(G_APP_INFO(g_desktop_app_info_new(id.c_str())));
  const char* const name = info == nullptr ? nullptr : g_desktop_app_info_get_filename(G_DESKTOP_APP_INFO(info.get()));
  if (name != nullptr) return Canonical(name);
  return Fail(ErrorKind::kNotFound, "No desktop entry is named {}.", id);
}

Result<Glib<GKeyFile>> Load(const std::string& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.error();
  if (!*text) return Fail(ErrorKind::kNotFound, "There is no file {}.", path);
  Glib<GKeyFile> file(g_key_file_new());
  GError* error = nullptr;
  if (g_key_file_load_from_data(file.get(), (*text)->data(), (*text)->size(), G_KEY_FILE_KEEP_TRANSLATIONS, &error) == FALSE) {
    return Fail(ErrorKind::kUnsupported, "{} is no desktop entry: {}.", path, MessageOf(error));
  }
  if (TextOf(file.get(), kMain, "Type") != "Application") {
    return Fail(ErrorKind::kUnsupported, "{} is no desktop entry of a program: its Type is '{}'.", path,
                TextOf(file.get(), kMain, "Type"));
  }
  return file;
}

Result<void> UseAction(GKeyFile* file, const std::string& path, const std::string& action) {
  const std::string group = "Desktop Action " + action;
  gsize count = 0;
  const GlibList listed(g_key_file_get_string_list(file, kMain, "Actions", &count, nullptr));
  std::string names;
  bool is_listed = false;
  for (gsize i = 0; i < count; ++i) {
    names += (i == 0 ? "" : ", ") + std::string(listed.get()[i]);
    is_listed = is_listed || listed.get()[i] == action;
  }
  if (!is_listed || g_key_file_has_group(file, group.c_str()) == FALSE) {
    return Fail(ErrorKind::kNotFound, "{} has no action '{}'; it has {}.", path, action, names.empty() ? "none" : names);
  }
  const std::string exec = TextOf(file, group.c_str(), "Exec");
  if (exec.empty()) return Fail(ErrorKind::kUnsupported, "The action '{}' of {} has no Exec line.", action, path);
  g_key_file_set_string(file, kMain, "Exec", exec.c_str());
  return {};
}

Result<void> CheckProgram(const std::string& path, const std::string& exec) {
  if (exec.empty()) {
    return Fail(ErrorKind::kUnsupported, "{} has no Exec line; a program that the bus alone starts takes no settings.", path);
  }
  gchar** words = nullptr;
  GError* error = nullptr;
  if (g_shell_parse_argv(exec.c_str(), nullptr, &words, &error) == FALSE) {
    return Fail(ErrorKind::kUnsupported, "The Exec line of {} cannot be read: {}.", path, MessageOf(error));
  }
  const GlibList owner(words);
  const GlibText program(g_find_program_in_path(words[0]));
  if (program == nullptr) return Fail(ErrorKind::kNotFound, "There is no program {}, which {} starts.", words[0], path);
  return {};
}

// Programs that stand in front of others. A policy for one of them would count for everything that they start.
constexpr std::string_view kWrappers[] = {"env",  "flatpak",     "gamemoderun", "gamescope", "java",   "mangohud",
                                          "nice", "pkexec",      "proton",      "prime-run", "snap",   "steam",
                                          "sudo", "systemd-run", "tandem",      "wine",      "wine64", "switcherooctl"};

bool IsScript(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char start[2] = {};
  return file.valid() && read(file.get(), start, 2) == 2 && start[0] == '#' && start[1] == '!';
}

// The kernel knows a program by the file that it runs, which is no script and no link.
std::string ProgramOf(GKeyFile* file, const std::string& path, const std::string& exec) {
  constexpr std::string_view kSteamGame = "steam://rungameid/";
  if (const std::size_t game = exec.find(kSteamGame); game != std::string::npos) {
    const std::string_view id = std::string_view(exec).substr(game + kSteamGame.size());
    return "steam:" + std::string(id.substr(0, id.find_first_not_of("0123456789")));
  }
  if (const std::string flatpak = TextOf(file, kMain, "X-Flatpak"); !flatpak.empty()) return "flatpak:" + flatpak;
  std::string id = GlibText(g_path_get_basename(path.c_str())).get();
  gchar** words = nullptr;
  if (g_shell_parse_argv(exec.c_str(), nullptr, &words, nullptr) == FALSE) return id;
  const GlibList owner(words);
  const GlibText program(g_find_program_in_path(words[0]));
  const std::unique_ptr<char, decltype(&std::free)> real(program == nullptr ? nullptr : realpath(program.get(), nullptr),
                                                         &std::free);
  if (real == nullptr) return id;
  std::string name = GlibText(g_path_get_basename(real.get())).get();
  const bool stands_in_front = std::ranges::find(kWrappers, name) != std::end(kWrappers) || IsScript(real.get());
  if (stands_in_front || name.ends_with("sh") || name.starts_with("python")) return id;
  return name;
}

// The first GPU beside the default one, where the entry asks for such a GPU and nothing else chooses.
void Prefer(GKeyFile* file, const std::string& exec, EnvironmentPairs& environment) {
  if (!FlagOf(file, "PrefersNonDefaultGPU") && !FlagOf(file, "X-KDE-RunOnDiscreteGpu")) return;
  if (EnvString("TANDEM_RENDER").has_value()) return;
  if (std::ranges::any_of(environment, [](const auto& pair) { return pair.first == "TANDEM_RENDER"; })) return;
  const std::string program = exec.substr(0, exec.find(' '));
  const auto settings = config::ReadSettingsFor(program);
  if (!settings.ok() || !settings->settings.render.empty()) return;
  const auto gpus = ListGpus();
  const auto other = std::ranges::find_if(gpus, [](const Gpu& gpu) { return !gpu.is_default; });
  if (other == gpus.end()) return;
  environment.insert(environment.end(), other->environment.begin(), other->environment.end());
}

// A program that is no entry: an AppImage, a game's executable.
Result<Found> FindProgram(const EntryLaunch& launch, const std::string& path) {
  if (!launch.action.empty()) return Fail(ErrorKind::kUnsupported, "{} is no desktop entry, so it has no actions.", path);
  if (access(path.c_str(), X_OK) != 0) {
    return Fail(ErrorKind::kUnsupported, "{} is neither a desktop entry nor executable.", path);
  }
  const GlibText name(g_path_get_basename(path.c_str()));
  const GlibText quoted(g_shell_quote(path.c_str()));
  // '%' starts a field code.
  std::string command;
  for (const char c : std::string_view(quoted.get())) command += c == '%' ? "%%" : std::string(1, c);
  GError* error = nullptr;
  Glib<GAppInfo> info(g_app_info_create_from_commandline(command.c_str(), name.get(), G_APP_INFO_CREATE_NONE, &error));
  if (info == nullptr) return Fail(ErrorKind::kUnsupported, "{} cannot be started: {}.", path, MessageOf(error));
  return Found{{path, name.get(), std::move(command), launch.environment, path}, std::move(info)};
}

Result<Found> Find(const EntryLaunch& launch) {
  const auto path = PathOf(launch.entry);
  if (!path.ok()) return path.error();
  if (!path->ends_with(".desktop")) return FindProgram(launch, *path);
  if (!IsTrusted(*path)) {
    return Fail(ErrorKind::kUnsupported,
                "{} lies outside the folders of applications and is not marked as trusted; chmod +x marks it.", *path);
  }
  auto loaded = Load(*path);
  if (!loaded.ok()) return std::move(loaded).error();
  GKeyFile* const file = loaded->get();
  if (!launch.action.empty()) {
    if (auto used = UseAction(file, *path, launch.action); !used.ok()) return std::move(used).error();
  }
  const std::string exec = TextOf(file, kMain, "Exec");
  Found found{{*path, TextOf(file, kMain, "Name"), exec, launch.environment, ProgramOf(file, *path, exec)}, nullptr};
  if (auto checked = CheckProgram(*path, found.command.command); !checked.ok()) return std::move(checked).error();
  const std::string needed = TextOf(file, kMain, "TryExec");
  if (!needed.empty() && GlibText(g_find_program_in_path(needed.c_str())) == nullptr) {
    return Fail(ErrorKind::kNotFound, "There is no program {}, which {} needs.", needed, *path);
  }
  Prefer(file, found.command.command, found.command.environment);
  // The bus would start the program in an environment of its own.
  const bool edited = !launch.action.empty() || FlagOf(file, "DBusActivatable");
  g_key_file_remove_key(file, kMain, "DBusActivatable", nullptr);
  GDesktopAppInfo* const info =
      edited ? g_desktop_app_info_new_from_keyfile(file) : g_desktop_app_info_new_from_filename(path->c_str());
  if (info == nullptr) return Fail(ErrorKind::kUnsupported, "GIO does not take {} as a desktop entry.", *path);
  found.info.reset(G_APP_INFO(info));
  // Entries that were edited have no file name of their own.
  if (edited) found.command.environment.emplace_back("GIO_LAUNCHED_DESKTOP_FILE", *path);
  return found;
}

}  // namespace

Result<EntryCommand> FindEntry(const EntryLaunch& launch) {
  auto found = Find(launch);
  if (!found.ok()) return std::move(found).error();
  return std::move(found->command);
}

Result<void> LaunchEntry(const EntryLaunch& launch) {
  const auto found = Find(launch);
  if (!found.ok()) return found.error();
  const Glib<GAppLaunchContext> context(g_app_launch_context_new());
  for (const auto& [name, value] : found->command.environment) {
    g_app_launch_context_setenv(context.get(), name.c_str(), value.c_str());
  }
  GList* uris = nullptr;
  for (const std::string& file : launch.files) {
    const Glib<GFile> place(g_file_new_for_commandline_arg(file.c_str()));
    uris = g_list_append(uris, g_file_get_uri(place.get()));
  }
  GError* error = nullptr;
  const bool started = g_app_info_launch_uris(found->info.get(), uris, context.get(), &error) != FALSE;
  g_list_free_full(uris, g_free);
  if (!started) return Fail(ErrorKind::kIo, "{} was not started: {}.", found->command.file, MessageOf(error));
  return {};
}

}  // namespace tandem::desktop
