// Random valid workloads against the model.
#include <array>

#include "conform/model.h"
#include "conform/rig.h"
#include "conform/rules.h"

namespace tandem::conform {
namespace {

// Presents between two looks at the pictures, and looks of a run.
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
              "After {} random presents pixel ({}, {}) of surface {} is 0x{:08X}; 0x{:08X} was due.", presents, at % due[i].width,
              at / due[i].width, i, seen[at], due[i].pixels[at]);
    }
  }
}

void RunWorkload(Rig& rig, std::uint32_t seed, std::span<const SurfaceRequest> requests) {
  UserDevice user = rig.OpenRender();
  std::mt19937 random(seed);
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
      RequireSuccess(user.Present(ToPresent(work, surfaces)), "D3DKMTPresent of a valid present");
      Apply(work, pictures);
    }
    user.Finish();
    ComparePictures(user, surfaces, pictures, (batch + 1) * kBatch);
  }
}

void RandomPresents(Rig& rig) {
  static constexpr std::array<SurfaceRequest, 5> kRequests{{{64, 48, SurfaceUse::kCrossAdapter},
                                                            {37, 81, SurfaceUse::kCrossAdapter},
                                                            {1, 1, SurfaceUse::kCrossAdapter},
                                                            {130, 3, SurfaceUse::kCrossAdapter},
                                                            {96, 96, SurfaceUse::kCrossAdapter}}};
  for (std::uint32_t seed = 1; seed <= 2; ++seed) RunWorkload(rig, seed, kRequests);
}

constexpr std::array<Rule, 1> kRules{{
    {"Workload.Random", "Any valid sequence of copies, stretched copies and fills gives the picture that plain arrays give.",
     "DXGKDDI_PRESENT, Remarks", Needs::kRender, &RandomPresents},
}};

}  // namespace

std::span<const Rule> WorkloadRules() { return kRules; }

}  // namespace tandem::conform
