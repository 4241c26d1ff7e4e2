#include "drivers/kms/card/card_list.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <fmt/ranges.h>

#include "base/printable.h"
#include "drivers/kms/card/drm.h"
#include "drivers/kms/card/resources.h"

namespace tandem::kms {
namespace {

constexpr std::string_view kNodePrefix = "/dev/dri/card";

// The number of "card12"; nothing for connectors ("card0-HDMI-A-1") and render nodes.
std::optional<unsigned> CardNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "card";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

// The driver of a device in sysfs. A virtio device stands below the PCI device that carries it. The kernel's own devices (vkms,
// vgem) have no driver and are called like theirs.
std::string DriverInSysfs(const std::filesystem::path& device) {
  std::error_code error;
  const std::string driver = std::filesystem::read_symlink(device / "driver", error).filename().string();
  if (driver == "virtio-pci") {
    for (std::filesystem::directory_iterator entry(device, error), end; !error && entry != end; entry.increment(error)) {
      if (!entry->path().filename().string().starts_with("virtio")) continue;
      std::error_code ignored;
      auto below = std::filesystem::read_symlink(entry->path() / "driver", ignored).filename().string();
      if (!below.empty()) return below;
    }
  }
  return driver.empty() ? std::filesystem::read_symlink(device, error).filename().string() : driver;
}

std::string ListText(const std::vector<CardNode>& nodes) {
  if (nodes.empty()) return "the machine has none";
  std::vector<std::string> names;
  for (const CardNode& node : nodes) {
    names.push_back(node.driver.empty() ? node.path : fmt::format("{} ({})", node.path, node.driver));
  }
  return fmt::format("there are {}", fmt::join(names, ", "));
}

Error NoSuchCard(const std::string& name, const std::vector<CardNode>& nodes) {
  return Fail(ErrorKind::kNotFound, "No card is called {}; {}.", name, ListText(nodes));
}

Result<std::string> FindByDriver(const std::string& driver, const std::vector<CardNode>& nodes) {
  const auto known = std::ranges::find(nodes, driver, &CardNode::driver);
  return known != nodes.end() ? Result<std::string>(known->path) : NoSuchCard(driver, nodes);
}

bool HasDisplay(const Card& card, const std::string& connector) {
  const auto resources = ReadResources(card);
  if (!resources.ok()) return false;
  if (!connector.empty()) return resources->FindConnector(connector) != nullptr;
  return std::ranges::any_of(resources->connectors, [](const Connector& one) {
    return !one.writeback() && !one.non_desktop && one.status == ConnectorStatus::kConnected;
  });
}

Result<std::unique_ptr<Card>> FindAny(const std::string& connector, const std::vector<CardNode>& nodes) {
  std::unique_ptr<Card> without_display;
  std::optional<Error> refused;
  for (const CardNode& node : nodes) {
    auto card = Card::Open(node.path);
    if (!card.ok()) {
      if (!refused) refused = std::move(card).error();
      continue;
    }
    if (HasDisplay(**card, connector)) return *std::move(card);
    if (without_display == nullptr) without_display = *std::move(card);
  }
  if (without_display != nullptr && connector.empty()) return without_display;
  if (without_display == nullptr && refused) return *std::move(refused);
  return Fail(ErrorKind::kNotFound, "No card{} can be opened; {}.", connector.empty() ? "" : " with connector " + connector,
              ListText(nodes));
}

Result<std::unique_ptr<Card>> FindDirectly(const CardName& name) {
  if (name.card.empty()) return FindAny(name.connector, ListCardNodes());
  auto path = FindCardPath(name.card);
  if (!path.ok()) return std::move(path).error();
  return Card::Open(*path);
}

Result<std::string> FindPathByConnector(const std::string& connector) {
  const std::vector<CardNode> nodes = ListCardNodes();
  const auto shows = std::ranges::find_if(nodes, [&connector](const CardNode& node) {
    const std::vector<std::string> connected = ConnectedTo(node);
    return connector.empty() ? !connected.empty() : std::ranges::find(connected, connector) != connected.end();
  });
  if (shows != nodes.end()) return shows->path;
  return Fail(ErrorKind::kNotFound, "No card has a display{}; {}.", connector.empty() ? "" : " at " + connector, ListText(nodes));
}

Result<std::unique_ptr<Card>> FindThroughSeat(const CardName& name, SeatListener& seat) {
  auto path = FindNode(name);
  if (!path.ok()) return std::move(path).error();
  auto session = SeatSession::Open(*path, seat);
  if (!session.ok()) return std::move(session).error();
  auto card = Card::Adopt((*session)->TakeCard(), false);
  if (card.ok()) (*card)->KeepOpener(*std::move(session));
  return card;
}

}  // namespace

std::vector<CardNode> ListCardNodes(const std::string& root) {
  std::vector<std::pair<unsigned, CardNode>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root + "/sys/class/drm", error), end; !error && entry != end;
       entry.increment(error)) {
    const auto number = CardNumber(entry->path().filename().string());
    if (!number) continue;
    found.emplace_back(*number, CardNode{fmt::format("{}{}", kNodePrefix, *number), DriverInSysfs(entry->path() / "device")});
  }
  std::ranges::sort(found, {}, &std::pair<unsigned, CardNode>::first);
  std::vector<CardNode> nodes;
  for (auto& [number, node] : found) nodes.push_back(std::move(node));
  return nodes;
}

std::vector<std::string> ConnectedTo(const CardNode& node) {
  std::vector<std::string> connectors;
  const std::string prefix = node.path.substr(node.path.rfind('/') + 1) + "-";
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/sys/class/drm", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.starts_with(prefix + "Writeback")) continue;
    std::ifstream file(entry->path() / "status");
    std::string status;
    if (file >> status && status != "disconnected") connectors.push_back(Printable(name.substr(prefix.size())));
  }
  std::ranges::sort(connectors);
  return connectors;
}

Result<std::string> FindCardPath(const std::string& name) {
  if (name.starts_with('/')) return name;
  const std::vector<CardNode> nodes = ListCardNodes();
  if (!CardNumber(name)) return FindByDriver(name, nodes);
  const std::string path = "/dev/dri/" + name;
  if (std::ranges::find(nodes, path, &CardNode::path) == nodes.end()) return NoSuchCard(name, nodes);
  return path;
}

Result<std::string> FindNode(const CardName& name) {
  return name.card.empty() ? FindPathByConnector(name.connector) : FindCardPath(name.card);
}

Result<std::unique_ptr<Card>> FindCard(const CardName& name, SeatListener* seat) {
  if (auto loaded = LoadDrm(); !loaded.ok()) return std::move(loaded).error();
  // Root's card must not depend on a console. A card that is opened beside the seat would be missed by the session that has it.
  if (seat == nullptr || geteuid() == 0) return FindDirectly(name);
  auto seated = FindThroughSeat(name, *seat);
  if (seated.ok()) return seated;
  auto direct = FindDirectly(name);
  if (direct.ok()) return direct;
  return Fail(direct.error().kind, "{} {}", direct.error().message, seated.error().message);
}

}  // namespace tandem::kms
