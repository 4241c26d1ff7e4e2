// Escape and debugging. Part of d3dkmddi.h.
#pragma once

#include "d3dkmdt.h"

// DXGKARG_ESCAPE, d3dkmddi.h.
typedef struct _DXGKARG_ESCAPE {
  HANDLE hDevice;
  D3DDDI_ESCAPEFLAGS Flags;
  VOID* pPrivateDriverData;
  UINT PrivateDriverDataSize;
  HANDLE hContext;
  HANDLE hKmdProcessHandle;
} DXGKARG_ESCAPE;

// DXGKARG_COLLECTDBGINFO, d3dkmddi.h. Reason is a bug check code such as 0x116.
typedef struct _DXGKARG_COLLECTDBGINFO_EXT {
  UINT BucketingKey;
  UINT CurrentDmaBufferOffset;
  UINT Reserved2;
  UINT Reserved3;
  UINT Reserved4;
  UINT Reserved5;
  UINT Reserved6;
  UINT Reserved7;
} DXGKARG_COLLECTDBGINFO_EXT;

typedef struct _DXGKARG_COLLECTDBGINFO {
  UINT Reason;
  VOID* pBuffer;
  SIZE_T BufferSize;
  DXGKARG_COLLECTDBGINFO_EXT* pExtension;
} DXGKARG_COLLECTDBGINFO;

// Private traffic between a user-mode driver and its kernel-mode driver. PASSIVE_LEVEL, pageable;
// level 2 with Flags.HardwareAccess, else level 0.
typedef NTSTATUS APIENTRY DXGKDDI_ESCAPE(HANDLE hAdapter, CONST DXGKARG_ESCAPE* pEscape);
typedef DXGKDDI_ESCAPE* PDXGKDDI_ESCAPE;

// Collects data that helps to explain a timeout. PASSIVE_LEVEL, level 0.
typedef NTSTATUS APIENTRY DXGKDDI_COLLECTDBGINFO(HANDLE hAdapter, CONST DXGKARG_COLLECTDBGINFO* pCollectDbgInfo);
typedef DXGKDDI_COLLECTDBGINFO* PDXGKDDI_COLLECTDBGINFO;
