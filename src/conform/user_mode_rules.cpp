// The user-mode half's cross-adapter resources.
#include <array>
#include <memory>

#include "color/format.h"
#include "conform/rig.h"
#include "conform/rules.h"
#include "swapchain/resource.h"

namespace tandem::conform {
namespace {

using swapchain::Resource;
using swapchain::ResourceDesc;
using swapchain::Runtime;
using swapchain::ScanOut;

struct ScanOutFormat {
  DXGI_FORMAT format;
  const char* name;
  std::uint32_t pixel_bytes;
};

// The minimum formats of tiers 2 and 3 (DisplayScanOut, Windows 10 version 20H1).
constexpr std::array<ScanOutFormat, 6> kFormats{{{DXGI_FORMAT_R16G16B16A16_FLOAT, "R16G16B16A16_FLOAT", 8},
                                                 {DXGI_FORMAT_R10G10B10A2_UNORM, "R10G10B10A2_UNORM", 4},
                                                 {DXGI_FORMAT_R8G8B8A8_UNORM, "R8G8B8A8_UNORM", 4},
                                                 {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, "R8G8B8A8_UNORM_SRGB", 4},
                                                 {DXGI_FORMAT_B8G8R8A8_UNORM, "B8G8R8A8_UNORM", 4},
                                                 {DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, "B8G8R8A8_UNORM_SRGB", 4}}};

bool IsBgra8(const ScanOutFormat& format) {
  return format.format == DXGI_FORMAT_B8G8R8A8_UNORM || format.format == DXGI_FORMAT_B8G8R8A8_UNORM_SRGB;
}

std::unique_ptr<swapchain::RuntimeDevice> OpenUserMode(const DriverUnderTest& driver, LUID luid) {
  if (driver.open_adapter == nullptr) throw NotApplicable("The driver has no user-mode half (OpenAdapter10_2 or OpenAdapter).");
  auto opened = Runtime::Open({luid, driver.open_adapter, driver.name, ""});
  Require(opened.ok(), "The user-mode half does not open: {}", opened.ok() ? "" : opened.error().message);
  return *std::move(opened);
}

ResourceDesc Shared(std::uint32_t width, std::uint32_t height, DXGI_FORMAT format) {
  ResourceDesc desc;
  desc.width = width;
  desc.height = height;
  desc.format = format;
  desc.sharing = swapchain::Sharing::kCrossAdapter;
  return desc;
}

ResourceDesc SharedPrimary(std::uint32_t width, std::uint32_t height, DXGI_FORMAT format) {
  ResourceDesc desc = Shared(width, height, format);
  desc.bind_flags = D3D10_DDI_BIND_PRESENT;
  desc.primary = true;
  return desc;
}

void PrimariesOfTheMinimum(Rig& rig) {
  const UserDevice display = rig.OpenDisplay();
  const auto runtime = OpenUserMode(rig.display_driver(), rig.display());
  if (runtime->cross_adapter_tier() < 3) throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  for (const auto& [width, height] : {std::pair{1920u, 1080u}, {1366u, 768u}, {64u, 48u}}) {
    for (const ScanOutFormat& format : kFormats) {
      ScanOut scan_out = ScanOut::kYes;
      const auto made = Resource::Create(runtime->runtime(), SharedPrimary(width, height, format.format), scan_out);
      Require(scan_out == ScanOut::kYes, "A cross-adapter primary of {} x {} {} is answered with NO_SCANOUT.", width, height,
              format.name);
      Require(made.ok(), "A cross-adapter primary of {} x {} {} is refused: {}", width, height, format.name,
              made.ok() ? "" : made.error().message);
    }
  }
}

// The pitch of a row whose size is a multiple of every driver's alignment.
std::size_t PitchOf(std::uint32_t width, const ScanOutFormat& format) { return std::size_t{width} * format.pixel_bytes; }

// A cross-adapter primary that the user-mode half made, with rows that need no padding.
struct MadePrimary {
  std::unique_ptr<Resource> resource;
  Surface surface;  // the rule's own device opened it
};

MadePrimary MakePrimary(Runtime& runtime, UserDevice& user, std::uint32_t width, std::uint32_t height,
                        const ScanOutFormat& format) {
  ScanOut scan_out = ScanOut::kYes;
  auto made = Resource::Create(runtime, SharedPrimary(width, height, format.format), scan_out);
  Require(made.ok(), "A cross-adapter primary of {} x {} {} is refused: {}", width, height, format.name,
          made.ok() ? "" : made.error().message);
  MadePrimary primary{*std::move(made), {}};
  Surface shared;
  shared.global_share = primary.resource->global_share();
  shared.request = {width, height, SurfaceUse::kCrossAdapter};
  shared.pitch = static_cast<std::uint32_t>(PitchOf(width, format));
  primary.surface = user.Open(shared);
  return primary;
}

struct Extent {
  std::uint32_t width = 0, height = 0;
};
constexpr std::array<Extent, 2> kExtents{{{1920, 1080}, {64, 48}}};

void PrimariesAreAccepted(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const auto opened = OpenUserMode(rig.display_driver(), rig.display());
  auto& runtime = opened->runtime();
  if (runtime.cross_adapter_tier() < 3) throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  if (rig.Description(rig.display()).wddm_version < static_cast<std::uint32_t>(DXGKDDI_WDDMv3_0))
    throw NotApplicable("The driver is older than WDDM 3.0, which has no StaticCheck.");
  for (const auto& [width, height] : kExtents) {
    for (const ScanOutFormat& format : kFormats) {
      const MadePrimary primary = MakePrimary(runtime, user, width, height, format);
      for (int asked = 1; asked <= 2; ++asked) {
        const auto answer =
            runtime.CheckPlane(primary.resource->kernel_resource(), width, height, 0, swapchain::CheckKind::kStatic);
        Require(answer.ok() && answer->supported, "A primary of {} x {} {} is refused by the check with StaticCheck.", width,
                height, format.name);
      }
      RequireSuccess(user.Destroy(primary.surface), "D3DKMTDestroyAllocation2");
    }
  }
  Require(rig.output().shown().empty(), "A primary that was asked about is shown.");
}

void PrimariesAreShown(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const auto opened = OpenUserMode(rig.display_driver(), rig.display());
  auto& runtime = opened->runtime();
  if (runtime.cross_adapter_tier() < 3) throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  for (const auto& [width, height] : kExtents) {
    for (const ScanOutFormat& format : kFormats) {
      const MadePrimary primary = MakePrimary(runtime, user, width, height, format);
      const std::size_t words = PitchOf(width, format) / sizeof(std::uint32_t);
      auto* const pixels = reinterpret_cast<std::uint32_t*>(user.Lock(primary.surface));
      for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < words; ++x) pixels[y * words + x] = UserDevice::Painted(0x15000000, x, y);
      }
      const std::size_t before = rig.output().shown().size();
      rig.output().Probe(pixels);
      RequireSuccess(user.Flip(primary.surface, D3DDDI_FLIPINTERVAL_ONE),
                     "A flip to a cross-adapter primary of the user-mode half");
      Require(rig.output().AwaitShown(before + 1), "A primary of {} x {} {} was flipped to and is not shown.", width, height,
              format.name);
      user.Finish();
      Require(rig.output().elsewhere() == 0, "A primary of {} x {} {} is scanned out from other memory than its own.", width,
              height, format.name);
      rig.output().Probe(nullptr);
      user.Unlock(primary.surface);
      const ShownPicture picture = rig.output().shown().back();
      Require(picture.width == width && picture.height == height, "{}: {} x {} is shown; {} x {} was flipped to.", format.name,
              picture.width, picture.height, width, height);
      if (rig.output().takes_photographs() && !IsBgra8(format)) continue;  // a photograph has other bits
      for (std::size_t i = 0; i < picture.pixels.size(); i += 7) {
        const auto x = static_cast<std::uint32_t>(i % width), y = static_cast<std::uint32_t>(i / width);
        const std::uint32_t due = UserDevice::Painted(0x15000000, x, y);
        Require(picture.Shows(x, y, due), "{}: pixel {} on the screen is 0x{:08X}; 0x{:08X} was due.", format.name, i,
                picture.pixels[i], due);
      }
      RequireSuccess(user.Destroy(primary.surface), "D3DKMTDestroyAllocation2");
    }
  }
}

// Scan-out beyond the kernel-mode half's declared tier would request a path that the kernel never offers.
void OptsOutBelowTheTier(Rig& rig) {
  const UserDevice display = rig.OpenDisplay();
  const auto runtime = OpenUserMode(rig.display_driver(), rig.display());
  ScanOut scan_out = ScanOut::kYes;
  const auto made = Resource::Create(runtime->runtime(), SharedPrimary(640, 480, DXGI_FORMAT_B8G8R8A8_UNORM), scan_out);
  const std::uint32_t tier = runtime->cross_adapter_tier();
  Require(!made.ok() || scan_out == ScanOut::kNo || tier == 3,
          "The user-mode half scans a cross-adapter primary out; the kernel-mode half declares tier {}.", tier);
  const auto texture = Resource::Create(runtime->runtime(), Shared(64, 64, DXGI_FORMAT_B8G8R8A8_UNORM), scan_out);
  Require(texture.ok() == (tier >= 1), "The user-mode half {} a cross-adapter resource; the kernel-mode half declares tier {}.",
          texture.ok() ? "creates" : "refuses", tier);
}

// X, Y, Z become Y, Z, X: a flip to a resource shows the memory of the next one.
void RotationMovesThePictures(Rig& rig) {
  UserDevice user = rig.OpenDisplay();
  const auto opened = OpenUserMode(rig.display_driver(), rig.display());
  auto& runtime = opened->runtime();
  if (runtime.cross_adapter_tier() < 3) throw NotApplicable("The driver does not declare scan-out of cross-adapter resources.");
  const auto seed = [](std::size_t i) { return 0x15000000 + (static_cast<std::uint32_t>(i) << 28); };
  const ScanOutFormat& format = kFormats[4];
  std::array<MadePrimary, 3> primaries;
  std::array<DXGI_DDI_HRESOURCE, 3> handles{};
  for (std::size_t i = 0; i < primaries.size(); ++i) {
    primaries[i] = MakePrimary(runtime, user, 64, 48, format);
    user.Paint(primaries[i].surface, seed(i));
    handles[i] = reinterpret_cast<DXGI_DDI_HRESOURCE>(primaries[i].resource->handle().pDrvPrivate);
  }
  const HRESULT rotated = runtime.DxgiRotate(handles);
  Require(SUCCEEDED(rotated), "RotateResourceIdentities of three equal primaries answered 0x{:08X}.",
          static_cast<std::uint32_t>(rotated));
  for (std::size_t i = 0; i < primaries.size(); ++i) {
    swapchain::PresentCall flip;
    flip.source = primaries[i].resource->handle();
    const std::size_t before = rig.output().shown().size();
    const std::uint32_t due = UserDevice::Painted(seed((i + 1) % primaries.size()), 0, 0);
    // The picture before may be shown once more: a primary is lit, and then flipped to. So a second flip decides.
    std::uint32_t seen = ~due;
    bool is_due = false;
    for (std::size_t flips = 1; flips <= 2 && !is_due; ++flips) {
      const auto flipped = runtime.DxgiPresent(flip);
      Require(flipped.ok(), "A flip to a rotated primary is refused: {}", flipped.ok() ? "" : flipped.error().message);
      Require(rig.output().AwaitShown(before + flips), "A rotated primary was flipped to and is not shown.");
      const ShownPicture picture = rig.output().shown()[before + flips - 1];
      seen = picture.At(0, 0);
      is_due = picture.Shows(0, 0, due);
    }
    Require(is_due, "Primary {} of three shows 0x{:08X} after RotateResourceIdentities; 0x{:08X} was due.", i, seen, due);
  }
  for (const MadePrimary& primary : primaries) RequireSuccess(user.Destroy(primary.surface), "D3DKMTDestroyAllocation2");
}

// White and black are the same in every format.
std::vector<std::byte> Pixel(const ScanOutFormat& format, bool white) {
  std::vector<std::byte> bytes(format.pixel_bytes, white ? std::byte{0xFF} : std::byte{0});
  if (format.pixel_bytes == 8) {
    for (std::size_t i = 1; i < bytes.size(); i += 2) {
      bytes[i - 1] = std::byte{0};
      bytes[i] = white ? std::byte{0x3C} : std::byte{0};  // 1.0
    }
  }
  return bytes;
}

constexpr std::uint32_t kSide = 16;  // extent of a texture with a chessboard of whole texels

bool IsWhite(std::uint32_t x, std::uint32_t y) { return (x + y) % 2 == 0; }

void PaintChessboard(UserDevice& user, const Surface& texture, const ScanOutFormat& format, std::size_t pitch) {
  std::byte* const rows = user.Lock(texture);
  for (std::uint32_t y = 0; y < kSide; ++y) {
    for (std::uint32_t x = 0; x < kSide; ++x) {
      const std::vector<std::byte> pixel = Pixel(format, IsWhite(x, y));
      std::copy(pixel.begin(), pixel.end(), rows + y * pitch + std::size_t{x} * format.pixel_bytes);
    }
  }
  user.Unlock(texture);
}

// The engine reads the texture: it stretches the texture to three times its size and converts it.
void TexturesAreRead(Rig& rig) {
  const auto runtime = OpenUserMode(rig.render_driver(), rig.render());
  if (runtime->cross_adapter_tier() < 2) throw NotApplicable("The driver does not declare textures of cross-adapter resources.");
  UserDevice user = rig.OpenRender();
  const Surface seen = user.Create({3 * kSide, 3 * kSide, SurfaceUse::kCrossAdapter});
  for (const ScanOutFormat& format : kFormats) {
    ResourceDesc desc = Shared(kSide, kSide, format.format);
    desc.bind_flags = D3D10_DDI_BIND_SHADER_RESOURCE | D3D10_DDI_BIND_RENDER_TARGET | D3D11_DDI_BIND_UNORDERED_ACCESS;
    ScanOut scan_out = ScanOut::kYes;
    const auto made = Resource::Create(runtime->runtime(), desc, scan_out);
    Require(made.ok(), "A cross-adapter {} with shader resource, render target and unordered access views is refused: {}",
            format.name, made.ok() ? "" : made.error().message);
    Surface shared;
    shared.global_share = (*made)->global_share();
    shared.request = {kSide, kSide, SurfaceUse::kCrossAdapter};
    const Surface texture = user.Open(shared);
    // A cross-adapter resource is linear; for such short rows its pitch is the driver's smallest pitch.
    const std::uint32_t pitch = user.Create({kSide * format.pixel_bytes / 4, kSide, SurfaceUse::kCrossAdapter}).pitch;
    PaintChessboard(user, texture, format, pitch);
    RequireSuccess(user.Copy(texture, seen, {}), "D3DKMTPresent from a texture");
    user.Finish();
    const std::vector<std::uint32_t> pixels = user.Read(seen);
    for (std::uint32_t y = 0; y < 3 * kSide; ++y) {
      for (std::uint32_t x = 0; x < 3 * kSide; ++x) {
        const std::uint32_t due = IsWhite(x / 3, y / 3) ? 0x00FFFFFF : 0;
        const std::uint32_t pixel = pixels[std::size_t{y} * 3 * kSide + x] & 0x00FFFFFF;
        Require(pixel == due, "{}: pixel ({}, {}) is 0x{:06X}; 0x{:06X} was due.", format.name, x, y, pixel, due);
      }
    }
    RequireSuccess(user.Destroy(texture), "D3DKMTDestroyAllocation2");
  }
}

constexpr std::array<Rule, 6> kUserModeRules{{
    {"CrossAdapter.Primary",
     "Cross-adapter primaries up to 1920 x 1080 are created in each of the six formats without opting out of scan-out.",
     "Supporting cross-adapter resource scan-out, Tier 3 support requirements; HLK testing", Needs::kDisplay,
     &PrimariesOfTheMinimum,
     "The page on scan-out lists six formats, that of DXGK_VIDMMCAPS seven; R10G10B10_XR_BIAS_A2_UNORM may be refused."},
    {"CrossAdapter.PrimaryCheck",
     "Cross-adapter primaries of the user-mode half, in each of the six formats, pass the check with StaticCheck.",
     "Supporting cross-adapter resource scan-out, Supporting StaticCheck; Tier 3 support requirements", Needs::kDisplay,
     &PrimariesAreAccepted},
    {"CrossAdapter.PrimaryFlip",
     "Cross-adapter primaries of the user-mode half are flipped to and shown from their own pages, in each of the six formats.",
     "Supporting cross-adapter resource scan-out, Tier 3 support requirements; HLK testing (the manual test)", Needs::kDisplay,
     &PrimariesAreShown},
    {"CrossAdapter.UserModeTier", "The user-mode half creates across adapters what the kernel-mode half declares, and no more.",
     "Supporting cross-adapter resource scan-out, Tier 2 support requirements; HLK testing", Needs::kDisplay,
     &OptsOutBelowTheTier},
    {"CrossAdapter.Rotation", "After RotateResourceIdentities of the user-mode half each primary shows the next one's picture.",
     "DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES; RotateResourceIdentitiesDXGI function", Needs::kDisplay,
     &RotationMovesThePictures},
    {"CrossAdapter.Texture", "A cross-adapter resource is read as a texture in each of the six formats.",
     "Supporting cross-adapter resource scan-out, CrossAdapterResourceTexture", Needs::kRender, &TexturesAreRead},
}};

}  // namespace

std::span<const Rule> UserModeRules() { return kUserModeRules; }

}  // namespace tandem::conform
