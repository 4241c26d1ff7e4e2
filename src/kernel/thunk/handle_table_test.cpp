#include "kernel/thunk/handle_table.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace tandem::kernel {
namespace {

struct Thing {
  static constexpr HandleType kHandleType = HandleType::kContext;
  int value = 0;
};

D3DKMT_HANDLE Publish(HandleTable& table, int value) {
  const D3DKMT_HANDLE handle = table.Reserve(HandleType::kContext);
  table.Publish(handle, std::make_shared<Thing>(Thing{value}));
  return handle;
}

TEST(HandleTable, Acquire_OpenHandle_GivesTheObject) {
  HandleTable table;
  const D3DKMT_HANDLE handle = Publish(table, 7);
  const HandleRef<Thing> thing(table, handle);
  ASSERT_TRUE(thing);
  EXPECT_EQ(thing->value, 7);
}

TEST(HandleTable, Acquire_ReservedAndNotPublished_GivesNothing) {
  HandleTable table;
  EXPECT_FALSE(HandleRef<Thing>(table, table.Reserve(HandleType::kContext)));
}

TEST(HandleTable, Acquire_ClosedHandleWhoseSlotIsUsedAgain_GivesNothing) {
  HandleTable table;
  const D3DKMT_HANDLE stale = Publish(table, 1);
  EXPECT_NE(table.Close(stale, HandleType::kContext), nullptr);
  for (int i = 0; i < 3000; ++i) {
    const D3DKMT_HANDLE other = Publish(table, i);
    EXPECT_NE(other, stale);
    EXPECT_FALSE(HandleRef<Thing>(table, stale));
    EXPECT_NE(table.Close(other, HandleType::kContext), nullptr);
  }
}

TEST(HandleTable, Acquire_AnythingElse_GivesNothing) {
  HandleTable table;
  const D3DKMT_HANDLE handle = Publish(table, 1);
  EXPECT_EQ(table.Acquire(handle, HandleType::kDevice), nullptr);
  for (const D3DKMT_HANDLE wrong : {0u, 1u, ~0u, handle + 1, handle ^ (1u << 20), 0x3FFFFFFFu}) {
    EXPECT_EQ(table.Acquire(wrong, HandleType::kContext), nullptr) << wrong;
  }
  EXPECT_EQ(table.Close(handle, HandleType::kDevice), nullptr);
}

TEST(HandleTable, Close_Twice_SecondGivesNothing) {
  HandleTable table;
  const D3DKMT_HANDLE handle = Publish(table, 1);
  EXPECT_NE(table.Close(handle, HandleType::kContext), nullptr);
  EXPECT_EQ(table.Close(handle, HandleType::kContext), nullptr);
}

TEST(HandleTable, Close_WhileOthersUseIt_WaitsForThem) {
  HandleTable table;
  const D3DKMT_HANDLE handle = Publish(table, 0);
  std::vector<std::thread> users;
  std::atomic<bool> go{false};
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      while (!go) std::this_thread::yield();
      for (int round = 0; round < 20000; ++round) {
        const HandleRef<Thing> thing(table, handle);
        if (!thing) return;
        EXPECT_EQ(thing->value, 0);
      }
    });
  }
  go = true;
  std::shared_ptr<void> object = table.Close(handle, HandleType::kContext);
  ASSERT_NE(object, nullptr);
  // Nobody has it any more: a write races with no reader (thread sanitizer).
  static_cast<Thing*>(object.get())->value = 1;
  for (std::thread& user : users) user.join();
}

// Neighbours on Windows are 0x40 apart, the upper two bits are not 0, and the lower six tell global handles.
TEST(HandleTable, Reserve_Handles_LookAsOnWindows) {
  HandleTable table;
  D3DKMT_HANDLE previous = Publish(table, 0);
  const D3DKMT_HANDLE global = table.Reserve(HandleType::kShare, HandleSpace::kGlobal);
  EXPECT_EQ(global & 0x3F, 2u);
  EXPECT_NE(global & 0xC0000000, 0u);
  EXPECT_NE(table.Reserve(HandleType::kResource, HandleSpace::kHidden), 0u);
  for (int i = 0; i < 100; ++i) {
    const D3DKMT_HANDLE next = Publish(table, i);
    EXPECT_EQ(next, previous + 0x40);
    EXPECT_NE(next & 0xC0000000, 0u);
    EXPECT_EQ(next & 0x3F, 0u);
    EXPECT_NE(table.Close(previous, HandleType::kContext), nullptr);
    previous = next;
  }
}

TEST(HandleTable, Acquire_SlotThatWasUsedManyTimes_StillLooksAsOnWindows) {
  HandleTable table;
  for (int i = 0; i < 400'000; ++i) {
    const D3DKMT_HANDLE handle = table.Reserve(HandleType::kContext);
    ASSERT_NE(handle & 0xC0000000, 0u);
    ASSERT_EQ(handle & 0x3F, 0u);
    table.Abandon(handle);
  }
}

TEST(HandleTable, Reserve_MoreThanTheLimit_GivesNone) {
  HandleTable table;
  for (std::uint32_t i = 0; i < kMaxHandles; ++i) ASSERT_NE(table.Reserve(HandleType::kContext), 0u);
  EXPECT_EQ(table.Reserve(HandleType::kContext), 0u);
}

}  // namespace
}  // namespace tandem::kernel
