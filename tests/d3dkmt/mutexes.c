/* Keyed mutexes pass from handle to handle by their keys. */
#define _GNU_SOURCE
#include "library.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

enum { kTurns = 20000 };

static NTSTATUS Acquire(D3DKMT_HANDLE mutex, UINT64 key, LONGLONG timeout, UINT64* fence_value) {
  LARGE_INTEGER limit = {.QuadPart = timeout};
  D3DKMT_ACQUIREKEYEDMUTEX2 acquire = {.hKeyedMutex = mutex, .Key = key, .pTimeout = timeout == 1 ? NULL : &limit};
  const NTSTATUS status = CALL(D3DKMTAcquireKeyedMutex2, &acquire);
  if (fence_value != NULL) *fence_value = acquire.FenceValue;
  return status;
}
/* Not a point of the calendar, which is positive. */
enum { kForever = 1, kNow = 0, kOneMs = -10000 };

static NTSTATUS Release(D3DKMT_HANDLE mutex, UINT64 key, UINT64 fence_value) {
  D3DKMT_RELEASEKEYEDMUTEX2 release = {.hKeyedMutex = mutex, .Key = key, .FenceValue = fence_value};
  return CALL(D3DKMTReleaseKeyedMutex2, &release);
}

static D3DKMT_HANDLE Open(D3DKMT_HANDLE share) {
  D3DKMT_OPENKEYEDMUTEX2 open = {.hSharedHandle = share};
  EXPECT_EQ(CALL(D3DKMTOpenKeyedMutex2, &open), STATUS_SUCCESS);
  return open.hKeyedMutex;
}

static NTSTATUS Destroy(D3DKMT_HANDLE mutex) {
  const D3DKMT_DESTROYKEYEDMUTEX destroy = {mutex};
  return CALL(D3DKMTDestroyKeyedMutex, &destroy);
}

static UINT64 shared_count;

static void* CountOddTurns(void* argument) {
  const D3DKMT_HANDLE mutex = *(const D3DKMT_HANDLE*)argument;
  for (UINT64 turn = 0; turn < kTurns; ++turn) {
    UINT64 fence_value = 0;
    EXPECT_EQ(Acquire(mutex, 2 * turn + 1, kForever, &fence_value), STATUS_SUCCESS);
    EXPECT_EQ(fence_value, 2 * turn + 1);
    EXPECT_EQ(shared_count++, 2 * turn + 1);
    EXPECT_EQ(Release(mutex, 2 * turn + 2, 2 * turn + 2), STATUS_SUCCESS);
  }
  return NULL;
}

static void TestTurns(D3DKMT_HANDLE even, D3DKMT_HANDLE odd) {
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, NULL, CountOddTurns, &odd), 0);
  for (UINT64 turn = 0; turn < kTurns; ++turn) {
    EXPECT_EQ(Acquire(even, 2 * turn, kForever, NULL), STATUS_SUCCESS);
    EXPECT_EQ(shared_count++, 2 * turn);
    EXPECT_EQ(Release(even, 2 * turn + 1, 2 * turn + 1), STATUS_SUCCESS);
  }
  EXPECT_EQ(pthread_join(thread, NULL), 0);
}

static void TestRules(D3DKMT_HANDLE first, D3DKMT_HANDLE second, UINT64 key) {
  EXPECT_EQ(Acquire(first, key + 1, kNow, NULL), STATUS_TIMEOUT);
  EXPECT_EQ(Acquire(first, key + 1, kOneMs, NULL), STATUS_TIMEOUT);
  EXPECT_EQ(Release(first, key, 0), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Acquire(first, key, kNow, NULL), STATUS_SUCCESS);
  EXPECT_EQ(Acquire(first, key, kNow, NULL), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Acquire(second, key, kNow, NULL), STATUS_TIMEOUT);
  EXPECT_EQ(Release(second, key, 0), STATUS_INVALID_PARAMETER);
  char text[8] = "private";
  D3DKMT_RELEASEKEYEDMUTEX2 release = {
      .hKeyedMutex = first, .Key = key, .pPrivateRuntimeData = text, .PrivateRuntimeDataSize = sizeof(text)};
  EXPECT_EQ(CALL(D3DKMTReleaseKeyedMutex2, &release), STATUS_SUCCESS);
  char read[8] = "";
  D3DKMT_ACQUIREKEYEDMUTEX2 acquire = {
      .hKeyedMutex = second, .Key = key, .pPrivateRuntimeData = read, .PrivateRuntimeDataSize = sizeof(read)};
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex2, &acquire), STATUS_SUCCESS);
  EXPECT_EQ(memcmp(read, text, sizeof(text)), 0);
  /* A holder that goes abandons the mutex. */
  EXPECT_EQ(Destroy(second), STATUS_SUCCESS);
  EXPECT_EQ(Acquire(first, key, kNow, NULL), STATUS_ABANDONED_WAIT_0);
}

static void* WaitInVain(void* argument) {
  EXPECT_EQ(Acquire(*(const D3DKMT_HANDLE*)argument, ~(UINT64)0, kForever, NULL), STATUS_INVALID_PARAMETER);
  return NULL;
}

/* A handle that is closed ends its own wait, and the mutex stays. */
static void TestCloseDuringAWait(D3DKMT_HANDLE share, D3DKMT_HANDLE other, UINT64 key) {
  for (unsigned turn = 0; turn < 100; ++turn) {
    D3DKMT_HANDLE waiting = Open(share);
    pthread_t thread;
    EXPECT_EQ(pthread_create(&thread, NULL, WaitInVain, &waiting), 0);
    usleep(turn % 4 * 500);
    EXPECT_EQ(Destroy(waiting), STATUS_SUCCESS);
    EXPECT_EQ(pthread_join(thread, NULL), 0);
  }
  EXPECT_EQ(Acquire(other, key, kNow, NULL), STATUS_SUCCESS);
  EXPECT_EQ(Release(other, key, 0), STATUS_SUCCESS);
}

static NTSTATUS OpenWith(D3DKMT_HANDLE share, void* data, UINT size) {
  D3DKMT_OPENKEYEDMUTEX2 open = {.hSharedHandle = share, .pPrivateRuntimeData = data, .PrivateRuntimeDataSize = size};
  const NTSTATUS status = CALL(D3DKMTOpenKeyedMutex2, &open);
  EXPECT_EQ(open.PrivateRuntimeDataSize, size);
  if (status == STATUS_SUCCESS) EXPECT_EQ(Destroy(open.hKeyedMutex), STATUS_SUCCESS);
  return status;
}

/* A mutex without private data takes those of its opener; others are opened with their size. */
static void TestPrivateData(void) {
  char data[6] = {1, 2, 3, 4, 5, 6}, buffer[64] = {0x4d};
  for (int with_data = 0; with_data < 2; ++with_data) {
    D3DKMT_CREATEKEYEDMUTEX2 create = {.InitialValue = 0};
    if (with_data) create.pPrivateRuntimeData = data;
    if (with_data) create.PrivateRuntimeDataSize = sizeof(data);
    EXPECT_EQ(CALL(D3DKMTCreateKeyedMutex2, &create), STATUS_SUCCESS);
    EXPECT_EQ(OpenWith(create.hSharedHandle, NULL, 0), STATUS_SUCCESS);
    EXPECT_EQ(OpenWith(create.hSharedHandle, NULL, sizeof(buffer)), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(OpenWith(create.hSharedHandle, buffer, sizeof(buffer)), with_data ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS);
    EXPECT_EQ(OpenWith(create.hSharedHandle, buffer, sizeof(data) - 1), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(OpenWith(create.hSharedHandle, buffer, sizeof(data)), with_data ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
    EXPECT_EQ(buffer[0], 0x4d);
    EXPECT_EQ(Destroy(create.hKeyedMutex), STATUS_SUCCESS);
  }
}

/* The first version. A fence value comes with the mutex alone. */
static void TestFirstVersion(void) {
  D3DKMT_CREATEKEYEDMUTEX create = {.InitialValue = 3};
  EXPECT_EQ(CALL(D3DKMTCreateKeyedMutex, &create), STATUS_SUCCESS);
  D3DKMT_OPENKEYEDMUTEX open = {.hSharedHandle = create.hSharedHandle};
  EXPECT_EQ(CALL(D3DKMTOpenKeyedMutex, &open), STATUS_SUCCESS);
  LARGE_INTEGER limit = {.QuadPart = kOneMs};
  D3DKMT_ACQUIREKEYEDMUTEX acquire = {.hKeyedMutex = 0x1eadbeed, .Key = 3, .pTimeout = &limit, .FenceValue = 99};
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex, &acquire), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(acquire.FenceValue, 99);
  acquire.hKeyedMutex = create.hKeyedMutex;
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex, &acquire), STATUS_SUCCESS);
  EXPECT_EQ(acquire.FenceValue, 0);
  D3DKMT_RELEASEKEYEDMUTEX release = {.hKeyedMutex = create.hKeyedMutex, .Key = 4, .FenceValue = 1234};
  EXPECT_EQ(CALL(D3DKMTReleaseKeyedMutex, &release), STATUS_SUCCESS);
  EXPECT_EQ(CALL(D3DKMTReleaseKeyedMutex, &release), STATUS_INVALID_PARAMETER);
  acquire.FenceValue = 99;
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex, &acquire), STATUS_TIMEOUT);
  EXPECT_EQ(acquire.FenceValue, 0);
  acquire.hKeyedMutex = open.hKeyedMutex;
  acquire.Key = 4;
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex, &acquire), STATUS_SUCCESS);
  EXPECT_EQ(acquire.FenceValue, 1234);
  EXPECT_EQ(Destroy(open.hKeyedMutex), STATUS_SUCCESS);
  acquire.hKeyedMutex = create.hKeyedMutex;
  EXPECT_EQ(CALL(D3DKMTAcquireKeyedMutex, &acquire), STATUS_ABANDONED_WAIT_0);
  EXPECT_EQ(acquire.FenceValue, 0);
  EXPECT_EQ(Destroy(create.hKeyedMutex), STATUS_SUCCESS);
  EXPECT_EQ(CALL(D3DKMTOpenKeyedMutex, &open), STATUS_INVALID_PARAMETER);
}

void TestMutexes(void) {
  TestPrivateData();
  TestFirstVersion();
  D3DKMT_CREATEKEYEDMUTEX2 create = {.InitialValue = 0};
  EXPECT_EQ(CALL(D3DKMTCreateKeyedMutex2, &create), STATUS_SUCCESS);
  const D3DKMT_HANDLE opened = Open(create.hSharedHandle);
  TestTurns(create.hKeyedMutex, opened);
  TestCloseDuringAWait(create.hSharedHandle, opened, 2 * kTurns);
  TestRules(create.hKeyedMutex, opened, 2 * kTurns);
  EXPECT_EQ(Destroy(create.hKeyedMutex), STATUS_SUCCESS);
  EXPECT_EQ(Destroy(create.hKeyedMutex), STATUS_INVALID_PARAMETER);
  D3DKMT_OPENKEYEDMUTEX2 gone = {.hSharedHandle = create.hSharedHandle};
  EXPECT_EQ(CALL(D3DKMTOpenKeyedMutex2, &gone), STATUS_INVALID_PARAMETER);
}
