// The texts of Tandem's window.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/adapter_info.h"
#include "config/policy/policy_file.h"
#include "config/setting_values.h"
#include "status/live_folder.h"

namespace tandem::desktop {

struct WindowRow {
  std::string title;
  std::string detail;
  friend bool operator==(const WindowRow&, const WindowRow&) = default;
};

// Each adapter with what it can do.
[[nodiscard]] std::vector<WindowRow> AdapterRows(std::span<const config::AdapterInfo> adapters);

// Each swap chain of the programs that run now: the title names program and frame rate, the detail adapters and path.
[[nodiscard]] std::vector<WindowRow> RunningRows(const status::LivePrograms& found, std::int64_t now_ns);

// A program of the user's own policy.
struct ProgramRow {
  std::string program;
  config::Use use = config::Use::kWhenLaunched;
  std::string render;  // selector; empty: automatic
  friend bool operator==(const ProgramRow&, const ProgramRow&) = default;
};
[[nodiscard]] std::vector<ProgramRow> ProgramRows(std::span<const config::PolicyFile> files);

}  // namespace tandem::desktop
