#include "conform/fuzz/adapter_player.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/sleep.h"
#include "conform/fuzz/guarded_bytes.h"
#include "conform/fuzz/screen_values.h"
#include "conform/rig.h"
#include "kernel/kernel.h"

namespace tandem::conform {
namespace {

constexpr std::uint64_t kLongestPauseMs = 20;
constexpr std::uint64_t kMostRects = 64;
constexpr std::uint64_t kMostPrivateBytes = 64 * 1024;
constexpr std::uint64_t kMostPixels = 4096 * 4096;

RuleSetup SetupOfRuns() {
  RuleSetup setup;
  setup.trial.guards_buffers = true;
  return setup;
}

template <class Value>
NTSTATUS StatusOf(const Result<Value>& result) {
  return result.ok() ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

// Slots hold devices and surfaces by the numbers of a script; an empty one throws.
class AdapterPlayer final : public CallPlayer {
 public:
  AdapterPlayer(const DriverUnderTest& driver, const DriverUnderTest& reference)
      : driver_(driver), rig_({&driver, driver.shows_outputs ? &driver : &reference}, SetupOfRuns(), kFirstSeed) {}

  NTSTATUS Play(const CallStep& step) override {
    const auto& n = step.numbers;
    kernel::Kernel& kernel = rig_.kernel();
    switch (step.call) {
      case Call::kEscape: return Escape(step);
      case Call::kChildStatus: {
        DXGK_CHILD_STATUS status{};
        status.ChildUid = Word(n[0]);
        status.Type = static_cast<DXGK_CHILD_STATUS_TYPE>(Word(n[1]));
        const auto asked = kernel.QueryChildStatus(Adapter(), status);
        return asked.ok() ? *asked : STATUS_NOT_SUPPORTED;
      }
      case Call::kVisible: return StatusOf(kernel.SetVisibility(Adapter(), Word(n[0]), n[1] != 0));
      case Call::kPointerShape: return StatusOf(kernel.SetPointerShape(Adapter(), Word(n[0]), GuardedShape(n).Get()));
      case Call::kPointerMove: return StatusOf(kernel.SetPointerPosition(Adapter(), Word(n[0]), PositionOf(n)));
      case Call::kPause:
        SleepFor(MonotonicClock(), static_cast<std::int64_t>(std::min(n[0], kLongestPauseMs)) * 1'000'000);
        return STATUS_SUCCESS;
      case Call::kDevice: return OpenDevice(n[0], n[1] != 0);
      case Call::kCloseDevice: return devices_.erase(n[0]) == 0 ? STATUS_INVALID_HANDLE : STATUS_SUCCESS;
      case Call::kTargets: return SetTargets(n);
      case Call::kPalette: {
        const auto color = static_cast<UCHAR>(n[3]);
        const std::vector<D3DKMDT_PALETTEDATA> entries(std::min(n[2], std::uint64_t{1024}), {color, color, color, 0});
        return StatusOf(kernel.SetPalette(Adapter(), Word(n[0]), Word(n[1]), entries));
      }
      case Call::kStandard:
        return StatusOf(
            kernel.DescribeStandardSurface(rig_.render(), {static_cast<kernel::StandardSurface>(n[0] % 5), Word(n[1]), Word(n[2]),
                                                           static_cast<D3DDDIFORMAT>(Word(n[3])), Word(n[4])}));
      case Call::kPreempt: return StatusOf(kernel.Preempt(rig_.render(), Word(n[0])));
      case Call::kFence: return StatusOf(kernel.QueryFence(rig_.render(), Word(n[0])));
      case Call::kFeatures: return StatusOf(kernel.AskFeatureInterfaces(rig_.render()));
      default: return PlayOnDevice(step);
    }
  }

  std::vector<std::string> Broken() override {
    std::vector<std::string> broken;
    const auto add = [&](Result<std::string> sentence) {
      if (sentence.ok() && !sentence->empty()) broken.push_back(*std::move(sentence));
    };
    add(rig_.kernel().Violation(rig_.render()));
    if (Adapter().LowPart != rig_.render().LowPart) add(rig_.kernel().Violation(Adapter()));
    add(rig_.kernel().Overrun(rig_.render()));
    return broken;
  }

 private:
  using Numbers = std::array<std::uint64_t, kMostFields>;
  struct OpenDeviceState {
    std::unique_ptr<UserDevice> user;
    std::map<std::uint64_t, Surface> surfaces;
  };

  static UINT Word(std::uint64_t number) { return static_cast<UINT>(number); }
  static RECT RectOf(const Numbers& n, std::size_t first) {
    return {static_cast<LONG>(Word(n[first])), static_cast<LONG>(Word(n[first + 1])), static_cast<LONG>(Word(n[first + 2])),
            static_cast<LONG>(Word(n[first + 3]))};
  }

  // The driver's own adapter with outputs, else the one that it has.
  [[nodiscard]] LUID Adapter() const { return driver_.shows_outputs ? rig_.display() : rig_.render(); }
  OpenDeviceState& Device(std::uint64_t slot) { return devices_.at(slot); }

  NTSTATUS OpenDevice(std::uint64_t slot, bool display) {
    devices_.erase(slot);
    auto user = display ? std::make_unique<UserDevice>(driver_, StartedAdapter{&rig_.kernel(), Adapter()},
                                                       rig_.Description(Adapter()).copy_node)
                        : std::make_unique<UserDevice>(driver_, StartedAdapter{&rig_.kernel(), rig_.render()},
                                                       rig_.Description(rig_.render()).copy_node);
    devices_[slot].user = std::move(user);
    return STATUS_SUCCESS;
  }

  // Without a device the escape is the adapter's.
  NTSTATUS Escape(const CallStep& step) {
    const GuardedBytes data(step.data);
    const auto device = devices_.find(step.numbers[0]);
    D3DKMT_OPENADAPTERFROMLUID open{Adapter(), 0};
    if (device == devices_.end()) RequireSuccess(D3DKMTOpenAdapterFromLuid(&open), "D3DKMTOpenAdapterFromLuid");
    D3DKMT_ESCAPE escape{};
    escape.hAdapter = device == devices_.end() ? open.hAdapter : device->second.user->adapter();
    escape.hDevice = device == devices_.end() ? 0 : device->second.user->device();
    escape.Type = D3DKMT_ESCAPE_DRIVERPRIVATE;
    escape.Flags.Value = Word(step.numbers[1]);
    escape.pPrivateDriverData = data.bytes().data();
    escape.PrivateDriverDataSize = static_cast<UINT>(data.bytes().size());
    const NTSTATUS status = D3DKMTEscape(&escape);
    if (open.hAdapter != 0) {
      const D3DKMT_CLOSEADAPTER close{open.hAdapter};
      static_cast<void>(D3DKMTCloseAdapter(&close));
    }
    return status;
  }

  NTSTATUS SetTargets(const Numbers& n) {
    const std::array<kernel::SourceTarget, 2> targets{
        {{Word(n[2]), static_cast<D3DDDI_ROTATION>(Word(n[3]))}, {Word(n[4]), static_cast<D3DDDI_ROTATION>(Word(n[5]))}}};
    return StatusOf(rig_.kernel().SetTargets(Adapter(), Word(n[0]), std::span(targets).first(std::min(n[1], std::uint64_t{2}))));
  }

  NTSTATUS PlayOnDevice(const CallStep& step) {
    const Numbers& n = step.numbers;
    OpenDeviceState& device = Device(n[0]);
    UserDevice& user = *device.user;
    const auto surface = [&](std::uint64_t slot) -> const Surface& { return device.surfaces.at(slot); };
    switch (step.call) {
      case Call::kCreate: return Create(device, step);
      case Call::kDestroy: {
        const Surface gone = surface(n[1]);
        device.surfaces.erase(n[1]);
        return user.Destroy(gone);
      }
      case Call::kOpen: device.surfaces[n[1]] = user.Open(FindShared(n[2])); return STATUS_SUCCESS;
      case Call::kLock: user.Paint(surface(n[1]), 1); return STATUS_SUCCESS;
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
        const D3DKMT_INVALIDATEACTIVEVIDPN invalidate{user.adapter(), data.bytes().data(),
                                                      static_cast<UINT>(data.bytes().size())};
        return D3DKMTInvalidateActiveVidPn(&invalidate);
      }
      case Call::kRender: return Render(device, step);
      case Call::kFinish: user.Finish(); return STATUS_SUCCESS;
      case Call::kReset: return user.ForceTimeout(D3DKMT_TDRDBGCTRLTYPE_FORCETDR, 0);
      default: return STATUS_NOT_SUPPORTED;
    }
  }

  // A surface that any device shares.
  const Surface& FindShared(std::uint64_t slot) {
    for (const auto& [number, device] : devices_) {
      const auto found = device.surfaces.find(slot);
      if (found != device.surfaces.end() && found->second.global_share != 0) return found->second;
    }
    throw NotApplicable("No device shares such a surface.");
  }

  // The driver's own private data, cut or lengthened, with the step's data in its place.
  NTSTATUS Create(OpenDeviceState& device, const CallStep& step) {
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

  NTSTATUS PresentFlags(OpenDeviceState& device, const Numbers& n) {
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

  NTSTATUS Render(OpenDeviceState& device, const CallStep& step) {
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

  const DriverUnderTest& driver_;
  Rig rig_;
  std::map<std::uint64_t, OpenDeviceState> devices_;  // closed before the rig
};

}  // namespace

std::unique_ptr<CallPlayer> MakeAdapterPlayer(const DriverUnderTest& driver, const DriverUnderTest& reference) {
  return std::make_unique<AdapterPlayer>(driver, reference);
}

}  // namespace tandem::conform
