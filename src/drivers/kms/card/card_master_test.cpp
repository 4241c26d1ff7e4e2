#include "drivers/kms/card/card_master.h"

#include <gtest/gtest.h>

namespace tandem::kms {
namespace {

// A copy of what Linux 6.12 prints as /sys/kernel/debug/dri/N/clients.
constexpr std::string_view kClients =
    "             command  tgid dev master a   uid      magic\n"
    "      systemd-logind   612   0   n    y     0          0\n"
    "        kwin wayland  1834   0   y    y  1000          0\n"
    "                 mpv  2711 128   n    n  1000          0\n";

TEST(KmsCardMaster, ClientWithTheMark_IsNamed) {
  const auto master = MasterOf(kClients);
  ASSERT_TRUE(master.has_value());
  EXPECT_EQ(master->command, "kwin wayland");
  EXPECT_EQ(master->pid, 1834U);
}

TEST(KmsCardMaster, NoClientWithTheMark_IsNobody) {
  EXPECT_FALSE(MasterOf(kClients.substr(0, kClients.find("        kwin"))).has_value());
  EXPECT_FALSE(MasterOf("").has_value());
}

TEST(KmsCardMaster, OtherText_IsNobody) {
  for (const std::string_view text :
       {"\n\n\n", "y y y y y", "                     y", "                    99999999999999 0 y\n"}) {
    EXPECT_FALSE(MasterOf(text).has_value()) << text;
  }
  EXPECT_EQ(MasterOf("      a\x1b[2Jb         1   0   y\n")->command.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tandem::kms
