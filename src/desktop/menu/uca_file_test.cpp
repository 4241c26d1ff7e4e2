#include "desktop/menu/uca_file.h"

#include <vector>

#include <gtest/gtest.h>

namespace tandem::desktop {
namespace {

const std::vector<UcaAction> kTwo = {{"Run on A&B <x>", "tandem launch --render 0 %f", "d"}, {"Run on C", "c", ""}};

// Unusual, and well-formed.
constexpr char kUsers[] =
    "<?xml version='1.0'  encoding=\"UTF-8\"?>\r\n<!DOCTYPE actions [ <!ELEMENT action (icon)*> ]>\n<!-- <action> in a comment "
    "-->\n"
    "<actions ><action><name>Mine &gt; yours</name><unique-id>1-1</unique-id><command>echo '%f' &amp;&amp; "
    "true</command></action>"
    "\t<action\n>\n<unique-id>X-Tandem</unique-id><name xml:lang=\"de\">\xc3\x9c</name><![CDATA[<action>]]></action></actions  > "
    " \n";

TEST(UcaActions_RoundTrip, LeavesEveryByteOfTheUsers) {
  for (const std::string& text : {std::string(kUsers), EmptyUcaFile()}) {
    const auto with = WithUcaActions(text, "uca.xml", kTwo);
    ASSERT_TRUE(with.ok()) << with.error().message;
    EXPECT_NE(with->find("<name>Run on A&amp;B &lt;x&gt;</name>"), std::string::npos) << *with;
    EXPECT_EQ(*WithoutUcaActions(*with, "uca.xml"), text);
    // Again: the old ones go.
    EXPECT_EQ(*WithUcaActions(*with, "uca.xml", kTwo), *with);
    EXPECT_EQ(*WithoutUcaActions(text, "uca.xml"), text);
  }
}

TEST(UcaActions_WrittenByThunar, AreFoundByTheirId) {
  const auto text = WithoutUcaActions(
      "<actions><action><icon></icon><unique-id>X-Tandem-menu-0</unique-id></action><action><unique-id>2</unique-id></action></"
      "actions>",
      "uca.xml");
  EXPECT_EQ(*text, "<actions><action><unique-id>2</unique-id></action></actions>");
}

TEST(UcaActions_FileThatIsNone, IsRefused) {
  for (const char* text : {"", "<actions>", "<actions/>", "<menu></menu>", "<actions></action>", "<actions>\xff</actions>", "no",
                           "<actions><action></actions>", "<a><actions></actions></a>"}) {
    const auto with = WithUcaActions(text, "uca.xml", kTwo);
    ASSERT_FALSE(with.ok()) << text;
    EXPECT_EQ(with.error().kind, ErrorKind::kUnsupported);
  }
}

}  // namespace
}  // namespace tandem::desktop
