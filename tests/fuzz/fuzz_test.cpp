// `tandem fuzz` on sound and on broken drivers: what is found is shortened, written and replayed.
#include <fstream>

#include "tests/fuzz/built_driver.h"

namespace tandem::test {
namespace {

using FuzzCommandTest = BuiltDriver;

TEST_F(FuzzCommandTest, SoundDriver_NothingIsFoundAndMostCallsReachIt) {
  const auto report = Fuzz(Module("soft"), {"--runs", "30"});
  EXPECT_TRUE(report["findings"].empty()) << report.dump(2);
  EXPECT_EQ(report["runs"], 30);
  EXPECT_GT(report["reached"].get<int>(), 50) << report.dump(2);
  EXPECT_EQ(report["reached"].get<int>() + report["answered_by_kernel"].get<int>(), report["calls"].get<int>());
}

TEST_F(FuzzCommandTest, DisplayOnlyExample_NothingIsFound) {
  const auto report = Fuzz(Build("SOUND"), {"--runs", "12"});
  EXPECT_TRUE(report["findings"].empty()) << report.dump(2);
  EXPECT_GT(report["reached"].get<int>(), 12) << report.dump(2);
}

// The first word of the data counts the words behind it; the driver believes it.
TEST_F(FuzzCommandTest, EscapePastItsBuffer_IsOneCallWithAPlaceInTheSource) {
  const std::string driver = Build("ESCAPE_TOO_FAR");
  const auto report = Fuzz(driver, {"--runs", "20"});
  const auto finding = FindingWith(report, "The driver crashed in DxgkDdiEscape");
  ASSERT_FALSE(finding.is_null()) << report.dump(2);
  EXPECT_EQ(finding["name"], "Crash");
  EXPECT_EQ(finding["steps"].size(), 1U) << finding.dump(2);
  EXPECT_EQ(finding["replays"], finding["replays_tried"]);
  EXPECT_NE(finding["stack"][0].get<std::string>().find("broken.so+0x"), std::string::npos) << finding.dump(2);
  EXPECT_EQ(report["findings"].size(), 1U) << "One stack is one finding.";
  const auto again = Fuzz(driver, {"--replay", finding["file"].get<std::string>()});
  EXPECT_FALSE(FindingWith(again, "The driver crashed in DxgkDdiEscape").is_null()) << again.dump(2);
}

// One started driver plays many sequences, and one alone has not so many escapes.
TEST_F(FuzzCommandTest, FaultOfManySequences_IsFoundWithAllThatItNeeds) {
  const auto report = Fuzz(Build("TIRES"), {"--runs", "400"});
  const auto finding = FindingWith(report, "The driver crashed in DxgkDdiEscape");
  ASSERT_FALSE(finding.is_null()) << report.dump(2);
  EXPECT_GT(finding["steps"].size(), 30U) << finding.dump(2);
  EXPECT_EQ(finding["replays"], finding["replays_tried"]);
}

// Its device is the virtio GPU.
TEST_F(FuzzCommandTest, VirtioGpuExample_NothingIsFoundAndEdgesAreTaken) {
  const auto report = Fuzz(BuildFrom({TANDEM_SOURCE_DIR "/examples/virtio_gpu"}, {"--coverage"}), {"--runs", "300"});
  EXPECT_TRUE(report["findings"].empty()) << report.dump(2);
  EXPECT_GT(report["reached"].get<int>(), 300) << report.dump(2);
  EXPECT_LT(report["edges_taken"].get<int>(), report["edges"].get<int>()) << report.dump(2);
  EXPECT_GT(report["edges_taken"].get<int>(), report["edges"].get<int>() / 4) << report.dump(2);
}

TEST_F(FuzzCommandTest, VirtioGpuExample_WithoutAPatchLocation_IsNamed) {
  const auto report =
      Fuzz(BuildFrom({TANDEM_SOURCE_DIR "/examples/virtio_gpu"}, {"-D", "FORGET_REFERENCE"}), {"--runs", "200", "--jobs", "2"});
  EXPECT_EQ(report["runs"], 200);
  EXPECT_FALSE(FindingWith(report, "Present.EveryReferenceIsListed").is_null()) << report.dump(2);
}

TEST_F(FuzzCommandTest, EscapeOfAFullDriverPastItsBuffer_IsFound) {
  const auto report = Fuzz(Module("escapes"), {"--runs", "80"});
  const auto finding = FindingWith(report, "The driver crashed in DxgkDdiEscape");
  ASSERT_FALSE(finding.is_null()) << report.dump(2);
  EXPECT_LE(finding["steps"].size(), 2U) << finding.dump(2);
}

TEST_F(FuzzCommandTest, UseAfterFree_IsTheSanitizersFindingAndShort) {
  const auto report = Fuzz(Module("uses_freed"), {"--runs", "10"});
  const auto finding = FindingWith(report, "heap-use-after-free");
  ASSERT_FALSE(finding.is_null()) << report.dump(2);
  EXPECT_EQ(finding["name"], "Sanitizer");
  EXPECT_NE(finding["sentence"].get<std::string>().find("uses_freed.cpp"), std::string::npos) << finding.dump(2);
  EXPECT_LE(finding["steps"].size(), 6U) << finding.dump(2);
}

TEST_F(FuzzCommandTest, Hang_IsNamedByItsFunctionAndReplayed) {
  const auto report = Fuzz(Module("hangs"), {"--runs", "20", "--limit", "2"});
  const auto finding = FindingWith(report, "The driver hangs in DxgkDdiPresent");
  ASSERT_FALSE(finding.is_null()) << report.dump(2);
  EXPECT_EQ(finding["name"], "Hang");
  EXPECT_LT(finding["steps"].size(), finding["first_steps"].get<std::size_t>()) << finding.dump(2);
}

TEST_F(FuzzCommandTest, Replay_FileThatIsNoScript_NamesLineAndReason) {
  std::ofstream(File("bad.txt")) << "tandem fuzz 1\n\nescape size=3\n";
  const ProcessResult result = Tandem({"fuzz", "--driver", Module("soft"), "--replay", File("bad.txt")});
  EXPECT_EQ(result.exit_code, 125);
  EXPECT_NE(result.err.find("Line 3: 'escape' has no field 'size'."), std::string::npos) << result.err;
}

TEST_F(FuzzCommandTest, Corpus_KeepsWhatSawSomethingNew) {
  const auto first = Fuzz(Module("soft"), {"--runs", "20", "--corpus", File("corpus")});
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(File("corpus"))) files += entry.path().extension() == ".txt";
  EXPECT_GT(files, 0U);
  EXPECT_LE(files, first["kept"].get<std::size_t>());
  EXPECT_EQ(Fuzz(Module("soft"), {"--runs", "5", "--corpus", File("corpus")})["runs"], 5);
}

}  // namespace
}  // namespace tandem::test
