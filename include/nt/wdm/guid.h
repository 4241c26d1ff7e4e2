// GUIDs. Part of wdm.h. Public page: guiddef.h.
#pragma once

#include "ntdef.h"

typedef GUID* LPGUID;
typedef GUID IID;
typedef GUID CLSID;
#ifdef __cplusplus
#define REFGUID const GUID&
#define REFIID const IID&
#else
#define REFGUID const GUID*
#define REFIID const IID*
#endif
#define DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8) \
  WDDM_DEFINE_GUID(name, l, w1, w2, b1, b2, b3, b4, b5, b6, b7, b8)

#ifdef __cplusplus
extern "C++" {
inline BOOLEAN IsEqualGUID(const GUID& left, const GUID& right) { return memcmp(&left, &right, sizeof(GUID)) == 0; }
inline bool operator==(const GUID& left, const GUID& right) { return memcmp(&left, &right, sizeof(GUID)) == 0; }
inline bool operator!=(const GUID& left, const GUID& right) { return memcmp(&left, &right, sizeof(GUID)) != 0; }
}
#define IsEqualIID(left, right) IsEqualGUID(left, right)
#else
#define IsEqualGUID(left, right) (memcmp((left), (right), sizeof(GUID)) == 0)
#endif
