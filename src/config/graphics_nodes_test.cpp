#include "config/graphics_nodes.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace tandem::config {
namespace {

TEST(GraphicsNodes, BlockedNode_IsToldFromOneThatIsNotThere) {
  const auto root = std::filesystem::temp_directory_path() / ("tandem-nodes-" + std::to_string(getpid()));
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(root / "dev/dri");
  for (const auto& [node, device] : {std::pair{"renderD128", "../../0000:00:02.0"}, std::pair{"renderD129", "../../0000:01:00.0"},
                                     std::pair{"renderD130", "../../platform-gpu"}, std::pair{"card1", "../../0000:01:00.0"}}) {
    std::filesystem::create_directories(root / "sys/class/drm" / node);
    std::filesystem::create_symlink(device, root / "sys/class/drm" / node / "device");
  }
  std::ofstream(root / "dev/dri/renderD128") << "";
  // There for lstat(), and ENOENT for open(): what a program sees of a node that cardwire blocks.
  std::filesystem::create_symlink("nowhere", root / "dev/dri/renderD129");
  const auto nodes = FindClosedNodes(root);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].pci_address, "0000:01:00.0");
  EXPECT_EQ(nodes[0].reason, ClosedNode::Reason::kBlocked);
  EXPECT_EQ(Sentence(nodes[0]).find("/dev/dri/renderD129 (0000:01:00.0) is there and blocked"), 0U) << Sentence(nodes[0]);
  EXPECT_EQ(nodes[1].reason, ClosedNode::Reason::kAbsent);
  EXPECT_EQ(Sentence(nodes[1]), "/dev/dri/renderD130 is known to the kernel, and this sandbox does not have it.");
  EXPECT_TRUE(FindClosedNodes(root / "none").empty());
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace tandem::config
