// DMA buffers between driver and engine: addresses, pieces, and the bytes after them. The kernel here takes liberties that any
// kernel may take at any time (TrialSettings).
#include <array>
#include <random>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kWidth = 96, kHeight = 64;
constexpr SurfaceRequest kShared{kWidth, kHeight, SurfaceUse::kMapped};
constexpr SurfaceRequest kImage{kWidth, kHeight, SurfaceUse::kImage};

constexpr RuleSetup kSkipsPatches{.trial = {.skips_needless_patches = true}};
constexpr RuleSetup kMoves{.trial = {.moves_allocations = true}};
constexpr RuleSetup kSplits{.trial = {.splits_buffers = true}};
constexpr RuleSetup kGuards{.trial = {.guards_buffers = true}};

template <class Expected>
void RequirePixels(UserDevice& user, const Surface& surface, Expected expected) {
  const std::vector<std::uint32_t> pixels = user.Read(surface);
  for (std::uint32_t i = 0; i < pixels.size(); ++i) {
    const std::uint32_t x = i % surface.request.width, y = i / surface.request.width, due = expected(x, y);
    Require(pixels[i] == due, "Pixel ({}, {}) is 0x{:08X}; 0x{:08X} was due.", x, y, pixels[i], due);
  }
}

auto PaintedBy(std::uint32_t seed) {
  return [seed](std::uint32_t x, std::uint32_t y) { return UserDevice::Painted(seed, x, y); };
}

// Rectangles of one pixel in a chessboard pattern.
std::vector<RECT> Chessboard(std::uint32_t width, std::uint32_t height) {
  std::vector<RECT> rects;
  for (LONG y = 0; y < static_cast<LONG>(height); ++y) {
    for (LONG x = y % 2; x < static_cast<LONG>(width); x += 2) rects.push_back({x, y, x + 1, y + 1});
  }
  return rects;
}

std::uint64_t PatchesOf(Rig& rig) {
  const auto counters = rig.kernel().Counters(rig.render());
  return counters.ok() ? counters->patches : 0;
}

// All allocations are resident when the commands are built, and stay in place.
void CommandsHoldAddresses(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  const Surface image = user.Create(kImage);
  for (std::uint32_t round = 1; round <= 3; ++round) {
    user.Paint(source, round << 24);
    user.Paint(destination, 0);
    RequireSuccess(user.Copy(source, image, {}), "D3DKMTPresent");
    user.Finish();
  }
  const std::uint64_t patches = PatchesOf(rig);
  user.Paint(source, 0x51000000);
  RequireSuccess(user.Copy(source, image, {}), "D3DKMTPresent");
  RequireSuccess(user.Copy(image, destination, {}), "D3DKMTPresent");
  const RECT corner{0, 0, 8, 8};
  RequireSuccess(user.Fill(destination, 0xFF123456, {&corner, 1}), "D3DKMTPresent of a fill");
  user.Finish();
  if (PatchesOf(rig) != patches) throw NotApplicable("An allocation moved in between, so nothing was left unpatched.");
  RequirePixels(user, destination, [](std::uint32_t x, std::uint32_t y) {
    return x < 8 && y < 8 ? 0xFF123456 : UserDevice::Painted(0x51000000, x, y);
  });
}

void AddressesFollow(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  const std::array<Surface, 2> images{user.Create(kImage), user.Create(kImage)};
  for (std::uint32_t round = 1; round <= 4; ++round) {
    user.Paint(source, round << 24);
    user.Paint(destination, 0);
    RequireSuccess(user.Copy(source, images[0], {}), "D3DKMTPresent");
    RequireSuccess(user.Copy(images[0], images[1], {}), "D3DKMTPresent");
    RequireSuccess(user.Copy(images[1], destination, {}), "D3DKMTPresent");
    user.Finish();
    RequirePixels(user, destination, PaintedBy(round << 24));
  }
}

void AllReferencesFollow(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  const std::vector<RECT> rects = Chessboard(kWidth, kHeight);
  for (std::uint32_t round = 1; round <= 2; ++round) {
    user.Paint(source, round << 24);
    user.Paint(destination, 0);
    RequireSuccess(user.Copy(source, destination, rects), "D3DKMTPresent of many rectangles");
    user.Finish();
    RequirePixels(user, destination, [round](std::uint32_t x, std::uint32_t y) {
      return UserDevice::Painted((x + y) % 2 == 0 ? round << 24 : 0, x, y);
    });
  }
}

void FillsFollow(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface surface = user.Create(kShared);
  for (std::uint32_t round = 1; round <= 3; ++round) {
    user.Paint(surface, 0);
    const std::array<RECT, 2> rects{RECT{0, 0, 10, 10}, RECT{50, 30, 96, 64}};
    RequireSuccess(user.Fill(surface, round, rects), "D3DKMTPresent of a fill");
    user.Finish();
    RequirePixels(user, surface, [round](std::uint32_t x, std::uint32_t y) {
      return (x < 10 && y < 10) || (x >= 50 && y >= 30) ? round : UserDevice::Painted(0, x, y);
    });
  }
}

void BothReferencesToOneSurfaceFollow(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface surface = user.Create(kShared);
  for (std::uint32_t round = 1; round <= 3; ++round) {
    user.Paint(surface, round << 24);
    D3DKMT_PRESENT present{};
    present.hSource = present.hDestination = surface.allocation;
    present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
    present.SrcRect = {0, 0, 40, 30};
    present.DstRect = {50, 34, 90, 64};
    RequireSuccess(user.KmtPresent(present), "D3DKMTPresent of a surface to itself");
    user.Finish();
    RequirePixels(user, surface, [round](std::uint32_t x, std::uint32_t y) {
      const bool copied = x >= 50 && x < 90 && y >= 34;
      return UserDevice::Painted(round << 24, copied ? x - 50 : x, copied ? y - 34 : y);
    });
  }
}

// Commands of earlier presents in front of a piece would draw over the picture if they ran again.
void PiecesBeginWhereTheyBegin(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const std::array<Surface, 3> sources{user.Create(kShared), user.Create(kShared), user.Create(kShared)};
  const Surface destination = user.Create(kShared);
  for (std::uint32_t i = 0; i < sources.size(); ++i) user.Paint(sources[i], (i + 1) << 24);
  user.Paint(destination, 0);
  std::vector<RECT> stripes;
  for (LONG x = 0; x < static_cast<LONG>(kWidth); x += 2) stripes.push_back({x, 0, x + 2, static_cast<LONG>(kHeight)});
  for (std::uint32_t round = 0; round < 4; ++round) {
    for (const Surface& source : sources) RequireSuccess(user.Copy(source, destination, stripes), "D3DKMTPresent of stripes");
    user.Finish();
    RequirePixels(user, destination, PaintedBy(3u << 24));
  }
}

// The first bytes of each paging buffer are not commands.
void PagingBeginsWhereItBegins(Rig& rig) {
  UserDevice user = rig.OpenRender();
  for (std::uint32_t round = 1; round <= 3; ++round) {
    const Surface source = user.Create(kShared), destination = user.Create(kShared);
    const Surface image = user.Create(kImage);
    user.Paint(source, round << 24);
    user.Paint(destination, 0);
    RequireSuccess(user.Copy(source, image, {}), "D3DKMTPresent");
    RequireSuccess(user.Copy(image, destination, {}), "D3DKMTPresent");
    user.Finish();
    RequirePixels(user, destination, PaintedBy(round << 24));
    for (const Surface& surface : {source, destination, image}) RequireSuccess(user.Destroy(surface), "D3DKMTDestroyAllocation2");
  }
}

void RequireNoOverrun(Rig& rig) {
  const auto seen = rig.kernel().Overrun(rig.render());
  Require(seen.ok(), "The adapter is gone: {}", seen.ok() ? "" : seen.error().message);
  Require(seen->empty(), "{}", *seen);
}

void PresentsStayInTheirBuffers(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, 0x11000000);
  const std::vector<RECT> rects = Chessboard(kWidth, kHeight);
  RequireSuccess(user.Copy(source, destination, rects), "D3DKMTPresent of many rectangles");
  RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent");
  RequireSuccess(user.Fill(destination, 0xFF00FF00, rects), "D3DKMTPresent of many fills");
  const std::array<RECT, 1> part{RECT{1, 1, 7, 7}};
  RequireSuccess(user.Copy(source, destination, part), "D3DKMTPresent of a part");
  user.Finish();
  RequireNoOverrun(rig);
}

void PagingStaysInItsBuffers(Rig& rig) {
  UserDevice user = rig.OpenRender();
  for (int round = 0; round < 3; ++round) {
    const Surface shared = user.Create(kShared);
    const Surface large = user.Create({1024, 1024, SurfaceUse::kImage});
    user.Paint(shared, 0x21000000);
    RequireSuccess(user.Copy(shared, large, {}), "D3DKMTPresent of a stretch");
    user.Finish();
    RequireSuccess(user.Destroy(large), "D3DKMTDestroyAllocation2");
    RequireSuccess(user.Destroy(shared), "D3DKMTDestroyAllocation2");
  }
  RequireNoOverrun(rig);
}

void RenderStaysInItsBuffers(Rig& rig) {
  std::mt19937 random(4);
  for (int device = 0; device < 6; ++device) {
    UserDevice user = rig.OpenRender();
    const Surface surface = user.Create(kShared);
    for (int buffer = 0; buffer < 6; ++buffer) {
      std::vector<std::byte> commands(random() % 4096);
      for (std::byte& byte : commands) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
      std::array<D3DDDI_ALLOCATIONLIST, 2> allocations{};
      for (D3DDDI_ALLOCATIONLIST& entry : allocations) entry.hAllocation = surface.allocation;
      static_cast<void>(user.Render(commands, allocations, {}));
    }
  }
  RequireNoOverrun(rig);
}

constexpr std::string_view kPrePatch = "DXGKDDI_PRESENT, Remarks (pre-patched information)";
constexpr std::string_view kPatch = "DXGKDDI_PATCH; DXGKDDI_PRESENT, Remarks (patch-location list)";
constexpr std::string_view kOffset = "DXGKARG_SUBMITCOMMAND, DmaBufferSubmissionStartOffset";

constexpr std::array<Rule, 10> kSubmissionRules{{
    {"Patch.PrePatched",
     "Commands hold the addresses of the allocation list: DxgkDdiPatch may be left out when nothing moved.",
     kPrePatch,
     Needs::kRender,
     &CommandsHoldAddresses,
     {},
     kSkipsPatches},
    {"Patch.Moved",
     "DxgkDdiPatch writes the address of each allocation that moved since its commands were built.",
     kPatch,
     Needs::kRender,
     &AddressesFollow,
     {},
     kMoves},
    {"Patch.EveryLocation",
     "DxgkDdiPatch writes every patch location of a buffer, the last one as the first.",
     kPatch,
     Needs::kRender,
     &AllReferencesFollow,
     {},
     kMoves},
    {"Patch.Fill", "A fill follows its destination when that moves.", kPatch, Needs::kRender, &FillsFollow, {}, kMoves},
    {"Patch.ScreenToScreen",
     "A copy within one surface follows it with both of its references.",
     kPatch,
     Needs::kRender,
     &BothReferencesToOneSurfaceFollow,
     {},
     kMoves},
    {"Submit.StartOffset",
     "Of a DMA buffer that is submitted in pieces the engine runs each piece, and nothing in front of it.",
     kOffset,
     Needs::kRender,
     &PiecesBeginWhereTheyBegin,
     {},
     kSplits},
    {"Submit.PagingStartOffset",
     "Of a paging buffer the engine runs the submitted part, and nothing in front of it.",
     "DXGKARG_BUILDPAGINGBUFFER, pDmaBuffer; DXGKARG_SUBMITCOMMAND, DmaBufferSubmissionStartOffset",
     Needs::kRender,
     &PagingBeginsWhereItBegins,
     {},
     kSplits},
    {"Guard.Present",
     "DxgkDdiPresent writes nothing behind its DMA buffer, its private data and its patch-location list.",
     "DXGKARG_PRESENT, DmaSize, DmaBufferPrivateDataSize, PatchLocationListOutSize",
     Needs::kRender,
     &PresentsStayInTheirBuffers,
     {},
     kGuards},
    {"Guard.Paging",
     "DxgkDdiBuildPagingBuffer writes nothing behind its paging buffer and its private data.",
     "DXGKARG_BUILDPAGINGBUFFER, DmaSize, DmaBufferPrivateDataSize",
     Needs::kRender,
     &PagingStaysInItsBuffers,
     {},
     kGuards},
    {"Guard.Render",
     "DxgkDdiRender writes nothing behind its buffers, whatever user mode submits.",
     "DXGKARG_RENDER, DmaSize, DmaBufferPrivateDataSize, PatchLocationListOutSize",
     Needs::kRender,
     &RenderStaysInItsBuffers,
     {},
     kGuards},
}};

}  // namespace

std::span<const Rule> SubmissionRules() { return kSubmissionRules; }

}  // namespace tandem::conform
