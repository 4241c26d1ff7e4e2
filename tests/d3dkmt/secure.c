/* A program with more rights than its user finds no adapters. */
#define _GNU_SOURCE
#include "library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kNobody = 65534 };

/* A copy of this program that runs with another user's rights. */
static void MakeCopy(const char* path) {
  const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  struct stat status;
  EXPECT_EQ(fstat(from, &status), 0);
  EXPECT_EQ(sendfile(to, from, NULL, (size_t)status.st_size), status.st_size);
  EXPECT_EQ(fchown(to, kNobody, kNobody), 0);
  EXPECT_EQ(fchmod(to, 04755), 0);
  close(from);
  close(to);
}

/* No other user may read a tree in root's home. */
static int NobodyReadsTheLibrary(void) {
  const pid_t child = fork();
  if (child == 0) _exit(setuid(kNobody) != 0 || access(library_path, R_OK) != 0);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void TestSecure(void) {
  if (getuid() != 0 || !NobodyReadsTheLibrary()) exit(kSkipped);
  char folder[] = "/tmp/tandem_d3dkmt_XXXXXX";
  EXPECT(mkdtemp(folder) != NULL);
  EXPECT_EQ(chmod(folder, 0755), 0);
  char* copy = NULL;
  EXPECT(asprintf(&copy, "%s/program", folder) > 0);
  MakeCopy(copy);
  const pid_t child = fork();
  if (child == 0) {
    execl(copy, copy, library_path, guide_path, "refused", (char*)NULL);
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  unlink(copy);
  rmdir(folder);
  free(copy);
  EXPECT(WIFEXITED(status));
  exit(WEXITSTATUS(status));
}

void TestRefused(void) {
  if (getauxval(AT_SECURE) == 0) exit(kSkipped); /* the folder's file system ignores set-id bits */
  D3DKMT_ENUMADAPTERS2 list = {0, NULL};
  EXPECT_EQ(CALL(D3DKMTEnumAdapters2, &list), STATUS_DEVICE_REMOVED);
  D3DKMT_OPENADAPTERFROMLUID open = {.hAdapter = 0};
  EXPECT_EQ(CALL(D3DKMTOpenAdapterFromLuid, &open), STATUS_DEVICE_REMOVED);
}
