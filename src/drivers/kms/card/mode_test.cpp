#include "drivers/kms/card/mode.h"

#include <cstdio>
#include <cstring>

#include <gtest/gtest.h>

#include "drivers/kms/card/drm.h"

namespace tandem::kms {
namespace {

// CEA-861's 1920x1080 at 60 Hz and at 59.94 Hz.
drmModeModeInfo FullHd(std::uint32_t clock_khz) {
  drmModeModeInfo info{};
  info.clock = clock_khz;
  info.hdisplay = 1920;
  info.hsync_start = 2008;
  info.hsync_end = 2052;
  info.htotal = 2200;
  info.vdisplay = 1080;
  info.vsync_start = 1084;
  info.vsync_end = 1089;
  info.vtotal = 1125;
  info.vrefresh = 60;
  info.flags = DRM_MODE_FLAG_PHSYNC | DRM_MODE_FLAG_PVSYNC;
  info.type = DRM_MODE_TYPE_PREFERRED | DRM_MODE_TYPE_DRIVER;
  std::snprintf(info.name, sizeof(info.name), "1920x1080");
  return info;
}

TEST(KmsMode, KernelsMode_ComesBackTheSame) {
  const drmModeModeInfo info = FullHd(148500);
  const drmModeModeInfo back = ToKernel(FromKernel(info));
  EXPECT_EQ(std::memcmp(&info, &back, sizeof(info)), 0);
  EXPECT_TRUE(FromKernel(info).preferred());
}

TEST(KmsMode, NameWithoutEnd_IsCut) {
  drmModeModeInfo info = FullHd(148500);
  std::memset(info.name, 'x', sizeof(info.name));
  const Mode mode = FromKernel(info);
  EXPECT_EQ(mode.name.size(), sizeof(info.name));
  EXPECT_EQ(ToKernel(mode).name[DRM_DISPLAY_MODE_LEN - 1], '\0');
}

TEST(KmsMode, RefreshPeriod_IsExact) {
  EXPECT_EQ(RefreshPeriodNs(FromKernel(FullHd(148500))), 16'666'667);
  // 148.352 MHz: 59.940 Hz, which the kernel rounds to 60.
  EXPECT_EQ(RefreshPeriodNs(FromKernel(FullHd(148352))), 16'683'294);
  const RefreshRate rate = RefreshRateOf(FromKernel(FullHd(148500)));
  EXPECT_EQ(rate.numerator, 148'500'000U);
  EXPECT_EQ(rate.denominator, 2'475'000U);
}

TEST(KmsMode, InterlacedAndDoubledLines_CountAsTheKernelDoes) {
  drmModeModeInfo info = FullHd(74250);
  info.flags |= DRM_MODE_FLAG_INTERLACE;
  EXPECT_EQ(RefreshPeriodNs(FromKernel(info)), 16'666'667);
  info = FullHd(148500);
  info.flags |= DRM_MODE_FLAG_DBLSCAN;
  EXPECT_EQ(RefreshPeriodNs(FromKernel(info)), 33'333'333);
  info.vscan = 2;
  EXPECT_EQ(RefreshPeriodNs(FromKernel(info)), 66'666'667);
}

TEST(KmsMode, NoClockOrTotals_HasNoRefresh) {
  EXPECT_EQ(RefreshPeriodNs(FromKernel(FullHd(0))), 0);
  drmModeModeInfo info = FullHd(148500);
  info.vtotal = 0;
  EXPECT_EQ(RefreshPeriodNs(FromKernel(info)), 0);
  EXPECT_EQ(RefreshPeriodNs(Mode{}), 0);
}

TEST(KmsMode, LargestNumbers_DoNotOverflow) {
  drmModeModeInfo info = FullHd(1);
  info.htotal = info.vtotal = info.vscan = 0xFFFF;
  info.flags |= DRM_MODE_FLAG_DBLSCAN;
  EXPECT_GT(RefreshPeriodNs(FromKernel(info)), 0);
}

}  // namespace
}  // namespace tandem::kms
