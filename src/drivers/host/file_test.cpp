#include <ntddk.h>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

TEST(File, IsNotFound_AndNoHandleIsOne) {
  FakeKernel kernel;
  HANDLE file = &kernel;
  IO_STATUS_BLOCK status{};
  OBJECT_ATTRIBUTES attributes{};
  EXPECT_EQ(ZwOpenFile(&file, FILE_GENERIC_READ, &attributes, &status, FILE_SHARE_READ, 0), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(file, nullptr);
  EXPECT_EQ(status.Status, STATUS_OBJECT_NAME_NOT_FOUND);
  char bytes[4];
  EXPECT_EQ(ZwReadFile(file, nullptr, nullptr, nullptr, &status, bytes, 4, nullptr, nullptr), STATUS_INVALID_HANDLE);
  EXPECT_TRUE(kernel.Reported("Nt.Handle", "ZwReadFile"));
  FakeKernel::irql = DISPATCH_LEVEL;
  EXPECT_EQ(ZwFlushBuffersFile(file, &status), STATUS_INVALID_HANDLE);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ZwFlushBuffersFile"));
}

TEST(Request, Completed_HasItsStatusAndSetsItsEvent) {
  FakeKernel kernel;
  DEVICE_OBJECT device{};
  KEVENT event;
  KeInitializeEvent(&event, NotificationEvent, FALSE);
  IO_STATUS_BLOCK status{};
  PIRP const irp = IoBuildSynchronousFsdRequest(IRP_MJ_PNP, &device, nullptr, 0, nullptr, &event, &status);
  ASSERT_NE(irp, nullptr);
  irp->IoStatus.Status = STATUS_CANCELLED;
  irp->IoStatus.Information = 7;
  IoCompleteRequest(irp, IO_NO_INCREMENT);
  EXPECT_EQ(status.Status, STATUS_CANCELLED);
  EXPECT_EQ(status.Information, 7u);
  EXPECT_EQ(KeReadStateEvent(&event), 1);
}

}  // namespace
}  // namespace tandem::drivers::host
