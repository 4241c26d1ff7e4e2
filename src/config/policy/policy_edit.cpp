#include "config/policy/policy_edit.h"

#include <utility>

#include "config/config_file.h"
#include "config/config_io.h"
#include "config/policy/pattern.h"
#include "config/setting_values.h"
#include "config/toml_edit.h"

namespace tandem::config {
Result<std::string> WithProgramChoice(std::string_view text, std::string_view file_name, const ProgramChoice& choice) {
  const std::string& name = choice.program;
  if (auto pattern = ParsePattern(name); !pattern.ok()) return std::move(pattern).error();
  TableEdit edit;
  edit.path = {"app", name};
  edit.header = "[app." + QuotedToml(name) + "]";
  edit.values.push_back({kUseKey, QuotedToml(ToString(choice.use))});
  if (choice.render) {
    const auto render = ParseSelectorText(*choice.render);
    if (!render.ok()) return render.error().Context("render");
    edit.values.push_back({"render", QuotedToml(SelectorText(*render))});
  }
  return WithTableValues(text, file_name, edit);
}

Result<std::string> ChangeProgramChoice(const ProgramChoice& choice) {
  const auto path = ConfigFilePath("tandem.toml");
  if (!path) return Fail(ErrorKind::kNotFound, "Neither HOME nor XDG_CONFIG_HOME says where your file of settings is.");
  auto text = ReadConfigFile(*path);
  if (!text.ok()) return std::move(text).error();
  const auto changed = WithProgramChoice(text->value_or(std::string()), *path, choice);
  if (!changed.ok()) return changed.error();
  if (auto replaced = ReplaceConfigFile(*path, *changed); !replaced.ok()) return std::move(replaced).error();
  return *path;
}

Result<std::string> AllowProgram(std::string_view program, std::optional<std::string> render) {
  return ChangeProgramChoice({.program = std::string(program), .use = Use::kAlways, .render = std::move(render)});
}

Result<std::string> DenyProgram(std::string_view program) {
  return ChangeProgramChoice({.program = std::string(program), .use = Use::kNever, .render = std::nullopt});
}

}  // namespace tandem::config
