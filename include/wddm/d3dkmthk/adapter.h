// Adapters: enumerate, open, query. Part of d3dkmthk.h.
#pragma once

#include "d3dkmthk/adapter_info.h"
#include "d3dkmthk/escape.h"

// D3DKMT_ADAPTERINFO and D3DKMT_ENUMADAPTERS2, d3dkmthk.h. With pAdapters NULL, NumAdapters returns
// the number of elements to provide. Each returned hAdapter is open and must be closed.
typedef struct _D3DKMT_ADAPTERINFO {
  D3DKMT_HANDLE hAdapter;
  LUID AdapterLuid;
  ULONG NumOfSources;
  BOOL bPrecisePresentRegionsPreferred;
} D3DKMT_ADAPTERINFO;

typedef struct _D3DKMT_ENUMADAPTERS2 {
  ULONG NumAdapters;
  D3DKMT_ADAPTERINFO* pAdapters;
} D3DKMT_ENUMADAPTERS2;

// D3DKMT_OPENADAPTERFROMLUID and D3DKMT_CLOSEADAPTER, d3dkmthk.h.
typedef struct _D3DKMT_OPENADAPTERFROMLUID {
  LUID AdapterLuid;
  D3DKMT_HANDLE hAdapter;
} D3DKMT_OPENADAPTERFROMLUID;

typedef struct _D3DKMT_CLOSEADAPTER {
  D3DKMT_HANDLE hAdapter;
} D3DKMT_CLOSEADAPTER;

// D3DKMT_ISFEATUREENABLED, d3dkmthk.h. hAdapter is 0 for a global feature.
typedef struct _D3DKMT_ISFEATUREENABLED {
  D3DKMT_HANDLE hAdapter;
  DXGK_FEATURE_ID FeatureId;
  DXGK_ISFEATUREENABLED_RESULT Result;
} D3DKMT_ISFEATUREENABLED;

EXTERN_C NTSTATUS APIENTRY D3DKMTEnumAdapters2(D3DKMT_ENUMADAPTERS2* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTOpenAdapterFromLuid(D3DKMT_OPENADAPTERFROMLUID* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTCloseAdapter(CONST D3DKMT_CLOSEADAPTER* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(CONST D3DKMT_QUERYADAPTERINFO* pData);
EXTERN_C NTSTATUS APIENTRY D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED* pData);
