// Reader-writer locks, run-down protection and remove locks.
#include <ntddk.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

TEST(Resource, WriterExcludesOthers_AndMayAcquireAgain) {
  FakeKernel kernel;
  ERESOURCE resource;
  ASSERT_EQ(ExInitializeResourceLite(&resource), STATUS_SUCCESS);
  EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource, FALSE));
  EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, FALSE));
  EXPECT_EQ(ExIsResourceAcquiredSharedLite(&resource), 2u);
  std::thread([&] {
    EXPECT_FALSE(ExAcquireResourceSharedLite(&resource, FALSE));
    EXPECT_FALSE(ExIsResourceAcquiredExclusiveLite(&resource));
  }).join();
  ExReleaseResourceLite(&resource);
  ExConvertExclusiveToSharedLite(&resource);
  std::thread([&] {
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource, FALSE));
    EXPECT_FALSE(ExAcquireResourceExclusiveLite(&resource, FALSE));
    ExReleaseResourceLite(&resource);
  }).join();
  ExReleaseResourceLite(&resource);
  EXPECT_TRUE(kernel.Reports().empty()) << kernel.Reports().front();
  ExReleaseResourceLite(&resource);
  EXPECT_TRUE(kernel.Reported("Nt.MutexOwner", "ExReleaseResourceLite"));
  EXPECT_EQ(ExDeleteResourceLite(&resource), STATUS_SUCCESS);
  EXPECT_FALSE(ExAcquireResourceSharedLite(&resource, TRUE));
  EXPECT_TRUE(kernel.Reported("Nt.Uninitialized", "ExAcquireResourceSharedLite"));
}

TEST(Resource, Writer_WaitsForTheLastReader) {
  FakeKernel kernel;
  ERESOURCE resource;
  ExInitializeResourceLite(&resource);
  ExAcquireResourceSharedLite(&resource, TRUE);
  std::atomic<bool> written = false;
  std::thread writer([&] {
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    written = true;
    ExReleaseResourceLite(&resource);
  });
  // Readers are refused once the writer waits.
  bool refused = false;
  while (!refused) {
    std::thread([&] {
      refused = ExAcquireResourceSharedLite(&resource, FALSE) == FALSE;
      if (!refused) ExReleaseResourceLite(&resource);
    }).join();
  }
  EXPECT_FALSE(written);
  ExReleaseResourceLite(&resource);
  writer.join();
  EXPECT_TRUE(written);
  ExDeleteResourceLite(&resource);
}

TEST(PushLock, ReadersShare_AndAWriterIsAlone) {
  FakeKernel kernel;
  EX_PUSH_LOCK lock;
  ExInitializePushLock(&lock);
  ExAcquirePushLockShared(&lock);
  std::atomic<int> order = 0;
  std::thread([&] {
    ExAcquirePushLockShared(&lock);
    ExReleasePushLockShared(&lock);
  }).join();
  std::thread writer([&] {
    ExAcquirePushLockExclusive(&lock);
    EXPECT_EQ(order, 1);
    ExReleasePushLockExclusive(&lock);
  });
  order = 1;
  ExReleasePushLockShared(&lock);
  writer.join();
  ExReleasePushLockExclusive(&lock);
  EXPECT_TRUE(kernel.Reported("Nt.MutexOwner", "ExReleasePushLockExclusiveEx"));
  FakeKernel::irql = DISPATCH_LEVEL;
  ExAcquirePushLockExclusive(&lock);
  EXPECT_TRUE(kernel.Reported("Nt.Irql", "ExAcquirePushLockExclusiveEx"));
}

TEST(Rundown, End_WaitsForUsers_AndRefusesNewOnes) {
  FakeKernel kernel;
  EX_RUNDOWN_REF reference;
  ExInitializeRundownProtection(&reference);
  ASSERT_TRUE(ExAcquireRundownProtection(&reference));
  std::thread end([&] { ExWaitForRundownProtectionRelease(&reference); });
  while (ExAcquireRundownProtection(&reference)) ExReleaseRundownProtection(&reference);
  ExReleaseRundownProtection(&reference);
  end.join();
  EXPECT_FALSE(ExAcquireRundownProtection(&reference));
  ExReInitializeRundownProtection(&reference);
  EXPECT_TRUE(ExAcquireRundownProtection(&reference));
  EXPECT_TRUE(kernel.Reports().empty());
}

TEST(RemoveLock, Removal_WaitsForUsers_AndRefusesNewOnes) {
  FakeKernel kernel;
  IO_REMOVE_LOCK lock;
  IoInitializeRemoveLock(&lock, 0, 0, 0);
  ASSERT_EQ(IoAcquireRemoveLock(&lock, nullptr), STATUS_SUCCESS);  // The user's.
  ASSERT_EQ(IoAcquireRemoveLock(&lock, nullptr), STATUS_SUCCESS);  // The removal's.
  std::thread removal([&] { IoReleaseRemoveLockAndWait(&lock, nullptr); });
  while (IoAcquireRemoveLock(&lock, nullptr) == STATUS_SUCCESS) IoReleaseRemoveLock(&lock, nullptr);
  IoReleaseRemoveLock(&lock, nullptr);
  removal.join();
  EXPECT_EQ(IoAcquireRemoveLock(&lock, nullptr), STATUS_DELETE_PENDING);
}

}  // namespace
}  // namespace tandem::drivers::host
