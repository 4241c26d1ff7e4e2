// Registry values and ACPI answers out of a file.
#include "system/driver_file.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::system {
namespace {

using kernel::RegistryRoot;
using testing::HasSubstr;

std::vector<unsigned> Bytes(const std::vector<std::byte>& data) {
  std::vector<unsigned> numbers;
  for (const std::byte byte : data) numbers.push_back(static_cast<unsigned>(byte));
  return numbers;
}

TEST(DriverFile, EachKindOfValue_HasItsTypeAndBytes) {
  const auto settings = ParseDriverText(
      "[registry.driver]\nBlob = { binary = \"00 ff\" }\nCount = 258\n[registry.device]\nName = \"ab\"\n[registry.service.A.B]\n"
      "Big = { qword = 4294967296 }\nList = [\"a\", \"b\"]\n",
      "d.toml");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  std::map<std::string, kernel::RegistryValue> by_name;
  for (const auto& value : settings->registry) by_name[value.name] = value;
  ASSERT_EQ(by_name.size(), 5U);
  EXPECT_EQ(by_name["Blob"].type, 3U);
  EXPECT_THAT(Bytes(by_name["Blob"].data), testing::ElementsAre(0, 255));
  EXPECT_EQ(by_name["Count"].type, 4U);
  EXPECT_THAT(Bytes(by_name["Count"].data), testing::ElementsAre(2, 1, 0, 0));
  EXPECT_EQ(by_name["Name"].root, RegistryRoot::kDevice);
  EXPECT_THAT(Bytes(by_name["Name"].data), testing::ElementsAre('a', 0, 'b', 0, 0, 0));
  EXPECT_EQ(by_name["Big"].type, 11U);
  EXPECT_EQ(by_name["Big"].root, RegistryRoot::kService);
  EXPECT_EQ(by_name["Big"].subkey, "A\\B");
  EXPECT_THAT(Bytes(by_name["Big"].data), testing::ElementsAre(0, 0, 0, 0, 1, 0, 0, 0));
  EXPECT_EQ(by_name["List"].type, 7U);
  EXPECT_THAT(Bytes(by_name["List"].data), testing::ElementsAre('a', 0, 0, 0, 'b', 0, 0, 0, 0, 0));
}

TEST(DriverFile, AcpiMethods_AnswerNumbersTextsBuffersAndPackages) {
  const auto settings =
      ParseDriverText("[acpi.methods]\n_DOD = [256, \"x\"]\n_DDC = { binary = \"0102\" }\n_DCS = 31\n", "d.toml");
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  std::map<std::string, std::vector<kernel::AcpiArgument>> by_name;
  for (const auto& answer : settings->acpi) by_name[answer.method] = answer.arguments;
  ASSERT_EQ(by_name["_DOD"].size(), 2U);
  EXPECT_EQ(by_name["_DOD"][0].type, 0U);
  EXPECT_THAT(Bytes(by_name["_DOD"][0].data), testing::ElementsAre(0, 1, 0, 0));
  EXPECT_EQ(by_name["_DOD"][1].type, 1U);
  EXPECT_THAT(Bytes(by_name["_DOD"][1].data), testing::ElementsAre('x', 0));
  ASSERT_EQ(by_name["_DDC"].size(), 1U);
  EXPECT_EQ(by_name["_DDC"][0].type, 2U);
  EXPECT_EQ(by_name["_DCS"].size(), 1U);
}

TEST(DriverFile, WrongFiles_AreRefusedWithLineAndReason) {
  const auto error = [](const char* text) {
    const auto settings = ParseDriverText(text, "d.toml");
    return settings.ok() ? std::string() : settings.error().message;
  };
  EXPECT_THAT(error("[registry.driver]\nA = 1\nB = 4294967296\n"), HasSubstr("d.toml:3: 'B' is not within 0 and 4294967295"));
  EXPECT_THAT(error("[registry.driver]\nA = 1.5\n"), HasSubstr("d.toml:2: 'A' is none of"));
  EXPECT_THAT(error("[registry.driver]\nA = { binary = \"0\" }\n"), HasSubstr("hexadecimal"));
  EXPECT_THAT(error("[registry.driver]\nA = [1]\n"), HasSubstr("d.toml:2: An element of the list 'A'"));
  EXPECT_THAT(error("[registry.disk]\nA = 1\n"), HasSubstr("'disk' is none of the tables"));
  EXPECT_THAT(error("[acpi.methods]\n_DO = 1\n"), HasSubstr("d.toml:2: '_DO' is not the name of an ACPI method"));
  EXPECT_THAT(error("[acpi.methods]\n_DOD = true\n"), HasSubstr("'_DOD' answers none of"));
  EXPECT_THAT(error("[power]\n"), HasSubstr("'power' is none of the tables"));
  EXPECT_THAT(error("[registry.driver\n"), HasSubstr("d.toml:1"));
}

}  // namespace
}  // namespace tandem::system
