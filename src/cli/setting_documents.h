// Manual and completion, filled in from the table of settings when Tandem is built.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tandem::cli {

// `text` with its marks replaced:
//   @OPTION key@   mdoc: the item of a setting's option with help, default, variable and key; each setting once, in the table's
//                  order, or none at all
//   @SYNOPSIS@     mdoc: the options
//   @VARIABLES@, @KEYS@              mdoc: names with commas between
//   @OPTIONS@, @ADAPTERS@, @FILES@   options with spaces, those that take an adapter and those that take a file with bars between
//   @BASH@         cases of values for the other options
//   @ZSH@          specifications for _arguments
// kInvalidArgument for a mark that is not one of these.
[[nodiscard]] Result<std::string> FillSettings(std::string_view text);

}  // namespace tandem::cli
