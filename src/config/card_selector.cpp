#include "config/card_selector.h"

#include <algorithm>
#include <optional>
#include <string>

namespace tandem::config {
namespace {

constexpr std::string_view kPrefix = "kms";
constexpr std::string_view kFolder = "/dev/dri/";

struct CardWords {
  std::string_view card;       // "card1" or a driver's name; empty: any card
  std::string_view connector;  // empty: any
};

CardWords Split(std::string_view text) {
  text.remove_prefix(text.starts_with(kFolder) ? kFolder.size() : kPrefix.size());
  if (text.starts_with(':')) text.remove_prefix(1);
  const std::size_t colon = text.find(':');
  return {text.substr(0, colon), colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1)};
}

bool IsCalled(const AdapterInfo& adapter, std::string_view card) {
  return adapter.name == "kms:" + std::string(card) || adapter.driver_detail == card;
}

bool Shows(const AdapterInfo& adapter, std::string_view connector) {
  if (connector.empty()) return !adapter.outputs.empty();
  return std::ranges::find(adapter.outputs, connector) != adapter.outputs.end();
}

}  // namespace

bool IsCardSelector(std::string_view text) {
  return text == kPrefix || text.starts_with("kms:") || text.starts_with("/dev/dri/card");
}

Result<std::size_t> FindCard(std::string_view text, std::span<const AdapterInfo> adapters) {
  const CardWords words = Split(text);
  std::optional<std::size_t> found;
  std::string cards;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    const AdapterInfo& adapter = adapters[i];
    if (adapter.driver != kCardKind) continue;
    cards +=
        (cards.empty() ? "" : ", ") + adapter.name + (adapter.driver_detail.empty() ? "" : " (" + adapter.driver_detail + ")");
    if (!words.card.empty() && !IsCalled(adapter, words.card)) continue;
    if (Shows(adapter, words.connector)) return i;
    if (!found) found = i;
  }
  if (found) return *found;
  if (cards.empty()) {
    return Fail(ErrorKind::kNotFound,
                "'{}' is no card of this machine: /dev/dri has none. Load the card's driver, or name another adapter.", text);
  }
  return Fail(ErrorKind::kNotFound, "'{}' is no card of this machine; there are {}.", text, cards);
}

std::string NameOfCard(std::string_view text, const AdapterInfo& adapter) {
  const std::string_view connector = IsCardSelector(text) ? Split(text).connector : std::string_view();
  return adapter.name + (connector.empty() ? "" : ":" + std::string(connector));
}

}  // namespace tandem::config
