// The steps of starting an adapter, in order.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/status_name.h"
#include "kernel/adapter/adapter_impl.h"
#include "kernel/adapter/callbacks.h"
#include "kernel/adapter/mandatory_caps.h"
#include "kernel/adapter/rules.h"
#include "kernel/feature/feature_rules.h"

namespace tandem::kernel {
namespace {

// DXGK_CHILD_DESCRIPTORs of one adapter: each source's targets, with room for devices that are no monitors.
constexpr ULONG kMaxChildren = 4 * kMaxVidPnSources;

// Members that QUERYSEGMENT3 and QUERYSEGMENT4 have in common.
struct SegmentAnswer {
  std::vector<DXGK_SEGMENTDESCRIPTOR4> descriptors;
  PagingBufferDescription paging;
};

DXGK_SEGMENTDESCRIPTOR4 Widen(const DXGK_SEGMENTDESCRIPTOR3& old) {
  DXGK_SEGMENTDESCRIPTOR4 descriptor{};
  descriptor.Flags = old.Flags;
  descriptor.BaseAddress = old.BaseAddress;
  descriptor.Size = old.Size;
  descriptor.CommitLimit = old.CommitLimit;
  descriptor.SystemMemoryEndAddress = old.SystemMemoryEndAddress;
  descriptor.CpuTranslatedAddress = old.CpuTranslatedAddress;
  return descriptor;
}

Result<void> CheckCount(UINT first, UINT second) {
  if (first != second) {
    return Fail(ErrorKind::kInternal, "{}: NbSegment was {} in the first query and {} in the second.", rules::kSegmentCount,
                first, second);
  }
  return {};
}

Result<void> CheckCount(UINT count) {
  if (count == 0 || count > kMaxSegments) {
    return Fail(ErrorKind::kInternal, "{}: NbSegment {} is not between 1 and {}.", rules::kSegmentCount, count, kMaxSegments);
  }
  return {};
}

// Asks twice, as the contract says: for the number of segments, then for their descriptors. `query` fills an Out and returns a
// status.
template <class Out, class Descriptor, class Query, class SetArray>
Result<std::pair<Out, std::vector<Descriptor>>> AskTwice(const char* what, Query query, SetArray set_array) {
  Out out{};
  if (const NTSTATUS status = query(out); !NT_SUCCESS(status)) {
    return Fail(ErrorKind::kInternal, "DxgkDdiQueryAdapterInfo({}) returned {}.", what, StatusText(status));
  }
  const UINT count = out.NbSegment;
  if (Result<void> sane = CheckCount(count); !sane.ok()) return std::move(sane).error();
  std::vector<Descriptor> descriptors(count);
  set_array(out, descriptors);
  if (const NTSTATUS status = query(out); !NT_SUCCESS(status)) {
    return Fail(ErrorKind::kInternal, "The second DxgkDdiQueryAdapterInfo({}) returned {}.", what, StatusText(status));
  }
  if (Result<void> same = CheckCount(count, out.NbSegment); !same.ok()) return std::move(same).error();
  return std::pair<Out, std::vector<Descriptor>>(out, std::move(descriptors));
}

}  // namespace

Result<void> AdapterImpl::AddDevice() {
  const NTSTATUS status = gate_.Call(Ddi::kAddDevice, ddi().DxgkDdiAddDevice, &device_object_, &miniport_context_);
  if (!NT_SUCCESS(status)) return DdiFailed("DxgkDdiAddDevice", status);
  added_ = true;
  return {};
}

Result<void> AdapterImpl::AcquireFeatures() {
  feature_driver_.Acquire(ddi(), miniport_context_);
  return {};
}

Result<void> AdapterImpl::StartDevice() {
  if (Result<void> ready = interrupts_.Start(ddi(), miniport_context_, "dpc-" + name_); !ready.ok()) return ready;
  FillCallbacks(callbacks_, *this, ddi().Version);
  DXGK_START_INFO start_info{};
  start_info.AdapterLuid = luid_;
  const NTSTATUS status = gate_.Call(Ddi::kStartDevice, ddi().DxgkDdiStartDevice, miniport_context_, &start_info, &callbacks_,
                                     &vidpn_sources_, &children_);
  if (!NT_SUCCESS(status)) return DdiFailed("DxgkDdiStartDevice", status);
  started_ = true;
  if (vidpn_sources_ > kMaxVidPnSources) {
    return Fail(ErrorKind::kInternal, "{}: NumberOfVideoPresentSources {} is above {}.", rules::kVidPnSources, vidpn_sources_,
                kMaxVidPnSources);
  }
  if (children_ > kMaxChildren) {
    return Fail(ErrorKind::kInternal, "{}: NumberOfChildren {} is above {}.", rules::kChildren, children_, kMaxChildren);
  }
  if (visibility_ == AdapterVisibility::kHidden) vidpn_sources_ = children_ = 0;
  return {};
}

Result<void> AdapterImpl::NegotiateFeatures() {
  features_.QueryAll();
  return {};
}

Result<void> AdapterImpl::QueryCaps() {
  const std::size_t bytes = DriverCapsBytes(ddi().Version);
  const NTSTATUS status = QueryInfo(DXGKQAITYPE_DRIVERCAPS, nullptr, 0, &caps_, static_cast<std::uint32_t>(bytes));
  if (status == STATUS_BUFFER_TOO_SMALL) {
    return Fail(ErrorKind::kInternal, "{}: {} bytes are too small for the driver, and all that DXGK_DRIVERCAPS has at 0x{:X}.",
                rules::kDriverCapsSize, bytes, ddi().Version);
  }
  if (!NT_SUCCESS(status)) return DdiFailed("DxgkDdiQueryAdapterInfo(DRIVERCAPS)", status);
  std::fill_n(reinterpret_cast<std::byte*>(&caps_) + bytes, sizeof(caps_) - bytes, std::byte{0});
  if (display_only()) return CheckMandatoryDisplayOnlyCaps(caps_, ddi());
  if (caps_.SchedulingCaps.NativeGpuFence && !FeatureEnabled(DXGK_FEATURE_NATIVE_FENCE)) {
    return Fail(ErrorKind::kInternal, "{}: NativeGpuFence is set and the feature NATIVE_FENCE is not enabled.",
                rules::kNativeFenceFeature);
  }
  for (const std::string& dropped : DropLaterTiers(caps_)) Log(LogLevel::kWarn, "{}: {}", name_, dropped);
  return CheckCaps(caps_, ddi(), vidpn_sources_);
}

// QUERYSEGMENT4 from WDDM 2.0 on, QUERYSEGMENT3 before.
Result<void> AdapterImpl::QuerySegments() {
  SegmentAnswer answer;
  if (caps_.WDDMVersion >= DXGKDDI_WDDMv2) {
    DXGK_QUERYSEGMENTIN4 input{};
    auto asked = AskTwice<DXGK_QUERYSEGMENTOUT4, DXGK_SEGMENTDESCRIPTOR4>(
        "QUERYSEGMENT4",
        [&](DXGK_QUERYSEGMENTOUT4& out) {
          return QueryInfo(DXGKQAITYPE_QUERYSEGMENT4, &input, sizeof(input), &out, sizeof(out));
        },
        [](DXGK_QUERYSEGMENTOUT4& out, std::vector<DXGK_SEGMENTDESCRIPTOR4>& descriptors) {
          out.pSegmentDescriptor = reinterpret_cast<BYTE*>(descriptors.data());
          out.SegmentDescriptorStride = sizeof(DXGK_SEGMENTDESCRIPTOR4);
        });
    if (!asked.ok()) return std::move(asked).error();
    const DXGK_QUERYSEGMENTOUT4& out = asked->first;
    answer.descriptors = std::move(asked->second);
    answer.paging = {out.PagingBufferSegmentId, out.PagingBufferSize, out.PagingBufferPrivateDataSize};
  } else {
    DXGK_QUERYSEGMENTIN input{};
    auto asked = AskTwice<DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3>(
        "QUERYSEGMENT3",
        [&](DXGK_QUERYSEGMENTOUT3& out) {
          return QueryInfo(DXGKQAITYPE_QUERYSEGMENT3, &input, sizeof(input), &out, sizeof(out));
        },
        [](DXGK_QUERYSEGMENTOUT3& out, std::vector<DXGK_SEGMENTDESCRIPTOR3>& descriptors) {
          out.pSegmentDescriptor = descriptors.data();
        });
    if (!asked.ok()) return std::move(asked).error();
    const DXGK_QUERYSEGMENTOUT3& out = asked->first;
    std::transform(asked->second.begin(), asked->second.end(), std::back_inserter(answer.descriptors), &Widen);
    answer.paging = {out.PagingBufferSegmentId, out.PagingBufferSize, out.PagingBufferPrivateDataSize};
  }
  for (std::uint32_t index = 0; index < answer.descriptors.size(); ++index) {
    Result<SegmentDescription> segment = CheckSegment(answer.descriptors[index], index + 1);
    if (!segment.ok()) return std::move(segment).error();
    segments_.push_back(*segment);
  }
  paging_buffer_ = answer.paging;
  DropTiersWithoutAperture();
  return CheckPagingBuffer(paging_buffer_, segments_);
}

// Windows starts such drivers, Microsoft's compute-only sample among them.
void AdapterImpl::DropTiersWithoutAperture() {
  const Result<void> usable = CheckCrossAdapterSegments(caps_, segments_);
  if (usable.ok()) return;
  tier_refusal_ = usable.error().message;
  Log(LogLevel::kWarn, "{}: {}", name_, tier_refusal_);
  DXGK_VIDMMCAPS& memory = caps_.MemoryManagementCaps;
  memory.CrossAdapterResource = memory.CrossAdapterResourceTexture = memory.CrossAdapterResourceScanout = 0;
}

Result<void> AdapterImpl::QueryChildren() {
  if (children_ == 0) return {};
  if (ddi().DxgkDdiQueryChildRelations == nullptr) {
    return Fail(ErrorKind::kInternal, "{}: DxgkDdiQueryChildRelations of an adapter with {} children is missing.",
                rules::kMandatoryDdi, children_);
  }
  std::vector<DXGK_CHILD_DESCRIPTOR> descriptors(children_ + 1);
  const auto size = static_cast<ULONG>(descriptors.size() * sizeof(DXGK_CHILD_DESCRIPTOR));
  const NTSTATUS status =
      gate_.Call(Ddi::kQueryChildRelations, ddi().DxgkDdiQueryChildRelations, miniport_context_, descriptors.data(), size);
  if (!NT_SUCCESS(status)) return DdiFailed("DxgkDdiQueryChildRelations", status);
  for (ULONG index = 0; index <= children_; ++index) {
    const bool is_end = descriptors[index].ChildDeviceType == TypeUninitialized;
    if (is_end != (index == children_)) {
      return Fail(ErrorKind::kInternal, "{}: Child {} of {} has ChildDeviceType {}.", rules::kChildren, index, children_,
                  static_cast<int>(descriptors[index].ChildDeviceType));
    }
    if (Result<void> sane = display_only() ? Result<void>() : CheckChild(descriptors[index], ddi().Version); !sane.ok()) {
      return sane;
    }
    if (descriptors[index].ChildDeviceType != TypeVideoOutput) continue;
    targets_.push_back(descriptors[index].ChildUid);
    const DXGK_CHILD_DEVICE_HPD_AWARENESS awareness = descriptors[index].ChildCapabilities.HpdAwareness;
    if (awareness == HpdAwarenessInterruptible || awareness == HpdAwarenessPolled) watched_.push_back(targets_.back());
  }
  return {};
}

Result<void> AdapterImpl::QueryMonitors() {
  for (const ULONG target : watched_) monitors_.Set(target, ReadMonitor(*this, target));
  return child_statuses_.Start(targets_, "monitors-" + name_);
}

NTSTATUS AdapterImpl::QueryInfo(DXGK_QUERYADAPTERINFOTYPE type, void* input, std::uint32_t input_size, void* output,
                                std::uint32_t output_size) {
  DXGKARG_QUERYADAPTERINFO args{};
  args.Type = type;
  args.pInputData = input;
  args.InputDataSize = input_size;
  args.pOutputData = output;
  args.OutputDataSize = output_size;
  return gate_.Call(Ddi::kQueryAdapterInfo, ddi().DxgkDdiQueryAdapterInfo, miniport_context_, &args);
}

}  // namespace tandem::kernel
