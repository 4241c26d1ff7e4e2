// Render nodes that the kernel has and this process cannot open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::config {

struct ClosedNode {
  // kBlocked: the node is there, and opening it answers that it is not, as cardwire does. kAbsent: the sandbox has no such node.
  enum class Reason : std::uint8_t { kBlocked, kAbsent, kForbidden };
  std::string path;         // "/dev/dri/renderD129"
  std::string pci_address;  // empty for a device on another bus
  Reason reason = Reason::kAbsent;
};

// Opens each node, which wakes a GPU that sleeps. Folders are those below `root`; "" is the machine's own.
[[nodiscard]] std::vector<ClosedNode> FindClosedNodes(const std::string& root);
// One sentence.
[[nodiscard]] std::string Sentence(const ClosedNode& node);

}  // namespace tandem::config
