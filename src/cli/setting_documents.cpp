#include "cli/setting_documents.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "config/setting_table.h"

namespace tandem::cli {
namespace {

using config::Setting;
using config::SettingTable;
using config::ValueType;

template <class Name, class Fits>
std::string Joined(std::string_view between, Name name, Fits fits) {
  std::string text;
  for (const Setting& setting : SettingTable()) {
    if (fits(setting)) text += fmt::format("{}{}", text.empty() ? "" : between, name(setting));
  }
  return text;
}

bool Any(const Setting&) { return true; }
bool TakesAdapter(const Setting& setting) { return setting.value == "SEL"; }
bool TakesFile(const Setting& setting) { return setting.value == "FILE"; }
bool TakesWord(const Setting& setting) { return !TakesAdapter(setting) && !TakesFile(setting); }
bool IsSwitch(const Setting& setting) { return setting.type == ValueType::kSwitch; }
// "png:FILE"
bool TakesDestination(const Setting& setting) { return setting.examples.ends_with(':'); }
std::string_view Option(const Setting& setting) { return setting.option; }

std::string Replaced(std::string text, std::string_view old, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size()) text.replace(at, old.size(), by);
  return text;
}

// "--path" and its value as mdoc's macros have them.
std::string MdocOption(const Setting& setting) {
  const char* const between = IsSwitch(setting) ? "Ns Op = Ns Ar" : "Ar";
  return fmt::format("Fl Fl {} {} {}", setting.option.substr(2), between, setting.value);
}

std::string MdocItem(const Setting& setting) {
  return fmt::format(".It {}\n{}.\nThe default is\n.Li {} ;\nthe variable is\n.Ev {} ,\nthe key of the file\n.Li {} .",
                     MdocOption(setting), setting.help, config::DefaultText(setting), setting.variable, setting.key);
}

// A switch has a value behind '=' alone; the word that follows it is another one.
std::string BashCase(const Setting& setting) {
  if (TakesDestination(setting)) return fmt::format("    {}) _tandem_outputs '{}'; return ;;", setting.option, setting.examples);
  const std::string offer = fmt::format("mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\")", setting.examples);
  if (IsSwitch(setting)) return fmt::format("    {}) if [[ $split == true ]]; then {}; return; fi ;;", setting.option, offer);
  return fmt::format("    {}) {}; return ;;", setting.option, offer);
}

// The help's first part, without the list of values.
std::string ShortHelp(const Setting& setting) {
  return Replaced(std::string(setting.help.substr(0, setting.help.find(": "))), "'", "'\\''");
}

std::string ZshOption(const Setting& setting) {
  std::string help = ShortHelp(setting);
  for (const char* const special : {"[", "]", ":"}) help = Replaced(help, special, std::string("\\") + special);
  const std::string examples = Replaced(std::string(setting.examples), ":", "\\:");
  const std::string action = TakesAdapter(setting)       ? "_tandem_selectors"
                             : TakesFile(setting)        ? "_files"
                             : TakesDestination(setting) ? "_tandem_outputs " + examples
                                                         : "(" + examples + ")";
  std::string value(setting.value);
  std::ranges::transform(value, value.begin(), [](char c) { return static_cast<char>(c - 'A' + 'a'); });
  const bool optional = IsSwitch(setting);
  return fmt::format("        '{}={}[{}]{}:{}:{}' \\", setting.option, optional ? "-" : "", help, optional ? ":" : "", value,
                     action);
}

std::string FishOption(const Setting& setting) {
  const std::string_view takes = TakesFile(setting) ? "-r -F" : IsSwitch(setting) ? "-f" : "-x";
  const std::string_view offered = TakesAdapter(setting) ? "(__tandem_selectors)" : setting.examples;
  const std::string values = offered.empty() ? std::string() : fmt::format(" -a '{}'", offered);
  return fmt::format("complete -c tandem -n '__tandem_is run launch explain config' -l {} {}{} -d '{}'", setting.option.substr(2),
                     takes, values, ShortHelp(setting));
}

struct Mark {
  std::string_view name;
  std::string (*text)();
};
constexpr std::array<Mark, 9> kMarks = {{
    {"SYNOPSIS",
     [] {
       return Joined(
           "\n", [](const Setting& setting) { return ".Op " + MdocOption(setting); }, Any);
     }},
    {"VARIABLES",
     [] {
       return Joined(
           " , ", [](const Setting& setting) { return setting.variable; }, Any);
     }},
    {"KEYS",
     [] {
       return Joined(
           " , ", [](const Setting& setting) { return setting.key; }, Any);
     }},
    {"OPTIONS", [] { return Joined(" ", Option, Any); }},
    {"ADAPTERS", [] { return Joined(" | ", Option, TakesAdapter); }},
    {"FILES", [] { return Joined(" | ", Option, TakesFile); }},
    {"BASH", [] { return Joined("\n", BashCase, TakesWord); }},
    {"FISH", [] { return Joined("\n", FishOption, Any); }},
    {"ZSH", [] { return Joined("\n", ZshOption, Any); }},
}};

// A mark from its first '@' on, without its '@'s; empty where `text` begins with no mark.
std::string_view MarkAt(std::string_view text) {
  const std::size_t end = text.find_first_of("@\n", 1);
  if (end == std::string_view::npos || text[end] != '@' || end < 2) return {};
  const std::string_view mark = text.substr(1, end - 1);
  const std::string_view word = mark.substr(0, mark.find(' '));
  const bool upper = std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  return upper && !word.empty() ? mark : std::string_view();
}

}  // namespace

Result<std::string> FillSettings(std::string_view text) {
  constexpr std::string_view kOption = "OPTION ";
  std::string filled;
  std::size_t items = 0;
  while (!text.empty()) {
    const std::size_t at = std::min(text.find('@'), text.size());
    filled += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) break;
    const std::string_view mark = MarkAt(text);
    const auto* const known = std::ranges::find(kMarks, mark, &Mark::name);
    if (mark.empty()) {
      filled += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (mark.starts_with(kOption)) {
      const std::string_view key = mark.substr(kOption.size());
      if (items == SettingTable().size() || SettingTable()[items].key != key) {
        return Fail(ErrorKind::kInvalidArgument, "@{}@ is not the setting that follows in the table, {}.", mark,
                    items == SettingTable().size() ? "which has no more" : SettingTable()[items].key);
      }
      filled += MdocItem(SettingTable()[items++]);
    } else if (known != kMarks.end()) {
      filled += known->text();
    } else {
      return Fail(ErrorKind::kInvalidArgument, "@{}@ is no mark.", mark);
    }
    text.remove_prefix(mark.size() + 2);
  }
  if (items != 0 && items != SettingTable().size()) {
    return Fail(ErrorKind::kInvalidArgument, "@OPTION {}@ is missing.", SettingTable()[items].key);
  }
  return filled;
}

}  // namespace tandem::cli
