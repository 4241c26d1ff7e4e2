#include "conform/printed.h"

#include <gtest/gtest.h>

namespace tandem::conform {
namespace {

constexpr char kAddress[] =
    "driver: starting\n"
    "=================================================================\n"
    "==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014\n"
    "WRITE of size 4 at 0x602000000014 thread T0\n"
    "    #0 0x7f0000001139 in Present driver.c:12\n"
    "SUMMARY: AddressSanitizer: heap-buffer-overflow driver.c:12 in Present\n"
    "Shadow bytes around the buggy address:\n"
    "  0x0c047fff7fb0: 00 00\n"
    "==77==ABORTING\n";

TEST(Printed, SanitizerReport_HasNoAddress) {
  EXPECT_EQ(SanitizerReport(kAddress), "AddressSanitizer: heap-buffer-overflow driver.c:12 in Present");
  EXPECT_EQ(SanitizerReport("driver.c:7:3: runtime error: signed integer overflow\n"),
            "UndefinedBehaviorSanitizer: driver.c:7:3, signed integer overflow");
  EXPECT_EQ(SanitizerReport("a runtime error\nSUMMARY: all is well\n"), "");
}

// Two races, of a driver and of code beside it that the driver's thread runs.
constexpr char kOwnRace[] =
    "WARNING: ThreadSanitizer: data race (pid=7)\n"
    "  Write of size 2 at 0x7b7800000f0a by thread T13 (mutexes: write M134):\n"
    "    #0 memcpy sanitizer.inc:12 (libtsan.so.2+0x12)\n"
    "    #1 Queue::Take() Queue.cpp:76 (driver.so+0xeeba)\n"
    "\n"
    "  Previous read of size 2 at 0x7b7800000f0a by main thread:\n"
    "    #0 Kernel::Start() start.cpp:9 (tandem+0x57275c)\n"
    "\n"
    "SUMMARY: ThreadSanitizer: data race Queue.cpp:76 in Queue::Take()\n";
constexpr char kOthersRace[] =
    "WARNING: ThreadSanitizer: data race (pid=7)\n"
    "  Write of size 8 at 0x7ba000000070 by main thread:\n"
    "    #0 close sanitizer.inc:12 (libtsan.so.2+0x12)\n"
    "    #1 Descriptor::Reset() descriptor.cpp:14 (tandem+0x12c)\n"
    "\n"
    "  Previous read of size 8 at 0x7ba000000070 by thread T3:\n"
    "    #0 Event::Set() event.cpp:9 (tandem+0x57275c)\n"
    "\n"
    "  Location is heap block of size 32 at 0x7ba000000070 allocated by main thread:\n"
    "    #0 Pool::Take() Pool.cpp:3 (driver.so+0xe)\n"
    "\n"
    "  Thread T3 (tid=9, running) created by main thread at:\n"
    "    #0 Queue::Start() Queue.cpp:9 (driver.so+0xe)\n"
    "\n"
    "SUMMARY: ThreadSanitizer: data race descriptor.cpp:14 in Descriptor::Reset()\n";

TEST(Printed, RacesOfOthers_AreLeftOut) {
  const std::string before = "driver: starting\n", after = "driver: done\n";
  EXPECT_EQ(WithoutOthersRaces(before + kOthersRace + kOwnRace + after, "driver.so"), before + kOwnRace + after);
  EXPECT_EQ(WithoutOthersRaces(before + kOwnRace + kOthersRace + after, "other.so"), before + after);
  EXPECT_EQ(WithoutOthersRaces(kAddress, "other.so"), kAddress);
}

TEST(Printed, TakeRaces_NamesEachPlaceOnce_AndLeavesTheRest) {
  const Races races = TakeRaces(std::string("one\n") + kOwnRace + "two\n" + kOthersRace + kOwnRace + kAddress);
  EXPECT_EQ(races.places,
            (std::vector<std::string>{"Queue.cpp:76 in Queue::Take()", "descriptor.cpp:14 in Descriptor::Reset()"}));
  EXPECT_EQ(races.others, std::string("one\ntwo\n") + kAddress);
  EXPECT_EQ(races.reports, std::string(kOwnRace) + kOthersRace + kOwnRace);
}

TEST(Printed, RaceThatIsCutOff_Stays) {
  const std::string part = "WARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 8 at 0x7ba000000070 by main thread:\n";
  EXPECT_EQ(WithoutOthersRaces(part, "driver.so"), part);
  EXPECT_EQ(WithoutOthersRaces(part + kOthersRace, "driver.so"), part);
}

TEST(Printed, Excerpt_OfASanitizer_BeginsWithTheErrorAndHasNoShadowBytes) {
  const std::string excerpt = Excerpt(kAddress, 10);
  EXPECT_TRUE(excerpt.starts_with("==77==ERROR: AddressSanitizer")) << excerpt;
  EXPECT_TRUE(excerpt.ends_with("in Present\n")) << excerpt;
  EXPECT_EQ(Excerpt(kAddress, 1), "==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014\n");
}

TEST(Printed, Excerpt_OfAnythingElse_IsItsLastLines) {
  EXPECT_EQ(Excerpt("one\ntwo\nthree", 2), "two\nthree\n");
  EXPECT_EQ(Excerpt("\033[1mred\ttext\r\n", 5), "?[1mred\ttext?\n");
  EXPECT_EQ(Excerpt("", 5), "");
}

}  // namespace
}  // namespace tandem::conform
