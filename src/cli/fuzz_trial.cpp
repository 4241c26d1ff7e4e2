#include "cli/fuzz_trial.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/conform.h"
#include "cli/conform_trial.h"
#include "cli/exit_codes.h"
#include "conform/contained.h"
#include "conform/fuzz/call_player.h"
#include "conform/fuzz/run_notes.h"
#include "conform/loaded_driver.h"
#include "conform/trial_signals.h"
#include "kernel/ddi_counts.h"
#include "kernel/tolerated.h"
#include "system/fuzz_player.h"

namespace tandem::cli {
namespace {

// The host's sentences stand behind each other, and each begins with its rule's name.
std::vector<std::string> SentencesOf(const std::string& reports) {
  constexpr std::string_view kNext = " Nt.";
  std::vector<std::string> sentences;
  for (std::size_t at = 0; at < reports.size();) {
    const std::size_t end = std::min(reports.find(kNext, at), reports.size());
    sentences.push_back(reports.substr(at, end - at));
    at = end + 1;
  }
  return sentences;
}

// A leak after a broken rule is that rule's consequence.
Result<std::vector<std::string>> Play(const conform::CallScript& script, const conform::DriverUnderTest& driver,
                                      conform::RunNotes& notes) {
  auto player = system::MakePlayer(driver, script.device);
  if (!player.ok()) return std::move(player).error();
  std::vector<std::string> broken = conform::Play(script, **player, driver.edges, notes);
  if (broken.empty()) broken = (*player)->End();
  if (!broken.empty()) static_cast<void>(player->release());  // a call of the driver may use what the player has
  *player = nullptr;
  if (driver.host == nullptr) return broken;
  for (std::string& sentence : SentencesOf(driver.host->violations())) broken.push_back(std::move(sentence));
  if (broken.empty()) broken = SentencesOf(driver.host->Detach());
  for (const auto& [rule, seen] : kernel::TakeTolerated()) broken.push_back(fmt::format("{}: {}", rule, seen));
  return broken;
}

Result<std::vector<std::string>> LoadAndPlay(const std::string& driver, const std::string& file, conform::RunNotes& notes) {
  const auto script = ReadScript(file);
  if (!script.ok()) return script.error();
  auto loaded = conform::LoadDriver(driver);
  if (!loaded.ok()) return std::move(loaded).error();
  // A driver that broke a rule may be in a call still: it stays until the process ends.
  const auto* const kept = new conform::DriverUnderTest(*std::move(loaded));
  conform::SetDriver(notes.stack, reinterpret_cast<const void*>(kept->entry));
  kernel::CountDdis();
  return Play(*script, *kept, notes);
}

}  // namespace

Result<conform::CallScript> ReadScript(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Fail(ErrorKind::kIo, "{} cannot be read.", file);
  std::ostringstream text;
  text << stream.rdbuf();
  auto script = conform::ParseScript(text.view());
  if (!script.ok()) return std::move(script).error().Context(file);
  return script;
}

int PlayForParent(const FuzzCommand& command) {
  const auto file = conform::NotesFile::Open(command.notes);
  if (!file.ok()) return kExitFailure;
  conform::RunNotes& notes = file->notes();
  conform::TellWhereItEnds();
  conform::KeepStack(notes.stack);
  const auto broken = LoadAndPlay(command.driver, command.trial, notes);
  conform::Outcome outcome;
  if (!broken.ok()) {
    outcome = {conform::Verdict::kFail, broken.error().message};
  } else if (!broken->empty()) {
    outcome = {conform::Verdict::kFail, fmt::format("{}", fmt::join(*broken, "\n"))};
  }
  if (broken.ok()) notes.told = 1;
  const int code = conform::TellOutcome(outcome) ? kExitOk : kExitFailure;
  std::fflush(nullptr);
  _exit(code);  // threads of the driver may still run
}

int PlayHere(const FuzzCommand& command) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const auto notes = std::make_unique<conform::RunNotes>();
  const auto broken = LoadAndPlay(command.driver, command.replay, *notes);
  if (!broken.ok()) {
    std::fprintf(stderr, "tandem fuzz: %s\n", broken.error().message.c_str());
    return kExitFailure;
  }
  for (const std::string& sentence : *broken) std::printf("%s\n", sentence.c_str());
  return broken->empty() ? kExitOk : kExitRuleBroken;
}

}  // namespace tandem::cli
