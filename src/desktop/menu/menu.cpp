#include "desktop/menu/menu.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "config/config_io.h"
#include "desktop/entries/glib_owner.h"
#include "desktop/entries/text_file.h"
#include "desktop/menu/uca_file.h"

namespace tandem::desktop {
namespace {
namespace fs = std::filesystem;

constexpr char kInstalled[] = "installed";
constexpr char kRemoved[] = "removed";
constexpr char kNotInstalled[] = "not installed";
constexpr char kChanged[] = "changed by hand";
// Behind a file that Thunar did not have. Thunar leaves it out when it writes the file itself.
constexpr std::string_view kNewUcaFile = "<!-- X-Tandem-Menu: made by tandem menu install -->\n";

fs::path DataHome() { return fs::path(g_get_user_data_dir()).lexically_normal(); }
fs::path ConfigHome() { return fs::path(g_get_user_config_dir()).lexically_normal(); }
fs::path ServiceMenu() { return DataHome() / "kio/servicemenus/tandem.desktop"; }
fs::path Scripts() { return DataHome() / "nautilus/scripts/Tandem"; }
fs::path UcaFile() { return ConfigHome() / "Thunar/uca.xml"; }
fs::path Entries() { return DataHome() / "applications"; }

bool IsHere(const char* program) { return GlibText(g_find_program_in_path(program)) != nullptr; }

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

// Folders that are empty now, up to the user's own.
void RemoveEmptyFolders(fs::path folder) {
  while (folder != DataHome() && folder != ConfigHome() && rmdir(folder.c_str()) == 0) folder = folder.parent_path();
}

class Report {
 public:
  void Add(std::string menu, const fs::path& path, std::string state) {
    report_.lines.push_back({std::move(menu), path.string(), std::move(state)});
  }
  void Add(std::string menu, const fs::path& path, const Result<void>& done, const char* state) {
    if (!done.ok()) report_.failed = true;
    Add(std::move(menu), path, done.ok() ? state : done.error().message);
  }
  void Fails(std::string menu, const fs::path& path, const Error& error) { Add(std::move(menu), path, Result<void>(error), ""); }
  [[nodiscard]] MenuReport Take() { return std::move(report_); }

 private:
  MenuReport report_;
};

// The mark of a file; a file that cannot be read is nobody's of ours.
Mark MarkAt(const fs::path& path) {
  const auto text = ReadTextFile(path);
  return text.ok() && *text ? MarkOf(**text) : Mark::kNone;
}

enum class Mode { kPlain, kExecutable };
Result<void> WriteOurs(const fs::path& path, const std::string& text, Mode mode) {
  const bool there = fs::exists(fs::symlink_status(path));
  if (there && MarkAt(path) != Mark::kIntact) {
    return Fail(ErrorKind::kUnsupported, "This file is not Tandem's, or was changed since; it stays as it is.");
  }
  if (auto written = config::ReplaceConfigFile(path.string(), text); !written.ok()) return written;
  if (mode == Mode::kExecutable && chmod(path.c_str(), 0755) != 0) return Fail(ErrorKind::kIo, "It cannot be made executable.");
  return {};
}

void InstallScripts(const std::string& tandem, std::span<const MenuChoice> choices, Report& report) {
  for (const MenuChoice& choice : choices) {
    for (const Keep keep : {Keep::kOnce, Keep::kAlways}) {
      const fs::path path = Scripts() / ((keep == Keep::kOnce ? "Run on " : "Always run on ") + choice.name);
      report.Add("nautilus", path, WriteOurs(path, ScriptText(tandem, choice, keep), Mode::kExecutable), kInstalled);
    }
  }
}

// The file that Thunar reads while the user has none.
std::string DefaultUcaFile() {
  for (const gchar* const* folder = g_get_system_config_dirs(); *folder != nullptr; ++folder) {
    const auto text = ReadTextFile(fs::path(*folder) / "Thunar/uca.xml");
    if (text.ok() && *text) return **text;
  }
  return EmptyUcaFile();
}

Result<void> InstallUca(const std::string& tandem, std::span<const MenuChoice> choices) {
  std::vector<UcaAction> actions;
  for (const Keep keep : {Keep::kOnce, Keep::kAlways}) {
    for (const MenuChoice& choice : choices) {
      actions.push_back({(keep == Keep::kOnce ? "Run on " : "Always run on ") + choice.name,
                         UcaLine(LaunchWords(tandem, choice, keep)),
                         keep == Keep::kOnce ? "Renders this program on that adapter, this time"
                                             : "Renders this program on that adapter, now and later"});
    }
  }
  auto text = ReadTextFile(UcaFile());
  if (!text.ok()) return std::move(text).error();
  if (!*text) *text = DefaultUcaFile() + std::string(kNewUcaFile);
  const auto with = WithUcaActions(**text, UcaFile().string(), actions);
  return with.ok() ? config::ReplaceConfigFile(UcaFile().string(), *with) : Result<void>(with.error());
}

// Nothing when there is nothing of ours.
std::optional<Result<void>> RemoveUca() {
  const auto text = ReadTextFile(UcaFile());
  if (!text.ok() || !*text) return std::nullopt;
  auto without = WithoutUcaActions(**text, UcaFile().string());
  if (!without.ok()) return std::nullopt;
  const std::size_t mark = without->find(kNewUcaFile);
  if (mark != std::string::npos) without->erase(mark, kNewUcaFile.size());
  if (*without == **text) return std::nullopt;
  if (mark == std::string::npos || *without != DefaultUcaFile()) {
    return config::ReplaceConfigFile(UcaFile().string(), *without);
  }
  std::error_code error;
  fs::remove(UcaFile(), error);
  if (error) return Result<void>(Fail(ErrorKind::kIo, "It cannot be removed: {}.", error.message()));
  RemoveEmptyFolders(UcaFile().parent_path());
  return Result<void>();
}

std::optional<fs::path> SystemEntry(const std::string& id) {
  for (const gchar* const* folder = g_get_system_data_dirs(); *folder != nullptr; ++folder) {
    const fs::path path = fs::path(*folder) / "applications" / id;
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
  }
  return std::nullopt;
}

Result<void> InstallEntry(const std::string& id, const std::string& tandem, std::span<const MenuChoice> choices) {
  const auto original = SystemEntry(id);
  if (!original) return Fail(ErrorKind::kNotFound, "No installed program has the desktop entry {}.", id);
  const auto text = ReadTextFile(*original);
  if (!text.ok()) return text.error();
  const auto copy = EntryCopy(text->value_or(""), id, tandem, choices);
  return copy.ok() ? WriteOurs(Entries() / id, *copy, Mode::kPlain) : Result<void>(copy.error());
}

Result<void> RemoveFile(const fs::path& path) {
  if (unlink(path.c_str()) != 0) return Fail(ErrorKind::kIo, "It cannot be removed.");
  RemoveEmptyFolders(path.parent_path());
  return {};
}

// A copy that somebody changed keeps the changes.
Result<void> StripEntry(const fs::path& path) {
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.error();
  const auto without = WithoutOurs(text->value_or(""));
  return without.ok() ? config::ReplaceConfigFile(path.string(), *without) : Result<void>(without.error());
}

void RemoveMarked(const char* menu, const fs::path& path, Report& report) {
  const Mark mark = MarkAt(path);
  if (mark == Mark::kNone) return;
  if (mark == Mark::kIntact) {
    report.Add(menu, path, RemoveFile(path), kRemoved);
  } else if (std::string_view(menu) == "entry") {
    report.Add(menu, path, StripEntry(path), "changed by hand; only Tandem's actions are removed");
  } else {
    report.Add(menu, path, "changed by hand; it stays");
  }
}

// Copies of before follow the entries of the system.
void RefreshEntries(const std::string& tandem, std::span<const MenuChoice> choices, Report& report) {
  for (const fs::path& path : FilesIn(Entries())) {
    if (MarkAt(path) != Mark::kIntact) continue;
    if (SystemEntry(path.filename().string())) {
      report.Add("entry", path, InstallEntry(path.filename().string(), tandem, choices), kInstalled);
    } else {
      report.Add("entry", path, RemoveFile(path), kRemoved);
    }
  }
}

}  // namespace

MenuReport InstallMenus(const std::string& tandem, std::span<const MenuChoice> choices, const std::vector<std::string>& entries) {
  Report report;
  if (IsHere("dolphin") || IsHere("konqueror")) {
    report.Add("kde", ServiceMenu(), WriteOurs(ServiceMenu(), ServiceMenuText(tandem, choices), Mode::kExecutable), kInstalled);
  }
  if (IsHere("nautilus")) {
    // Adapters of before may be gone.
    for (const fs::path& path : FilesIn(Scripts())) {
      if (MarkAt(path) == Mark::kIntact) unlink(path.c_str());
    }
    InstallScripts(tandem, choices, report);
  }
  if (IsHere("thunar")) report.Add("thunar", UcaFile(), InstallUca(tandem, choices), kInstalled);
  RefreshEntries(tandem, choices, report);
  for (std::string id : entries) {
    if (!id.ends_with(".desktop")) id += ".desktop";
    if (id.find('/') != std::string::npos) {
      report.Fails("entry", id, Fail(ErrorKind::kInvalidArgument, "This is a path; give the entry's identifier."));
    } else if (MarkAt(Entries() / id) != Mark::kIntact) {
      report.Add("entry", Entries() / id, InstallEntry(id, tandem, choices), kInstalled);
    }
  }
  return report.Take();
}

MenuReport RemoveMenus() {
  Report report;
  RemoveMarked("kde", ServiceMenu(), report);
  for (const fs::path& path : FilesIn(Scripts())) RemoveMarked("nautilus", path, report);
  if (const auto removed = RemoveUca()) report.Add("thunar", UcaFile(), *removed, kRemoved);
  for (const fs::path& path : FilesIn(Entries())) RemoveMarked("entry", path, report);
  return report.Take();
}

MenuReport ListMenus() {
  Report report;
  const auto state = [](Mark mark) {
    return mark == Mark::kIntact ? kInstalled : mark == Mark::kChanged ? kChanged : kNotInstalled;
  };
  report.Add("kde", ServiceMenu(), state(MarkAt(ServiceMenu())));
  const auto scripts = FilesIn(Scripts());
  const bool any = std::ranges::any_of(scripts, [](const fs::path& path) { return MarkAt(path) != Mark::kNone; });
  report.Add("nautilus", Scripts(), any ? kInstalled : kNotInstalled);
  const auto uca = ReadTextFile(UcaFile());
  const auto without = uca.ok() && *uca ? WithoutUcaActions(**uca, UcaFile().string()) : Result<std::string>(std::string());
  if (!without.ok()) {
    report.Add("thunar", UcaFile(), without.error().message);
  } else {
    report.Add("thunar", UcaFile(), uca.ok() && *uca && *without != **uca ? kInstalled : kNotInstalled);
  }
  for (const fs::path& path : FilesIn(Entries())) {
    if (const Mark mark = MarkAt(path); mark != Mark::kNone) report.Add("entry", path, state(mark));
  }
  return report.Take();
}

}  // namespace tandem::desktop
