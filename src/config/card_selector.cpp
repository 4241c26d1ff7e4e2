#include "config/card_selector.h"

#include <string>

namespace tandem::config {
namespace {

constexpr std::string_view kPrefix = "kms";
constexpr std::string_view kFolder = "/dev/dri/";

// "card1" or a driver's name; empty: any card.
std::string_view CardPart(std::string_view text) {
  text.remove_prefix(text.starts_with(kFolder) ? kFolder.size() : kPrefix.size());
  if (text.starts_with(':')) text.remove_prefix(1);
  return text.substr(0, text.find(':'));
}

}  // namespace

bool IsCardSelector(std::string_view text) {
  return text == kPrefix || text.starts_with("kms:") || text.starts_with("/dev/dri/card");
}

Result<std::size_t> FindCard(std::string_view text, std::span<const AdapterInfo> adapters) {
  const std::string_view wanted = CardPart(text);
  // sysfs names no driver for virtual cards: the one that is opened tells.
  const bool may_be_unnamed = !wanted.starts_with("card");
  std::string cards;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    const AdapterInfo& adapter = adapters[i];
    if (adapter.driver != kCardKind) continue;
    if (wanted.empty() || adapter.name == "kms:" + std::string(wanted) || adapter.driver_detail == wanted ||
        (may_be_unnamed && adapter.driver_detail.empty())) {
      return i;
    }
    cards += (cards.empty() ? "" : ", ") + adapter.name;
  }
  if (cards.empty()) {
    return Fail(ErrorKind::kNotFound,
                "'{}' is no card of this machine: /dev/dri has none. Load the card's driver, or name another adapter.", text);
  }
  return Fail(ErrorKind::kNotFound, "'{}' is no card of this machine; there are {}.", text, cards);
}

}  // namespace tandem::config
