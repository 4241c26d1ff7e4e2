#include "status/stats.h"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/named_file.h"
#include "base/printable.h"
#include "base/replacement_file.h"
#include "base/timed_lock.h"
#include "base/write_all.h"
#include "config/policy/identity.h"
#include "status/figures.h"
#include "status/figures_json.h"
#include "status/figures_text.h"
#include "status/run_note.h"

namespace tandem::status {

StatsBook::Id StatsBook::Open(Source source) {
  const std::lock_guard lock(mutex_);
  live_.push_back({next_id_, std::move(source)});
  return next_id_++;
}

void StatsBook::Close(Id id) {
  const std::lock_guard lock(mutex_);
  for (auto item = live_.begin(); item != live_.end(); ++item) {
    if (item->id != id) continue;
    if (finished_.size() == kMaxRecordedSwapChains) {
      Add(forgotten_, finished_.front());
      finished_.erase(finished_.begin());
    }
    finished_.push_back(item->source());
    live_.erase(item);
    return;
  }
}

void StatsBook::SetAdapters(const config::AdapterInfo& render, const config::AdapterInfo& display) {
  const std::lock_guard lock(mutex_);
  if (!render_.name.empty() && !config::IsSameAdapter(render_, render)) render_changes_.push_back({render_.name, render.name});
  render_ = render;
  display_ = display;
}

void StatsBook::StepAside(const std::string& reason, LogLevel level) {
  Log(level, "The layer steps aside: {}", reason);
  NoteStepAside(reason);
  const std::lock_guard lock(mutex_);
  step_aside_reason_ = reason;
}

void StatsBook::SetOpenedBy(const std::string& command) {
  const std::lock_guard lock(mutex_);
  opened_by_ = command;
}

void StatsBook::RefuseSwapChain(const std::string& reason) {
  Log(LogLevel::kError, "The swap chain cannot be made. {}", reason);
  const std::lock_guard lock(mutex_);
  refusal_ = reason;
}

std::vector<SwapChainRecord> StatsBook::Records() const {
  std::vector<SwapChainRecord> records = finished_;
  for (const Live& live : live_) records.push_back(live.source());
  return records;
}

std::string StatsBook::Text() const {
  using Json = nlohmann::ordered_json;
  Json root{{"tandem", TANDEM_VERSION}, {"program", config::PathOfThisProgram()}, {"pid", getpid()}};
  if (!step_aside_reason_.empty()) root["stepped_aside"] = step_aside_reason_;
  if (!opened_by_.empty()) root["opened_by"] = opened_by_;
  if (!refusal_.empty()) root["refused_swap_chain"] = refusal_;
  root["render_changes"] = Json::array();
  for (const RenderChange& change : render_changes_) {
    root["render_changes"].push_back({{"from", change.from}, {"to", change.to}});
  }
  root["render_adapter"] = render_.name;
  root["display_adapter"] = display_.name;
  const auto records = Records();
  root["adapters"] = {{"render", AdapterJson(render_, records.empty() ? Json() : Json(records.back().render_tier))},
                      {"display", AdapterJson(display_, records.empty() ? Json() : Json(records.back().display_tier))}};
  SwapChainRecord total = forgotten_;
  auto list = Json::array();
  for (const SwapChainRecord& record : records) {
    Add(total, record);
    list.push_back(SwapChainJson(record));
  }
  if (!records.empty()) PutFigures(root, records.back());
  PutSums(root, total);
  root["swap_chains"] = std::move(list);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void StatsBook::WriteJson(const std::string& path, Occasion occasion) noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    const auto file = FindNamedFile(path);
    const bool nothing_shown = live_.empty() && finished_.empty();
    if (nothing_shown && file.ok() && file->kind != NamedFile::Kind::kNew) return;
    if (occasion != Occasion::kExit && file.ok() && file->kind == NamedFile::Kind::kStream) return;
    if (const auto written = ReplaceFile(path, Text()); !written.ok())
      Log(LogLevel::kError, "The figures cannot be written. {}", written.error().message);
  } catch (...) {
    Log(LogLevel::kError, "The figures cannot be written to {}: out of memory.", path);
  }
}

void StatsBook::PrintSummary() noexcept {
  try {
    const std::unique_lock lock = TimedLock(mutex_);
    if (!lock.owns_lock()) return;
    std::string text;
    if (!step_aside_reason_.empty()) text += fmt::format("tandem: stepped aside: {}\n", step_aside_reason_);
    if (!refusal_.empty()) text += fmt::format("tandem: a swap chain could not be made: {}\n", refusal_);
    const auto records = Records();
    if (!records.empty()) {
      text += fmt::format("tandem: rendered on {}, shown by {}\n", Escaped(render_.name), Escaped(display_.name));
    }
    for (const RenderChange& change : render_changes_) {
      text += fmt::format("tandem: {} was lost, and {} renders in its place\n", Escaped(change.from), Escaped(change.to));
    }
    std::uint32_t empty = 0;
    for (const SwapChainRecord& record : records) {
      if (record.statistics.frames_presented == 0) {
        ++empty;
      } else {
        text += SummaryLines(record);
      }
    }
    if (empty != 0) text += fmt::format("tandem: {} swap chain{} without a frame\n", empty, empty == 1 ? "" : "s");
    WriteToStandardError(text);
  } catch (...) {  // a summary is lost when memory runs out
  }
}

}  // namespace tandem::status
