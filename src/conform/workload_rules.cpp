// Random valid workloads against the model.
#include <array>

#include "conform/model.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

// Presents between two comparisons, and comparisons of a run.
constexpr int kBatch = 40;
constexpr int kBatches = 25;

D3DKMT_PRESENT ToPresent(const Work& work, std::span<const Surface> surfaces) {
  D3DKMT_PRESENT present{};
  present.hDestination = surfaces[work.destination].allocation;
  present.DstRect = work.destination_rect;
  present.Flags.DstRectValid = 1;
  present.SubRectCnt = static_cast<UINT>(work.rects.size());
  present.pSrcSubRects = work.rects.data();
  if (work.kind == WorkKind::kFill) {
    present.Color = work.color;
    present.Flags.ColorFill = 1;
    return present;
  }
  present.hSource = surfaces[work.source].allocation;
  present.SrcRect = work.source_rect;
  present.Flags.Blt = present.Flags.SrcRectValid = 1;
  return present;
}

void ComparePictures(UserDevice& user, std::span<const Surface> surfaces, std::span<const Picture> due, int presents) {
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const std::vector<std::uint32_t> seen = user.Read(surfaces[i]);
    for (std::size_t at = 0; at < seen.size(); ++at) {
      Require(seen[at] == due[i].pixels[at],
              "After {} random presents or sequences of them pixel ({}, {}) of surface {} is 0x{:08X}; 0x{:08X} was due.",
              presents, at % due[i].width, at / due[i].width, i, seen[at], due[i].pixels[at]);
    }
  }
}

// Surfaces of 256 KiB that together exceed the adapter's own memory: most presents bring one in and evict one.
constexpr std::uint32_t kMovedExtent = 256;
constexpr UINT64 kMostMoved = 64ULL << 20;
constexpr int kSequences = 1000;

void PresentWhatMoves(Rig& rig) {
  UserDevice user = rig.OpenRender();
  const UINT64 budget = user.FillableBudget(kMostMoved);
  const Surface seen = user.Create({kMovedExtent, kMovedExtent, SurfaceUse::kMapped});
  user.Paint(seen, 0);
  std::vector<Surface> surfaces;
  std::vector<Picture> pictures;
  const auto count = static_cast<std::size_t>(budget * 3 / 2 / (UINT64{kMovedExtent} * kMovedExtent * 4));
  for (std::size_t i = 0; i < count; ++i) {
    surfaces.push_back(user.Create({kMovedExtent, kMovedExtent, SurfaceUse::kImage}));
    RequireSuccess(user.Copy(seen, surfaces.back(), {}), "D3DKMTPresent");
  }
  user.Finish();
  pictures.assign(count, {kMovedExtent, kMovedExtent, user.Read(seen)});
  std::mt19937 random(rig.Seed(9));
  for (int sequence = 0; sequence < kSequences; ++sequence) {
    Work work;
    for (std::uint32_t left = 1 + random() % 4; left > 0; --left) {
      work = RandomWork(random, pictures);
      RequireSuccess(user.KmtPresent(ToPresent(work, surfaces)), "D3DKMTPresent of a valid present");
      Apply(work, pictures);
    }
    RequireSuccess(user.Copy(surfaces[work.destination], seen, {}), "D3DKMTPresent");
    user.Finish();
    ComparePictures(user, {&seen, 1}, {&pictures[work.destination], 1}, sequence + 1);
  }
}

void RunWorkload(Rig& rig, std::uint32_t seed, std::span<const SurfaceRequest> requests) {
  UserDevice user = rig.OpenRender();
  std::mt19937 random(rig.Seed(seed));
  std::vector<Surface> surfaces;
  std::vector<Picture> pictures;
  for (const SurfaceRequest& request : requests) {
    surfaces.push_back(user.Create(request));
    user.Paint(surfaces.back(), seed << 24);
    pictures.push_back({request.width, request.height, user.Read(surfaces.back())});
  }
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int i = 0; i < kBatch; ++i) {
      const Work work = RandomWork(random, pictures);
      RequireSuccess(user.KmtPresent(ToPresent(work, surfaces)), "D3DKMTPresent of a valid present");
      Apply(work, pictures);
    }
    user.Finish();
    ComparePictures(user, surfaces, pictures, (batch + 1) * kBatch);
  }
}

void RandomPresents(Rig& rig) {
  static constexpr std::array<SurfaceRequest, 5> kRequests{{{64, 48, SurfaceUse::kMapped},
                                                            {37, 81, SurfaceUse::kMapped},
                                                            {1, 1, SurfaceUse::kMapped},
                                                            {130, 3, SurfaceUse::kMapped},
                                                            {96, 96, SurfaceUse::kMapped}}};
  for (std::uint32_t seed = 1; seed <= 2; ++seed) RunWorkload(rig, seed, kRequests);
}

constexpr std::array<Rule, 2> kWorkloadRules{{
    {"Workload.Random", "Any valid sequence of copies, stretched copies and fills gives the picture that plain arrays give.",
     "DXGKDDI_PRESENT, Remarks", Needs::kRender, &RandomPresents},
    {"Workload.Moved",
     "The same holds for surfaces that the kernel moves between their presents, and between build and submission.",
     "DXGKDDI_PRESENT, DXGKDDI_PATCH, DXGKDDI_BUILDPAGINGBUFFER", Needs::kRender, &PresentWhatMoves},
}};

}  // namespace

std::span<const Rule> WorkloadRules() { return kWorkloadRules; }

}  // namespace tandem::conform
