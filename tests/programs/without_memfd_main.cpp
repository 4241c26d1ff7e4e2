// Runs a program in a sandbox that refuses memfd_create, as some containers do: tandem_without_memfd PROGRAM [ARGUMENT...].
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#include "tests/programs/refused_call.h"

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "A program is needed.\n");
    return 2;
  }
  if (!tandem::test::RefuseCall(SYS_memfd_create)) {
    std::perror("seccomp");
    return 77;
  }
  execvp(arguments[1], arguments + 1);
  std::perror(arguments[1]);
  return 127;
}
