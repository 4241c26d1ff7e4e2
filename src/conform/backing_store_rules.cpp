// Backing stores shared by user mode and the driver's kernel-mode half.
#include <array>
#include <cstring>

#include <sys/mman.h>

#include "base/memory_map.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::string_view kSource = "Sharing the backing store with KMD, Feature flow and Properties of the allocation";
constexpr SurfaceRequest kShared{64, 32, SurfaceUse::kSharedWithKmd};

void RequireSharing(Rig& rig, UserDevice& user) {
  D3DKMT_ISFEATUREENABLED query{};
  query.hAdapter = user.adapter();
  query.FeatureId = DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD;
  RequireSuccess(D3DKMTIsFeatureEnabled(&query), "D3DKMTIsFeatureEnabled");
  if (!query.Result.Enabled || !rig.RenderSharesBackingStores()) throw NotApplicable("The driver shares no backing stores.");
}

std::uint32_t PixelAt(std::span<const std::uint32_t> pixels, std::uint32_t x, std::uint32_t y) {
  return pixels[std::size_t{y} * kShared.width + x];
}

std::uint64_t OffsetOf(const Surface& surface, std::uint32_t x, std::uint32_t y) {
  return std::uint64_t{y} * surface.pitch + std::uint64_t{x} * 4;
}

void BothSidesSeeTheSameBytes(Rig& rig) {
  UserDevice user = rig.OpenRender();
  RequireSharing(rig, user);
  const Surface shared = user.Create(kShared);
  user.Paint(shared, 0x31000000);
  const std::uint32_t read = user.AskKmd({shared.allocation, OffsetOf(shared, 63, 31)});
  Require(read == UserDevice::Painted(0x31000000, 63, 31), "The kernel-mode half reads 0x{:08X} where user mode wrote 0x{:08X}.",
          read, UserDevice::Painted(0x31000000, 63, 31));
  static_cast<void>(user.AskKmd({shared.allocation, OffsetOf(shared, 5, 7), true, 0xCAFEF00D}));
  const std::uint32_t seen = PixelAt(user.Read(shared), 5, 7);
  Require(seen == 0xCAFEF00D, "User mode reads 0x{:08X} where the kernel-mode half wrote 0xCAFEF00D.", seen);
}

// Moves a surface's pages away from the address of D3DKMTLock2. Other pages take their place until destruction.
class MovedView {
 public:
  MovedView(std::byte* locked, std::size_t size_bytes) : locked_(locked), size_bytes_(size_bytes) {
    moved_ = Place(nullptr, 0);
    Require(Move(locked_, moved_), "The pages at {} cannot be moved.", static_cast<const void*>(locked));
    Require(Place(locked_, MAP_FIXED) == locked_, "The place of moved pages cannot be filled.");
  }
  // Moving a mapping leaves nothing at the old address to unmap.
  ~MovedView() { static_cast<void>(Move(moved_, locked_)); }
  MovedView(const MovedView&) = delete;
  MovedView& operator=(const MovedView&) = delete;
  // Four bytes of the surface, read at its new address.
  [[nodiscard]] std::uint32_t At(std::uint64_t offset) const {
    std::uint32_t value = 0;
    std::memcpy(&value, moved_ + offset, sizeof(value));
    return value;
  }

 private:
  std::byte* Place(std::byte* at, int flags) const {
    void* const pages = mmap(at, size_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    Require(pages != MAP_FAILED, "There is no room for {} bytes.", size_bytes_);
    return static_cast<std::byte*>(pages);
  }
  bool Move(std::byte* from, std::byte* to) const {
    return mremap(from, size_bytes_, size_bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
  }
  std::byte* locked_;
  std::size_t size_bytes_;
  std::byte* moved_ = nullptr;
};

void KernelModeUsesItsOwnAddress(Rig& rig) {
  UserDevice user = rig.OpenRender();
  RequireSharing(rig, user);
  const Surface shared = user.Create(kShared);
  user.Paint(shared, 0x31000000);
  const auto bytes = RoundUpToPages(std::size_t{shared.pitch} * kShared.height);
  Require(bytes.ok(), "A pitch of {} bytes has no pages.", shared.pitch);
  if (!CreateSharedPages("tandem-conform", *bytes).ok()) throw NotApplicable("A process maps pages without memfd_create once.");
  std::byte* const locked = user.Lock(shared);
  {
    const MovedView view(locked, *bytes);
    const std::uint32_t read = user.AskKmd({shared.allocation, OffsetOf(shared, 63, 31)});
    const std::uint32_t due = UserDevice::Painted(0x31000000, 63, 31);
    Require(read == due, "The kernel-mode half reads 0x{:08X} at user mode's address, not 0x{:08X} at its own.", read, due);
    static_cast<void>(user.AskKmd({shared.allocation, OffsetOf(shared, 5, 7), true, 0xCAFEF00D}));
    const std::uint32_t seen = view.At(OffsetOf(shared, 5, 7));
    Require(seen == 0xCAFEF00D, "The kernel-mode half wrote 0xCAFEF00D at user mode's address; its own has 0x{:08X}.", seen);
  }
  user.Unlock(shared);
}

void OtherDeviceSeesThem(Rig& rig) {
  UserDevice user = rig.OpenRender();
  RequireSharing(rig, user);
  const Surface shared = user.Create(kShared);
  UserDevice other = rig.OpenRender();
  const Surface opened = other.Open(shared);
  static_cast<void>(user.AskKmd({shared.allocation, OffsetOf(shared, 1, 2), true, 0x0BADCAFE}));
  Require(PixelAt(other.Read(opened), 1, 2) == 0x0BADCAFE, "A second device sees other bytes.");
  other.Paint(opened, 0x71000000);
  const std::uint32_t read = user.AskKmd({shared.allocation, OffsetOf(shared, 9, 9)});
  Require(read == UserDevice::Painted(0x71000000, 9, 9), "The kernel-mode half does not see what a second device wrote.");
}

void GpuWritesAreSeen(Rig& rig) {
  UserDevice user = rig.OpenRender();
  RequireSharing(rig, user);
  const Surface shared = user.Create(kShared);
  const Surface source = user.Create({kShared.width, kShared.height, SurfaceUse::kMapped});
  const Surface back = user.Create({kShared.width, kShared.height, SurfaceUse::kMapped});
  user.Paint(source, 0x52000000);
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = user.device();
  RequireSuccess(D3DKMTCreatePagingQueue(&queue), "D3DKMTCreatePagingQueue");
  D3DDDI_MAKERESIDENT make_resident{};
  make_resident.hPagingQueue = queue.hPagingQueue;
  make_resident.NumAllocations = 1;
  make_resident.AllocationList = &shared.allocation;
  RequireStatus(D3DKMTMakeResident(&make_resident), {STATUS_SUCCESS, STATUS_PENDING}, "D3DKMTMakeResident");
  RequireSuccess(user.Copy(source, shared, {}), "A copy into a shared backing store");
  user.Finish();
  const std::uint32_t read = user.AskKmd({shared.allocation, OffsetOf(shared, 40, 20)});
  Require(read == UserDevice::Painted(0x52000000, 40, 20), "The kernel-mode half reads 0x{:08X} where the GPU wrote 0x{:08X}.",
          read, UserDevice::Painted(0x52000000, 40, 20));
  Require(user.Read(shared) == user.Read(source), "User mode does not see what the GPU wrote.");
  static_cast<void>(user.AskKmd({shared.allocation, OffsetOf(shared, 3, 3), true, 0x12345678}));
  RequireSuccess(user.Copy(shared, back, {}), "A copy out of a shared backing store");
  user.Finish();
  Require(PixelAt(user.Read(back), 3, 3) == 0x12345678, "The GPU does not see what the kernel-mode half wrote.");
}

void NotShared_IsRefused(Rig& rig) {
  UserDevice user = rig.OpenRender();
  RequireSharing(rig, user);
  RequireStatus(user.TryCreate(kShared, CreateSharing::kNo), {STATUS_INVALID_PARAMETER},
                "Creating such an allocation that is not shared");
}

constexpr std::array<Rule, 5> kBackingStoreRules{{
    {"BackingStore.SameBytes", "User mode and the driver's kernel-mode half see the same bytes in a shared backing store.",
     kSource, Needs::kRender, &BothSidesSeeTheSameBytes,
     "The concept page puts such allocations into system memory only, the DDI pages into an aperture segment; the latter is "
     "taken."},
    {"BackingStore.KernelAddress", "The driver's kernel-mode half reaches a shared backing store by the kernel's address alone.",
     kSource, Needs::kRender, &KernelModeUsesItsOwnAddress},
    {"BackingStore.SecondDevice", "Whoever opens the shared allocation sees the same bytes.", kSource, Needs::kRender,
     &OtherDeviceSeesThem},
    {"BackingStore.GpuWrites", "What the GPU writes into a resident allocation is seen by user mode and kernel mode.", kSource,
     Needs::kRender, &GpuWritesAreSeen},
    {"BackingStore.CreatedShared", "The allocation must be created as shared.", kSource, Needs::kRender, &NotShared_IsRefused},
}};

}  // namespace

std::span<const Rule> BackingStoreRules() { return kBackingStoreRules; }

}  // namespace tandem::conform
