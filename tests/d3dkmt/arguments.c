/* What every exported function answers to arguments that name nothing. The guide's table says which functions are implemented. */
#define _GNU_SOURCE
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef NTSTATUS OneArgument(void*);

enum { kBytes = 4096 };

static int IsRefusal(NTSTATUS status) {
  return status == STATUS_INVALID_PARAMETER || status == STATUS_INVALID_HANDLE || status == STATUS_NOT_SUPPORTED ||
         status == STATUS_NO_SUCH_DEVICE || status == STATUS_INVALID_PARAMETER_MIX || status == STATUS_BUFFER_TOO_SMALL ||
         status == STATUS_UNSUCCESSFUL;
}

/* Functions that may succeed with an argument of zeros or of ones alone. Any window or device context will do. */
static int MaySucceed(const char* name) {
  static const char* const kNames[] = {"D3DKMTEnumAdapters2",     "D3DKMTEnumAdapters3",     "D3DKMTCreateKeyedMutex",
                                       "D3DKMTCreateKeyedMutex2", "D3DKMTIsFeatureEnabled",  "D3DKMTUnregisterTrimNotification",
                                       "D3DKMTCheckOcclusion",    "D3DKMTOpenAdapterFromHdc"};
  for (size_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
    if (strcmp(kNames[i], name) == 0) return 1;
  }
  return 0;
}

static void CallWith(const char* name, int filling, UINT first_handle) {
  static _Alignas(16) unsigned char data[kBytes];
  memset(data, filling, sizeof(data));
  /* Pointers of ones would be followed, as they are in any process; handles and counts are ones. */
  if (filling != 0) memset(data + 8, 0, sizeof(data) - 8);
  if (first_handle != 0) memcpy(data, &first_handle, sizeof(first_handle));
  const NTSTATUS status = ((OneArgument*)Function(name))(data);
  if (MaySucceed(name) || IsRefusal(status)) return;
  fprintf(stderr, "%s, filled with %d: ", name, filling);
  EXPECT_EQ(status, STATUS_INVALID_PARAMETER);
}

static void Check(const char* name, int implemented) {
  OneArgument* const function = (OneArgument*)Function(name);
  if (!implemented) {
    EXPECT_EQ(function(NULL), STATUS_NOT_SUPPORTED);
    return;
  }
  if (strcmp(name, "D3DKMTShareObjects") == 0) return; /* has more arguments */
  const int unsuccessful = strcmp(name, "D3DKMTOpenAdapterFromGdiDisplayName") == 0;
  EXPECT_EQ(function(NULL), unsuccessful ? STATUS_UNSUCCESSFUL : STATUS_INVALID_PARAMETER);
  CallWith(name, 0, 0);
  CallWith(name, 0xff, 0);
  for (UINT type = 0; type < 16; ++type) CallWith(name, 0, type << 28 | 0xffc0001);
}

/* Rows look like: | D3DKMTLock2 | yes | ... */
static int CheckRows(FILE* guide) {
  char line[1024];
  int rows = 0;
  while (fgets(line, sizeof(line), guide) != NULL) {
    char name[128], answer[8];
    if (sscanf(line, "| %127[A-Za-z0-9] | %7[a-z] |", name, answer) != 2 || strncmp(name, "D3DKMT", 6) != 0) continue;
    Check(name, strcmp(answer, "yes") == 0);
    ++rows;
  }
  return rows;
}

static void TestShareObjects(void) {
  HANDLE shared = NULL;
  const D3DKMT_HANDLE nothing = 0, garbage = 0xdeadbeef;
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, &nothing, NULL, 0, NULL), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(CALL(D3DKMTShareObjects, 0, &nothing, NULL, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, NULL, NULL, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, &nothing, NULL, 0, &shared), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(CALL(D3DKMTShareObjects, 1, &garbage, NULL, 0, &shared), STATUS_INVALID_PARAMETER);
}

void TestArguments(void) {
  FILE* const guide = fopen(guide_path, "r");
  EXPECT(guide != NULL);
  EXPECT(CheckRows(guide) > 100);
  fclose(guide);
  TestShareObjects();
}
