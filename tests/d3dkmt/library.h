/* The library under test, and the checks of its tests. Its functions are found by name, as other programs find them. */
#ifndef TANDEM_TESTS_D3DKMT_LIBRARY_H
#define TANDEM_TESTS_D3DKMT_LIBRARY_H

#include <d3dkmthk.h>

/* The guide with the table of functions. */
extern const char* guide_path;
extern const char* library_path;

/* Exit status of a test that cannot run. */
enum { kSkipped = 77 };

/* Ends the test if the library has no such function. */
void* Function(const char* name);

/* CALL(D3DKMTCreateDevice, &data) */
#define CALL(name, ...) ((__typeof__(&name))Function(#name))(__VA_ARGS__)

void Fail(const char* file, int line, const char* what, long long actual, long long expected);
#define EXPECT_EQ(actual, expected)                                                                   \
  do {                                                                                                \
    const long long actual_ = (long long)(actual), expected_ = (long long)(expected);                 \
    if (actual_ != expected_) Fail(__FILE__, __LINE__, #actual " == " #expected, actual_, expected_); \
  } while (0)
#define EXPECT(condition) EXPECT_EQ((condition) != 0, 1)

/* The software adapter is the last one that the library lists. */
D3DKMT_HANDLE OpenSoftAdapter(void);
LUID SoftAdapterLuid(void);
D3DKMT_HANDLE MakeDevice(D3DKMT_HANDLE adapter);
D3DKMT_HANDLE MakeContext(D3DKMT_HANDLE device);
/* A cross-adapter resource of one row of bytes, over pages of the caller's or over a memfd. `create` has the results. */
typedef struct TestResource {
  D3DKMT_CREATESTANDARDALLOCATION standard;
  D3DDDI_ALLOCATIONINFO2 info;
  D3DKMT_CREATEALLOCATION create;
} TestResource;
NTSTATUS MakeResource(D3DKMT_HANDLE device, void* pages, SIZE_T bytes, TestResource* resource);
NTSTATUS MakeSharedResource(D3DKMT_HANDLE device, int memfd, SIZE_T bytes, TestResource* resource);
D3DKMT_HANDLE MakeFence(D3DKMT_HANDLE device, UINT nt_sharing, volatile UINT64** value);
D3DKMT_HANDLE MakeSync(D3DKMT_HANDLE device); /* a mutex for NT handles */
void DestroySync(D3DKMT_HANDLE object);
/* `name` may be null. */
NTSTATUS ShareNamed(UINT count, const D3DKMT_HANDLE* objects, const WCHAR* name, HANDLE* shared);
NTSTATUS OpenResourceName(const WCHAR* name, DWORD access, HANDLE* handle);
NTSTATUS OpenSyncName(const WCHAR* name, DWORD access, HANDLE* handle);
NTSTATUS OpenSync(D3DKMT_HANDLE device, HANDLE handle, D3DKMT_HANDLE* object);
void CloseNtHandle(HANDLE handle);
void CloseHandleOfAdapter(D3DKMT_HANDLE adapter);
void DestroyDevice(D3DKMT_HANDLE device);

void TestAdapters(void);
void TestObjects(void);
void TestSharing(void);
void TestFences(void);
void TestMutexes(void);
void TestSyncObjects(void);
void TestNames(void);
void TestBundles(void);
void TestAllocations(void);
void TestScreen(void);
void TestArguments(void);
void TestThreads(void);
void TestFork(void);
void TestSecure(void);
void TestRefused(void);

#endif
