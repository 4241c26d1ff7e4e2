#include "system/card_adapters.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "config/card_selector.h"
#include "drivers/kms/card/card_list.h"

namespace tandem::system {
namespace {

namespace fs = std::filesystem;

// The connectors of "card0" that something is plugged into, or may be: "Virtual-1".
std::vector<std::string> ConnectedTo(const std::string& card) {
  std::vector<std::string> connectors;
  const std::string prefix = card + "-";
  std::error_code error;
  for (auto entry = fs::directory_iterator("/sys/class/drm", error); !error && entry != fs::end(entry); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.starts_with(prefix + "Writeback")) continue;
    std::ifstream file(entry->path() / "status");
    std::string status;
    if (file >> status && status != "disconnected") connectors.push_back(Printable(name.substr(prefix.size())));
  }
  std::ranges::sort(connectors);
  return connectors;
}

config::AdapterInfo CardAdapter(const kms::CardNode& node) {
  const std::string card = node.path.substr(node.path.rfind('/') + 1);
  config::AdapterInfo info;
  info.name = "kms:" + card;
  info.kind = config::kCardKind;
  info.driver = config::kCardKind;
  info.driver_detail = node.driver;
  info.tier = 3;
  info.tier_reason = "The card is asked when it starts: 3 where it shows dma-bufs of shared pages, else 1.";
  info.outputs = ConnectedTo(card);
  info.can_display = true;
  return info;
}

}  // namespace

void AddCards(AdapterList& list) {
  for (const kms::CardNode& node : kms::ListCardNodes()) {
    list.adapters.insert(list.adapters.end() - 1, CardAdapter(node));
    list.surfaces.emplace(list.surfaces.end() - 1);
  }
  for (std::size_t i = 0; i < list.adapters.size(); ++i) list.adapters[i].index = static_cast<std::uint32_t>(i);
}

}  // namespace tandem::system
