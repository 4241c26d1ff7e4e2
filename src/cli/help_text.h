// Help and mistakes as the terminal can show them: wrapped at its width, without the types of the parser.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/terminal.h"

namespace tandem::cli {

// The forms of a selector of adapters, for an option's help.
inline constexpr const char* kSelectorHelp =
    "index, PCI address, vendor:device, UUID or part of the name (see 'tandem adapters')";

class HelpText final : public CLI::Formatter {
 public:
  explicit HelpText(const TextStyle& style) : style_(style) {}

  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  // The name, and the text beside it, or below it where the name is too long.
  [[nodiscard]] std::string Entry(const std::string& name, std::string_view text) const;

  const TextStyle style_;
};

// The sentence for a refused command line: what is wrong, with the nearest known word.
[[nodiscard]] std::string MistakeText(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tandem::cli
