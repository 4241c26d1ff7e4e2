#include "system/driver_crash.h"

#include <cmath>
#include <csignal>
#include <cstdlib>

#include <gtest/gtest.h>

#include <unistd.h>

#include "status/run_note.h"

namespace tandem::system {
namespace {

class DriverCrashDeathTest : public testing::Test {
 protected:
  DriverCrashDeathTest() : note_(*status::RunNoteFile::Create()) {
    setenv(status::kRunNoteVariable, note_.path().c_str(), 1);
    std::signal(SIGSEGV, SIG_DFL);
  }
  ~DriverCrashDeathTest() override { unsetenv(status::kRunNoteVariable); }

  status::RunNoteFile note_;
};

void Crash(const void* library) {
  const DriverCrashWatch watch("/folder/driver.so", library);
  raise(SIGSEGV);
}

// The test's own program takes the part of the driver.
TEST_F(DriverCrashDeathTest, CrashBelowTheDriver_IsNoted_AndEndsTheProgram) {
  EXPECT_EXIT(Crash(reinterpret_cast<const void*>(&Crash)), testing::KilledBySignal(SIGSEGV), "");
  const auto crash = note_.Read().driver_crash;
  ASSERT_TRUE(crash.has_value());
  EXPECT_EQ(crash->signal, SIGSEGV);
  EXPECT_EQ(crash->ddi, "");
  EXPECT_FALSE(crash->stack.empty());
  EXPECT_EQ(crash->file, "/folder/driver.so");
}

TEST_F(DriverCrashDeathTest, CrashOfTheProgram_IsNotTheDrivers) {
  double (*const elsewhere)(double) = &std::cos;
  EXPECT_EXIT(Crash(reinterpret_cast<const void*>(elsewhere)), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_FALSE(note_.Read().driver_crash.has_value());
}

TEST_F(DriverCrashDeathTest, ProgramThatRunDidNotStart_KeepsItsHandlers) {
  unsetenv(status::kRunNoteVariable);
  const DriverCrashWatch watch("/folder/driver.so", reinterpret_cast<const void*>(&Crash));
  struct sigaction action {};
  sigaction(SIGSEGV, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST_F(DriverCrashDeathTest, WatchThatEnds_PutsTheHandlersBack) {
  struct sigaction action {};
  {
    const DriverCrashWatch watch("/folder/driver.so", reinterpret_cast<const void*>(&Crash));
    sigaction(SIGSEGV, nullptr, &action);
    EXPECT_NE(action.sa_flags & SA_SIGINFO, 0);
  }
  sigaction(SIGSEGV, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace tandem::system
