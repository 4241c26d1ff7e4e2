/* Many threads call at once, from the first call on; a fork has no kernel. */
#include "library.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 8, kTurns = 200, kBytes = 4096 };

static void* Work(void* start) {
  pthread_barrier_wait(start);
  char* const pages = aligned_alloc(4096, kBytes);
  for (int turn = 0; turn < kTurns; ++turn) {
    const D3DKMT_HANDLE adapter = OpenSoftAdapter();
    const D3DKMT_HANDLE device = MakeDevice(adapter);
    const D3DKMT_HANDLE context = MakeContext(device);
    volatile UINT64* value = NULL;
    const D3DKMT_HANDLE fence = MakeFence(device, 1, &value);
    TestResource resource;
    EXPECT_EQ(MakeResource(device, pages, kBytes, &resource), STATUS_SUCCESS);
    const UINT64 one = 1;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {
        .hContext = context, .ObjectCount = 1, .ObjectHandleArray = &fence, .MonitoredFenceValueArray = &one};
    EXPECT_EQ(CALL(D3DKMTSignalSynchronizationObjectFromGpu, &signal), STATUS_SUCCESS);
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
        .hDevice = device, .ObjectCount = 1, .ObjectHandleArray = &fence, .FenceValueArray = &one};
    EXPECT_EQ(CALL(D3DKMTWaitForSynchronizationObjectFromCpu, &wait), STATUS_SUCCESS);
    EXPECT_EQ(*value, 1);
    DestroyDevice(device); /* with everything that it made */
    CloseHandleOfAdapter(adapter);
  }
  free(pages);
  return NULL;
}

void TestThreads(void) {
  pthread_barrier_t start;
  pthread_t threads[kThreads];
  EXPECT_EQ(pthread_barrier_init(&start, NULL, kThreads), 0);
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(pthread_create(&threads[i], NULL, Work, &start), 0);
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(pthread_join(threads[i], NULL), 0);
  pthread_barrier_destroy(&start);
}

/* The exit status of a child that asks for the adapters. */
static int ChildsAnswer(void) {
  const pid_t child = fork();
  if (child == 0) {
    D3DKMT_ENUMADAPTERS2 list = {0, NULL};
    const NTSTATUS status = CALL(D3DKMTEnumAdapters2, &list);
    _exit(status == STATUS_SUCCESS ? 1 : status == STATUS_DEVICE_REMOVED ? 2 : 3);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT(WIFEXITED(status));
  return WEXITSTATUS(status);
}

void TestFork(void) {
  EXPECT_EQ(ChildsAnswer(), 1); /* nothing was started before it */
  const D3DKMT_HANDLE adapter = OpenSoftAdapter();
  EXPECT_EQ(ChildsAnswer(), 2);
  DestroyDevice(MakeDevice(adapter));
  CloseHandleOfAdapter(adapter);
}
