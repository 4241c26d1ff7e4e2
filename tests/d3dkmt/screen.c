/* Ownership of VidPn sources, and escapes. */
#include "library.h"

static NTSTATUS Own(D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type, UINT source) {
  const D3DKMT_SETVIDPNSOURCEOWNER own = {device, &type, &source, 1};
  return CALL(D3DKMTSetVidPnSourceOwner, &own);
}

static void TestOwnership(D3DKMT_HANDLE adapter) {
  const D3DKMT_HANDLE first = MakeDevice(adapter), second = MakeDevice(adapter);
  EXPECT_EQ(Own(first, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0), STATUS_SUCCESS);
  EXPECT(!NT_SUCCESS(Own(second, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0)));
  EXPECT(!NT_SUCCESS(Own(first, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 15)));
  EXPECT_EQ(Own(first, D3DKMT_VIDPNSOURCEOWNER_UNOWNED, 0), STATUS_SUCCESS);
  EXPECT_EQ(Own(second, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0), STATUS_SUCCESS);
  DestroyDevice(second); /* gives its source up */
  EXPECT_EQ(Own(first, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0), STATUS_SUCCESS);
  DestroyDevice(first);
}

static NTSTATUS Escape(D3DKMT_HANDLE adapter, D3DKMT_ESCAPETYPE type, void* data, UINT size) {
  const D3DKMT_ESCAPE escape = {.hAdapter = adapter, .Type = type, .pPrivateDriverData = data, .PrivateDriverDataSize = size};
  return CALL(D3DKMTEscape, &escape);
}

static void TestEscapes(D3DKMT_HANDLE adapter) {
  D3DKMT_VIDSCH_ESCAPE tdr = {.Type = D3DKMT_VIDSCHESCAPETYPE_CONFIGURE_TDR_LIMIT};
  tdr.TdrLimit.Count = 5;
  tdr.TdrLimit.Time = 60;
  EXPECT_EQ(Escape(adapter, D3DKMT_ESCAPE_VIDSCH, &tdr, sizeof(tdr)), STATUS_SUCCESS);
  EXPECT(!NT_SUCCESS(Escape(adapter, D3DKMT_ESCAPE_VIDSCH, &tdr, 4)));
  EXPECT(!NT_SUCCESS(Escape(adapter, D3DKMT_ESCAPE_DRIVERPRIVATE, NULL, 16)));
  char garbage[32] = "no escape of the driver";
  EXPECT(!NT_SUCCESS(Escape(adapter, D3DKMT_ESCAPE_DRIVERPRIVATE, garbage, sizeof(garbage))));
  EXPECT(!NT_SUCCESS(Escape(adapter, (D3DKMT_ESCAPETYPE)77, garbage, sizeof(garbage))));
  EXPECT_EQ(Escape(0, D3DKMT_ESCAPE_VIDSCH, &tdr, sizeof(tdr)), STATUS_INVALID_PARAMETER);
}

void TestScreen(void) {
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  TestOwnership(adapter);
  TestEscapes(adapter);
  CloseHandleOfAdapter(adapter);
}
