// Keyed mutexes: the holder releases a mutex to a key, and the next holder acquires it with that key. Part of d3dkmthk.h.
#pragma once

#include "d3dukmdt.h"

// D3DKMT_CREATEKEYEDMUTEX, D3DKMT_OPENKEYEDMUTEX, D3DKMT_ACQUIREKEYEDMUTEX and D3DKMT_RELEASEKEYEDMUTEX, d3dkmthk.h: the forms
// without private data.
typedef struct _D3DKMT_CREATEKEYEDMUTEX {
  UINT64 InitialValue;
  D3DKMT_HANDLE hSharedHandle;
  D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_CREATEKEYEDMUTEX;

typedef struct _D3DKMT_OPENKEYEDMUTEX {
  D3DKMT_HANDLE hSharedHandle;
  D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_OPENKEYEDMUTEX;

typedef struct _D3DKMT_ACQUIREKEYEDMUTEX {
  D3DKMT_HANDLE hKeyedMutex;
  UINT64 Key;
  LARGE_INTEGER* pTimeout;
  UINT64 FenceValue;
} D3DKMT_ACQUIREKEYEDMUTEX;

typedef struct _D3DKMT_RELEASEKEYEDMUTEX {
  D3DKMT_HANDLE hKeyedMutex;
  UINT64 Key;
  UINT64 FenceValue;
} D3DKMT_RELEASEKEYEDMUTEX;

// D3DKMT_CREATEKEYEDMUTEX2, d3dkmthk.h. hSharedHandle is a global handle; 0 with NtSecuritySharing.
typedef struct _D3DKMT_CREATEKEYEDMUTEX2_FLAGS {
  union {
    struct {
      UINT NtSecuritySharing : 1;  // 0x00000001
      UINT Reserved : 31;
    };
    UINT Value;
  };
} D3DKMT_CREATEKEYEDMUTEX2_FLAGS;

typedef struct _D3DKMT_CREATEKEYEDMUTEX2 {
  UINT64 InitialValue;
  D3DKMT_HANDLE hSharedHandle;
  D3DKMT_HANDLE hKeyedMutex;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
  D3DKMT_CREATEKEYEDMUTEX2_FLAGS Flags;
} D3DKMT_CREATEKEYEDMUTEX2;

// D3DKMT_OPENKEYEDMUTEX2, D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE and D3DKMT_DESTROYKEYEDMUTEX, d3dkmthk.h.
typedef struct _D3DKMT_OPENKEYEDMUTEX2 {
  D3DKMT_HANDLE hSharedHandle;
  D3DKMT_HANDLE hKeyedMutex;
  VOID* pPrivateRuntimeData;  // becomes the mutex's if that has none, else has its size
  UINT PrivateRuntimeDataSize;
} D3DKMT_OPENKEYEDMUTEX2;

typedef struct _D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE {
  HANDLE hNtHandle;
  D3DKMT_HANDLE hKeyedMutex;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
} D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE;

typedef struct _D3DKMT_DESTROYKEYEDMUTEX {
  D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_DESTROYKEYEDMUTEX;

// D3DKMT_ACQUIREKEYEDMUTEX2 and D3DKMT_RELEASEKEYEDMUTEX2, d3dkmthk.h. *pTimeout is in units of 100 ns, negative: from now on;
// pTimeout NULL waits forever.
typedef struct _D3DKMT_ACQUIREKEYEDMUTEX2 {
  D3DKMT_HANDLE hKeyedMutex;
  UINT64 Key;
  LARGE_INTEGER* pTimeout;
  UINT64 FenceValue;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
} D3DKMT_ACQUIREKEYEDMUTEX2;

typedef struct _D3DKMT_RELEASEKEYEDMUTEX2 {
  D3DKMT_HANDLE hKeyedMutex;
  UINT64 Key;
  UINT64 FenceValue;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
} D3DKMT_RELEASEKEYEDMUTEX2;

EXTERN_C NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(D3DKMT_CREATEKEYEDMUTEX* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(D3DKMT_OPENKEYEDMUTEX* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(D3DKMT_ACQUIREKEYEDMUTEX* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(D3DKMT_RELEASEKEYEDMUTEX* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTCreateKeyedMutex2(D3DKMT_CREATEKEYEDMUTEX2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenKeyedMutex2(D3DKMT_OPENKEYEDMUTEX2* pData);
// STATUS_OBJECT_TYPE_MISMATCH for a resource that has a mutex: D3DKMTOpenResourceFromNtHandle opens that.
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenKeyedMutexFromNtHandle(D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(CONST D3DKMT_DESTROYKEYEDMUTEX* pData);
// Blocks until the mutex is released to the key. STATUS_TIMEOUT, or STATUS_ABANDONED_WAIT_0 if a holder destroyed its handle.
EXTERN_C NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex2(D3DKMT_ACQUIREKEYEDMUTEX2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex2(D3DKMT_RELEASEKEYEDMUTEX2* pData);
