#include "kernel/adapter/ddi_trace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace tandem::kernel {
namespace {

// Lines that the calls of `body` leave in a trace, without the columns before the DDI's name.
template <class Body>
std::string Traced(Body body) {
  char path[] = "/tmp/tandem-trace-XXXXXX";
  const int fd = mkstemp(path);
  DdiTrace::WriteTo(fd);
  body();
  DdiTrace::WriteTo(-1);
  close(fd);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  unlink(path);
  return text;
}

TEST(DdiTrace, Call_HasArgumentsStatusAndAnswer) {
  DXGKARG_QUERYCURRENTFENCE args{};
  args.NodeOrdinal = 3;
  const std::string text = Traced([&args] {
    const DdiTrace trace("render", "DxgkDdiQueryCurrentFence", PASSIVE_LEVEL, HANDLE{}, &args);
    args.CurrentFence = 17;
    trace.Returned(STATUS_SUCCESS, HANDLE{}, &args);
  });
  EXPECT_NE(text.find("render  PASSIVE_LEVEL  DxgkDdiQueryCurrentFence(0x0, NodeOrdinal 3) = STATUS_SUCCESS (0x00000000), "
                      "CurrentFence 17\n"),
            std::string::npos)
      << text;
}

TEST(DdiTrace, Failure_HasItsNameAndNoAnswer) {
  DXGKARG_QUERYCURRENTFENCE args{};
  const std::string text = Traced([&args] {
    const DdiTrace trace("", "Ddi", DISPATCH_LEVEL, &args);
    trace.Returned(STATUS_INVALID_PARAMETER, &args);
  });
  EXPECT_TRUE(text.ends_with("Ddi(NodeOrdinal 0) = STATUS_INVALID_PARAMETER (0xC000000D)\n")) << text;
}

TEST(DdiTrace, CallInsideACall_ContinuesOnALineOfItsOwn) {
  const std::string text = Traced([] {
    const DdiTrace outer("", "Outer", PASSIVE_LEVEL);
    {
      const DdiTrace inner("", "Inner", DIRQL);
      inner.Returned();
    }
    outer.Returned(STATUS_SUCCESS);
  });
  EXPECT_NE(text.find("Outer() ...\n"), std::string::npos) << text;
  EXPECT_NE(text.find("DIRQL          Inner()\n"), std::string::npos) << text;
  EXPECT_NE(text.find("... Outer = STATUS_SUCCESS"), std::string::npos) << text;
}

TEST(DdiTrace, CallThatDoesNotReturn_LeavesItsBeginning) {
  const std::string text = Traced([] { const DdiTrace trace("", "Hangs", PASSIVE_LEVEL); });
  EXPECT_TRUE(text.ends_with("Hangs()")) << text;
  // The next one begins on a line of its own.
  const std::string next = Traced([] {
    const DdiTrace trace("", "Next", PASSIVE_LEVEL);
    trace.Returned();
  });
  EXPECT_TRUE(next.starts_with(" ...\n")) << next;
}

TEST(DdiTrace, SwitchedOff_WritesNothing) {
  EXPECT_EQ(Traced([] {
              DdiTrace::WriteTo(-1);
              const DdiTrace trace("", "Quiet", PASSIVE_LEVEL);
              trace.Returned(STATUS_SUCCESS);
            }),
            "");
}

}  // namespace
}  // namespace tandem::kernel
