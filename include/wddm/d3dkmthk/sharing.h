// Shared resources and synchronization objects. Part of d3dkmthk.h. hNtHandle and phSharedNtHandle are Linux file descriptors
// cast to HANDLE. The kernel duplicates a descriptor that it is given; the caller owns a descriptor that it receives.
#pragma once

#include "d3dkmdt.h"

// D3DKMT_QUERYRESOURCEINFO and its NT-handle form, d3dkmthk.h. Sizes in bytes.
typedef struct _D3DKMT_QUERYRESOURCEINFO {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hGlobalShare;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
  UINT TotalPrivateDriverDataSize;
  UINT ResourcePrivateDriverDataSize;
  UINT NumAllocations;
} D3DKMT_QUERYRESOURCEINFO;

typedef struct _D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE {
  D3DKMT_HANDLE hDevice;
  HANDLE hNtHandle;
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
  UINT TotalPrivateDriverDataSize;
  UINT ResourcePrivateDriverDataSize;
  UINT NumAllocations;
} D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE;

// D3DKMT_OPENRESOURCE, d3dkmthk.h. D3DKMTOpenResource2 reads pOpenAllocationInfo2.
typedef struct _D3DKMT_OPENRESOURCE {
  D3DKMT_HANDLE hDevice;
  D3DKMT_HANDLE hGlobalShare;
  UINT NumAllocations;
  union {
    D3DDDI_OPENALLOCATIONINFO* pOpenAllocationInfo;
    D3DDDI_OPENALLOCATIONINFO2* pOpenAllocationInfo2;
  };
  VOID* pPrivateRuntimeData;
  UINT PrivateRuntimeDataSize;
  VOID* pResourcePrivateDriverData;
  UINT ResourcePrivateDriverDataSize;
  VOID* pTotalPrivateDriverDataBuffer;
  UINT TotalPrivateDriverDataBufferSize;
  D3DKMT_HANDLE hResource;
} D3DKMT_OPENRESOURCE;

// D3DKMT_OPENRESOURCEFROMNTHANDLE, d3dkmthk.h.
typedef struct _D3DKMT_OPENRESOURCEFROMNTHANDLE {
  D3DKMT_HANDLE hDevice;
  HANDLE hNtHandle;
  UINT NumAllocations;
  D3DDDI_OPENALLOCATIONINFO2* pOpenAllocationInfo2;
  UINT PrivateRuntimeDataSize;
  VOID* pPrivateRuntimeData;
  UINT ResourcePrivateDriverDataSize;
  VOID* pResourcePrivateDriverData;
  UINT TotalPrivateDriverDataBufferSize;
  VOID* pTotalPrivateDriverDataBuffer;
  D3DKMT_HANDLE hResource;
  D3DKMT_HANDLE hKeyedMutex;
  VOID* pKeyedMutexPrivateRuntimeData;
  UINT KeyedMutexPrivateRuntimeDataSize;
  D3DKMT_HANDLE hSyncObject;
} D3DKMT_OPENRESOURCEFROMNTHANDLE;

// D3DKMT_OPENSYNCOBJECTFROMNTHANDLE and its second version, d3dkmthk.h. The first one's handle belongs to no device.
typedef struct _D3DKMT_OPENSYNCOBJECTFROMNTHANDLE {
  HANDLE hNtHandle;
  D3DKMT_HANDLE hSyncObject;
} D3DKMT_OPENSYNCOBJECTFROMNTHANDLE;

typedef struct _D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 {
  HANDLE hNtHandle;
  D3DKMT_HANDLE hDevice;
  D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
  D3DKMT_HANDLE hSyncObject;
  union {
    struct {
      VOID* FenceValueCPUVirtualAddress;
      D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
      UINT EngineAffinity;
    } MonitoredFence;
    UINT64 Reserved[8];
  };
} D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2;

// D3DKMT_OPENNTHANDLEFROMNAME and D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME, d3dkmthk.h. The caller owns hNtHandle.
typedef struct _D3DKMT_OPENNTHANDLEFROMNAME {
  DWORD dwDesiredAccess;
  OBJECT_ATTRIBUTES* pObjAttrib;
  HANDLE hNtHandle;
} D3DKMT_OPENNTHANDLEFROMNAME;

typedef struct _D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME {
  DWORD dwDesiredAccess;
  OBJECT_ATTRIBUTES* pObjAttrib;
  HANDLE hNtHandle;
} D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME;

// D3DKMT_GETSHAREDPRIMARYHANDLE, d3dkmthk.h: the global handle of the primary of a source's current mode. 0 if that primary is
// not shared, or the source has no mode.
typedef struct _D3DKMT_GETSHAREDPRIMARYHANDLE {
  D3DKMT_HANDLE hAdapter;
  D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
  D3DKMT_HANDLE hSharedPrimary;
} D3DKMT_GETSHAREDPRIMARYHANDLE;

EXTERN_C NTSTATUS APIENTRY D3DKMTGetSharedPrimaryHandle(D3DKMT_GETSHAREDPRIMARYHANDLE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTQueryResourceInfo(D3DKMT_QUERYRESOURCEINFO* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTQueryResourceInfoFromNtHandle(D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenResource(D3DKMT_OPENRESOURCE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenResource2(D3DKMT_OPENRESOURCE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenResourceFromNtHandle(D3DKMT_OPENRESOURCEFROMNTHANDLE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle2(D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenNtHandleFromName(D3DKMT_OPENNTHANDLEFROMNAME* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenSyncObjectNtHandleFromName(D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME* pData);
// Makes one file descriptor for a resource, for a synchronization object, or for a resource, a keyed mutex and a synchronization
// object, in this order. pObjectAttributes names them.
EXTERN_C NTSTATUS APIENTRY D3DKMTShareObjects(UINT cObjects, CONST D3DKMT_HANDLE* hObjects, POBJECT_ATTRIBUTES pObjectAttributes,
                                              DWORD dwDesiredAccess, HANDLE* phSharedNtHandle);
