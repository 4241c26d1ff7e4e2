#include "cli/policy.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "cli/exit_codes.h"
#include "cli/policy_text.h"
#include "config/config_io.h"
#include "config/policy/policy_edit.h"
#include "config/policy/policy_folders.h"
#include "config/setting_table.h"
#include "config/setting_values.h"

namespace tandem::cli {
namespace {

int Complain(const char* action, const Error& error) {
  std::fprintf(stderr, "tandem policy %s: %s\n", action, Printable(error.message).c_str());
  return kExitFailure;
}

int Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

// The variables of layer and driver: a loader that sees none of them loads neither.
bool LayerIsOn(const config::Environment& environment) {
  const auto enabled = config::ParseFlag(environment("TANDEM_ENABLE").value_or("0"));
  const bool listed = environment("VK_INSTANCE_LAYERS").value_or("").find("VK_LAYER_TANDEM") != std::string::npos;
  const bool driver = environment(config::kFormVariable) == ToString(config::ProgramForm::kDriver);
  return ((enabled.ok() && *enabled) || listed || driver) && !environment("TANDEM_DISABLE");
}

Result<Explanation> ExplainAsked(const PolicyCommand& command) {
  if (command.pid != 0) {
    const auto program = config::IdentifyProcess(command.pid);
    if (!program.ok()) return program.error();
    return ExplainProgram(*program, config::EnvironmentOf(command.pid));
  }
  const auto program = config::IdentifyText(command.program);
  if (!program.ok()) return program.error();
  return ExplainProgram(*program, config::OwnEnvironment());
}

int List(const PolicyCommand& command) {
  const std::vector<config::PolicyFile> files = config::ReadPolicyFiles(config::PolicyFoldersHere());
  return Print(command.format == ListFormat::kJson ? PolicyListJson(files) : PolicyListText(files, StyleOfStandardOutput()));
}

Result<std::vector<config::PolicyFile>> FilesToCheck(const std::vector<std::string>& paths) {
  if (paths.empty()) return config::ReadPolicyFiles(config::PolicyFoldersHere());
  std::vector<config::PolicyFile> files;
  for (const std::string& path : paths) {
    const auto text = config::ReadConfigFile(path);
    if (!text.ok()) return text.error();
    if (!*text) return Fail(ErrorKind::kNotFound, "There is no file {}.", path);
    // The administrator's files may say everything that others may.
    files.push_back(config::ParsePolicyText(**text, path, config::Source::kAdministrator));
  }
  return files;
}

int Check(const PolicyCommand& command) {
  const auto files = FilesToCheck(command.files);
  if (!files.ok()) return Complain("check", files.error());
  auto faults = nlohmann::ordered_json::array();
  for (const config::PolicyFile& file : *files) {
    for (const config::PolicyFault& fault : file.faults) {
      faults.push_back({{"file", fault.file}, {"line", fault.line}, {"sentence", fault.sentence}});
      if (command.format == ListFormat::kTable) std::printf("%s\n", Escaped(fault.Text()).c_str());
    }
  }
  if (command.format == ListFormat::kJson) {
    const nlohmann::ordered_json all{{"files", files->size()}, {"faults", faults}};
    Print(all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  } else if (faults.empty()) {
    Print(fmt::format("{} {}, nothing is wrong.\n", files->size(), files->size() == 1 ? "file" : "files"));
  }
  return faults.empty() ? kExitOk : kExitFailure;
}

// A later or a locked table may outweigh what was written: the file's new line is no promise.
int Change(const PolicyCommand& command, const char* action, const Result<std::string>& path) {
  if (!path.ok()) return Complain(action, path.error());
  const auto program = config::IdentifyText(command.program);
  if (!program.ok()) return Complain(action, program.error());
  const auto explanation = ExplainProgram(*program, config::OwnEnvironment());
  if (!explanation.ok()) return Complain(action, explanation.error());
  if (command.format == ListFormat::kJson) return Print(ExplanationJson(*explanation));
  return Print(fmt::format("{}: {}\n", Escaped(*path), Escaped(DecisionSentence(*explanation))));
}

}  // namespace

Result<Explanation> ExplainProgram(const config::ProgramIdentity& program, const config::Environment& environment) {
  const std::vector<config::PolicyFile> files = config::ReadPolicyFiles(config::PolicyFoldersHere());
  auto decision = config::Decide(program, files, environment);
  if (!decision.ok()) return std::move(decision).error();
  return Explanation{*std::move(decision), config::InheritedSelection(environment), LayerIsOn(environment)};
}

int Policy(const PolicyCommand& command) {
  switch (command.action) {
    case PolicyAction::kList: return List(command);
    case PolicyAction::kCheck: return Check(command);
    case PolicyAction::kAllow: return Change(command, "allow", config::AllowProgram(command.program, command.render));
    case PolicyAction::kDeny: return Change(command, "deny", config::DenyProgram(command.program));
    case PolicyAction::kExplain: break;
  }
  const auto explanation = ExplainAsked(command);
  if (!explanation.ok()) return Complain("explain", explanation.error());
  return Print(command.format == ListFormat::kJson ? ExplanationJson(*explanation)
                                                   : ExplanationText(*explanation, StyleOfStandardOutput()));
}

}  // namespace tandem::cli
