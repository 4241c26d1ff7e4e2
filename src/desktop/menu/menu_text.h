// Texts of the files that put "Run on …" into file managers and menus. Each has a mark by which it is known again.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "desktop/common/gpu_list.h"

namespace tandem::desktop {

struct MenuChoice {
  std::string name;  // unique in its menu, no '/'
  std::string selector;
};
[[nodiscard]] std::vector<MenuChoice> ChoicesOf(std::span<const Gpu> gpus);

enum class Mark {
  kNone,     // a file of somebody else
  kIntact,   // ours, as it was written
  kChanged,  // ours, and edited since
};
[[nodiscard]] Mark MarkOf(std::string_view text);

enum class Keep { kOnce, kAlways };
// "tandem launch …" for one file, as words. kAlways keeps the adapter for the program.
[[nodiscard]] std::vector<std::string> LaunchWords(const std::string& tandem, const MenuChoice& choice, Keep keep);
// The words as one line: of an Exec key, or of a shell.
[[nodiscard]] std::string ExecLine(std::span<const std::string> words);
[[nodiscard]] std::string ShellLine(std::span<const std::string> words);
// The line for a custom action of Thunar, which expands '%' and gives one file.
[[nodiscard]] std::string UcaLine(std::span<const std::string> words);

// A service menu of KDE's file managers.
[[nodiscard]] std::string ServiceMenuText(const std::string& tandem, std::span<const MenuChoice> choices);
// A script of GNOME's file manager.
[[nodiscard]] std::string ScriptText(const std::string& tandem, const MenuChoice& choice, Keep keep);

// A copy of the desktop entry `text` with an action for each choice; `id` names the entry. kUnsupported for a text that is no
// entry.
[[nodiscard]] Result<std::string> EntryCopy(std::string_view text, const std::string& id, const std::string& tandem,
                                            std::span<const MenuChoice> choices);
// The copy without our actions and mark: what somebody made of it. kUnsupported.
[[nodiscard]] Result<std::string> WithoutOurs(std::string_view text);

}  // namespace tandem::desktop
