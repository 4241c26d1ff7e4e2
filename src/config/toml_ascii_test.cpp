#include "config/toml_ascii.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "config/toml.h"

namespace tandem::config {
namespace {

// The value of `v` that the parser finds, or the refusal.
std::string ValueIn(std::string_view text) {
  const auto parsed = ParseToml(text, "f");
  return parsed.ok() ? (*parsed)["v"].value_or(std::string("no text")) : parsed.error().message;
}

std::string Rewritten(std::string_view text) {
  const auto ascii = AsciiToml(text, "f");
  return ascii.ok() ? *ascii : ascii.error().message;
}

TEST(AsciiToml, EachPlace_IsRewrittenInItsOwnWay) {
  EXPECT_EQ(Rewritten("# ü'\"\nv = \"ü€𝄞\"\n"), "# ?'\"\nv = \"\\u00FC\\u20AC\\U0001D11E\"\n");
  EXPECT_EQ(Rewritten("\xEF\xBB\xBFv = 1 # ü\n"), "v = 1 # ?\n");
  EXPECT_EQ(Rewritten("[app.\"ünï\"]\n"), "[app.\"\\u00FCn\\u00EF\"]\n");
  EXPECT_EQ(Rewritten("v = 'C:\\a \"ü\"'\n"), "v = \"C:\\\\a \\\"\\u00FC\\\"\"\n");
  EXPECT_EQ(Rewritten("v = 'C:\\'\n"), "v = 'C:\\'\n");
}

TEST(AsciiToml, TextsInEveryKindOfQuotes_KeepTheirValue) {
  EXPECT_EQ(ValueIn("v = \"a\\t\\\"ü\\\\\" # \"é\n"), "a\t\"ü\\");
  EXPECT_EQ(ValueIn("v = 'a\\t\"ü\\' # 'é\n"), "a\\t\"ü\\");
  EXPECT_EQ(ValueIn("v = \"\"\"\nü \"\"\\\"\"# é\n  \\\n   日\"\"\"\"\" # é\n"), "ü \"\"\"\"# é\n  日\"\"");
  EXPECT_EQ(ValueIn("v = '''\nü\\ ''# \"\"\" é\n'''''\n"), "ü\\ ''# \"\"\" é\n''");
  EXPECT_EQ(ValueIn("k = ''\nl = \"\"\nv = 'é'\n"), "é");
  EXPECT_EQ(ValueIn("'ü' = 1\nv = \"\xF4\x8F\xBF\xBF\"\n"), "\xF4\x8F\xBF\xBF");
}

TEST(AsciiToml, CharacterOutsideQuotes_IsRefusedWithItsLine) {
  constexpr std::string_view kRefusal = "f:3: 'ü' stands outside quotes; write names and values with such characters in quotes.";
  for (const char* text : {"# é\nk = \"é\"\n[ü]\n", "\n\nü = 1", "k = '''\né'''\nv = ü", "k = \"\"\"\n\"\"\"\nv = 'a'ü",
                           "\n\nv = \"a\\\\\"ü\"", "k = \"é\n\nü = \"a\""}) {
    EXPECT_EQ(Rewritten(text), kRefusal) << text;
  }
}

TEST(AsciiToml, BytesThatAreNotUtf8_AreRefusedWithTheirLine) {
  for (const std::string_view bytes : {"\xFF", "\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                                       "\xF4\x90\x80\x80", "\xC3", "\xE2\x82", "\xC3(", "\xF5\x80\x80\x80"}) {
    for (const char* before : {"\n# ", "\nv = \"", "\nv = '", "\n"}) {
      EXPECT_EQ(Rewritten(before + std::string(bytes)),
                fmt::format("f:2: Byte {:#x} is not UTF-8; save the file as UTF-8.", static_cast<unsigned char>(bytes[0])));
    }
  }
}

TEST(AsciiToml, MalformedText_StaysMalformedAtItsLine) {
  EXPECT_EQ(ValueIn("# é\nv = \"\\é\"\n"), "f:2: '\\é' is not an escape; write a backslash as '\\\\'.");
  for (const char* text : {"# é\nv = \"é\nk = 1\n", "# é\nv = 'é\nk = 1\n", "k = 'é'\nv = \"a\\", "k = 'é'\nv = 'a\\",
                           "k = 'é'\nv = \"\\q\"", "k = 'é'\nv = \"a\\\nb\""}) {
    EXPECT_EQ(ValueIn(text).substr(0, 4), "f:2:") << text;
  }
}

}  // namespace
}  // namespace tandem::config
