// Figures of a run whose program may be ended before it can write them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/child_process.h"
#include "cli/figure_file.h"
#include "cli/last_figures.h"
#include "config/settings.h"
#include "status/live_process.h"

namespace tandem::cli {

// One thread.
class RunFigures {
 public:
  // Files in `settings`, which outlive it, are absolute. kIo for a file that cannot be written; none is touched.
  [[nodiscard]] static Result<std::unique_ptr<RunFigures>> Create(const config::Settings& settings);
  ~RunFigures();
  RunFigures(const RunFigures&) = delete;
  RunFigures& operator=(const RunFigures&) = delete;

  // Adds what it takes that the program's figures survive it, where the settings want any.
  void AddTo(std::vector<std::string>& environment);
  // The program runs.
  void Started();
  // The program has ended: what it, and programs that it started, could not write themselves is written now, as far as it is
  // known, and it is said on standard error how they ended. `name`: what the user called the program.
  void CompleteAfter(const ProgramEnd& end, const std::string& name) const;

 private:
  RunFigures(const config::Settings& settings, FigureFile json, FigureFile log, FigureFile trace);
  [[nodiscard]] bool wanted() const { return settings_.stats || !settings_.stats_json.empty(); }
  // Last reports of programs that were ended, ordered by their time.
  [[nodiscard]] std::vector<LastFigures> Left(const ProgramEnd& end) const;
  void CompleteJson(const std::vector<LastFigures>& left, const ProgramEnd& end, const std::string& name) const;
  // `tail`: text behind the last line of `log`.
  void CompleteLog(const FigureFile& log, std::string_view tail, const std::vector<LastFigures>& left,
                   const ProgramEnd& end) const;

  const config::Settings& settings_;
  FigureFile json_;
  FigureFile log_;
  FigureFile trace_;
  const status::LiveProcess run_;
  std::string folder_;
  std::string own_folder_;  // to be removed; empty: the user has one
};

}  // namespace tandem::cli
