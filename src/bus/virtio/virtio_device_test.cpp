// Registers, negotiation and queues of a virtio device, and drivers that break them.
#include "bus/virtio/virtio_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bus/testing/virtio_guest.h"

namespace tandem::bus {
namespace {

using namespace virtio;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Answers with the first 16, 8 or 4 bytes that it was sent.
class EchoDevice final : public VirtioDevice {
 public:
  EchoDevice() : VirtioDevice({16, 3, 0x80, 2, {64, 16}, 8}) {}
  int served = 0;
  int resets = 0;
  bool keeps = false;  // chains, for Finish()

  void Finish() {
    finished_.swap(kept_);
    host().Wake();
  }

 private:
  Result<std::optional<std::uint32_t>> Serve(std::uint32_t queue, const Chain& chain) override {
    ++served;
    if (keeps) {
      kept_.push_back({queue, chain.head(), 0});
      return std::nullopt;
    }
    std::array<std::byte, 16> bytes;
    for (const std::size_t size : {16u, 8u, 4u}) {
      std::uint32_t written = 0;
      if (chain.Read(0, bytes.data(), size) && chain.Write(bytes.data(), size, written)) return written;
    }
    return Fail(ErrorKind::kInvalidArgument, "No memory.");
  }
  Result<std::vector<FinishedChain>> TakeFinished() override { return std::exchange(finished_, {}); }
  void OnReset() override {
    ++resets;
    kept_.clear();
    finished_.clear();
  }
  std::uint32_t ReadConfig(std::uint32_t offset, std::uint32_t size) override { return 0x100 * offset + size; }

  std::vector<FinishedChain> kept_, finished_;
};

class VirtioDeviceTest : public testing::Test {
 protected:
  EchoDevice device_;
  VirtioGuest guest_{device_};
};

TEST_F(VirtioDeviceTest, Registers_BeforeNegotiation_DescribeTheDevice) {
  EXPECT_EQ(device_.description().identity.device, 0x1050);
  EXPECT_EQ(device_.description().messages, 3U);
  guest_.Write(kDeviceFeatureSelect, 4, 0);
  EXPECT_EQ(guest_.Read(kDeviceFeature, 4), 2U);
  guest_.Write(kDeviceFeatureSelect, 4, 1);
  EXPECT_EQ(guest_.Read(kDeviceFeature, 4), 1U);
  guest_.Write(kDeviceFeatureSelect, 4, 2);
  EXPECT_EQ(guest_.Read(kDeviceFeature, 4), 0U);
  EXPECT_EQ(guest_.Read(kQueueCount, 2), 2U);
  EXPECT_EQ(guest_.Read(kQueueSize, 2), 64U);
  guest_.Write(kQueueSelect, 2, 1);
  EXPECT_EQ(guest_.Read(kQueueSize, 2), 16U);
  EXPECT_EQ(guest_.Read(kQueueNotifyOffset, 2), 1U);
  guest_.Write(kQueueSelect, 2, 2);
  EXPECT_EQ(guest_.Read(kQueueSize, 2), 0U);
  EXPECT_EQ(guest_.Read(kQueueCount, 4), 0U);  // not the field's width
  EXPECT_EQ(guest_.Read(kDevice + 4, 4), 0x404U);
  EXPECT_EQ(guest_.Read(kDevice + 8, 4), 0U);
}

TEST_F(VirtioDeviceTest, Vector_BeyondTheMessages_IsNone) {
  guest_.Write(kConfigVector, 2, 2);
  EXPECT_EQ(guest_.Read(kConfigVector, 2), 2U);
  guest_.Write(kConfigVector, 2, 3);
  EXPECT_EQ(guest_.Read(kConfigVector, 2), kNoVector);
}

TEST_F(VirtioDeviceTest, Features_ThatAreNotOffered_AreLeftOut) {
  guest_.Write(kDriverFeatureSelect, 4, 0);
  guest_.Write(kDriverFeature, 4, 0xFFFFFFFF);
  guest_.Write(kDriverFeatureSelect, 4, 1);
  guest_.Write(kDriverFeature, 4, 1);
  guest_.Write(kStatus, 1, kAcknowledge | kDriver | kFeaturesOk);
  EXPECT_EQ(guest_.Read(kStatus, 1), unsigned{kAcknowledge} | kDriver | kFeaturesOk);
  guest_.Write(kDeviceFeatureSelect, 4, 0);
  guest_.Write(kDriverFeatureSelect, 4, 0);
  EXPECT_EQ(guest_.Read(kDriverFeature, 4), guest_.Read(kDeviceFeature, 4));
}

TEST_F(VirtioDeviceTest, Features_WithoutVersion1_AreRefused) {
  guest_.Write(kStatus, 1, kAcknowledge | kDriver | kFeaturesOk);
  EXPECT_EQ(guest_.Read(kStatus, 1), unsigned{kAcknowledge} | kDriver);
  guest_.Write(kStatus, 1, kAcknowledge | kDriver | kDriverOk);
  EXPECT_EQ(guest_.Read(kStatus, 1), unsigned{kAcknowledge} | kDriver);
}

TEST_F(VirtioDeviceTest, Send_AfterStart_IsAnsweredWithTheQueuesMessage) {
  EXPECT_EQ(guest_.Start(), unsigned{kAcknowledge} | kDriver | kFeaturesOk | kDriverOk);
  const std::array<std::uint32_t, 4> command{1, 2, 3, 4};
  std::array<std::uint32_t, 4> answer{};
  EXPECT_EQ(guest_.Send(1, std::as_bytes(std::span(command)), answer.data(), sizeof(answer)), 16U);
  EXPECT_EQ(answer, command);
  EXPECT_THAT(guest_.host.raised, ElementsAre(2));
  EXPECT_EQ(guest_.Read(kInterrupt, 1), kQueueInterrupt);
  EXPECT_EQ(guest_.Read(kInterrupt, 1), 0U);
}

TEST_F(VirtioDeviceTest, Send_SmallAnswerBuffer_GetsItsPart) {
  guest_.Start();
  const std::array<std::uint32_t, 4> command{1, 2, 3, 4};
  std::array<std::uint32_t, 4> answer{};
  EXPECT_EQ(guest_.Send(0, std::as_bytes(std::span(command)), answer.data(), 6), 6U);
  EXPECT_EQ(answer[1], 2U);
  EXPECT_EQ(answer[2], 0U);
}

TEST_F(VirtioDeviceTest, KeptChain_ComesBackWhenItIsFinished_BehindALaterOne) {
  guest_.Start();
  std::uint32_t word = 7, answer = 0;
  const auto bytes = std::as_bytes(std::span(&word, 1));
  device_.keeps = true;
  EXPECT_EQ(guest_.Send(0, bytes, &answer, sizeof(answer)), 0U);
  EXPECT_TRUE(guest_.host.raised.empty());
  device_.keeps = false;
  EXPECT_EQ(guest_.Send(0, bytes, &answer, sizeof(answer)), 4U);
  EXPECT_EQ(answer, 7U);
  EXPECT_EQ(guest_.queues[0].used.index, 1);
  guest_.host.raised.clear();
  device_.Finish();
  guest_.host.Run();
  EXPECT_EQ(guest_.queues[0].used.index, 2);
  EXPECT_THAT(guest_.host.raised, ElementsAre(1));
}

TEST_F(VirtioDeviceTest, KeptChain_OfADeviceThatIsResetOrBroken_IsNotWritten) {
  guest_.Start();
  std::uint32_t word = 7, answer = 0;
  const auto bytes = std::as_bytes(std::span(&word, 1));
  device_.keeps = true;
  guest_.Send(0, bytes, &answer, sizeof(answer));
  guest_.Reset();
  device_.Finish();
  guest_.host.Run();
  EXPECT_EQ(guest_.queues[0].used.index, 0);
  guest_.Start();
  guest_.Send(0, bytes, &answer, sizeof(answer));
  guest_.queues[0].Offer(GuestQueue::kSize);
  guest_.Notify(0);
  EXPECT_NE(device_.broken(), "");
  device_.Finish();
  guest_.host.Run();
  EXPECT_EQ(guest_.queues[0].used.index, 0);
}

TEST_F(VirtioDeviceTest, NoInterruptFlag_SuppressesTheMessage) {
  guest_.Start();
  guest_.queues[0].available.flags = 1;
  std::uint32_t word = 9;
  EXPECT_EQ(guest_.Send(0, std::as_bytes(std::span(&word, 1)), &word, 4), 4U);
  EXPECT_THAT(guest_.host.raised, IsEmpty());
}

TEST_F(VirtioDeviceTest, Notify_BeforeDriverOk_ServesNothing) {
  guest_.queues[0].Offer(0);
  guest_.Notify(0);
  EXPECT_EQ(device_.served, 0);
}

TEST_F(VirtioDeviceTest, EnabledQueue_DoesNotMove) {
  guest_.Start();
  guest_.Write(kQueueSelect, 2, 0);
  const std::uint32_t before = guest_.Read(kQueueUsed, 4);
  guest_.Write(kQueueUsed, 4, before + 64);
  guest_.Write(kQueueSize, 2, 8);
  EXPECT_EQ(guest_.Read(kQueueUsed, 4), before);
  EXPECT_EQ(guest_.Read(kQueueSize, 2), GuestQueue::kSize);
}

TEST_F(VirtioDeviceTest, ResetOfAWorkingDevice_ReadsZeroOnceDone) {
  guest_.Start();
  guest_.Write(kStatus, 1, 0);
  EXPECT_NE(guest_.Read(kStatus, 1), 0U);
  guest_.Write(kStatus, 1, kAcknowledge);  // too early
  guest_.host.Run();
  EXPECT_EQ(guest_.Read(kStatus, 1), 0U);
  EXPECT_EQ(device_.resets, 1);
  guest_.Write(kStatus, 1, kAcknowledge);
  EXPECT_EQ(guest_.Read(kStatus, 1), kAcknowledge);
}

struct Lie {
  const char* name;
  void (*tell)(GuestQueue& queue);
  const char* reason;
};

class VirtioLies : public testing::TestWithParam<Lie> {};

TEST_P(VirtioLies, QueueThatIsBroken_NeedsAReset) {
  EchoDevice device;
  VirtioGuest guest(device);
  guest.Start();
  GetParam().tell(guest.queues[0]);
  guest.Notify(0);
  EXPECT_THAT(device.broken(), HasSubstr(GetParam().reason));
  EXPECT_EQ(guest.Read(kStatus, 1) & kNeedsReset, kNeedsReset);
  EXPECT_THAT(guest.host.raised, ElementsAre(0));
  EXPECT_EQ(guest.Read(kInterrupt, 1) & kConfigInterrupt, kConfigInterrupt);

  std::uint32_t word = 9;
  EXPECT_EQ(guest.Send(0, std::as_bytes(std::span(&word, 1)), &word, 4), 0U);
  guest.Reset();
  EXPECT_EQ(device.broken(), "");
  guest.Start();
  EXPECT_EQ(guest.Send(0, std::as_bytes(std::span(&word, 1)), &word, 4), 4U);
}

INSTANTIATE_TEST_SUITE_P(
    All, VirtioLies,
    testing::Values(Lie{"HeadOutside", [](GuestQueue& queue) { queue.Offer(GuestQueue::kSize); }, "is outside"},
                    Lie{"NextOutside",
                        [](GuestQueue& queue) {
                          queue.descriptors[0].flags = VirtioGuest::kNext;
                          queue.descriptors[0].next = 0xFFFF;
                          queue.Offer(0);
                        },
                        "is outside"},
                    Lie{"Loop",
                        [](GuestQueue& queue) {
                          queue.descriptors[0] = {0, 0, VirtioGuest::kNext, 0};
                          queue.Offer(0);
                        },
                        "have no end"},
                    Lie{"ReadableBehindWritable",
                        [](GuestQueue& queue) {
                          queue.descriptors[0] = {0, 0, VirtioGuest::kDeviceWrites | VirtioGuest::kNext, 1};
                          queue.Offer(0);
                        },
                        "not allowed"},
                    Lie{"Indirect",
                        [](GuestQueue& queue) {
                          queue.descriptors[0].flags = 4;
                          queue.Offer(0);
                        },
                        "not allowed"},
                    Lie{"IndexJumps", [](GuestQueue& queue) { queue.available.index = GuestQueue::kSize + 1; }, "grew by 17"},
                    Lie{"CommandWithoutMemory",
                        [](GuestQueue& queue) {
                          queue.descriptors[0] = {64, 8, 0, 0};
                          queue.Offer(0);
                        },
                        "No memory"},
                    Lie{"AnswerWithoutMemory",
                        [](GuestQueue& queue) {
                          queue.descriptors[0] = {reinterpret_cast<std::uintptr_t>(&queue), 8, VirtioGuest::kNext, 1};
                          queue.descriptors[1] = {64, 8, VirtioGuest::kDeviceWrites, 0};
                          queue.Offer(0);
                        },
                        "No memory"}),
    [](const auto& info) { return info.param.name; });

TEST_F(VirtioDeviceTest, RingsWithoutMemory_NeedAReset) {
  const std::uint32_t word = 9;
  for (const std::uint32_t part : {kQueueDescriptors, kQueueAvailable, kQueueUsed}) {
    guest_.Write(kDriverFeatureSelect, 4, 1);
    guest_.Write(kDriverFeature, 4, 1);
    guest_.Write(kStatus, 1, kFeaturesOk);
    guest_.queues[0] = {};
    guest_.queues[0].descriptors[0] = {reinterpret_cast<std::uintptr_t>(&word), sizeof(word), 0, 0};
    guest_.queues[0].Offer(0);
    guest_.Write(kQueueSelect, 2, 0);
    guest_.Write(kQueueSize, 2, GuestQueue::kSize);
    guest_.Write64(kQueueDescriptors, guest_.queues[0].descriptors.data());
    guest_.Write64(kQueueAvailable, &guest_.queues[0].available);
    guest_.Write64(kQueueUsed, &guest_.queues[0].used);
    guest_.Write64(part, reinterpret_cast<const void*>(4096));
    guest_.Write(kQueueEnable, 2, 1);
    guest_.Write(kStatus, 1, kFeaturesOk | kDriverOk);
    guest_.Notify(0);
    EXPECT_THAT(device_.broken(), HasSubstr("does not lie in memory")) << part;
    guest_.Reset();
  }
}

}  // namespace
}  // namespace tandem::bus
