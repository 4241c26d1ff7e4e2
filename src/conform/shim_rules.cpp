// Two user-mode drivers as one: they open together, close together, and their frames cross.
#include <array>
#include <memory>
#include <utility>

#include "conform/rig.h"
#include "conform/rules.h"
#include "swapchain/resource.h"
#include "swapchain/shim_host.h"

namespace tandem::conform {
namespace {

using swapchain::PresentCall;
using swapchain::Resource;
using swapchain::ResourceDesc;
using swapchain::Runtime;
using swapchain::ScanOut;
using swapchain::Sharing;

constexpr std::uint32_t kWidth = 64;  // rows need no padding
constexpr std::uint32_t kHeight = 48;
constexpr std::uint32_t kBackBuffers = 2;
constexpr std::uint32_t kFrames = 6;
constexpr std::size_t kMostBlanks = 32;  // for one frame

std::unique_ptr<swapchain::RuntimeDevice> Open(Rig& rig) {
  auto opened = Runtime::Open({rig.display(), rig.display_driver().open_adapter, rig.display_driver().name, ""});
  Require(opened.ok(), "The driver made of two does not open: {}", opened.ok() ? "" : opened.error().message);
  return *std::move(opened);
}

std::unique_ptr<Resource> Make(Runtime& runtime, Sharing sharing, bool primary) {
  ResourceDesc desc;
  desc.width = kWidth;
  desc.height = kHeight;
  desc.format = DXGI_FORMAT_B8G8R8A8_UNORM;
  // Images that nobody presents are more than a driver for swap chains needs to have.
  const bool presented = primary || sharing == Sharing::kPrivate;
  desc.bind_flags = D3D10_DDI_BIND_RENDER_TARGET | (presented ? UINT{D3D10_DDI_BIND_PRESENT} : UINT{0});
  desc.sharing = sharing;
  desc.primary = primary;
  ScanOut scan_out = ScanOut::kYes;
  auto made = Resource::Create(runtime, desc, scan_out);
  Require(made.ok(), "A {} is refused: {}", primary ? "back buffer" : "shared texture", made.ok() ? "" : made.error().message);
  return *std::move(made);
}

DXGI_DDI_HRESOURCE ToDxgi(const Resource& resource) {
  return reinterpret_cast<DXGI_DDI_HRESOURCE>(resource.handle().pDrvPrivate);
}

// The program draws: a copy out of a texture into the back buffer.
void Draw(Runtime& runtime, const Resource& texture, const Resource& back_buffer) {
  DXGI_DDI_ARG_BLT1 blt{};
  blt.hSrcResource = ToDxgi(texture);
  blt.hDstResource = ToDxgi(back_buffer);
  blt.SrcRight = blt.DstRight = kWidth;
  blt.SrcBottom = blt.DstBottom = kHeight;
  blt.Flags.Convert = 1;
  blt.Rotate = DXGI_DDI_MODE_ROTATION_IDENTITY;
  const HRESULT drawn = runtime.DxgiBlt(blt);
  if (drawn == DXGI_DDI_ERR_UNSUPPORTED) throw NotApplicable("The render adapter's user-mode half copies no textures.");
  Require(SUCCEEDED(drawn), "Drawing answered 0x{:08X}.", static_cast<std::uint32_t>(drawn));
}

bool IsPainted(const ShownPicture& picture, std::uint32_t seed) {
  if (picture.width != kWidth || picture.height != kHeight || picture.pixels.size() != std::size_t{kWidth} * kHeight)
    return false;
  for (std::uint32_t y = 0; y < kHeight; ++y) {
    for (std::uint32_t x = 0; x < kWidth; ++x) {
      if (!picture.Shows(x, y, UserDevice::Painted(seed, x, y))) return false;
    }
  }
  return true;
}

void AwaitFrame(Rig& rig, std::size_t before, std::uint32_t number, std::uint32_t seed) {
  for (std::size_t blanks = 1; blanks <= kMostBlanks; ++blanks) {
    Require(rig.output().AwaitShown(before + blanks), "Frame {} was presented and is not shown.", number);
    if (IsPainted(rig.output().shown()[before + blanks - 1], seed)) return;
  }
  Require(false, "Frame {} was presented and another picture is shown for {} blanks.", number, kMostBlanks);
}

void ShowFrames(Rig& rig, Sharing sharing) {
  UserDevice user = rig.OpenDisplay();
  const auto opened = Open(rig);
  Runtime& runtime = opened->runtime();
  if (sharing == Sharing::kCrossAdapter && runtime.cross_adapter_tier() < 3)
    throw NotApplicable("The display driver does not declare scan-out of cross-adapter resources.");
  const auto texture = Make(runtime, Sharing::kCrossAdapter, false);
  Surface painted;
  painted.global_share = texture->global_share();
  painted.request = {kWidth, kHeight, SurfaceUse::kCrossAdapter};
  painted.pitch = kWidth * sizeof(std::uint32_t);
  painted = user.Open(painted);
  std::array<std::unique_ptr<Resource>, kBackBuffers> chain;
  for (auto& back_buffer : chain) back_buffer = Make(runtime, sharing, true);
  for (std::uint32_t number = 1; number <= kFrames; ++number) {
    const std::uint32_t seed = 0x51000000 + number;
    user.Paint(painted, seed);
    const Resource& back_buffer = *chain[number % kBackBuffers];
    Draw(runtime, *texture, back_buffer);
    const std::size_t before = rig.output().shown().size();
    PresentCall flip;
    flip.source = back_buffer.handle();
    const auto flipped = runtime.DxgiPresent(flip);
    Require(flipped.ok(), "Presenting frame {}: {}", number, flipped.ok() ? "" : flipped.error().message);
    AwaitFrame(rig, before, number, seed);
  }
}

void FramesOfPrivatePrimaries(Rig& rig) { ShowFrames(rig, Sharing::kPrivate); }
void FramesOfSharedPrimaries(Rig& rig) { ShowFrames(rig, Sharing::kCrossAdapter); }

void OpensAndCloses(Rig& rig) {
  for (int time = 0; time < 3; ++time) {
    const auto opened = Open(rig);
    static_cast<void>(Make(opened->runtime(), Sharing::kPrivate, false));
  }
}

// Counts what one of the two drivers opens and closes.
struct Counted {
  PFND3D10DDI_OPENADAPTER open = nullptr;
  PFND3D10DDI_CLOSEADAPTER close = nullptr;
  int opened = 0;
  int closed = 0;
};
Counted counted;

HRESULT APIENTRY CountClose(D3D10DDI_HADAPTER adapter) {
  ++counted.closed;
  return counted.close(adapter);
}

HRESULT CountOpen(D3D10DDIARG_OPENADAPTER* args) {
  const HRESULT opened = counted.open(args);
  if (FAILED(opened)) return opened;
  ++counted.opened;
  counted.close = std::exchange(args->pAdapterFuncs_2->pfnCloseAdapter, &CountClose);
  return opened;
}

HRESULT FailToOpen(D3D10DDIARG_OPENADAPTER* /*args*/) { return E_FAIL; }
HRESULT APIENTRY FailToCreate(D3D10DDI_HADAPTER /*adapter*/, D3D10DDIARG_CREATEDEVICE* /*args*/) { return E_OUTOFMEMORY; }
SIZE_T APIENTRY NoSize(D3D10DDI_HADAPTER /*adapter*/, CONST D3D10DDIARG_CALCPRIVATEDEVICESIZE* /*args*/) { return 1; }
HRESULT APIENTRY CloseNothing(D3D10DDI_HADAPTER /*adapter*/) { return S_OK; }

// A driver whose adapter opens and whose device does not.
HRESULT OpenWithoutDevice(D3D10DDIARG_OPENADAPTER* args) {
  static int adapter = 0;
  args->hAdapter.pDrvPrivate = &adapter;
  *args->pAdapterFuncs_2 = {&NoSize, &FailToCreate, &CloseNothing, nullptr, nullptr};
  return S_OK;
}

void ClosesTheOtherSide(Rig& rig) {
  const ShimBeneath& beneath = rig.beneath();
  for (const bool display_fails : {false, true}) {
    for (const PFND3D10DDI_OPENADAPTER broken :
         {PFND3D10DDI_OPENADAPTER{&FailToOpen}, PFND3D10DDI_OPENADAPTER{&OpenWithoutDevice}}) {
      counted = {display_fails ? beneath.open_render : beneath.open_display, nullptr, 0, 0};
      const TANDEM_SHIM_HOST host =
          swapchain::MakeShimHost(rig.render(), display_fails ? &CountOpen : broken, display_fails ? broken : &CountOpen);
      Require(SUCCEEDED(beneath.set_host(&host)), "The shim refuses its host.");
      const auto opened = Runtime::Open({rig.display(), rig.display_driver().open_adapter, rig.display_driver().name, ""});
      Require(!opened.ok(), "The driver made of two opens although its {} side fails.", display_fails ? "display" : "render");
      Require(counted.opened == counted.closed, "The {} side fails; the other one is opened {} times and closed {} times.",
              display_fails ? "display" : "render", counted.opened, counted.closed);
    }
  }
}

constexpr std::string_view kSource = "OpenAdapter10_2; CreateDevice; DXGI_DDI_BASE_FUNCTIONS";

constexpr std::array<Rule, 4> kShimRules{{
    {"Shim.Open", "Two user-mode halves open as one, the render adapter's without calling the runtime, and close.", kSource,
     Needs::kTwoAdapters, &OpensAndCloses},
    {"Shim.OneSideFails", "When one of the two fails to open, or to create its device, the other one is closed.", kSource,
     Needs::kTwoAdapters, &ClosesTheOtherSide},
    {"Shim.Frames", "Frames drawn by the render adapter are copied into the display adapter's primaries and shown whole.",
     kSource, Needs::kTwoAdapters, &FramesOfPrivatePrimaries},
    {"Shim.SharedFrames", "Frames that the render adapter draws into cross-adapter primaries are shown whole.", kSource,
     Needs::kTwoAdapters, &FramesOfSharedPrimaries},
}};

}  // namespace

std::span<const Rule> ShimRules() { return kShimRules; }

}  // namespace tandem::conform
