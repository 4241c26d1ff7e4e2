// The user's own word on one program, in ~/.config/tandem/tandem.toml.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/settings.h"

namespace tandem::config {

struct ProgramChoice {
  std::string program;  // name or path of an executable, "steam:440", … (see Pattern), or a desktop entry's "ID.desktop"
  Use use = Use::kAlways;
  std::optional<std::string> render{};  // adapter selector; nothing leaves the table's own
};

// `text` with the choice in the program's table, which is appended where there is none; every other byte stays. Errors: those of
// ParsePattern and ParseSelectorText, ParseToml's; kUnsupported when the file cannot be changed line by line.
[[nodiscard]] Result<std::string> WithProgramChoice(std::string_view text, std::string_view file_name,
                                                    const ProgramChoice& choice);

// Writes the choice into the user's file and returns its path. Also kIo; kNotFound when the environment names no folder for it.
Result<std::string> ChangeProgramChoice(const ProgramChoice& choice);
// Tandem serves `program` from now on, by the adapter if one is named.
Result<std::string> AllowProgram(std::string_view program, std::optional<std::string> render);
// Tandem leaves `program` alone from now on.
Result<std::string> DenyProgram(std::string_view program);

}  // namespace tandem::config
