#include "system/card_adapters.h"

#include "config/card_selector.h"
#include "drivers/kms/card/card_list.h"

namespace tandem::system {
namespace {

std::string NameOf(const kms::CardNode& node) { return node.path.substr(node.path.rfind('/') + 1); }

config::AdapterInfo CardAdapter(const kms::CardNode& node) {
  config::AdapterInfo info;
  info.name = "kms:" + NameOf(node);
  info.kind = config::kCardKind;
  info.driver = config::kCardKind;
  info.driver_detail = node.driver;
  info.tier = 3;
  info.tier_reason = "The card is asked when it starts: 3 where it shows dma-bufs of shared pages, else 1.";
  info.outputs = kms::ConnectedTo(node);
  info.can_display = true;
  return info;
}

}  // namespace

std::vector<CardDriver> CardDrivers(const std::string& root) {
  std::vector<CardDriver> cards;
  for (const kms::CardNode& node : kms::ListCardNodes(root)) cards.push_back({NameOf(node), node.driver});
  return cards;
}

void AddCards(AdapterList& list) {
  for (const kms::CardNode& node : kms::ListCardNodes()) {
    list.adapters.insert(list.adapters.end() - 1, CardAdapter(node));
    list.surfaces.emplace(list.surfaces.end() - 1);
  }
  for (std::size_t i = 0; i < list.adapters.size(); ++i) list.adapters[i].index = static_cast<std::uint32_t>(i);
}

}  // namespace tandem::system
