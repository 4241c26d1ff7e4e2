// Events with names, which the drivers of the process share on Windows; here one driver sees its own.
#include <ntddk.h>

#include <cstring>

#include "drivers/host/dispatch.h"
#include "drivers/host/kernel.h"
#include "drivers/host/objects.h"

namespace tandem::drivers::host {
namespace {

constexpr std::size_t kLongestName = 128;

struct NamedEvent {
  KEVENT event;
  USHORT bytes;  // Of the name; 0: none.
  WCHAR name[kLongestName];
};

bool HasName(void* body, const void* sought) {
  const auto* const event = static_cast<const NamedEvent*>(body);
  const auto* const name = static_cast<const UNICODE_STRING*>(sought);
  return event->bytes == name->Length && event->bytes != 0 && std::memcmp(event->name, name->Buffer, event->bytes) == 0;
}

// A new event is signaled, as on Windows.
PKEVENT CreateOrOpen(PUNICODE_STRING name, PHANDLE handle, ObjectType type, const char* function) {
  CheckIrql(function, PASSIVE_LEVEL);
  if (name != nullptr && name->Length > sizeof(NamedEvent::name)) return nullptr;
  auto* event = name == nullptr ? nullptr : static_cast<NamedEvent*>(FindObject(ObjectKind::kEvent, HasName, name));
  if (event == nullptr) {
    event = static_cast<NamedEvent*>(CreateObject(ObjectKind::kEvent, sizeof(NamedEvent)));
    if (event == nullptr) return nullptr;
    InitializeHeader(&event->event.Header, type, 1);
    if (name != nullptr) std::memcpy(event->name, name->Buffer, event->bytes = name->Length);
  }
  *handle = OpenHandle(event);
  return &event->event;
}

}  // namespace
}  // namespace tandem::drivers::host

using namespace tandem::drivers::host;

PKEVENT NTAPI IoCreateNotificationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
  return CreateOrOpen(EventName, EventHandle, kNotificationEvent, "IoCreateNotificationEvent");
}

PKEVENT NTAPI IoCreateSynchronizationEvent(PUNICODE_STRING EventName, PHANDLE EventHandle) {
  return CreateOrOpen(EventName, EventHandle, kSynchronizationEvent, "IoCreateSynchronizationEvent");
}
