#include "drivers/host/thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/leftovers.h"
#include "drivers/host/lock.h"
#include "drivers/host/objects.h"
#include "drivers/host/waiters.h"

namespace tandem::drivers::host {
namespace {

constexpr KPRIORITY kNormalPriority = 8;

constinit Mutex mutex;
constinit Condition ended;
int running = 0;

thread_local PKTHREAD own = nullptr;  // The calling system thread.
thread_local KTHREAD foreign{};       // Stands for a thread that the driver did not make.

void* Run(void* argument) {
  auto* const thread = static_cast<PKTHREAD>(argument);
  own = thread;
  SetIrql(PASSIVE_LEVEL);
  if (sigsetjmp(thread->End, 0) == 0) thread->StartRoutine(thread->StartContext);
  SetState(&thread->Header, 1);
  LONG_PTR count = 0;
  DropReference(thread, &count);
  const Locked locked(mutex);
  --running;
  ended.Wake();
  return nullptr;
}

}  // namespace

// A thread that was told to end may need a moment. The code of one that runs on must stay mapped.
void EndThreads() {
  constexpr std::uint64_t kGraceNs = 200'000'000;
  const std::uint64_t deadline_ns = NowNs() + kGraceNs;
  int left = 0;
  {
    const Locked locked(mutex);
    while (running > 0 && ended.WaitUntil(mutex, deadline_ns)) {
    }
    left = running;
  }
  if (left == 0) return;
  Report(Rule::kThreadRunning, "%d system thread%s when the driver was unloaded.", left, left == 1 ? " ran" : "s ran");
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&Run), &info) != 0) dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

namespace {
// ObjectType arguments are compared by these addresses alone.
int thread_type, event_type, file_type;
POBJECT_TYPE thread_type_pointer = reinterpret_cast<POBJECT_TYPE>(&thread_type);
POBJECT_TYPE event_type_pointer = reinterpret_cast<POBJECT_TYPE>(&event_type);
POBJECT_TYPE file_type_pointer = reinterpret_cast<POBJECT_TYPE>(&file_type);
}  // namespace

POBJECT_TYPE* PsThreadType = &thread_type_pointer;
POBJECT_TYPE* ExEventObjectType = &event_type_pointer;
POBJECT_TYPE* IoFileObjectType = &file_type_pointer;

NTSTATUS NTAPI PsCreateSystemThread(PHANDLE ThreadHandle, ULONG /*DesiredAccess*/, POBJECT_ATTRIBUTES /*ObjectAttributes*/,
                                    HANDLE /*ProcessHandle*/, PCLIENT_ID ClientId, PKSTART_ROUTINE StartRoutine,
                                    PVOID StartContext) {
  CheckIrql("PsCreateSystemThread", PASSIVE_LEVEL);
  if (ServiceFails("PsCreateSystemThread")) return STATUS_INSUFFICIENT_RESOURCES;
  auto* const thread = static_cast<PKTHREAD>(CreateObject(ObjectKind::kThread, sizeof(KTHREAD)));
  if (thread == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  InitializeHeader(&thread->Header, kThread, 0);
  thread->Priority = kNormalPriority;
  thread->StartRoutine = StartRoutine;
  thread->StartContext = StartContext;
  LONG_PTR count = 0;
  AddReference(thread, &count);  // The running thread's own.
  {
    const Locked locked(mutex);
    ++running;
  }
  pthread_t native;
  if (pthread_create(&native, nullptr, Run, thread) != 0) {
    const Locked locked(mutex);
    --running;
    DropReference(thread, &count);
    DropReference(thread, &count);
    return STATUS_INSUFFICIENT_RESOURCES;
  }
  pthread_detach(native);
  *ThreadHandle = OpenHandle(thread);
  if (ClientId != nullptr) *ClientId = CLIENT_ID{PsGetCurrentProcessId(), thread};
  return STATUS_SUCCESS;
}

NTSTATUS NTAPI PsTerminateSystemThread(NTSTATUS /*ExitStatus*/) {
  CheckIrql("PsTerminateSystemThread", PASSIVE_LEVEL);
  if (own == nullptr) return STATUS_INVALID_PARAMETER;  // Not a system thread.
  siglongjmp(own->End, 1);
}

PKTHREAD NTAPI KeGetCurrentThread(VOID) {
  if (own != nullptr) return own;
  if (foreign.Priority == 0) foreign.Priority = kNormalPriority;
  return &foreign;
}

HANDLE NTAPI PsGetCurrentThreadId(VOID) { return KeGetCurrentThread(); }
HANDLE NTAPI PsGetCurrentProcessId(VOID) { return reinterpret_cast<HANDLE>(static_cast<ULONG_PTR>(getpid())); }
PEPROCESS NTAPI PsGetCurrentProcess(VOID) { return reinterpret_cast<PEPROCESS>(&thread_type); }

// Priorities are remembered; Linux schedules all threads alike.
KPRIORITY NTAPI KeSetPriorityThread(PKTHREAD Thread, KPRIORITY Priority) {
  CheckIrql("KeSetPriorityThread", PASSIVE_LEVEL);
  return __atomic_exchange_n(&Thread->Priority, Priority, __ATOMIC_RELAXED);
}

NTSTATUS NTAPI ObReferenceObjectByHandle(HANDLE Handle, ACCESS_MASK /*DesiredAccess*/, POBJECT_TYPE ObjectType,
                                         KPROCESSOR_MODE /*AccessMode*/, PVOID* Object,
                                         POBJECT_HANDLE_INFORMATION /*HandleInformation*/) {
  CheckIrql("ObReferenceObjectByHandle", PASSIVE_LEVEL);
  const bool is_event = ObjectType == event_type_pointer;
  *Object = ReferenceHandle(Handle, is_event ? ObjectKind::kEvent : ObjectKind::kThread, "ObReferenceObjectByHandle");
  return *Object == nullptr ? STATUS_INVALID_HANDLE : STATUS_SUCCESS;
}

HANDLE NTAPI PsGetProcessId(PEPROCESS /*Process*/) { return PsGetCurrentProcessId(); }

NTSTATUS NTAPI ZwWaitForSingleObject(HANDLE Handle, BOOLEAN /*Alertable*/, PLARGE_INTEGER Timeout) {
  CheckIrql("ZwWaitForSingleObject", PASSIVE_LEVEL);
  void* body = ReferenceHandle(Handle, ObjectKind::kThread, "ZwWaitForSingleObject");
  if (body == nullptr) return STATUS_INVALID_HANDLE;
  const NTSTATUS status = WaitFor(1, &body, false, DeadlineOf(Timeout));
  LONG_PTR count = 0;
  DropReference(body, &count);
  return status;
}
