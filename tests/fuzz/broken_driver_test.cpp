// Drivers that break rules of the NT side and of the contract, behind `tandem conform`, `tandem run` and guard pages.
#include <csignal>
#include <fstream>

#include "tests/fuzz/built_driver.h"

namespace tandem::test {
namespace {

class BrokenDriver : public BuiltDriver {
 protected:
  // What the rule Flip.Order, or the filter's, saw.
  std::string Seen(const std::string& driver, const std::vector<std::string>& options) {
    std::vector<std::string> words{"conform", "--driver", driver, "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const ProcessResult result = Tandem(words);
    EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
    return result.out;
  }
  // Twenty frames through the driver, into a file.
  ProcessResult Paint(const std::string& driver) {
    return Tandem({"run", "--display-driver", driver, "--output", "raw:" + File("frames"), "--",
                   std::string(TANDEM_PROGRAMS) + "/tandem_paint", "--frames", "20", "--size", "64x64"});
  }
};

TEST_F(BrokenDriver, PresentThatStaysPending_IsNamed) {
  EXPECT_NE(Seen(Build("PENDING_FOREVER"), {"--filter", "Flip.Order*"}).find("PresentDisplayOnlyCompletes"), std::string::npos);
}

TEST_F(BrokenDriver, IrqlThatStaysRaised_IsNamed) {
  EXPECT_NE(Seen(Build("RAISE_IRQL"), {"--filter", "Flip.Order*"}).find("DdiReturnsAtSameIrql"), std::string::npos);
}

TEST_F(BrokenDriver, WriteBehindPoolMemory_IsNamedWithItsTag) {
  EXPECT_NE(Seen(Build("CORRUPT_POOL"), {"--filter", "Flip.Order*"}).find("Nt.PoolOverrun: Tag 'Beak'"), std::string::npos);
}

TEST_F(BrokenDriver, TimerThatIsSetAtUnload_IsNamed) {
  EXPECT_NE(Seen(Build("LEAVE_TIMER"), {"--filter", "Leak.Unloaded"}).find("Nt.TimerPending"), std::string::npos);
}

TEST_F(BrokenDriver, GuardPages_FaultNamesTagAndAllocation) {
  const std::string seen = Seen(Build("CORRUPT_POOL"), {"--filter", "Flip.Order*", "--guard-pages"});
  EXPECT_NE(seen.find("Nt.PoolOverrun: Tag 'Beak'"), std::string::npos) << seen;
  const std::string freed = Seen(Build("USE_FREED"), {"--filter", "Flip.Order*", "--guard-pages"});
  EXPECT_NE(freed.find("The driver crashed in DxgkDdiPresentDisplayOnly"), std::string::npos) << freed;
  EXPECT_NE(freed.find("Nt.PoolFreed: Tag 'Free'"), std::string::npos) << freed;
}

TEST_F(BrokenDriver, PresentThatHangs_IsNamedByConform) {
  EXPECT_NE(Seen(Build("HANG_PRESENT"), {"--filter", "Flip.Order*"}).find("DdiReturns: DxgkDdiPresentDisplayOnly"),
            std::string::npos);
}

// The program gets an error of its own API, and its end.
TEST_F(BrokenDriver, PresentThatHangs_LetsTheProgramGo) {
  const ProcessResult result = Paint(Build("HANG_PRESENT"));
  EXPECT_FALSE(result.timed_out);
  EXPECT_NE(result.err.find("DxgkDdiPresentDisplayOnly has not returned"), std::string::npos) << result.out << result.err;
}

TEST_F(BrokenDriver, StopThatHangs_LetsTheProgramGo) {
  const ProcessResult result = Paint(Build("HANG_STOP"));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(BrokenDriver, CrashInADdi_IsNamedByRun_WithItsFunction) {
  const ProcessResult result = Paint(Build("CRASH_REMOVE"));
  EXPECT_EQ(result.exit_code, 128 + SIGSEGV) << result.out << result.err;
  EXPECT_NE(
      result.err.find("tandem run: The display driver broken.so crashed in DxgkDdiRemoveDevice: Segmentation fault.\n  at "),
      std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("Remove(void*)"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("(broken.so+0x"), std::string::npos) << result.err;
}

TEST_F(BrokenDriver, CallOfANullFunction_IsNamedByRun_WithItsCaller) {
  const ProcessResult result = Paint(Build("CALL_NULL"));
  EXPECT_EQ(result.exit_code, 128 + SIGSEGV) << result.out << result.err;
  EXPECT_NE(result.err.find("broken.so crashed in DxgkDdiPresentDisplayOnly: Segmentation fault.\n  at "), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("Present("), std::string::npos) << result.err;
}

TEST_F(BrokenDriver, BugCheckInAThread_IsNamedByRun) {
  const ProcessResult result = Paint(Build("BUG_CHECK_THREAD"));
  EXPECT_EQ(result.exit_code, 128 + SIGABRT) << result.out << result.err;
  EXPECT_NE(result.err.find("broken.so crashed outside its DDIs: Aborted."), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("StopSystem"), std::string::npos) << result.err;
}

TEST_F(BrokenDriver, RegistryFile_ThatIsWrong_NamesLineAndReason) {
  std::ofstream(File("bad.toml")) << "[registry.driver]\nGood = 1\nBad = 1.5\n";
  for (const char* const command : {"conform", "adapters", "fuzz"}) {
    const ProcessResult result = Tandem({command, "--driver", Module("soft"), "--registry", File("bad.toml")});
    EXPECT_EQ(result.exit_code, 125) << command;
    EXPECT_NE(result.err.find("bad.toml:3: 'Bad' is none of: a number"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace tandem::test
