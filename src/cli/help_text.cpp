#include "cli/help_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/words.h"
#include "config/setting_table.h"

namespace tandem::cli {
namespace {

constexpr std::size_t kNameColumns = 26;
// Narrower terminals have no room for text beside names.
constexpr std::size_t kLeastBeside = 72;
constexpr std::size_t kTextBelow = 6;

// A setting's flag takes a value behind '='; any other flag takes none.
bool IsPlainFlag(const CLI::Option* option) {
  const auto is_setting = [&](const config::Setting& setting) { return setting.option == option->get_name(); };
  return option->get_expected_max() == 0 && std::ranges::none_of(config::SettingTable(), is_setting);
}

// A validator's own text follows a colon.
std::string ValueName(const CLI::Option* option) {
  const std::string name = option->get_type_name();
  return IsPlainFlag(option) ? std::string() : name.substr(0, name.find(':'));
}

}  // namespace

std::string HelpText::Entry(const std::string& name, std::string_view text) const {
  const std::string head = "  " + name;
  const bool beside = style_.width >= kLeastBeside && head.size() + 2 <= kNameColumns;
  if (text.empty()) return head + "\n";
  if (beside) return Wrapped(head + std::string(kNameColumns - head.size(), ' '), text, style_);
  return head + "\n" + Wrapped(std::string(style_.width >= kLeastBeside ? kNameColumns : kTextBelow, ' '), text, style_);
}

// CLI11 puts two empty lines between groups of options.
std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  std::string text = Formatter::make_help(app, std::move(name), mode);
  for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

std::string HelpText::make_description(const CLI::App* app) const {
  const std::string text = app->get_description();
  return text.empty() ? text : Wrapped("", text, style_);
}

std::string HelpText::make_usage(const CLI::App* app, std::string name) const {
  std::string usage = std::move(name) + " [OPTIONS]";
  for (const CLI::Option* option : app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    const std::string value = ValueName(option) + (option->get_expected_max() > 1 ? "..." : "");
    usage += option->get_required() ? " " + value : " [" + value + "]";
  }
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) usage += " COMMAND";
  return Wrapped("Usage: ", usage, style_);
}

std::string HelpText::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = is_positional ? ValueName(option) : option->get_name(false, true);
  if (const std::size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  const std::string value = ValueName(option);
  if (!is_positional && !value.empty()) name += option->get_expected_min() == 0 ? "[=" + value + "]" : " " + value;
  return Entry(name, option->get_description());
}

std::string HelpText::make_subcommand(const CLI::App* app) const { return Entry(app->get_name(), app->get_description()); }

std::string MistakeText(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* at = &app;
  std::string name = app.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().back();
    name += " " + at->get_name();
  }
  const std::string way = fmt::format("'{} --help' names what there is.\n", name);
  const std::vector<std::string> left = at->remaining();
  const bool wrong_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
  if (left.empty() || wrong_value) return fmt::format("{}: {}\n{}", name, error.what(), way);
  const std::string word = left.front().substr(0, left.front().find('='));
  const bool option = word.starts_with('-');
  std::vector<std::string> known;
  if (option) {
    for (const CLI::Option* one : at->get_options()) {
      for (const std::string& long_name : one->get_lnames()) known.push_back("--" + long_name);
    }
  } else {
    for (const CLI::App* one : at->get_subcommands([](const CLI::App*) { return true; })) known.push_back(one->get_name());
  }
  const std::string nearest = Nearest(word, known);
  const char* const what = option ? "option" : known.empty() ? "argument" : at == &app ? "command or program" : "command";
  return fmt::format("{}: There is no {} '{}'{}\n{}", name, what, word,
                     nearest.empty() ? "." : fmt::format("; the nearest is '{}'.", nearest), way);
}

std::string HelpText::make_footer(const CLI::App* app) const {
  std::string text, footer = app->get_footer();
  while (!footer.empty()) {
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    text += Wrapped("", std::string_view(footer).substr(0, end), style_);
    footer.erase(0, end + 1);
  }
  return text;
}

}  // namespace tandem::cli
