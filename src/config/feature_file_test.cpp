#include "config/feature_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

#include "config/config_io.h"

namespace tandem::config {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFile = R"(# Ours.
[all.HWSCH]
enabled = true  # look at it

# For the soft one.
[adapter."soft".SAMPLE]
min_version = 3
max_version = 4
)";

std::string Refusal(std::string_view text) {
  const auto parsed = ParseFeatureText(text, "f.toml");
  return parsed.ok() ? "accepted" : parsed.error().message;
}

FeatureEntry Entry(std::string adapter, std::string feature, std::optional<bool> enabled) {
  FeatureEntry entry{std::move(adapter), std::move(feature), {}};
  entry.values.enabled = enabled;
  return entry;
}

std::string Changed(std::string_view text, const FeatureEntry& entry) {
  const auto changed = WithFeatureEntry(text, "f.toml", entry);
  return changed.ok() ? *changed : changed.error().message;
}

TEST(FeatureFile, Parse_BothKindsOfTables_GiveEntries) {
  const auto entries = ParseFeatureText(kFile, "f.toml");
  ASSERT_TRUE(entries.ok()) << entries.error().message;
  ASSERT_EQ(entries->size(), 2U);
  const auto soft = std::ranges::find(*entries, "soft", &FeatureEntry::adapter);
  ASSERT_NE(soft, entries->end());
  EXPECT_EQ(soft->feature, "SAMPLE");
  EXPECT_EQ(soft->values.min_version, 3);
  EXPECT_EQ(soft->values.max_version, 4);
  EXPECT_FALSE(soft->values.enabled);
  const auto all = std::ranges::find(*entries, "", &FeatureEntry::adapter);
  ASSERT_NE(all, entries->end());
  EXPECT_EQ(all->values.enabled, true);
}

TEST(FeatureFile, Parse_WhatIsNotAllowed_IsSaidWithItsLine) {
  EXPECT_THAT(Refusal("[all.SAMPLE]\nenabled = 2\n"), HasSubstr("f.toml:2: enabled:"));
  EXPECT_THAT(Refusal("[all.SAMPLE]\nenable = true\n"), HasSubstr("'enable' is none of enabled, min_version"));
  EXPECT_THAT(Refusal("[all.SAMPLE]\nmin_version = 0\n"),
              HasSubstr("f.toml:2: min_version: '0' is not a version from 1 to 65535"));
  EXPECT_THAT(Refusal("[all.SAMPLE]\nmin_version = 65536\n"), HasSubstr("'65536'"));
  EXPECT_THAT(Refusal("[all.SAMPLE]\nmin_version = true\n"), HasSubstr("'true'"));
  EXPECT_THAT(Refusal("[all.SAMPLE]\nenabled = \"yes\"\n"), HasSubstr("neither true, false nor a whole number"));
  EXPECT_THAT(Refusal("[all]\nSAMPLE = 1\n"), HasSubstr("f.toml:2: SAMPLE is not a table"));
  EXPECT_THAT(Refusal("[default]\n"), HasSubstr("'default' is none of the tables"));
  EXPECT_THAT(Refusal("[adapter.\"\".SAMPLE]\nenabled = 1\n"), HasSubstr("f.toml:1"));
  EXPECT_THAT(Refusal("[all.S\xC3\x84MPLE]\nenabled = true\n"), HasSubstr("f.toml:1: 'Ä' stands outside quotes"));
}

TEST(FeatureFile, Set_KeyThatIsThere_KeepsTheRestAndTheComment) {
  EXPECT_EQ(Changed(kFile, Entry("", "HWSCH", false)), R"(# Ours.
[all.HWSCH]
enabled = false  # look at it

# For the soft one.
[adapter."soft".SAMPLE]
min_version = 3
max_version = 4
)");
}

TEST(FeatureFile, Set_NewKeyAndNewTable_AreAdded) {
  FeatureEntry entry = Entry("soft", "SAMPLE", true);
  entry.values.min_version = 3;
  entry.values.max_version = 5;
  EXPECT_THAT(Changed(kFile, entry), HasSubstr("[adapter.\"soft\".SAMPLE]\nenabled = true\nmin_version = 3\nmax_version = 5\n"));
  EXPECT_THAT(Changed(kFile, Entry("a \"b\" \\c", "64K_PT_DEMOTION_FIX", true)),
              HasSubstr("max_version = 4\n\n[adapter.\"a \\\"b\\\" \\\\c\".64K_PT_DEMOTION_FIX]\nenabled = true\n"));
  EXPECT_EQ(Changed("", Entry("", "SAMPLE", true)), "[all.SAMPLE]\nenabled = true\n");
}

TEST(FeatureFile, Unset_WholeEntry_LeavesTheComments) {
  EXPECT_EQ(Changed(kFile, Entry("soft", "SAMPLE", std::nullopt)), R"(# Ours.
[all.HWSCH]
enabled = true  # look at it

# For the soft one.
)");
  EXPECT_EQ(Changed(kFile, Entry("", "NATIVE_FENCE", std::nullopt)), kFile);
  EXPECT_EQ(Changed("[all.HWSCH]\nenabled = 1\n\n[all.SAMPLE]\nenabled = 0\n", Entry("", "HWSCH", std::nullopt)),
            "[all.SAMPLE]\nenabled = 0\n");
}

TEST(FeatureFile, Change_FileThatIsNotWrittenLineByLine_IsRefused) {
  EXPECT_THAT(Changed("[all]\nSAMPLE = { enabled = true, min_version = 3, max_version = 4 }\n", Entry("", "SAMPLE", false)),
              HasSubstr("change it by hand"));
  EXPECT_THAT(Changed("all.SAMPLE.enabled = true\n", Entry("", "HWSCH", true)), HasSubstr("[all.HWSCH]"));
}

TEST(FeatureFile, ChangeOnDisk_ReplacesTheFileInOneStep) {
  const auto directory = std::filesystem::temp_directory_path() / ("tandem-features-" + std::to_string(getpid()));
  std::filesystem::remove_all(directory);
  const std::string path = (directory / "deeper" / "features.toml").string();
  EXPECT_TRUE(ReadFeatureFile(path)->empty());
  ASSERT_TRUE(ChangeFeatureFile(path, Entry("", "SAMPLE", true)).ok());
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  ASSERT_TRUE(ChangeFeatureFile(path, Entry("", "SAMPLE", false)).ok());
  const auto entries = ReadFeatureFile(path);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 1U);
  EXPECT_EQ(entries->front().values.enabled, false);
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
  // No half-written file is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory / "deeper"), {}), 1);
  // A file that does not parse is not touched.
  std::ofstream(path) << "[all.SAMPLE\n";
  EXPECT_FALSE(ChangeFeatureFile(path, Entry("", "SAMPLE", true)).ok());
  EXPECT_EQ(**ReadConfigFile(path), "[all.SAMPLE\n");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tandem::config
