#include "desktop/menu/menu_text.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/printable.h"
#include "desktop/entries/glib_owner.h"

namespace tandem::desktop {
namespace {

constexpr char kMarkKey[] = "X-Tandem-Menu";
constexpr std::string_view kMarkStart = "X-Tandem-Menu=";
constexpr char kOpenMark[] = "@";
constexpr std::size_t kMarkDigits = 64;
constexpr std::size_t kMaxNameBytes = 120;  // a file's name has room for more around it
constexpr char kMain[] = G_KEY_FILE_DESKTOP_GROUP;
constexpr char kActionPrefix[] = "tandem-gpu-";

// Position of the digest in a marked text.
std::optional<std::size_t> DigestOf(std::string_view text) {
  const std::size_t at = text.find(kMarkStart);
  if (at == std::string_view::npos) return std::nullopt;
  return at + kMarkStart.size();
}

std::string Sum(const std::string& text) {
  return GlibText(g_compute_checksum_for_string(G_CHECKSUM_SHA256, text.data(), static_cast<gssize>(text.size()))).get();
}

// Replaces the open mark by the digest of the text.
std::string Marked(std::string text) {
  const auto at = DigestOf(text);
  const std::string sum = Sum(text);
  return text.replace(*at, 1, sum);
}

std::string TextOf(GKeyFile* file) { return GlibText(g_key_file_to_data(file, nullptr, nullptr)).get(); }

Result<Glib<GKeyFile>> Parse(std::string_view text) {
  Glib<GKeyFile> file(g_key_file_new());
  GError* error = nullptr;
  const auto flags = static_cast<GKeyFileFlags>(G_KEY_FILE_KEEP_COMMENTS | G_KEY_FILE_KEEP_TRANSLATIONS);
  if (g_key_file_load_from_data(file.get(), text.data(), text.size(), flags, &error) == FALSE) {
    return Fail(ErrorKind::kUnsupported, "This is no desktop entry: {}.", MessageOf(error));
  }
  if (g_key_file_has_group(file.get(), kMain) == FALSE) return Fail(ErrorKind::kUnsupported, "This is no desktop entry.");
  return file;
}

// The actions of the entry that are not ours.
std::vector<std::string> OthersActions(GKeyFile* file) {
  gsize count = 0;
  const GlibList listed(g_key_file_get_string_list(file, kMain, "Actions", &count, nullptr));
  std::vector<std::string> names;
  for (gsize i = 0; i < count; ++i) {
    if (!std::string_view(listed.get()[i]).starts_with(kActionPrefix)) names.emplace_back(listed.get()[i]);
  }
  return names;
}

void SetActions(GKeyFile* file, const std::vector<std::string>& names) {
  if (names.empty()) {
    g_key_file_remove_key(file, kMain, "Actions", nullptr);
    return;
  }
  std::vector<const gchar*> list;
  list.reserve(names.size());
  for (const std::string& name : names) list.push_back(name.c_str());
  g_key_file_set_string_list(file, kMain, "Actions", list.data(), list.size());
}

void AddAction(GKeyFile* file, const std::string& action, const std::string& name, const std::string& exec) {
  const std::string group = "Desktop Action " + action;
  g_key_file_set_string(file, group.c_str(), "Name", name.c_str());
  g_key_file_set_string(file, group.c_str(), "Icon", "tandem");
  g_key_file_set_string(file, group.c_str(), "Exec", exec.c_str());
}

void RemoveOurActions(GKeyFile* file) {
  const GlibList groups(g_key_file_get_groups(file, nullptr));
  for (gchar** group = groups.get(); *group != nullptr; ++group) {
    if (std::string_view(*group).starts_with(std::string("Desktop Action ") + kActionPrefix)) {
      g_key_file_remove_group(file, *group, nullptr);
    }
  }
}

// The words with spaces between; `quote` gets those that need it.
template <class Quote>
std::string Line(std::span<const std::string> words, Quote quote) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](char c) {
      return g_ascii_isalnum(c) != FALSE || (c != '\0' && std::strchr("-_./:", c) != nullptr);
    });
    line += (line.empty() ? "" : " ") + (plain ? word : quote(word));
  }
  return line;
}

}  // namespace

std::vector<MenuChoice> ChoicesOf(std::span<const Gpu> gpus) {
  std::vector<MenuChoice> choices;
  for (const Gpu& gpu : gpus) {
    const auto same = [&](const Gpu& other) { return other.name == gpu.name; };
    std::string name(FittingUtf8(gpu.name, kMaxNameBytes));
    if (std::ranges::count_if(gpus, same) > 1) name += " (" + gpu.selector + ")";
    std::ranges::replace(name, '/', '_');
    choices.push_back({std::move(name), gpu.selector});
  }
  return choices;
}

Mark MarkOf(std::string_view text) {
  const auto at = DigestOf(text);
  if (!at) return Mark::kNone;
  const std::string_view digest = text.substr(*at, kMarkDigits);
  std::string open(text);
  open.replace(*at, digest.size(), kOpenMark);
  return Sum(open) == digest ? Mark::kIntact : Mark::kChanged;
}

std::vector<std::string> LaunchWords(const std::string& tandem, const MenuChoice& choice, Keep keep) {
  std::vector<std::string> words{tandem, "launch", "--render", choice.selector};
  if (keep == Keep::kAlways) words.emplace_back("--remember");
  words.emplace_back("--");
  return words;
}

std::string ExecLine(std::span<const std::string> words) {
  return Line(words, [](const std::string& word) {
    std::string quoted = "\"";
    for (const char c : word) {
      if (c == '"' || c == '`' || c == '$' || c == '\\') quoted += '\\';
      quoted += c == '%' ? "%%" : std::string(1, c);
    }
    return quoted + '"';
  });
}

std::string ShellLine(std::span<const std::string> words) {
  return Line(words, [](const std::string& word) { return std::string(GlibText(g_shell_quote(word.c_str())).get()); });
}

std::string UcaLine(std::span<const std::string> words) {
  std::string line;
  for (const char c : ShellLine(words)) line += c == '%' ? "%%" : std::string(1, c);
  return line + " %f";
}

std::string ServiceMenuText(const std::string& tandem, std::span<const MenuChoice> choices) {
  const Glib<GKeyFile> file(g_key_file_new());
  g_key_file_set_string(file.get(), kMain, "Type", "Service");
  g_key_file_set_string(file.get(), kMain, "X-KDE-ServiceTypes", "KonqPopupMenu/Plugin");
  g_key_file_set_string(file.get(), kMain, "MimeType",
                        "application/x-desktop;application/x-executable;application/x-pie-executable;application/vnd.appimage;");
  g_key_file_set_string(file.get(), kMain, "X-KDE-Submenu", "Tandem");
  g_key_file_set_string(file.get(), kMain, "Icon", "tandem");
  g_key_file_set_string(file.get(), kMain, kMarkKey, kOpenMark);
  std::vector<std::string> actions;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    actions.push_back(fmt::format("{}{}", kActionPrefix, i));
    AddAction(file.get(), actions.back(), "Run on " + choices[i].name,
              ExecLine(LaunchWords(tandem, choices[i], Keep::kOnce)) + " %f");
    actions.push_back(fmt::format("{}{}-always", kActionPrefix, i));
    AddAction(file.get(), actions.back(), "Always run on " + choices[i].name,
              ExecLine(LaunchWords(tandem, choices[i], Keep::kAlways)) + " %f");
  }
  SetActions(file.get(), actions);
  return Marked(TextOf(file.get()));
}

std::string ScriptText(const std::string& tandem, const MenuChoice& choice, Keep keep) {
  return Marked(fmt::format("#!/bin/sh\n# {}{}\nfor file; do\n  {} \"$file\"\ndone\n", kMarkStart, kOpenMark,
                            ShellLine(LaunchWords(tandem, choice, keep))));
}

Result<std::string> EntryCopy(std::string_view text, const std::string& id, const std::string& tandem,
                              std::span<const MenuChoice> choices) {
  auto parsed = Parse(text);
  if (!parsed.ok()) return std::move(parsed).error();
  if (g_key_file_has_key(parsed->get(), kMain, "Exec", nullptr) == FALSE) {
    return Fail(ErrorKind::kUnsupported, "This desktop entry has no Exec line.");
  }
  // Only the mark of the copy may be in it.
  if (DigestOf(text)) return Fail(ErrorKind::kUnsupported, "This desktop entry has Tandem's mark already.");
  GKeyFile* const file = parsed->get();
  RemoveOurActions(file);
  std::vector<std::string> actions = OthersActions(file);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    actions.push_back(fmt::format("{}{}", kActionPrefix, i));
    std::vector<std::string> words = LaunchWords(tandem, choices[i], Keep::kOnce);
    words.push_back(id);
    AddAction(file, actions.back(), "Run on " + choices[i].name, ExecLine(words));
  }
  SetActions(file, actions);
  // A desktop would ask the running program for our actions, which it does not know.
  g_key_file_remove_key(file, kMain, "DBusActivatable", nullptr);
  g_key_file_set_string(file, kMain, kMarkKey, kOpenMark);
  return Marked(TextOf(file));
}

Result<std::string> WithoutOurs(std::string_view text) {
  auto parsed = Parse(text);
  if (!parsed.ok()) return std::move(parsed).error();
  GKeyFile* const file = parsed->get();
  RemoveOurActions(file);
  SetActions(file, OthersActions(file));
  g_key_file_remove_key(file, kMain, kMarkKey, nullptr);
  return TextOf(file);
}

}  // namespace tandem::desktop
