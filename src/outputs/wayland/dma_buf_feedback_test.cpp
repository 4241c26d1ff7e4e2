#include "outputs/wayland/dma_buf_feedback.h"

#include <cstring>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/memory_map.h"
#include "outputs/output.h"

namespace tandem::outputs {
namespace {

constexpr std::uint64_t kTiled = 0x0100000000000002;

std::vector<std::byte> Bytes(const std::vector<DmaBufFormat>& formats) {
  std::vector<std::byte> bytes(formats.size() * 16);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    std::memcpy(bytes.data() + i * 16, &formats[i].fourcc, 4);
    std::memcpy(bytes.data() + i * 16 + 8, &formats[i].modifier, 8);
  }
  return bytes;
}

UniqueFd FileOf(const std::vector<std::byte>& bytes) {
  UniqueFd fd = *CreateSharedPages("feedback-test", 4096);
  EXPECT_EQ(pwrite(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return fd;
}

std::vector<std::byte> Device(std::uint64_t number) {
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &number, 8);
  return bytes;
}

const std::vector<DmaBufFormat> kThree{{1, kLinearModifier}, {1, kTiled}, {2, kLinearModifier}};

TEST(DmaBufFeedback, Tranches_KeepTheirOrderDevicesAndFormats) {
  DmaBufFeedback feedback;
  feedback.SetTable(FileOf(Bytes(kThree)), 48);
  feedback.SetMainDevice(Device(226 << 8 | 128));
  feedback.SetTrancheDevice(Device(226 << 8));
  feedback.SetTrancheFlags(true);
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{1});
  feedback.EndTranche();
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{2, 0});
  feedback.EndTranche();
  EXPECT_FALSE(feedback.Takes({1, kTiled}));
  feedback.Done();
  EXPECT_EQ(feedback.fault(), "");
  EXPECT_EQ(feedback.main_device(), std::uint64_t{226 << 8 | 128});
  ASSERT_EQ(feedback.tranches().size(), 2u);
  EXPECT_EQ(feedback.tranches()[0].device, std::uint64_t{226 << 8});
  EXPECT_TRUE(feedback.tranches()[0].scans_out);
  EXPECT_EQ(feedback.tranches()[0].formats, std::vector<DmaBufFormat>{kThree[1]});
  EXPECT_FALSE(feedback.tranches()[1].device);
  EXPECT_FALSE(feedback.tranches()[1].scans_out);
  EXPECT_EQ(feedback.tranches()[1].formats, (std::vector<DmaBufFormat>{kThree[2], kThree[0]}));
  EXPECT_TRUE(feedback.Takes({1, kTiled}));
  EXPECT_FALSE(feedback.Takes({2, kTiled}));
}

TEST(DmaBufFeedback, NextBatchWithoutATable_NamesTheOldOne) {
  DmaBufFeedback feedback;
  feedback.SetTable(FileOf(Bytes(kThree)), 48);
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{0});
  feedback.EndTranche();
  feedback.Done();
  EXPECT_TRUE(feedback.Takes(kThree[0]));
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{1});
  feedback.EndTranche();
  feedback.Done();
  EXPECT_TRUE(feedback.Takes(kThree[1]));
  EXPECT_FALSE(feedback.Takes(kThree[0]));
  EXPECT_EQ(feedback.fault(), "");
}

TEST(DmaBufFeedback, TableCutShort_WholeEntriesCount) {
  DmaBufFeedback feedback;
  UniqueFd cut(memfd_create("cut", 0));
  ASSERT_EQ(write(cut.get(), Bytes(kThree).data(), 24), 24);
  feedback.SetTable(std::move(cut), 48);
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{0, 1, 2});
  feedback.EndTranche();
  feedback.Done();
  EXPECT_NE(feedback.fault().find("ends at 16"), std::string::npos) << feedback.fault();
  EXPECT_EQ(feedback.tranches()[0].formats, std::vector<DmaBufFormat>{kThree[0]});
}

TEST(DmaBufFeedback, PositionsBehindTheTable_AreAFault) {
  DmaBufFeedback feedback;
  feedback.SetTable(FileOf(Bytes(kThree)), 48);
  feedback.AddTrancheFormats(std::vector<std::uint16_t>{3, 65535, 2});
  feedback.EndTranche();
  feedback.Done();
  EXPECT_NE(feedback.fault().find("format 3 of 3"), std::string::npos) << feedback.fault();
  EXPECT_EQ(feedback.tranches()[0].formats, std::vector<DmaBufFormat>{kThree[2]});
}

TEST(DmaBufFeedback, TableThatIsNoFile_IsAFault) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  DmaBufFeedback feedback;
  feedback.SetTable(UniqueFd(ends[0]), 48);
  EXPECT_NE(feedback.fault(), "");
  close(ends[1]);
  DmaBufFeedback closed;
  closed.SetTable(UniqueFd(), 48);
  EXPECT_NE(closed.fault(), "");
}

TEST(DmaBufFeedback, HugeTableAndEndlessTranches_AreCut) {
  DmaBufFeedback feedback;
  UniqueFd huge(memfd_create("huge", 0));
  ASSERT_EQ(ftruncate(huge.get(), 1 << 30), 0);
  feedback.SetTable(std::move(huge), 1 << 30);
  EXPECT_EQ(feedback.fault(), "");
  const std::vector<std::uint16_t> all(65536, 65535);
  for (int i = 0; i < 1000; ++i) {
    feedback.AddTrancheFormats(all);
    feedback.EndTranche();
  }
  feedback.Done();
  EXPECT_NE(feedback.fault(), "");
  EXPECT_FALSE(feedback.tranches().empty());
  EXPECT_LE(feedback.tranches().size(), 64u);
  std::size_t kept = 0;
  for (const DmaBufTranche& tranche : feedback.tranches()) kept += tranche.formats.size();
  EXPECT_LE(kept, 4 * std::size_t{65536});
}

TEST(DmaBufFeedback, DeviceNumberOfAnotherSize_IsAFault) {
  DmaBufFeedback feedback;
  feedback.SetMainDevice({});
  EXPECT_FALSE(feedback.main_device());
  EXPECT_NE(feedback.fault().find("0 bytes"), std::string::npos) << feedback.fault();
  const std::vector<std::byte> four(4);
  DmaBufFeedback tranche;
  tranche.SetTrancheDevice(four);
  tranche.EndTranche();
  tranche.Done();
  EXPECT_FALSE(tranche.tranches()[0].device);
  EXPECT_NE(tranche.fault(), "");
}

}  // namespace
}  // namespace tandem::outputs
