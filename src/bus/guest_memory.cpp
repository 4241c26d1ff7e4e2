#include "bus/guest_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tandem::bus {
namespace {

constexpr std::size_t kBatch = 256;                       // ranges of one call; the system's limit is 1024
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of one call; the system's limit is 2 GiB
constexpr int kWordReads = 16;                            // a driver that writes a word faster than that gets any of its values

iovec Remote(std::uint64_t address, std::size_t bytes) { return {reinterpret_cast<void*>(address), bytes}; }

bool CopyAll(std::span<const GuestCopy> copies, decltype(&process_vm_readv) copy) {
  std::array<iovec, kBatch> remote, local;
  while (!copies.empty()) {
    std::size_t count = 0, bytes = 0;
    for (; count < std::min(copies.size(), kBatch) && bytes + copies[count].bytes <= kMostBytes; ++count) {
      remote[count] = Remote(copies[count].address, copies[count].bytes);
      local[count] = {copies[count].local, copies[count].bytes};
      bytes += copies[count].bytes;
    }
    if (count == 0 || copy(getpid(), local.data(), count, remote.data(), count, 0) != static_cast<ssize_t>(bytes)) return false;
    copies = copies.subspan(count);
  }
  return true;
}

}  // namespace

Result<void> ProbeGuestMemory() {
  const std::uint64_t from = 0x5441'4E44'454D'0001;
  std::uint64_t to = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(&from);
  if (ReadGuest(address, &to, sizeof(to)) && to == from) return {};
  return Fail(ErrorKind::kUnsupported, "The system does not let a process call process_vm_readv on itself: {}.",
              std::strerror(errno));
}

bool ReadGuest(std::uint64_t address, void* to, std::size_t bytes) {
  const GuestCopy copy{address, static_cast<std::byte*>(to), bytes};
  return ReadGuest({&copy, 1});
}

bool ReadGuest(std::span<const GuestCopy> copies) { return CopyAll(copies, &process_vm_readv); }

bool WriteGuest(std::span<const GuestCopy> copies) { return CopyAll(copies, &process_vm_writev); }

bool WriteGuest(std::uint64_t address, const void* from, std::size_t bytes) {
  const iovec local{const_cast<void*>(from), bytes}, remote = Remote(address, bytes);
  return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

bool ReadGuestWord(std::uint64_t address, std::uint16_t& word) {
  std::uint16_t before = 0;
  if (!ReadGuest(address, &before, sizeof(before))) return false;
  for (int i = 0; i < kWordReads; ++i) {
    if (!ReadGuest(address, &word, sizeof(word))) return false;
    if (word == before) return true;
    before = word;
  }
  return true;
}

}  // namespace tandem::bus
