// D3DKMT*: what programs name by GDI: displays, device contexts, windows.
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/thunk/adapter_open.h"

namespace tandem::kernel {
namespace {

constexpr std::size_t kNameUnits = 32;

struct OpenedDisplay {
  D3DKMT_HANDLE adapter = 0;
  LUID luid{};
  D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
};
static_assert(sizeof(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME) == kNameUnits * sizeof(WCHAR) + sizeof(OpenedDisplay));

// The name in ASCII capitals; "?" for each other character.
template <class Char>
std::string ReadName(const void* data) {
  std::string name;
  for (std::size_t i = 0; i < kNameUnits; ++i) {
    Char letter = 0;
    std::memcpy(&letter, static_cast<const std::byte*>(data) + i * sizeof(Char), sizeof(Char));
    if (letter == 0) break;
    const bool lower = letter >= 'a' && letter <= 'z';
    name.push_back(letter < 0x80 ? static_cast<char>(lower ? letter - 'a' + 'A' : letter) : '?');
  }
  return name;
}

// The number of a name such as \\.\DISPLAY1.
std::optional<UINT> DisplayNumber(std::string_view name) {
  constexpr std::string_view kPrefix = R"(\\.\DISPLAY)";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  UINT number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  return whole && number != 0 ? std::optional(number) : std::nullopt;
}

// The sources of all listed adapters count together, from 1.
NTSTATUS OpenDisplay(System& system, std::string_view name, OpenedDisplay& opened) {
  const auto number = DisplayNumber(name);
  if (!number) return STATUS_UNSUCCESSFUL;
  opened.source = *number - 1;
  for (const auto& unit : ListedUnits(system, AdapterList::kAll)) {
    const UINT sources = unit->description().vidpn_sources;
    if (opened.source >= sources) {
      opened.source -= sources;
      continue;
    }
    opened.luid = unit->description().luid;
    opened.adapter = OpenUnit(system, unit);
    return opened.adapter != 0 ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
  }
  return STATUS_UNSUCCESSFUL;
}

// What follows the name stands behind as many characters of the program's size.
template <class Char>
NTSTATUS OpenDisplay(System& system, void* data) {
  OpenedDisplay opened;
  const NTSTATUS status = OpenDisplay(system, ReadName<Char>(data), opened);
  if (NT_SUCCESS(status)) std::memcpy(static_cast<std::byte*>(data) + kNameUnits * sizeof(Char), &opened, sizeof(opened));
  return status;
}

// A Linux program's wchar_t has four bytes: its second unit is 0, which ends no name of the contract's.
bool HasWideCharacters(const D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME& data) {
  return data.DeviceName[0] != 0 && data.DeviceName[1] == 0;
}

// A source of a listed adapter.
struct Display {
  std::shared_ptr<AdapterInstance> unit;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
};

// Empty: there is no source, or more than one.
std::optional<Display> OnlyDisplay(System& system) {
  std::optional<Display> only;
  for (const auto& unit : ListedUnits(system, AdapterList::kAll)) {
    const UINT sources = unit->description().vidpn_sources;
    if (sources == 0) continue;
    if (only || sources > 1) return std::nullopt;
    only = Display{unit, 0};
  }
  return only;
}

// A device context of the caller's own stands for the only display. Windows refuses one that covers several.
NTSTATUS OpenFromHdc(System& system, D3DKMT_OPENADAPTERFROMHDC& data) {
  const auto only = data.hDc != nullptr ? OnlyDisplay(system) : std::nullopt;
  if (!only) return STATUS_INVALID_PARAMETER;
  data.hAdapter = OpenUnit(system, only->unit);
  data.AdapterLuid = only->unit->description().luid;
  data.VidPnSourceId = only->source;
  return data.hAdapter != 0 ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

// Windows looks at no window: minimized, hidden, covered and topmost ones are occluded while a device has the only display for
// itself, and none is where there are several displays (Wine's tests of gdi32, driver.c).
NTSTATUS CheckOcclusion(System& system, const D3DKMT_CHECKOCCLUSION& data) {
  if (data.hWindow == nullptr) return STATUS_INVALID_PARAMETER;
  const auto only = OnlyDisplay(system);
  if (!only) return STATUS_SUCCESS;
  const AdapterGuard guard(*only->unit);
  return guard.alive() ? only->unit->presenter().CheckExclusiveOwnership(only->source) : STATUS_SUCCESS;
}

}  // namespace
}  // namespace tandem::kernel

using namespace tandem::kernel;  // NOLINT(google-build-using-namespace): the thunks are C functions

NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME* data) {
  if (data == nullptr) return STATUS_UNSUCCESSFUL;
  return InThunk(data, [&](System& system) {
    return HasWideCharacters(*data) ? OpenDisplay<char32_t>(system, data) : OpenDisplay<char16_t>(system, data);
  });
}

NTSTATUS APIENTRY D3DKMTOpenAdapterFromHdc(D3DKMT_OPENADAPTERFROMHDC* data) {
  return InThunk(data, [&](System& system) { return OpenFromHdc(system, *data); });
}

// There are no names of device interfaces.
NTSTATUS APIENTRY D3DKMTOpenAdapterFromDeviceName(D3DKMT_OPENADAPTERFROMDEVICENAME* data) {
  return InThunk(data, [](System& /*system*/) { return STATUS_INVALID_PARAMETER; });
}

NTSTATUS APIENTRY D3DKMTCheckOcclusion(CONST D3DKMT_CHECKOCCLUSION* data) {
  return InThunk(data, [&](System& system) { return CheckOcclusion(system, *data); });
}
