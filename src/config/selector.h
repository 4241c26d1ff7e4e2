// Which adapter a user's words mean, and which pair is taken when there are none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "config/adapter_info.h"
#include "config/settings.h"

namespace tandem::config {

struct IndexSelector {
  std::uint32_t index = 0;  // AdapterInfo::index
};
struct PciSelector {
  std::string address;  // "0000:01:00.0", lower case; the domain is added when it was left out
};
struct DeviceIdSelector {
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
};
struct UuidSelector {
  std::array<std::uint8_t, 16> uuid{};  // of the device
};
struct NameSelector {
  std::string part;  // lower case
};
// "power-saving" or "high-performance": the best of this machine for it, so there is one wherever an adapter renders.
struct PurposeSelector {
  bool power_saving = false;
};
using Selector = std::variant<IndexSelector, PciSelector, DeviceIdSelector, UuidSelector, NameSelector, PurposeSelector>;

// "1"; "0000:01:00.0" or "01:00.0"; "10de:2684"; a UUID with or without hyphens; "power-saving" or "high-performance"; anything
// else is a part of the name. Takes any bytes. Errors: kInvalidArgument (empty), kLimit (kMaxSelectorBytes).
[[nodiscard]] Result<Selector> ParseSelector(std::string_view text);

// An adapter by itself fits a PurposeSelector by its kind: high performance is what a discrete one has.
[[nodiscard]] bool Matches(const Selector& selector, const AdapterInfo& adapter);

// The position in `adapters` of the only one that `text` means; words for a card are card_selector.h's. Errors: FindCard's,
// ParseSelector's; kNotFound with all adapters listed; kInvalidArgument with the candidates when there are several (a name that
// fits one adapter wholly wins over parts of others).
[[nodiscard]] Result<std::size_t> FindAdapter(std::string_view text, std::span<const AdapterInfo> adapters);

// "00000000-0000-0000-0000-000000000002"
[[nodiscard]] std::string UuidText(const std::array<std::uint8_t, 16>& uuid);

// The text with which FindAdapter() finds the adapter at `position` again: its PCI address, else its UUID, else its index, the
// only one that another order of drivers changes.
[[nodiscard]] std::string SelectorOf(std::size_t position, std::span<const AdapterInfo> adapters);

struct AdapterPair {
  std::size_t render = 0;  // positions in the list
  std::size_t display = 0;
  std::string render_reason;  // one sentence each
  std::string display_reason;
};

// The best display adapter among those that have the output ("wsi-wayland"), beside `render` if possible.
[[nodiscard]] std::optional<std::size_t> FindDisplayWith(std::string_view output, std::span<const AdapterInfo> adapters,
                                                         std::size_t render);

// The adapter that follows a lost one, with `kind` for the frames: the best that ChooseAdapters() would take in its place, except
// those at the positions in `lost`.
[[nodiscard]] std::optional<std::size_t> FindNextDisplay(OutputSpec::Kind kind, std::span<const AdapterInfo> adapters,
                                                         std::size_t render, std::span<const std::size_t> lost);

// The best adapter for rendering, except those at the positions in `lost`.
[[nodiscard]] std::optional<std::size_t> FindNextRender(std::span<const AdapterInfo> adapters, std::span<const std::size_t> lost);

// The pair for the settings' selectors. Rules where a selector is empty:
// - render: an adapter that runs Vulkan programs; discrete before integrated, virtual, cpu; the first in the list among equals.
// - display: another adapter than the render one, that can display; integrated before discrete and virtual (the panel hangs on
// it),
//   then an adapter that only displays (the soft one), then a cpu that also renders, at last the render adapter itself.
//   An output to a file, or to nowhere, needs an adapter whose outputs include "headless".
// Errors: FindAdapter's; kNotFound when no adapter can do the work; kUnsupported when the named one cannot.
[[nodiscard]] Result<AdapterPair> ChooseAdapters(const Settings& settings, std::span<const AdapterInfo> adapters);

}  // namespace tandem::config
