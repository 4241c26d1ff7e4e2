// Thunar's custom actions, ~/.config/Thunar/uca.xml: ours are put in and taken out, and every other byte stays.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::desktop {

struct UcaAction {
  std::string name;
  std::string command;
  std::string description;
};

// A file without actions.
[[nodiscard]] std::string EmptyUcaFile();

// `text` with these actions as the last ones, instead of ours that it has. Errors of both functions: kUnsupported with the fault
// of a file that is no list of actions; `file` names it.
[[nodiscard]] Result<std::string> WithUcaActions(std::string_view text, std::string_view file,
                                                 std::span<const UcaAction> actions);

// `text` without our actions. They are known by their unique-id, which Thunar keeps when it writes the file.
[[nodiscard]] Result<std::string> WithoutUcaActions(std::string_view text, std::string_view file);

}  // namespace tandem::desktop
