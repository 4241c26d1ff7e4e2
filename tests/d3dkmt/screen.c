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

static NTSTATUS GiveUp(D3DKMT_HANDLE device) {
  const D3DKMT_SETVIDPNSOURCEOWNER none = {.hDevice = device};
  return CALL(D3DKMTSetVidPnSourceOwner, &none);
}

enum { kNone = D3DKMT_VIDPNSOURCEOWNER_UNOWNED, kShared = D3DKMT_VIDPNSOURCEOWNER_SHARED };
enum { kExclusive = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, kGdi = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI };
enum { kEmulated = D3DKMT_VIDPNSOURCEOWNER_EMULATED };

/* Answers of Windows. The desktop shares each source that nobody has, so no device gets one shared. */
static void TestChangesOfOwners(D3DKMT_HANDLE adapter) {
  const D3DKMT_HANDLE first = MakeDevice(adapter), second = MakeDevice(adapter);
  static const struct {
    int first, second; /* types; of one device, or of one after the other */
    NTSTATUS same, other;
    int occluded_same, occluded_other;
  } kRows[] = {
      {kNone, kNone, STATUS_SUCCESS, STATUS_SUCCESS, 0, 0},
      {kNone, kShared, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 0, 0},
      {kNone, kExclusive, STATUS_SUCCESS, STATUS_SUCCESS, 1, 1},
      {kNone, kEmulated, STATUS_SUCCESS, STATUS_SUCCESS, 0, 0},
      {kNone, kGdi, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, 0, 0},
      {kNone, kEmulated + 1, STATUS_INVALID_PARAMETER, STATUS_INVALID_PARAMETER, 0, 0},
      {kExclusive, kNone, STATUS_SUCCESS, STATUS_SUCCESS, 0, 1},
      {kExclusive, kShared, STATUS_INVALID_PARAMETER, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 1, 1},
      {kExclusive, kExclusive, STATUS_SUCCESS, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 1, 1},
      {kExclusive, kEmulated, STATUS_INVALID_PARAMETER, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 1, 1},
      {kEmulated, kNone, STATUS_SUCCESS, STATUS_SUCCESS, 0, 0},
      {kEmulated, kShared, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 0, 0},
      {kEmulated, kExclusive, STATUS_INVALID_PARAMETER, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 0, 0},
      {kEmulated, kEmulated, STATUS_SUCCESS, STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, 0, 0},
  };
  const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP check = {adapter, 0};
  const D3DKMT_CHECKOCCLUSION window = {.hWindow = (HWND)&adapter};
  for (size_t i = 0; i < sizeof(kRows) / sizeof(kRows[0]); ++i) {
    for (int other = 0; other < 2; ++other) {
      const D3DKMT_HANDLE device = other ? second : first;
      EXPECT_EQ(Own(first, (D3DKMT_VIDPNSOURCEOWNER_TYPE)kRows[i].first, 0), STATUS_SUCCESS);
      EXPECT_EQ(Own(device, (D3DKMT_VIDPNSOURCEOWNER_TYPE)kRows[i].second, 0), other ? kRows[i].other : kRows[i].same);
      const int occluded = other ? kRows[i].occluded_other : kRows[i].occluded_same;
      const NTSTATUS answer = occluded ? STATUS_GRAPHICS_PRESENT_OCCLUDED : STATUS_SUCCESS;
      EXPECT_EQ(CALL(D3DKMTCheckVidPnExclusiveOwnership, &check), answer);
      EXPECT_EQ(CALL(D3DKMTCheckOcclusion, &window), answer);
      EXPECT_EQ(GiveUp(first), STATUS_SUCCESS);
      EXPECT_EQ(GiveUp(second), STATUS_SUCCESS);
      EXPECT_EQ(CALL(D3DKMTCheckVidPnExclusiveOwnership, &check), STATUS_SUCCESS);
    }
  }
  /* Who does not own a source gives nothing up. */
  EXPECT_EQ(Own(first, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE, 0), STATUS_SUCCESS);
  EXPECT_EQ(GiveUp(second), STATUS_SUCCESS);
  EXPECT_EQ(CALL(D3DKMTCheckVidPnExclusiveOwnership, &check), STATUS_GRAPHICS_PRESENT_OCCLUDED);
  DestroyDevice(first);
  DestroyDevice(second);
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
  TestChangesOfOwners(adapter);
  TestEscapes(adapter);
  CloseHandleOfAdapter(adapter);
}
