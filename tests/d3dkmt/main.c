/* d3dkmt_test LIBRARY GUIDE TEST: runs one test against the library, whose functions the guide lists. */
#include "library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* library;
const char* guide_path;
const char* library_path;

void* Function(const char* name) {
  void* const function = dlsym(library, name);
  if (function == NULL) {
    fprintf(stderr, "%s is not exported.\n", name);
    exit(1);
  }
  return function;
}

void Fail(const char* file, int line, const char* what, long long actual, long long expected) {
  fprintf(stderr, "%s:%d: %s: %#llx, not %#llx\n", file, line, what, (unsigned long long)actual, (unsigned long long)expected);
  exit(1);
}

static const struct {
  const char* name;
  void (*run)(void);
} kTests[] = {
    {"adapters", TestAdapters},   {"objects", TestObjects},          {"sharing", TestSharing},
    {"fences", TestFences},       {"mutexes", TestMutexes},          {"screen", TestScreen},
    {"arguments", TestArguments}, {"threads", TestThreads},          {"fork", TestFork},
    {"secure", TestSecure},       {"refused", TestRefused},          {"names", TestNames},
    {"bundles", TestBundles},     {"sync_objects", TestSyncObjects}, {"allocations", TestAllocations},
};

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  library_path = argv[1];
  guide_path = argv[2];
  for (size_t i = 0; i < sizeof(kTests) / sizeof(kTests[0]); ++i) {
    if (strcmp(kTests[i].name, argv[3]) != 0) continue;
    kTests[i].run();
    return dlclose(library) == 0 ? 0 : 1;
  }
  return 2;
}
