// "Run on …" in the menus of file managers and of desktop entries: puts it there, takes it away, and shows where it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "desktop/menu/menu_text.h"

namespace tandem::desktop {

struct MenuLine {
  std::string menu;  // "kde", "nautilus", "thunar", "entry"
  std::string path;
  std::string state;  // "installed", "removed", "not installed", or a sentence
};

struct MenuReport {
  std::vector<MenuLine> lines;
  bool failed = false;  // a line's state is the sentence of an error
};

// The user's menus of the file managers that are here, and copies of the named desktop entries with an action for each GPU. Files
// of others are never replaced. `tandem` is the command's path.
[[nodiscard]] MenuReport InstallMenus(const std::string& tandem, std::span<const MenuChoice> choices,
                                      const std::vector<std::string>& entries);
// Takes away what InstallMenus() wrote and nothing else. A file of ours that somebody changed keeps the changes.
[[nodiscard]] MenuReport RemoveMenus();
[[nodiscard]] MenuReport ListMenus();

}  // namespace tandem::desktop
