/* Shared objects that several tests make, name and open. */
#include "library.h"

#include <unistd.h>

/* Attributes of the name that was given last. */
static OBJECT_ATTRIBUTES* Named(const WCHAR* text) {
  static UNICODE_STRING name;
  static OBJECT_ATTRIBUTES attributes = {.Length = sizeof(attributes), .ObjectName = &name};
  name.Length = 0;
  for (const WCHAR* unit = text; *unit != 0; ++unit) name.Length = (USHORT)(name.Length + sizeof(*unit));
  name.MaximumLength = name.Length;
  name.Buffer = (WCHAR*)text;
  return &attributes;
}

NTSTATUS ShareNamed(UINT count, const D3DKMT_HANDLE* objects, const WCHAR* name, HANDLE* shared) {
  return CALL(D3DKMTShareObjects, count, objects, name != NULL ? Named(name) : NULL, 1, shared);
}

NTSTATUS OpenResourceName(const WCHAR* name, DWORD access, HANDLE* handle) {
  D3DKMT_OPENNTHANDLEFROMNAME open = {access, Named(name), NULL};
  const NTSTATUS status = CALL(D3DKMTOpenNtHandleFromName, &open);
  *handle = open.hNtHandle;
  return status;
}

NTSTATUS OpenSyncName(const WCHAR* name, DWORD access, HANDLE* handle) {
  D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME open = {access, Named(name), NULL};
  const NTSTATUS status = CALL(D3DKMTOpenSyncObjectNtHandleFromName, &open);
  *handle = open.hNtHandle;
  return status;
}

void CloseNtHandle(HANDLE handle) { EXPECT_EQ(close((int)(intptr_t)handle), 0); }

NTSTATUS OpenSync(D3DKMT_HANDLE device, HANDLE handle, D3DKMT_HANDLE* object) {
  D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open = {.hNtHandle = handle, .hDevice = device};
  const NTSTATUS status = CALL(D3DKMTOpenSyncObjectFromNtHandle2, &open);
  EXPECT_EQ(open.Flags.Value, 0);
  *object = open.hSyncObject;
  return status;
}

void DestroySync(D3DKMT_HANDLE object) {
  const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {object};
  EXPECT_EQ(CALL(D3DKMTDestroySynchronizationObject, &destroy), STATUS_SUCCESS);
}

D3DKMT_HANDLE MakeSync(D3DKMT_HANDLE device) {
  D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = device, .Info = {.Type = D3DDDI_SYNCHRONIZATION_MUTEX}};
  create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
  EXPECT_EQ(CALL(D3DKMTCreateSynchronizationObject2, &create), STATUS_SUCCESS);
  return create.hSyncObject;
}
