#include "cli/words.h"

#include <gtest/gtest.h>

namespace tandem::cli {
namespace {

const std::vector<std::string> kCommands{"run", "status", "adapters", "conform"};

TEST(Words, Nearest_IsAFewLettersAway) {
  EXPECT_EQ(Nearest("adpaters", kCommands), "adapters");
  EXPECT_EQ(Nearest("stat", kCommands), "");
  EXPECT_EQ(Nearest("statu", kCommands), "status");
  EXPECT_EQ(Nearest("rnu", kCommands), "run");
  EXPECT_EQ(Nearest("frobnicate", kCommands), "");
  EXPECT_EQ(Nearest("", kCommands), "");
}

TEST(Words, Help_BecomesAnOption) {
  EXPECT_EQ(Understood({"help", "run"}, kCommands), (std::vector<std::string>{"run", "--help"}));
  EXPECT_EQ(Understood({"help"}, kCommands), (std::vector<std::string>{"--help"}));
}

TEST(Words, Program_IsRun) {
  EXPECT_EQ(Understood({"sh", "-c", "true"}, kCommands), (std::vector<std::string>{"run", "--", "sh", "-c", "true"}));
  EXPECT_EQ(Understood({"/bin/sh"}, kCommands), (std::vector<std::string>{"run", "--", "/bin/sh"}));
}

TEST(Words, CommandsAndAnythingElse_Stay) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"status", "--json"}, {"--version"}, {"adpaters"}, {"/no/such/file"}, {}}) {
    EXPECT_EQ(Understood(words, kCommands), words);
  }
}

}  // namespace
}  // namespace tandem::cli
