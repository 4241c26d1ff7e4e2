#include "drivers/host/objects.h"

#include <cstdlib>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/waiters.h"

namespace tandem::drivers::host {
namespace {

struct Handle {
  LIST_ENTRY link;
  ULONG_PTR value;
  void* body;
};

constexpr const char* kKindNames[] = {"thread", "event", "registry key"};

constinit Mutex mutex;
LIST_ENTRY objects = {&objects, &objects};
LIST_ENTRY handles = {&handles, &handles};
ULONG_PTR next_handle = 0x1004;  // Multiples of four, as on Windows.

void* BodyOf(Object* object) { return object + 1; }

// The caller holds the mutex, here and below.
Object* Find(const void* body) {
  for (LIST_ENTRY* entry = objects.Flink; entry != &objects; entry = entry->Flink) {
    Object* const object = CONTAINING_RECORD(entry, Object, link);
    if (BodyOf(object) == body) return object;
  }
  return nullptr;
}

Handle* FindHandle(HANDLE value) {
  for (LIST_ENTRY* entry = handles.Flink; entry != &handles; entry = entry->Flink) {
    Handle* const handle = CONTAINING_RECORD(entry, Handle, link);
    if (handle->value == reinterpret_cast<ULONG_PTR>(value)) return handle;
  }
  return nullptr;
}

LONG Drop(Object* object) {
  const LONG left = --object->references;
  if (left > 0) return left;
  RemoveEntryList(&object->link);
  std::free(object);
  return 0;
}

}  // namespace

void* CreateObject(ObjectKind kind, std::size_t bytes) {
  auto* const object = static_cast<Object*>(std::calloc(1, sizeof(Object) + bytes));
  if (object == nullptr) return nullptr;
  object->references = 1;
  object->kind = kind;
  const Locked locked(mutex);
  InsertTailList(&objects, &object->link);
  return BodyOf(object);
}

HANDLE OpenHandle(void* body) {
  auto* const handle = static_cast<Handle*>(std::malloc(sizeof(Handle)));
  if (handle == nullptr) return nullptr;
  const Locked locked(mutex);
  *handle = Handle{{}, next_handle, body};
  next_handle += 4;
  InsertTailList(&handles, &handle->link);
  return reinterpret_cast<HANDLE>(handle->value);
}

void* ReferenceHandle(HANDLE value, ObjectKind kind, const char* function) {
  {
    const Locked locked(mutex);
    const Handle* const handle = FindHandle(value);
    Object* const object = handle == nullptr ? nullptr : Find(handle->body);
    if (object != nullptr && object->kind == kind) {
      ++object->references;
      return handle->body;
    }
  }
  Report(Rule::kHandle, "%s: the handle is no open handle of a %s.", function, kKindNames[static_cast<int>(kind)]);
  return nullptr;
}

bool AddReference(void* body, LONG_PTR* count) {
  const Locked locked(mutex);
  Object* const object = Find(body);
  if (object != nullptr) *count = ++object->references;
  return object != nullptr;
}

bool DropReference(void* body, LONG_PTR* count) {
  const Locked locked(mutex);
  Object* const object = Find(body);
  if (object != nullptr) *count = Drop(object);
  return object != nullptr;
}

void* FindObject(ObjectKind kind, bool (*visit)(void* body, const void* sought), const void* sought) {
  const Locked locked(mutex);
  for (LIST_ENTRY* entry = objects.Flink; entry != &objects; entry = entry->Flink) {
    Object* const object = CONTAINING_RECORD(entry, Object, link);
    if (object->kind != kind || !visit(BodyOf(object), sought)) continue;
    ++object->references;
    return BodyOf(object);
  }
  return nullptr;
}

void EndHandles() {
  const Locked locked(mutex);
  int open[3] = {}, referenced[3] = {};
  while (!IsListEmpty(&handles)) {
    Handle* const handle = CONTAINING_RECORD(RemoveHeadList(&handles), Handle, link);
    if (Object* const object = Find(handle->body)) {
      ++open[static_cast<int>(object->kind)];
      Drop(object);
    }
    std::free(handle);
  }
  // Objects that are left have references without a handle. A thread that runs still uses its object.
  for (LIST_ENTRY* entry = objects.Flink; entry != &objects;) {
    Object* const object = CONTAINING_RECORD(entry, Object, link);
    entry = entry->Flink;
    const bool runs = object->kind == ObjectKind::kThread && StateOf(static_cast<DISPATCHER_HEADER*>(BodyOf(object))) == 0;
    if (runs) continue;
    ++referenced[static_cast<int>(object->kind)];
    RemoveEntryList(&object->link);
    std::free(object);
  }
  for (int i = 0; i < 3; ++i) {
    if (open[i] > 0) {
      Report(Rule::kHandleOpen, "%d handle%s of a %s %s open.", open[i], open[i] == 1 ? "" : "s", kKindNames[i],
             open[i] == 1 ? "is" : "are");
    }
    if (referenced[i] > 0) {
      Report(Rule::kHandleOpen, "%d %s object%s referenced.", referenced[i], kKindNames[i], referenced[i] == 1 ? " is" : "s are");
    }
  }
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

NTSTATUS NTAPI ZwClose(HANDLE Handle_) {
  CheckIrql("ZwClose", PASSIVE_LEVEL);
  {
    const Locked locked(mutex);
    if (Handle* const handle = FindHandle(Handle_)) {
      if (Object* const object = Find(handle->body)) Drop(object);
      RemoveEntryList(&handle->link);
      std::free(handle);
      return STATUS_SUCCESS;
    }
  }
  Report(Rule::kHandleClosed, "ZwClose: the handle is not open.");
  return STATUS_INVALID_HANDLE;
}

LONG_PTR NTAPI ObfReferenceObject(PVOID Object) {
  CheckIrql("ObReferenceObject", DISPATCH_LEVEL);
  LONG_PTR count = 0;
  AddReference(Object, &count);
  return count;
}

LONG_PTR NTAPI ObfDereferenceObject(PVOID Object) {
  CheckIrql("ObDereferenceObject", DISPATCH_LEVEL);
  LONG_PTR count = 0;
  DropReference(Object, &count);
  return count;
}
