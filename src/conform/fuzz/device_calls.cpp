#include "conform/fuzz/device_calls.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "conform/fuzz/guarded_bytes.h"
#include "conform/fuzz/screen_values.h"
#include "conform/rule.h"

namespace tandem::conform {
namespace {

constexpr std::uint64_t kMostRects = 64;
constexpr std::uint64_t kMostPrivateBytes = 64 * 1024;
constexpr std::uint64_t kMostPixels = 1 << 18;  // of a surface: memory of larger ones takes longer than a hundred calls

UINT Word(std::uint64_t number) { return static_cast<UINT>(number); }

RECT RectOf(const std::array<std::uint64_t, kMostFields>& n, std::size_t first) {
  return {static_cast<LONG>(Word(n[first])), static_cast<LONG>(Word(n[first + 1])), static_cast<LONG>(Word(n[first + 2])),
          static_cast<LONG>(Word(n[first + 3]))};
}

// Slots of the surfaces that the call cannot do without.
std::span<const std::uint64_t> NeededSurfaces(const CallStep& step) {
  const auto slots = std::span(step.numbers).subspan(1);
  switch (step.call) {
    case Call::kDestroy:
    case Call::kLock:
    case Call::kFill:
    case Call::kFlip:
    case Call::kSetMode: return slots.first(1);
    case Call::kCopy: return slots.first(2);
    default: return {};
  }
}

}  // namespace

NTSTATUS DeviceCalls::Close(std::uint64_t slot) { return devices_.erase(slot) == 0 ? STATUS_INVALID_HANDLE : STATUS_SUCCESS; }

const UserDevice* DeviceCalls::Find(std::uint64_t slot) const {
  const auto found = devices_.find(slot);
  return found == devices_.end() ? nullptr : found->second.user.get();
}

NTSTATUS DeviceCalls::Play(const CallStep& step) {
  const Numbers& n = step.numbers;
  const auto found = devices_.find(n[0]);
  if (found == devices_.end()) return STATUS_INVALID_HANDLE;
  OpenDevice& device = found->second;
  for (const std::uint64_t slot : NeededSurfaces(step)) {
    if (!device.surfaces.contains(slot)) return STATUS_INVALID_HANDLE;
  }
  UserDevice& user = *device.user;
  const auto surface = [&](std::uint64_t slot) -> const Surface& { return device.surfaces.at(slot); };
  switch (step.call) {
    case Call::kCreate: return Create(device, step);
    case Call::kDestroy: {
      const Surface gone = surface(n[1]);
      device.surfaces.erase(n[1]);
      return user.Destroy(gone);
    }
    case Call::kOpen: {
      const Surface* const shared = FindShared(n[2]);
      if (shared == nullptr) return STATUS_INVALID_HANDLE;
      device.surfaces[n[1]] = user.Open(*shared);
      return STATUS_SUCCESS;
    }
    case Call::kLock:
      *user.Lock(surface(n[1])) = std::byte{1};  // the rows of a format that nobody knows may be of any length
      user.Unlock(surface(n[1]));
      return STATUS_SUCCESS;
    case Call::kCopy: {
      const RECT rect = RectOf(n, 3);
      return user.Copy(surface(n[1]), surface(n[2]), {&rect, rect.right == 0 ? 0u : 1u});
    }
    case Call::kFill: {
      const RECT rect = RectOf(n, 2);
      return user.Fill(surface(n[1]), Word(n[6]), {&rect, 1});
    }
    case Call::kFlip: return user.Flip(surface(n[1]), static_cast<D3DDDI_FLIPINTERVAL_TYPE>(Word(n[2])));
    case Call::kPresentFlags: return PresentFlags(device, n);
    case Call::kSetMode: return user.SetMode(surface(n[1]), static_cast<D3DDDI_ROTATION>(Word(n[2])));
    case Call::kGamma: {
      GuardedRamp values(n);
      const D3DKMDT_GAMMA_RAMP ramp = values.Get();
      const D3DKMT_SETGAMMARAMP set{
          user.device(), Word(n[1]), ramp.Type, {ramp.Data.pRgb256x3x16}, static_cast<UINT>(ramp.DataSize)};
      return D3DKMTSetGammaRamp(&set);
    }
    case Call::kRecommend: {
      const GuardedBytes data(step.data);
      const D3DKMT_INVALIDATEACTIVEVIDPN invalidate{user.adapter(), data.bytes().data(), static_cast<UINT>(data.bytes().size())};
      return D3DKMTInvalidateActiveVidPn(&invalidate);
    }
    case Call::kRender: return Render(device, step);
    case Call::kFinish: user.Finish(); return STATUS_SUCCESS;
    case Call::kReset: return user.ForceTimeout(D3DKMT_TDRDBGCTRLTYPE_FORCETDR, 0);
    default: return STATUS_NOT_SUPPORTED;
  }
}

const Surface* DeviceCalls::FindShared(std::uint64_t slot) const {
  for (const auto& [number, device] : devices_) {
    const auto found = device.surfaces.find(slot);
    if (found != device.surfaces.end() && found->second.global_share != 0) return &found->second;
  }
  return nullptr;
}

NTSTATUS DeviceCalls::Create(OpenDevice& device, const CallStep& step) {
  const Numbers& n = step.numbers;
  SurfaceRequest request{Word(n[2]), Word(n[3]), static_cast<SurfaceUse>(n[4] % 3), static_cast<D3DDDIFORMAT>(Word(n[7]))};
  if (std::uint64_t{request.width} * request.height > kMostPixels) return STATUS_INVALID_PARAMETER;
  SurfaceData data = device.user->Describe(request);
  if (n[5] != 0) data.allocation.resize(std::min(n[5], kMostPrivateBytes));
  for (std::size_t i = 0; i < step.data.size() && n[6] + i < data.allocation.size(); ++i)
    data.allocation[n[6] + i] = step.data[i];
  const auto sharing = request.use == SurfaceUse::kCrossAdapter ? CreateSharing::kGlobal : CreateSharing::kNo;
  Surface made;
  const NTSTATUS status = device.user->CreateFrom(std::move(data), request, sharing, made);
  if (NT_SUCCESS(status)) device.surfaces[n[1]] = made;
  return status;
}

NTSTATUS DeviceCalls::PresentFlags(OpenDevice& device, const Numbers& n) {
  const auto handle = [&](std::uint64_t slot) {
    const auto found = device.surfaces.find(slot);
    return found == device.surfaces.end() ? static_cast<D3DKMT_HANDLE>(slot * 0x40) : found->second.allocation;
  };
  std::vector<RECT> rects(std::min(n[4], kMostRects), RECT{0, 0, 16, 16});
  D3DKMT_PRESENT present{};
  present.hSource = handle(n[1]);
  present.hDestination = handle(n[2]);
  present.Flags.Value = Word(n[3]);
  present.SubRectCnt = static_cast<UINT>(rects.size());
  present.pSrcSubRects = rects.data();
  present.SrcRect = present.DstRect = {0, 0, 32, 32};
  return device.user->KmtPresent(present);
}

NTSTATUS DeviceCalls::Render(OpenDevice& device, const CallStep& step) {
  const Numbers& n = step.numbers;
  const auto found = device.surfaces.find(n[1]);
  D3DDDI_ALLOCATIONLIST entry{};
  entry.hAllocation = found == device.surfaces.end() ? 0 : found->second.allocation;
  entry.WriteOperation = 1;
  const std::vector<D3DDDI_ALLOCATIONLIST> allocations(std::min(n[2], std::uint64_t{16}), entry);
  D3DDDI_PATCHLOCATIONLIST patch{};
  patch.PatchOffset = Word(n[4]);
  const std::vector<D3DDDI_PATCHLOCATIONLIST> patches(std::min(n[3], std::uint64_t{16}), patch);
  return device.user->Render(step.data, allocations, patches);
}

}  // namespace tandem::conform
