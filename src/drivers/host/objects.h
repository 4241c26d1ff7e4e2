// Objects with references and handles: threads, named events and registry keys. Any thread.
#pragma once

#include <ntddk.h>

#include <cstdint>

namespace tandem::drivers::host {

enum class ObjectKind : std::uint8_t { kThread, kEvent, kKey };

// The header of an object; the driver's pointer is that of the body behind it.
struct alignas(16) Object {
  LIST_ENTRY link;
  LONG references;
  ObjectKind kind;
};

// Zeroed body of `bytes`, with one reference. NULL when there is no memory.
[[nodiscard]] void* CreateObject(ObjectKind kind, std::size_t bytes);

// A handle that takes over one reference.
[[nodiscard]] HANDLE OpenHandle(void* body);

// The body behind a handle, with one more reference. NULL, and reported, when there is none of that kind.
[[nodiscard]] void* ReferenceHandle(HANDLE handle, ObjectKind kind, const char* function);

// False: `body` is no object of the host; the kernel's objects, such as a DEVICE_OBJECT, are not.
bool AddReference(void* body, LONG_PTR* count);
bool DropReference(void* body, LONG_PTR* count);

// Calls `visit` for each object of the kind; true from it ends the search, and adds a reference.
void* FindObject(ObjectKind kind, bool (*visit)(void* body, const void* sought), const void* sought);

}  // namespace tandem::drivers::host
