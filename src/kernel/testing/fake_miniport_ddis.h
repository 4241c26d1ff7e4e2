// The DDIs of FakeMiniport. Included by fake_miniport.h.
#pragma once

#include "kernel/testing/fake_miniport.h"

namespace tandem::kernel {

inline void FakeMiniport::FillLifeCycle() {
  table.Version = DXGKDDI_INTERFACE_VERSION_WDDM3_1;
  table.DxgkDdiAddDevice = [](DEVICE_OBJECT* const device, PVOID* context) {
    instance_->device_ = device;
    *context = instance_;
    return instance_->Run("DxgkDdiAddDevice");
  };
  table.DxgkDdiStartDevice = [](CONST PVOID context, PDXGK_START_INFO, PDXGKRNL_INTERFACE callbacks, PULONG source_count,
                                PULONG child_count) {
    FakeMiniport& self = Of(context);
    self.kernel_ = *callbacks;
    *source_count = self.sources;
    *child_count = self.children;
    return self.Run("DxgkDdiStartDevice", self.on_start_device);
  };
  table.DxgkDdiStopDevice = [](CONST PVOID context) { return Of(context).Run("DxgkDdiStopDevice", Of(context).on_stop_device); };
  table.DxgkDdiRemoveDevice = [](CONST PVOID context) {
    return Of(context).Run("DxgkDdiRemoveDevice", Of(context).on_remove_device);
  };
  table.DxgkDdiUnload = [] { instance_->Note("DxgkDdiUnload", false); };
  table.DxgkDdiQueryAdapterInfo = [](HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* args) {
    const NTSTATUS status = Of(adapter).Run("DxgkDdiQueryAdapterInfo");
    return NT_SUCCESS(status) ? Of(adapter).AnswerQuery(*args) : status;
  };
  table.DxgkDdiQueryChildRelations = [](CONST PVOID context, PDXGK_CHILD_DESCRIPTOR descriptors, ULONG) {
    for (ULONG child = 0; child < Of(context).children; ++child) {
      descriptors[child].ChildDeviceType = TypeVideoOutput;
      descriptors[child].ChildUid = child;
      descriptors[child].ChildCapabilities = Of(context).child_caps;
    }
    return Of(context).Run("DxgkDdiQueryChildRelations");
  };
  table.DxgkDdiQueryChildStatus = [](CONST PVOID context, PDXGK_CHILD_STATUS status, BOOLEAN) {
    return Of(context).Run("DxgkDdiQueryChildStatus", Of(context).on_query_child_status, status);
  };
  table.DxgkDdiInterruptRoutine = [](CONST PVOID context, ULONG) -> BOOLEAN {
    Of(context).RunInterruptRoutine();
    return Of(context).isr_claims;
  };
  table.DxgkDdiDpcRoutine = [](CONST PVOID context) { Of(context).RunDpcRoutine(); };
  table.DxgkDdiResetFromTimeout = [](HANDLE adapter) {
    return Of(adapter).Run("DxgkDdiResetFromTimeout", Of(adapter).on_reset_from_timeout);
  };
  table.DxgkDdiRestartFromTimeout = [](HANDLE adapter) {
    return Of(adapter).Run("DxgkDdiRestartFromTimeout", Of(adapter).on_restart_from_timeout);
  };
}

inline void FakeMiniport::FillRendering() {
  table.DxgkDdiCreateDevice = [](HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
    args->hDevice = adapter;
    if (args->pInfo != nullptr) *args->pInfo = {16U << 10, 0, 256, 16, 16, {}};
    return Of(adapter).Run("DxgkDdiCreateDevice");
  };
  table.DxgkDdiDestroyDevice = [](HANDLE device) { return Of(device).Run("DxgkDdiDestroyDevice"); };
  table.DxgkDdiCreateContext = [](HANDLE device, DXGKARG_CREATECONTEXT* args) {
    args->hContext = device;
    args->ContextInfo = {16U << 10, 0, 256, 16, 16, 0, {}, 0};
    return Of(device).Run("DxgkDdiCreateContext", Of(device).on_create_context, args);
  };
  table.DxgkDdiDestroyContext = [](HANDLE context) { return Of(context).Run("DxgkDdiDestroyContext"); };
  table.DxgkDdiCreateAllocation = [](HANDLE adapter, DXGKARG_CREATEALLOCATION* args) {
    for (UINT index = 0; index < args->NumAllocations; ++index)
      args->pAllocationInfo[index].hAllocation = Of(adapter).NewHandle();
    return Of(adapter).Run("DxgkDdiCreateAllocation", Of(adapter).on_create_allocation, args);
  };
  table.DxgkDdiDestroyAllocation = [](HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION*) {
    return Of(adapter).Run("DxgkDdiDestroyAllocation");
  };
  table.DxgkDdiDescribeAllocation = [](HANDLE adapter, DXGKARG_DESCRIBEALLOCATION* args) {
    return Of(adapter).Run("DxgkDdiDescribeAllocation", Of(adapter).on_describe_allocation, args);
  };
  table.DxgkDdiGetStandardAllocationDriverData = [](HANDLE adapter, DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA* args) {
    return Of(adapter).Run("DxgkDdiGetStandardAllocationDriverData", Of(adapter).on_standard_allocation, args);
  };
  table.DxgkDdiOpenAllocation = [](HANDLE device, CONST DXGKARG_OPENALLOCATION* args) {
    for (UINT index = 0; index < args->NumAllocations; ++index) {
      args->pOpenAllocation[index].hDeviceSpecificAllocation = Of(device).NewHandle();
    }
    return Of(device).Run("DxgkDdiOpenAllocation", Of(device).on_open_allocation, args);
  };
  table.DxgkDdiCloseAllocation = [](HANDLE device, CONST DXGKARG_CLOSEALLOCATION*) {
    return Of(device).Run("DxgkDdiCloseAllocation");
  };
  table.DxgkDdiBuildPagingBuffer = [](HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
    return Of(adapter).Run("DxgkDdiBuildPagingBuffer", Of(adapter).on_build_paging_buffer, args);
  };
  table.DxgkDdiRender = [](HANDLE context, DXGKARG_RENDER* args) {
    return Of(context).Run("DxgkDdiRender", Of(context).on_render, args);
  };
  table.DxgkDdiPresent = [](HANDLE context, DXGKARG_PRESENT* args) {
    return Of(context).Run("DxgkDdiPresent", Of(context).on_present, args);
  };
  table.DxgkDdiPatch = [](HANDLE adapter, CONST DXGKARG_PATCH* args) {
    return Of(adapter).Run("DxgkDdiPatch", Of(adapter).on_patch, args);
  };
  table.DxgkDdiSubmitCommand = [](HANDLE adapter, CONST DXGKARG_SUBMITCOMMAND* args) {
    const NTSTATUS status = Of(adapter).Run("DxgkDdiSubmitCommand", Of(adapter).on_submit, args);
    if (NT_SUCCESS(status) && Of(adapter).complete_at_once) Of(adapter).CompleteDma(args->NodeOrdinal, args->SubmissionFenceId);
    return status;
  };
  table.DxgkDdiPreemptCommand = [](HANDLE adapter, CONST DXGKARG_PREEMPTCOMMAND* args) {
    return Of(adapter).Run("DxgkDdiPreemptCommand", Of(adapter).on_preempt, args);
  };
  table.DxgkDdiCancelCommand = [](HANDLE adapter, CONST DXGKARG_CANCELCOMMAND* args) {
    return Of(adapter).Run("DxgkDdiCancelCommand", Of(adapter).on_cancel, args);
  };
  table.DxgkDdiQueryCurrentFence = [](HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* args) {
    return Of(adapter).Run("DxgkDdiQueryCurrentFence", Of(adapter).on_query_fence, args);
  };
  table.DxgkDdiQueryDependentEngineGroup = [](HANDLE adapter, DXGKARG_QUERYDEPENDENTENGINEGROUP* args) {
    args->DependentNodeOrdinalMask = 1ULL << args->NodeOrdinal;
    return Of(adapter).Run("DxgkDdiQueryDependentEngineGroup", Of(adapter).on_query_group, args);
  };
  table.DxgkDdiQueryEngineStatus = [](HANDLE adapter, DXGKARG_QUERYENGINESTATUS* args) {
    return Of(adapter).Run("DxgkDdiQueryEngineStatus", Of(adapter).on_query_status, args);
  };
  table.DxgkDdiResetEngine = [](HANDLE adapter, DXGKARG_RESETENGINE* args) {
    return Of(adapter).Run("DxgkDdiResetEngine", Of(adapter).on_reset_engine, args);
  };
  table.DxgkDdiCollectDbgInfo = [](HANDLE adapter, CONST DXGKARG_COLLECTDBGINFO* args) {
    return Of(adapter).Run("DxgkDdiCollectDbgInfo", Of(adapter).on_collect, args);
  };
}

inline void FakeMiniport::FillDisplay() {
  table.DxgkDdiSetVidPnSourceAddress = [](HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEADDRESS* args) {
    return Of(adapter).Run("DxgkDdiSetVidPnSourceAddress", Of(adapter).on_set_vidpn_source_address, args);
  };
  table.DxgkDdiSetVidPnSourceVisibility = [](HANDLE adapter, CONST DXGKARG_SETVIDPNSOURCEVISIBILITY*) {
    return Of(adapter).Run("DxgkDdiSetVidPnSourceVisibility");
  };
  table.DxgkDdiCommitVidPn = [](HANDLE adapter, CONST DXGKARG_COMMITVIDPN* args) {
    return Of(adapter).Run("DxgkDdiCommitVidPn", Of(adapter).on_commit_vidpn, args);
  };
  table.DxgkDdiEnumVidPnCofuncModality = [](HANDLE adapter, CONST DXGKARG_ENUMVIDPNCOFUNCMODALITY* args) {
    return Of(adapter).Run("DxgkDdiEnumVidPnCofuncModality", Of(adapter).on_enum_vidpn_cofunc_modality, args);
  };
  table.DxgkDdiIsSupportedVidPn = [](HANDLE adapter, DXGKARG_ISSUPPORTEDVIDPN* args) {
    args->IsVidPnSupported = TRUE;
    return Of(adapter).Run("DxgkDdiIsSupportedVidPn", Of(adapter).on_is_supported_vidpn, args);
  };
  table.DxgkDdiControlInterrupt = [](HANDLE adapter, CONST DXGK_INTERRUPT_TYPE, BOOLEAN) {
    return Of(adapter).Run("DxgkDdiControlInterrupt");
  };
  table.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = [](HANDLE adapter,
                                                                DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3* args) {
    return Of(adapter).Run("DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3", Of(adapter).on_set_planes, args);
  };
  table.DxgkDdiCheckMultiPlaneOverlaySupport3 = [](HANDLE adapter, DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3* args) {
    args->Supported = TRUE;
    return Of(adapter).Run("DxgkDdiCheckMultiPlaneOverlaySupport3", Of(adapter).on_check_overlay, args);
  };
}

inline void FakeMiniport::OfferFeatures() {
  table.DxgkDdiQueryInterface = [](CONST PVOID context, QUERY_INTERFACE* query) -> NTSTATUS {
    FakeMiniport& self = Of(context);
    if (query->InterfaceType->Data1 != GUID_WDDM_INTERFACE_FEATURE.Data1) return STATUS_NOT_SUPPORTED;
    auto& out = *reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(query->Interface);
    out.Size = sizeof(out);
    out.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
    out.Context = &self;
    out.InterfaceReference = [](PVOID fake) { ++Of(fake).feature_references; };
    out.InterfaceDereference = [](PVOID fake) { --Of(fake).feature_references; };
    out.QueryFeatureSupport = [](HANDLE adapter, DXGKARG_QUERYFEATURESUPPORT* args) {
      return Of(adapter).Run("QueryFeatureSupport", Of(adapter).on_query_feature_support, args);
    };
    out.QueryFeatureInterface = [](HANDLE adapter, DXGKARG_QUERYFEATUREINTERFACE* args) {
      return Of(adapter).Run("QueryFeatureInterface", Of(adapter).on_query_feature_interface, args);
    };
    out.InterfaceReference(out.Context);
    return self.Run("DxgkDdiQueryInterface", self.on_query_interface, query);
  };
}

inline NTSTATUS FakeMiniport::AnswerQuery(const DXGKARG_QUERYADAPTERINFO& query) {
  if (query.Type == DXGKQAITYPE_DRIVERCAPS) {
    if (query.OutputDataSize < caps_bytes) return STATUS_BUFFER_TOO_SMALL;
    std::memcpy(query.pOutputData, &caps, query.OutputDataSize);
    return STATUS_SUCCESS;
  }
  if (query.Type != DXGKQAITYPE_QUERYSEGMENT4) return STATUS_NOT_SUPPORTED;
  auto& out = *static_cast<DXGK_QUERYSEGMENTOUT4*>(query.pOutputData);
  out.NbSegment = static_cast<UINT>(segments.size());
  out.PagingBufferSegmentId = paging_segment;
  out.PagingBufferSize = paging_size;
  out.PagingBufferPrivateDataSize = paging_private_size;
  if (out.pSegmentDescriptor == nullptr) return STATUS_SUCCESS;
  for (std::size_t index = 0; index < segments.size(); ++index) {
    std::memcpy(out.pSegmentDescriptor + index * out.SegmentDescriptorStride, &segments[index], sizeof(segments[index]));
  }
  return STATUS_SUCCESS;
}

inline void FakeMiniport::RunInterruptRoutine() {
  Note("DxgkDdiInterruptRoutine", false);
  std::vector<DXGKARGCB_NOTIFY_INTERRUPT_DATA> notes;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    notes.swap(pending_);
  }
  for (const DXGKARGCB_NOTIFY_INTERRUPT_DATA& note : notes) kernel_.DxgkCbNotifyInterrupt(kernel_.DeviceHandle, &note);
  if (on_interrupt) on_interrupt();
  if (isr_queues_dpc) kernel_.DxgkCbQueueDpc(kernel_.DeviceHandle);
}

inline void FakeMiniport::RunDpcRoutine() {
  Note("DxgkDdiDpcRoutine", false);
  if (on_dpc) on_dpc();
  if (dpc_notifies) kernel_.DxgkCbNotifyDpc(kernel_.DeviceHandle);
}

}  // namespace tandem::kernel
