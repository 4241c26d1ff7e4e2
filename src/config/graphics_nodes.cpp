#include "config/graphics_nodes.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/unique_fd.h"
#include "config/selector.h"

namespace tandem::config {
namespace {

std::string PciAddressOf(const std::filesystem::path& device_link) {
  std::error_code error;
  const std::string name = std::filesystem::read_symlink(device_link, error).filename().string();
  const auto selector = ParseSelector(name);
  return selector.ok() && std::holds_alternative<PciSelector>(*selector) ? name : std::string();
}

// Nothing for a node that can be opened.
std::optional<ClosedNode::Reason> ReasonOf(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return ClosedNode::Reason::kAbsent;
  const UniqueFd node(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (node.valid()) return std::nullopt;
  return errno == ENOENT ? ClosedNode::Reason::kBlocked : ClosedNode::Reason::kForbidden;
}

}  // namespace

std::vector<ClosedNode> FindClosedNodes(const std::string& root) {
  std::vector<ClosedNode> nodes;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(root + "/sys/class/drm", error);
       !error && entry != std::filesystem::end(entry); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("renderD")) continue;
    const std::string path = "/dev/dri/" + name;
    if (const auto reason = ReasonOf(root + path)) nodes.push_back({path, PciAddressOf(entry->path() / "device"), *reason});
  }
  std::ranges::sort(nodes, {}, &ClosedNode::path);
  return nodes;
}

std::string Sentence(const ClosedNode& node) {
  const std::string device = node.pci_address.empty() ? node.path : fmt::format("{} ({})", node.path, node.pci_address);
  switch (node.reason) {
    case ClosedNode::Reason::kBlocked:
      return fmt::format(
          "{} is there and blocked: opening it answers \"No such file\", as cardwire does for programs that may not.", device);
    case ClosedNode::Reason::kAbsent: return fmt::format("{} is known to the kernel, and this sandbox does not have it.", device);
    case ClosedNode::Reason::kForbidden: return fmt::format("{} may not be opened by this user.", device);
  }
  return {};
}

}  // namespace tandem::config
