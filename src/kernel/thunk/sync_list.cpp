#include "kernel/thunk/sync_list.h"

#include "kernel/submit/counting_fence.h"
#include "kernel/submit/fence_wait.h"

namespace tandem::kernel {
namespace {

static_assert(D3DDDI_MAX_OBJECT_SIGNALED == D3DDDI_MAX_OBJECT_WAITED_ON);
using Form = SyncValues::Form;

bool MonitoredValue(const SyncValues& values, UINT index, UINT64& value) {
  if (values.form == Form::kNone || (values.form != Form::kOne && values.each == nullptr)) return false;
  value = values.form == Form::kOne ? values.one : values.each[index];
  return true;
}

bool ValueOf(D3DDDI_SYNCHRONIZATIONOBJECT_TYPE type, SyncOperation operation, const SyncValues& values, UINT index,
             UINT64& value) {
  if (type == D3DDDI_MONITORED_FENCE) return MonitoredValue(values, index, value);
  if (values.form == Form::kProcessor) return false;
  value = type == D3DDDI_FENCE ? values.one : kOneCount;
  if (type == D3DDDI_FENCE) return values.form == Form::kOne;
  return type != D3DDDI_CPU_NOTIFICATION || operation == SyncOperation::kSignal;
}

}  // namespace

SyncValues ArrayOrOne(System& system, UINT count, const D3DKMT_HANDLE* objects, const UINT64* each, UINT64 one) {
  if (count == 0 || objects == nullptr) return {};
  const HandleRef<SyncObject> first(system.handles(), objects[0]);
  if (first && first->type == D3DDDI_FENCE) return {Form::kOne, one, nullptr};
  return {Form::kEach, 0, each};
}

NTSTATUS SyncList::Resolve(System& system, SyncOperation operation, UINT count, const D3DKMT_HANDLE* objects,
                           const SyncValues& values) {
  if (count == 0 || count > kMaxFencesOfCall || objects == nullptr) return STATUS_INVALID_PARAMETER;
  MakeRoom(count);
  for (UINT i = 0; i < count; ++i) {
    const HandleRef<SyncObject> object(system.handles(), objects[i]);
    if (!object || !ValueOf(object->type, operation, values, i, values_[i])) return STATUS_INVALID_PARAMETER;
    fences_[i] = object->fence;
  }
  return STATUS_SUCCESS;
}

void SyncList::MakeRoom(UINT count) {
  const bool many = count > few_.size();
  if (many) {
    many_.resize(count);
    many_values_.resize(count);
  }
  fences_ = many ? std::span(many_) : std::span(few_).first(count);
  values_ = many ? std::span(many_values_) : std::span(few_values_).first(count);
}

}  // namespace tandem::kernel
