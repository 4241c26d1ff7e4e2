// A sandbox that refuses one system call, as those of containers and browsers do.
#pragma once

namespace tandem::test {

// Every thread of this process, and each program that it starts, gets EPERM from the call. False, with errno set, if the kernel
// refuses the sandbox.
[[nodiscard]] bool RefuseCall(unsigned number);

}  // namespace tandem::test
