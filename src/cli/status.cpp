#include "cli/status.h"

#include <cstdio>

#include <unistd.h>

#include "base/clock.h"
#include "base/sleep.h"
#include "cli/exit_codes.h"

namespace tandem::cli {
namespace {

int Complain(std::string_view sentence) {
  std::fprintf(stderr, "tandem status: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
  return kExitFailure;
}

}  // namespace

int Status(const StatusCommand& command) {
  const std::string folder = status::LiveFolder();
  if (folder.empty()) return Complain("XDG_RUNTIME_DIR is not set, so programs have no place to tell about themselves.");
  const bool watches = command.watch_s > 0;
  const bool clears = watches && command.format == ListFormat::kTable && isatty(STDOUT_FILENO) != 0;
  for (;;) {
    const auto found = status::ListLivePrograms(folder);
    if (!found.ok()) return Complain(found.error().message);
    const std::int64_t now_ns = MonotonicClock().NowNs();
    std::string text = clears ? "\033[H\033[J" : "";
    text += command.format == ListFormat::kJson ? StatusJson(*found, now_ns, watches ? JsonShape::kLine : JsonShape::kIndented)
                                                : StatusTable(*found, now_ns, StyleOfStandardOutput());
    if (watches && !clears && command.format == ListFormat::kTable) text += '\n';
    std::fputs(text.c_str(), stdout);
    for (const std::string& sentence : found->unreadable) static_cast<void>(Complain(sentence));
    if (std::fflush(stdout) != 0) return kExitFailure;
    if (!watches) return kExitOk;
    SleepFor(MonotonicClock(), static_cast<std::int64_t>(command.watch_s * 1e9));
  }
}

}  // namespace tandem::cli
