// Moving memory: an allocation keeps its bytes wherever the kernel places it.
#include <algorithm>
#include <array>
#include <random>

#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

constexpr std::uint32_t kSurfaceExtent = 512;  // makes surfaces of 1 MiB
constexpr UINT64 kSurfaceBytes = UINT64{kSurfaceExtent} * kSurfaceExtent * 4;
constexpr UINT64 kMostBudget = 512ULL << 20;  // a larger segment would make the storm too long

// Creates 1.5 times as many surfaces as the local segment holds, and copies among them at random.
void Storm(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const UINT64 budget = user.FillableBudget(kMostBudget);
  const SurfaceRequest request{kSurfaceExtent, kSurfaceExtent, SurfaceUse::kMapped};
  const Surface staging = user.Create(request);
  std::vector<Surface> surfaces;
  std::vector<std::uint32_t> holds;  // the seed of each surface
  const auto count = static_cast<std::uint32_t>(std::max<UINT64>(budget * 3 / 2 / kSurfaceBytes, 4));
  for (std::uint32_t i = 0; i < count; ++i) {
    surfaces.push_back(user.Create({kSurfaceExtent, kSurfaceExtent, SurfaceUse::kImage}));
    holds.push_back((i + 1) << 24);
    user.Paint(staging, holds.back());
    RequireSuccess(user.Copy(staging, surfaces.back(), {}), "D3DKMTPresent");
    user.Finish();
  }
  std::mt19937 random(rig.Seed(1));
  for (std::uint32_t i = 0; i < 4 * count; ++i) {
    const std::size_t source = random() % count;
    const std::size_t destination = random() % count;
    RequireSuccess(user.Copy(surfaces[source], surfaces[destination], {}), "D3DKMTPresent");
    holds[destination] = holds[source];
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    RequireSuccess(user.Copy(surfaces[i], staging, {}), "D3DKMTPresent");
    user.Finish();
    const std::vector<std::uint32_t> seen = user.Read(staging);
    for (const std::uint32_t at : {0u, kSurfaceExtent + 1, kSurfaceExtent * kSurfaceExtent - 1}) {
      const std::uint32_t due = UserDevice::Painted(holds[i], at % kSurfaceExtent, at / kSurfaceExtent);
      Require(seen[at] == due, "Surface {} of {} holds 0x{:08X} at pixel {}; 0x{:08X} was due.", i, count, seen[at], at, due);
    }
  }
}

// Fills the memory with small surfaces, destroys every other one, then creates large ones in the fragmented room. Copies among
// all of them run meanwhile.
class Pieces {
 public:
  explicit Pieces(Rig& rig) : user_(rig.OpenRender()), budget_(user_.FillableBudget(kMostBudget / 8)), random_(rig.Seed(11)) {
    for (Kind& kind : kinds_) {
      kind.painted = user_.Create({kSurfaceExtent, kind.height, SurfaceUse::kMapped});
      kind.back = user_.Create({kSurfaceExtent, kind.height, SurfaceUse::kMapped});
      user_.Paint(kind.painted, 0);
    }
  }

  void Run() {
    for (int round = 0; round < 6; ++round) {
      while (Make(kSmall)) {
      }
      CopyAround();
      DropEveryOther(kSmall);
      while (Make(kLarge)) {
      }
      CopyAround();
      DropEveryOther(kLarge);
    }
    for (const Held& each : held_) RequireMarked(each);
  }

 private:
  static constexpr std::size_t kSmall = 0, kLarge = 1;
  struct Kind {
    std::uint32_t height = 0;  // in pixels; every surface has the same width
    Surface painted, back;
  };
  struct Held {
    Surface surface;
    std::size_t kind = kSmall;
    std::uint32_t mark = 0;  // colour of the surface's first row
  };

  UINT64 BytesOf(std::size_t kind) const { return UINT64{kSurfaceExtent} * 4 * kinds_[kind].height; }

  bool Make(std::size_t kind) {
    if (bytes_ + BytesOf(kind) > budget_) return false;
    bytes_ += BytesOf(kind);
    const RECT first_row{0, 0, static_cast<LONG>(kSurfaceExtent), 1};
    held_.push_back({user_.Create({kSurfaceExtent, kinds_[kind].height, SurfaceUse::kImage}), kind, ++marks_});
    RequireSuccess(user_.Copy(kinds_[kind].painted, held_.back().surface, {}), "D3DKMTPresent");
    RequireSuccess(user_.Fill(held_.back().surface, marks_, {&first_row, 1}), "D3DKMTPresent of a fill");
    return true;
  }

  void DropEveryOther(std::size_t kind) {
    bool goes = false;
    std::erase_if(held_, [&](const Held& held) {
      if (held.kind != kind || !(goes = !goes)) return false;
      bytes_ -= BytesOf(kind);
      RequireSuccess(user_.Destroy(held.surface), "D3DKMTDestroyAllocation2");
      return true;
    });
  }

  // Queues copies without waiting for them.
  void CopyAround() {
    for (std::size_t i = 0; i < held_.size(); ++i) {
      Held& source = held_[random_() % held_.size()];
      Held& destination = held_[random_() % held_.size()];
      if (source.kind != destination.kind) continue;
      RequireSuccess(user_.Copy(source.surface, destination.surface, {}), "D3DKMTPresent");
      destination.mark = source.mark;
    }
  }

  void RequireMarked(const Held& held) {
    const Kind& kind = kinds_[held.kind];
    RequireSuccess(user_.Copy(held.surface, kind.back, {}), "D3DKMTPresent");
    user_.Finish();
    const std::vector<std::uint32_t> seen = user_.Read(kind.back);
    for (std::uint32_t at = 0; at < seen.size(); ++at) {
      const std::uint32_t x = at % kSurfaceExtent, y = at / kSurfaceExtent,
                          due = y == 0 ? held.mark : UserDevice::Painted(0, x, y);
      Require(seen[at] == due, "Pixel ({}, {}) of a surface of height {} is 0x{:08X}; 0x{:08X} was due.", x, y, kind.height,
              seen[at], due);
    }
  }

  UserDevice user_;
  const UINT64 budget_;
  std::array<Kind, 2> kinds_{{{64, {}, {}}, {1024, {}, {}}}};
  std::vector<Held> held_;
  UINT64 bytes_ = 0;
  std::uint32_t marks_ = 0;
  std::mt19937 random_;
};

void JoinPieces(Rig& rig) { Pieces(rig).Run(); }

void EvictAndReturn(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const SurfaceRequest shared{64, 48, SurfaceUse::kMapped};
  const Surface staging = user.Create(shared);
  const Surface back = user.Create(shared);
  const Surface image = user.Create({64, 48, SurfaceUse::kImage});
  D3DKMT_CREATEPAGINGQUEUE queue{};
  queue.hDevice = user.device();
  RequireSuccess(D3DKMTCreatePagingQueue(&queue), "D3DKMTCreatePagingQueue");
  user.Paint(staging, 0x31000000);
  RequireSuccess(user.Copy(staging, image, {}), "D3DKMTPresent");
  user.Finish();
  for (int i = 0; i < 3; ++i) {
    D3DDDI_MAKERESIDENT resident{};
    resident.hPagingQueue = queue.hPagingQueue;
    resident.NumAllocations = 1;
    resident.AllocationList = &image.allocation;
    RequireStatus(D3DKMTMakeResident(&resident), {STATUS_SUCCESS, STATUS_PENDING}, "D3DKMTMakeResident");
    D3DKMT_EVICT evict{};
    evict.hDevice = user.device();
    evict.NumAllocations = 1;
    evict.AllocationList = &image.allocation;
    RequireSuccess(D3DKMTEvict(&evict), "D3DKMTEvict");
  }
  RequireSuccess(user.Copy(image, back, {}), "D3DKMTPresent");
  user.Finish();
  Require(user.Read(back) == user.Read(staging), "The allocation came back with other bytes than it left with.");
}

// A new surface must not show the contents of a destroyed one.
void NewMemoryIsEmpty(Rig& rig) {
  constexpr SurfaceRequest kImage{64, 64, SurfaceUse::kImage};
  UserDevice user = rig.OpenRender();
  const Surface staging = user.Create({64, 64, SurfaceUse::kMapped});
  for (int round = 0; round < 3; ++round) {
    std::array<Surface, 4> secrets;
    user.Paint(staging, 0x77000000);
    for (Surface& secret : secrets) {
      secret = user.Create(kImage);
      RequireSuccess(user.Copy(staging, secret, {}), "D3DKMTPresent");
    }
    user.Finish();
    for (const Surface& secret : secrets) RequireSuccess(user.Destroy(secret), "D3DKMTDestroyAllocation2");
    const Surface fresh = user.Create(kImage);
    RequireSuccess(user.Copy(fresh, staging, {}), "D3DKMTPresent");
    user.Finish();
    const std::vector<std::uint32_t> seen = user.Read(staging);
    for (std::uint32_t i = 0; i < seen.size(); ++i)
      Require(seen[i] == 0, "Pixel {} of a new allocation holds 0x{:08X} of one that is gone.", i, seen[i]);
    RequireSuccess(user.Destroy(fresh), "D3DKMTDestroyAllocation2");
  }
}

void LargeOnesMoveWhole(Rig& rig) {
  constexpr std::uint32_t kWidth = 1024, kHeight = 1100;
  UserDevice user = rig.OpenRender();
  const UINT64 budget = user.FillableBudget(kMostBudget / 4);
  const Surface staging = user.Create({kWidth, kHeight, SurfaceUse::kMapped});
  const auto count = static_cast<std::uint32_t>(std::max<UINT64>(budget * 3 / 2 / (UINT64{kWidth} * kHeight * 4), 3));
  std::vector<Surface> surfaces;
  for (std::uint32_t i = 0; i < count; ++i) {
    surfaces.push_back(user.Create({kWidth, kHeight, SurfaceUse::kImage}));
    user.Paint(staging, (i + 1) << 24);
    RequireSuccess(user.Copy(staging, surfaces.back(), {}), "D3DKMTPresent");
    user.Finish();
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    RequireSuccess(user.Copy(surfaces[i], staging, {}), "D3DKMTPresent");
    user.Finish();
    const std::vector<std::uint32_t> seen = user.Read(staging);
    for (std::uint32_t y = 0; y < kHeight; ++y) {
      const std::uint32_t due = UserDevice::Painted((i + 1) << 24, 5, y), pixel = seen[std::size_t{y} * kWidth + 5];
      Require(pixel == due, "Row {} of surface {} holds 0x{:08X}; 0x{:08X} was due.", y, i, pixel, due);
    }
  }
}

constexpr std::array<Rule, 5> kMemoryRules{{
    {"Memory.Storm", "Allocations that together are larger than their segment keep their bytes.",
     "DXGKDDI_BUILDPAGINGBUFFER, transfers; DXGKDDI_PATCH", Needs::kRender, &Storm},
    {"Memory.Pieces", "Allocations keep their bytes while others come and go and copies run, wherever room is made.",
     "DXGKDDI_BUILDPAGINGBUFFER, transfers within a segment; DXGKDDI_PATCH", Needs::kRender, &JoinPieces},
    {"Memory.Evict", "An allocation that was evicted comes back with its bytes.", "D3DKMTMakeResident, D3DKMTEvict",
     Needs::kRender, &EvictAndReturn},
    {"Memory.Cleared", "A new allocation holds nothing of one that is gone.", "DXGKDDI_BUILDPAGINGBUFFER, Fill", Needs::kRender,
     &NewMemoryIsEmpty},
    {"Memory.Large", "An allocation of several megabytes moves whole, to its last row.",
     "DXGKDDI_BUILDPAGINGBUFFER, TransferSize, TransferOffset and MdlOffset", Needs::kRender, &LargeOnesMoveWhole},
}};

}  // namespace

std::span<const Rule> MemoryRules() { return kMemoryRules; }

}  // namespace tandem::conform
