#include <TraceLoggingProvider.h>
#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

constexpr GUID kProvider = {1, 2, 3, {4}};

TEST(EventProvider, HasNoListener_AndLeavesWithItsDriver) {
  FakeKernel kernel;
  REGHANDLE handle = 0;
  ASSERT_EQ(EtwRegister(&kProvider, nullptr, nullptr, &handle), STATUS_SUCCESS);
  const EVENT_DESCRIPTOR event{};
  EXPECT_FALSE(EtwEventEnabled(handle, &event));
  EXPECT_EQ(EtwWrite(handle, &event, nullptr, 0, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(EtwUnregister(handle), STATUS_SUCCESS);
  EXPECT_EQ(EtwWrite(handle, &event, nullptr, 0, nullptr), STATUS_INVALID_HANDLE);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reports().empty());
}

TEST(EventProvider, LeftAtUnload_IsReported) {
  FakeKernel kernel;
  REGHANDLE handle = 0;
  EXPECT_EQ(EtwRegister(&kProvider, nullptr, nullptr, &handle), STATUS_SUCCESS);
  kernel.Detach();
  EXPECT_TRUE(kernel.Reported("Nt.HandleOpen", "1 event provider is registered."));
}

TRACELOGGING_DEFINE_PROVIDER(sample_provider, "Sample", (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));

TEST(EventProvider, FieldsOfEvents_AreNotEvaluated) {
  [[maybe_unused]] int evaluated = 0;
  EXPECT_EQ(TraceLoggingRegister(sample_provider), STATUS_SUCCESS);
  TraceLoggingWrite(sample_provider, "Event", TraceLoggingValue(++evaluated));
  TraceLoggingUnregister(sample_provider);
  EXPECT_EQ(evaluated, 0);
}

}  // namespace
}  // namespace tandem::drivers::host
