#include "kernel/adapter/child_statuses.h"

#include <algorithm>
#include <utility>

namespace tandem::kernel {

Result<void> ChildStatuses::Start(const std::vector<ULONG>& children, const std::string& thread_name) {
  {
    const MutexLock lock(mutex_);
    for (const ULONG id : children) children_.push_back({id});
    started_ = true;
  }
  if (children.empty()) return {};
  auto thread = Thread::Start(thread_name, [this] { Run(); });
  if (!thread.ok()) return std::move(thread).error().Context("Starting the monitor thread");
  thread_ = *std::move(thread);
  return {};
}

void ChildStatuses::Stop() {
  {
    const MutexLock lock(mutex_);
    stops_ = true;
  }
  changed_.NotifyAll();
  thread_.Join();
}

NTSTATUS ChildStatuses::Indicate(const DXGK_CHILD_STATUS& status) {
  {
    const MutexLock lock(mutex_);
    if (!started_ || stops_) return STATUS_SUCCESS;
    const auto child =
        std::find_if(children_.begin(), children_.end(), [&](const Child& own) { return own.id == status.ChildUid; });
    if (child == children_.end()) return STATUS_INVALID_PARAMETER;
    if (status.Type != StatusConnection && status.Type != StatusRotation) return STATUS_NOT_SUPPORTED;
    (status.Type == StatusConnection ? child->connection : child->rotation) = true;
  }
  changed_.NotifyAll();
  return STATUS_SUCCESS;
}

void ChildStatuses::SetListener(Listener* listener) {
  MutexLock lock(mutex_);
  listener_ = listener;
  changed_.NotifyAll();
  while (calling_) changed_.Wait(lock.native());
}

bool ChildStatuses::TakeNext(ULONG& child, DXGK_CHILD_STATUS_TYPE& type) {
  for (Child& own : children_) {
    if (!own.connection && !own.rotation) continue;
    child = own.id;
    type = own.connection ? StatusConnection : StatusRotation;
    (own.connection ? own.connection : own.rotation) = false;
    return true;
  }
  return false;
}

void ChildStatuses::Run() {
  MutexLock lock(mutex_);
  while (!stops_) {
    ULONG child = 0;
    DXGK_CHILD_STATUS_TYPE type = StatusUninitialized;
    if (listener_ == nullptr || !TakeNext(child, type)) {
      changed_.Wait(lock.native());
      continue;
    }
    Listener& listener = *listener_;
    calling_ = true;
    lock.Unlock();
    listener.OnChildStatus(child, type);
    lock.Lock();
    calling_ = false;
    changed_.NotifyAll();
  }
}

}  // namespace tandem::kernel
