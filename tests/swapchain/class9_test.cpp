// Swap chains whose display adapter has a driver of the Direct3D 9 class, behind the translation of driver interfaces.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "color/format.h"
#include "swapchain/resource.h"
#include "tests/swapchain/class9_partner.h"
#include "tests/swapchain/keeping_output.h"
#include "tests/swapchain/soft_pair.h"

namespace tandem::swapchain_test {
namespace {

using swapchain::PathRequest;
using swapchain::PresentMode;
using swapchain::Resource;
using swapchain::ResourceDesc;
using swapchain::RuntimeDevice;
using swapchain::ScanOut;
using swapchain::ShownDepth;
using swapchain::SwapChain;
using swapchain::SwapChainDesc;

SwapChainDesc PairDesc(std::uint32_t width, std::uint32_t height, PathRequest path, DXGI_FORMAT format) {
  SwapChainDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = format;
  desc.path = path;
  desc.present_mode = PresentMode::kImmediate;
  desc.wait_for_copy_on_acquire = swapchain::AcquireWhen::kCopyComplete;
  return desc;
}

PairOptions WithClass9Display() {
  PairOptions options;
  options.open_display = OpenClass9Display;
  return options;
}

// Each test leaves the partner as it found it, and nothing open in it.
class Class9Display : public ::testing::Test {
 protected:
  ~Class9Display() override {
    class9_fault = Class9Fault::kNone;
    class9_shows_eight_bits = false;
    const Class9Counts& counts = CountsOfClass9();
    EXPECT_EQ(counts.adapters_opened, counts.adapters_closed);
    EXPECT_EQ(counts.devices_created, counts.devices_destroyed);
    EXPECT_EQ(counts.resources_made, counts.resources_destroyed);
    EXPECT_EQ(counts.resources_made, counts.resources_freed);
    EXPECT_EQ(counts.contexts_created, counts.contexts_destroyed);
  }
};

TEST_F(Class9Display, EachPathAndFormat_EveryFrameArrivesWhole) {
  constexpr std::uint32_t kFrames = 8;
  for (const PathRequest path : {PathRequest::kDirect, PathRequest::kOneCopy, PathRequest::kTwoCopy}) {
    const auto pair = SoftPair::Create(WithClass9Display());
    ASSERT_TRUE(pair);
    std::vector<std::uint32_t> due;
    for (const DXGI_FORMAT format :
         {DXGI_FORMAT_B8G8R8A8_UNORM, DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, DXGI_FORMAT_B8G8R8X8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM,
          DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT}) {
      SCOPED_TRACE(std::string(ToString(path)) + " " + std::to_string(format));
      const auto next = static_cast<std::uint32_t>(due.size()) + 1;
      ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, PairDesc(333, 51, path, format), next, kFrames));
      for (std::uint32_t i = 0; i < kFrames; ++i) due.push_back(next + i);
    }
    EXPECT_EQ(pair->output().Numbers(), due);
  }
  EXPECT_GT(CountsOfClass9().resources_made, 0U);
}

TEST_F(Class9Display, EncodedFrames_EveryFrameArrivesWhole) {
  PairOptions options = WithClass9Display();
  options.link_bytes_per_second = 4'000'000'000;
  options.opaque = 0xFF000000U;
  const auto pair = SoftPair::Create(options);
  ASSERT_TRUE(pair);
  Just lossless(link::LinkEncoding::kLossless);
  SwapChainDesc desc = PairDesc(64, 48, PathRequest::kCompressed, DXGI_FORMAT_B8G8R8A8_UNORM);
  desc.encodings = &lossless;
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  {
    const TestApplication application(pair->render(), **chain, desc, options.opaque);
    ASSERT_TRUE(PresentFrames(**chain, application, 1, 3).ok());
    ASSERT_TRUE((*chain)->WaitForPresent(3, kPatienceNs).ok());
  }
  EXPECT_EQ(pair->output().Numbers(), (std::vector<std::uint32_t>{1, 2, 3}));
}

struct Shown {
  color::Format format = color::Format::kUnknown;
  std::vector<std::byte> seen;
};

// The picture of a display adapter, by a driver of either class.
Shown Show(PFND3D10DDI_OPENADAPTER open_display, DXGI_FORMAT format, ShownDepth depth) {
  auto output = std::make_shared<KeepingOutput>();
  PairOptions options;
  options.open_display = open_display;
  options.output = output;
  const auto pair = SoftPair::Create(options);
  if (!pair) return {};
  SwapChainDesc desc = PairDesc(333, 51, PathRequest::kTwoCopy, format);
  desc.shown_depth = depth;
  ShowFrames(*pair, desc, 1, 3);
  pair->RemoveDisplay();
  return {output->format, output->seen};
}

TEST_F(Class9Display, EightBitsAlone_ShowWhatTheOtherClassShows) {
  class9_shows_eight_bits = true;
  struct Case {
    DXGI_FORMAT format;
    ShownDepth depth;
  };
  for (const auto& [format, depth] :
       {Case{DXGI_FORMAT_R10G10B10A2_UNORM, ShownDepth::kHalfFloats}, Case{DXGI_FORMAT_R8G8B8A8_UNORM, ShownDepth::kHalfFloats},
        Case{DXGI_FORMAT_R16G16B16A16_FLOAT, ShownDepth::kEightBits}}) {
    SCOPED_TRACE(format);
    const Shown class10 = Show(processor::ProcessorOpenAdapter10_2, format, depth);
    const Shown class9 = Show(OpenClass9Display, format, depth);
    EXPECT_EQ(class9.format, color::Format::kB8G8R8A8Unorm);
    EXPECT_FALSE(class10.seen.empty());
    EXPECT_EQ(class9.seen, class10.seen);
  }
}

ResourceDesc Primary(DXGI_FORMAT format, swapchain::Sharing sharing) {
  ResourceDesc desc;
  desc.width = 64;
  desc.height = 32;
  desc.format = format;
  desc.bind_flags = D3D10_DDI_BIND_PRESENT;
  desc.primary = true;
  desc.sharing = sharing;
  return desc;
}

// The other adapter writes into a shared primary, and no copy converts its pixels.
TEST_F(Class9Display, EightBitsAlone_SharedPrimariesOfMoreAreNotScannedOut) {
  class9_shows_eight_bits = true;
  const auto pair = SoftPair::Create(WithClass9Display());
  ASSERT_TRUE(pair);
  for (const auto sharing : {swapchain::Sharing::kCrossAdapter, swapchain::Sharing::kPrivate}) {
    for (const DXGI_FORMAT format : {DXGI_FORMAT_R10G10B10A2_UNORM, DXGI_FORMAT_R16G16B16A16_FLOAT}) {
      ScanOut scan_out = ScanOut::kYes;
      const auto made = Resource::Create(pair->display().runtime(), Primary(format, sharing), scan_out);
      const bool shared = sharing == swapchain::Sharing::kCrossAdapter;
      EXPECT_EQ(made.ok(), !shared);
      EXPECT_EQ(scan_out, shared ? ScanOut::kNo : ScanOut::kYes);
    }
  }
}

std::unique_ptr<Resource> MakePrimary(RuntimeDevice& display) {
  ScanOut scan_out = ScanOut::kYes;
  auto made =
      Resource::Create(display.runtime(), Primary(DXGI_FORMAT_B8G8R8A8_UNORM, swapchain::Sharing::kCrossAdapter), scan_out);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.ok() ? *std::move(made) : nullptr;
}

std::uint32_t FirstPixel(const Resource& resource) {
  const auto rows = resource.Map();
  std::uint32_t pixel = 0;
  if (rows.ok()) std::memcpy(&pixel, *rows, sizeof(pixel));
  return pixel;
}

void SetFirstPixel(const Resource& resource, std::uint32_t pixel) {
  const auto rows = resource.Map();
  ASSERT_TRUE(rows.ok());
  std::memcpy(*rows, &pixel, sizeof(pixel));
}

DXGI_DDI_HRESOURCE Handle(const Resource& resource) {
  return reinterpret_cast<DXGI_DDI_HRESOURCE>(resource.handle().pDrvPrivate);
}

// DxgiBlt, DxgiRotateResourceIdentities and DxgiSetDisplayMode, which swap chains do not call, through the whole kernel.
TEST_F(Class9Display, RotatedResources_CopiesAndModesUseTheDriversOther) {
  const auto pair = SoftPair::Create(WithClass9Display());
  ASSERT_TRUE(pair);
  RuntimeDevice& display = pair->display();
  const auto device = reinterpret_cast<DXGI_DDI_HDEVICE>(display.umd_device().pDrvPrivate);
  const DXGI1_3_DDI_BASE_FUNCTIONS& dxgi = TranslatedDxgi();
  const auto first = MakePrimary(display), second = MakePrimary(display), copy = MakePrimary(display);
  ASSERT_TRUE(first && second && copy);
  SetFirstPixel(*first, 0xFF000001U);
  SetFirstPixel(*second, 0xFF000002U);

  const DXGI_DDI_HRESOURCE both[] = {Handle(*first), Handle(*second)};
  DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotate{device, both, 2};
  ASSERT_EQ(dxgi.pfnRotateResourceIdentities(&rotate), S_OK);
  DXGI_DDI_ARG_BLT blt{};
  blt.hDevice = device;
  blt.hSrcResource = Handle(*first);
  blt.hDstResource = Handle(*copy);
  blt.DstRight = 64;
  blt.DstBottom = 32;
  ASSERT_EQ(dxgi.pfnBlt(&blt), S_OK);
  // A mode change waits for the engine, so the copy is done after it.
  DXGI_DDI_ARG_SETDISPLAYMODE mode{device, Handle(*copy), 0};
  ASSERT_EQ(dxgi.pfnSetDisplayMode(&mode), S_OK);
  EXPECT_EQ(FirstPixel(*copy), 0xFF000002U);
  blt.DstRight = 63;
  EXPECT_EQ(dxgi.pfnBlt(&blt), DXGI_DDI_ERR_UNSUPPORTED);
}

// A driver that fails, or answers what cannot be used, ends the opening; the rest of it is closed.
TEST_F(Class9Display, DriverThatCannotBeOpened_IsSaidAndClosed) {
  const auto pair = SoftPair::Create({});
  ASSERT_TRUE(pair);
  for (const Class9Fault fault : {Class9Fault::kOpenAdapterFails, Class9Fault::kNoAdapterHandle, Class9Fault::kNoCreateDevice,
                                  Class9Fault::kCreateDeviceFails, Class9Fault::kNoPresent}) {
    SCOPED_TRACE(static_cast<int>(fault));
    class9_fault = fault;
    const auto opened = RuntimeDevice::Create({pair->display_luid(), OpenClass9Display, "display", {}});
    EXPECT_FALSE(opened.ok());
    EXPECT_EQ(CountsOfClass9().adapters_opened, CountsOfClass9().adapters_closed);
    EXPECT_EQ(CountsOfClass9().devices_created, CountsOfClass9().devices_destroyed);
  }
  class9_fault = Class9Fault::kNone;
  EXPECT_TRUE(RuntimeDevice::Create({pair->display_luid(), OpenClass9Display, "display", {}}).ok());
}

TEST_F(Class9Display, CallbackWithAnotherHandle_IsRefused) {
  for (const Class9Fault fault :
       {Class9Fault::kOwnDeviceHandle, Class9Fault::kOwnResourceHandle, Class9Fault::kPresentsUnasked}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const auto pair = SoftPair::Create(WithClass9Display());
    ASSERT_TRUE(pair);
    class9_fault = fault;
    ScanOut scan_out = ScanOut::kYes;
    const auto made = Resource::Create(pair->display().runtime(),
                                       Primary(DXGI_FORMAT_B8G8R8A8_UNORM, swapchain::Sharing::kCrossAdapter), scan_out);
    EXPECT_FALSE(made.ok());
    EXPECT_EQ(CountsOfClass9().callback_answer, E_INVALIDARG);
    class9_fault = Class9Fault::kNone;
  }
}

TEST_F(Class9Display, PresentThatCallsNothing_LosesTheChain) {
  class9_fault = Class9Fault::kPresentsNothing;
  const auto pair = SoftPair::Create(WithClass9Display());
  ASSERT_TRUE(pair);
  const SwapChainDesc desc = PairDesc(64, 48, PathRequest::kDirect, DXGI_FORMAT_B8G8R8A8_UNORM);
  auto chain = SwapChain::Create(pair->render(), pair->display(), desc, MonotonicClock());
  ASSERT_TRUE(chain.ok()) << chain.error().message;
  const TestApplication application(pair->render(), **chain, desc);
  static_cast<void>(PresentFrames(**chain, application, 1, 1));
  EXPECT_FALSE((*chain)->WaitForPresent(1, kPatienceNs).ok());
  EXPECT_TRUE(pair->output().Numbers().empty());
}

// The fixture's counts show that the translation freed for the driver.
TEST_F(Class9Display, DriverThatFreesNothing_IsCleanedUpAfter) {
  class9_fault = Class9Fault::kFreesNothing;
  const auto pair = SoftPair::Create(WithClass9Display());
  ASSERT_TRUE(pair);
  ASSERT_NO_FATAL_FAILURE(ShowFrames(*pair, PairDesc(64, 48, PathRequest::kOneCopy, DXGI_FORMAT_B8G8R8A8_UNORM), 1, 3));
  EXPECT_EQ(pair->output().Numbers(), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace tandem::swapchain_test
