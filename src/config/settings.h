// The user's settings: command line, environment and configuration file, in this order of weight.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/policy/identity.h"
#include "config/policy/inherited.h"
#include "config/setting_values.h"
#include "link/governor/encodings.h"
#include "swapchain/swap_chain.h"

namespace tandem::config {

struct Settings {
  bool enabled = false;  // TANDEM_ENABLE=1
  Use use = Use::kWhenLaunched;
  std::string render;  // selector; empty: automatic
  // Request by another software's variable, for an empty `render`; an adapter that is not there counts as none.
  std::optional<InheritedRender> inherited_render;
  std::string drivers_limited_by;           // LimitingVariables()
  std::string display;                      // selector; empty: automatic
  std::vector<std::string> display_layers;  // Vulkan layers above the display adapter's driver
  std::string display_driver;               // shared object of a driver that shows; empty: none
  std::string registry;                     // file of that driver's registry values and ACPI answers; empty: none
  ProgramForm form = ProgramForm::kAuto;
  OpenGl gl = OpenGl::kAuto;  // for launchers alone
  OutputSpec output;
  swapchain::PathRequest path = swapchain::PathRequest::kAuto;
  BufferCounts buffers;
  std::optional<swapchain::PresentMode> present_mode;  // overrides the application's
  bool stats = false;                                  // a summary on stderr when the program ends
  std::string stats_json;                              // pattern of a file (file_pattern.h); empty: none
  std::string frame_log;                               // the same
  FrameLogFormat frame_log_format = FrameLogFormat::kTandem;
  std::string trace;                // pattern of a file
  bool hud = false;                 // figures in the picture
  link::EncodingRequest encodings;  // on a narrow link
  link::ContentKind content = link::ContentKind::kAuto;
  bool scan_out_nv12 = true;      // the software display adapter scans NV12 out
  link::LinkYuv yuv;              // how 4:2:0 is made
  bool dither = false;            // where colours of more than eight bits become eight
  std::uint64_t frame_bytes = 0;  // the most that an encoded frame may have; 0: whatever it takes
  std::uint64_t link_limit = 0;   // bytes a second of the link that the render adapter emulates; 0: none
  LinkEngine link_engine = LinkEngine::kAuto;
  YuvPasses yuv_passes = YuvPasses::kAuto;
  OnLost on_lost = OnLost::kNext;
  AdapterLoss lose;    // a trial
  UnplugTimes unplug;  // of the software adapter's monitor, or that of a full display driver
};

// Weakest first.
enum class Source : std::uint8_t {
  kDefault,
  kVendor,         // /usr/share/tandem/policy.d
  kAdministrator,  // /etc/tandem/policy.d
  kFile,           // the user's
  kEnvironment,
  kOption,
};

// The place that a value comes from.
struct Origin {
  Source source = Source::kDefault;
  std::string name{};      // file, variable or option; empty for a default
  std::uint32_t line = 0;  // of a file, from 1
  std::string table{};     // of a file: default, or app."name"
};

struct TracedSettings {
  Settings settings;
  std::map<std::string, Origin, std::less<>> origins;  // by key; a key that is not here has its default

  std::map<std::string, Origin, std::less<>> locks;  // by key: the administrator's line that locks it
  std::vector<std::string>
      notices;  // a sentence for each table or file that does not count, and for each value that a lock keeps out

  [[nodiscard]] Origin OriginOf(std::string_view key) const;
};

// "render of TANDEM_RENDER is not taken: /etc/tandem/policy.d/a.toml:3, [default] locks it."
[[nodiscard]] std::string LockedSentence(std::string_view key, const Origin& origin, const Origin& lock);

// Reads TANDEM_* (see man page) and the files of policy, for the running program. A bad value in the environment gives an error
// sentence with the value and what is allowed; what is wrong in files is logged and counts for its own table or file alone.
// kUnsupported: Tandem does not serve the program, and why.
[[nodiscard]] Result<Settings> ReadSettings(ApplicationNames names);
// Settings of another program: its path or name, or a text of a kind ("steam:440"). A launcher reads the tables of the program
// that it starts, not its own.
[[nodiscard]] Result<TracedSettings> ReadSettingsFor(std::string_view program);

// NAME=value pairs that make ReadSettings() in a child process give the fields of `settings` with these keys, TANDEM_ENABLE, and
// TANDEM_SESSION=0, which says that the child was launched.
// The child reads the others from the file, for its own name.
[[nodiscard]] std::vector<std::string> ToEnvironment(const Settings& settings, std::span<const std::string_view> keys);

}  // namespace tandem::config
