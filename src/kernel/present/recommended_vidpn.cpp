#include "kernel/present/recommended_vidpn.h"

#include <algorithm>
#include <string>

#include <fmt/core.h>

#include "kernel/adapter/rules.h"
#include "kernel/memory/ddi_call.h"
#include "kernel/present/vidpn_duties.h"

namespace tandem::kernel {
namespace {

bool IsPinned(const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION& transformation) {
  return transformation.Scaling >= D3DKMDT_VPPS_IDENTITY && transformation.Scaling <= D3DKMDT_VPPS_CUSTOM &&
         transformation.Rotation >= D3DKMDT_VPPR_IDENTITY && transformation.Rotation <= D3DKMDT_VPPR_ROTATE270_OFFSET270;
}

// The first fault of a VidPN that should be functional; empty when it is.
std::string FaultOf(const Adapter& adapter, const VidPn& vidpn) {
  const std::vector<D3DKMDT_VIDPN_PRESENT_PATH> paths = vidpn.Paths();
  if (paths.empty()) return "it has no path";
  const std::vector<ULONG>& targets = adapter.targets();
  for (const D3DKMDT_VIDPN_PRESENT_PATH& path : paths) {
    const UINT source = path.VidPnSourceId, target = path.VidPnTargetId;
    if (source >= adapter.vidpn_source_count()) return fmt::format("source {} does not exist", source);
    if (std::ranges::find(targets, target) == targets.end()) return fmt::format("target {} does not exist", target);
    const auto feeds_it = [=](const D3DKMDT_VIDPN_PRESENT_PATH& other) { return other.VidPnTargetId == target; };
    if (std::ranges::count_if(paths, feeds_it) != 1) return fmt::format("target {} has two sources", target);
    if (!vidpn.PinnedSource(source)) return fmt::format("source {} has no pinned mode", source);
    if (!vidpn.PinnedTarget(target)) return fmt::format("target {} has no pinned mode", target);
    if (!IsPinned(path.ContentTransformation))
      return fmt::format("the transformation from source {} to target {} is not pinned", source, target);
  }
  return {};
}

std::vector<PinnedSource> SourcesOf(const VidPn& vidpn) {
  std::vector<PinnedSource> sources;
  for (const D3DKMDT_VIDPN_PRESENT_PATH& path : vidpn.Paths()) {
    auto own = std::ranges::find(sources, path.VidPnSourceId, &PinnedSource::source);
    if (own == sources.end())
      own = sources.insert(sources.end(), {path.VidPnSourceId, *vidpn.PinnedSource(path.VidPnSourceId), {}});
    own->targets.push_back({path, *vidpn.PinnedTarget(path.VidPnTargetId)});
  }
  const auto ordinal = [](const PinnedSource::Target& target) { return target.path.ImportanceOrdinal; };
  for (PinnedSource& source : sources) std::ranges::stable_sort(source.targets, {}, ordinal);
  return sources;
}

}  // namespace

NTSTATUS AskForVidPn(Adapter& adapter, std::span<const ULONG> connected, std::span<std::byte> private_data,
                     std::vector<PinnedSource>& recommended) {
  VidPn vidpn;
  vidpn.SetDemands(DemandsOn(adapter));
  DXGKARG_RECOMMENDFUNCTIONALVIDPN args{};
  args.NumberOfVidPnTargets = static_cast<ULONG>(connected.size());
  args.pVidPnTargetPrioritizationVector = connected.data();
  args.hRecommendedFunctionalVidPn = vidpn.Lend(VidPnAccess::kTopology);
  args.RequestReason = DXGK_RFVR_USERMODE;
  args.pPrivateDriverData = private_data.data();
  args.PrivateDriverDataSize = static_cast<UINT>(private_data.size());
  const NTSTATUS status = CallDdi(adapter, Ddi::kRecommendFunctionalVidPn, adapter.ddi().DxgkDdiRecommendFunctionalVidPn,
                                  adapter.miniport_context(), static_cast<const DXGKARG_RECOMMENDFUNCTIONALVIDPN*>(&args));
  ReportFaults(adapter, "DxgkDdiRecommendFunctionalVidPn", vidpn.Return());
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  if (!NT_SUCCESS(status)) return status;
  std::string fault = FaultOf(adapter, vidpn);
  if (fault.empty()) {
    const NTSTATUS asked = AskSupport(adapter, vidpn);
    if (asked == STATUS_DEVICE_REMOVED) return asked;
    if (!NT_SUCCESS(asked)) fault = "DxgkDdiIsSupportedVidPn does not support it";
  }
  if (!fault.empty())
    adapter.ReportViolation(rules::kVidPnRecommended, fmt::format("A recommended VidPN is not functional: {}.", fault));
  if (!adapter.alive()) return STATUS_DEVICE_REMOVED;
  recommended = SourcesOf(vidpn);
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
