// User-mode data that no user-mode half made: the driver refuses it, or it affects no other device.
#include <algorithm>
#include <array>
#include <random>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr SurfaceRequest kShared{64, 32, SurfaceUse::kMapped};

std::vector<std::byte> RandomBytes(std::mt19937& random, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// Work of another device on the same adapter must still succeed.
void RequireUnharmed(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const Surface source = user.Create(kShared), destination = user.Create(kShared);
  user.Paint(source, 0x29000000);
  RequireSuccess(user.Copy(source, destination, {}), "D3DKMTPresent of another program");
  user.Finish();
  Require(user.Read(destination) == user.Read(source), "Another program's copy has other bytes than its source.");
}

// The creation may succeed or fail; a created surface is destroyed.
void TryPrivateData(UserDevice& user, const SurfaceData& valid, std::vector<std::byte> allocation,
                    const SurfaceRequest& request) {
  const auto sharing = request.use == SurfaceUse::kCrossAdapter ? CreateSharing::kGlobal : CreateSharing::kNo;
  Surface made;
  const NTSTATUS status = user.CreateFrom({std::move(allocation), valid.resource, valid.pitch}, request, sharing, made);
  Require(status != STATUS_DEVICE_REMOVED, "Private data of user mode stop the adapter.");
  if (NT_SUCCESS(status)) RequireSuccess(user.Destroy(made), "D3DKMTDestroyAllocation2");
}

void PrivateDataIsChecked(Rig& rig) {
  UserDevice user = rig.OpenRender();
  std::mt19937 random(rig.Seed(1));
  for (const SurfaceUse use : {SurfaceUse::kMapped, SurfaceUse::kImage}) {
    const SurfaceRequest request = user.Resolve({kShared.width, kShared.height, use});
    const SurfaceData valid = user.Describe(request);
    const std::vector<std::byte>& data = valid.allocation;
    for (std::size_t size = 0; size < std::min<std::size_t>(data.size(), 64); ++size) {
      TryPrivateData(user, valid, {data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size)}, request);
    }
    for (std::size_t bit = 0; bit < std::min<std::size_t>(data.size(), 64) * 8; ++bit) {
      std::vector<std::byte> flipped = data;
      flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      TryPrivateData(user, valid, std::move(flipped), request);
    }
    for (int i = 0; i < 50; ++i) TryPrivateData(user, valid, RandomBytes(random, data.size()), request);
    TryPrivateData(user, valid, RandomBytes(random, 4096), request);
  }
  RequireUnharmed(rig);
}

// A device may be lost by its own commands, so each device submits a few buffers only.
void CommandsAreChecked(Rig& rig) {
  std::mt19937 random(rig.Seed(2));
  for (int device = 0; device < 8; ++device) {
    UserDevice user = rig.OpenRender();
    const Surface surface = user.Create(kShared);
    for (int buffer = 0; buffer < 8; ++buffer) {
      std::vector<std::byte> commands = RandomBytes(random, random() % 512);
      // Small numbers look like opcodes, sizes and indices.
      for (std::size_t i = 0; i < commands.size(); ++i) {
        if (buffer % 2 == 1 && i % 4 != 0) commands[i] = std::byte{0};
      }
      std::array<D3DDDI_ALLOCATIONLIST, 2> allocations{};
      for (D3DDDI_ALLOCATIONLIST& entry : allocations) {
        entry.hAllocation = random() % 4 == 0 ? static_cast<D3DKMT_HANDLE>(random()) : surface.allocation;
        entry.WriteOperation = random() % 2;
      }
      std::array<D3DDDI_PATCHLOCATIONLIST, 2> patches{};
      for (D3DDDI_PATCHLOCATIONLIST& patch : patches) {
        patch.AllocationIndex = static_cast<UINT>(random() % 3);
        patch.PatchOffset = static_cast<UINT>(random() % 1024);
      }
      const NTSTATUS status = user.Render(commands, allocations, std::span(patches).first(random() % 3));
      Require(status != STATUS_DEVICE_REMOVED, "A command buffer of user mode stops the adapter.");
    }
  }
  RequireUnharmed(rig);
}

void EscapesAreChecked(Rig& rig) {
  constexpr std::size_t kGuard = 64;  // bytes after the escape's data
  UserDevice user = rig.OpenRender();
  std::mt19937 random(rig.Seed(3));
  for (int i = 0; i < 200; ++i) {
    const std::size_t size = random() % 128;
    std::vector<std::byte> data = RandomBytes(random, size + kGuard);
    const std::vector<std::byte> before = data;
    static_cast<void>(user.Escape(std::span(data).first(size)));
    Require(std::equal(before.begin() + static_cast<std::ptrdiff_t>(size), before.end(),
                       data.begin() + static_cast<std::ptrdiff_t>(size)),
            "An escape with {} bytes of data writes behind them.", size);
  }
  RequireUnharmed(rig);
}

constexpr std::array<Rule, 3> kHostileRules{{
    {"Hostile.PrivateData", "Private data that nobody's user-mode half made are refused and harm nobody.",
     "DXGKDDI_CREATEALLOCATION, pPrivateDriverData", Needs::kRender, &PrivateDataIsChecked},
    {"Hostile.Commands", "A command buffer without sense is refused or loses its own device, and harms nobody else.",
     "DXGKDDI_RENDER, return values", Needs::kRender, &CommandsAreChecked},
    {"Hostile.Escape", "An escape reads and writes its own private data only, whatever is in them.", "DXGKDDI_ESCAPE",
     Needs::kRender, &EscapesAreChecked},
}};

}  // namespace

std::span<const Rule> HostileRules() { return kHostileRules; }

}  // namespace tandem::conform
