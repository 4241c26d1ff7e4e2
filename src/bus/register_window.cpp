#include "bus/register_window.h"

#include <sys/mman.h>

namespace tandem::bus {

Result<RegisterWindow> RegisterWindow::Create(std::size_t bytes) {
  void* const reserved = mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return Fail(ErrorKind::kOutOfMemory, "There are no {} bytes of addresses for registers.", bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved);
  const std::uintptr_t address = (begin + bytes - 1) / bytes * bytes;
  if (address > begin) munmap(reserved, address - begin);
  if (address < begin + bytes) munmap(reinterpret_cast<void*>(address + bytes), begin + bytes - address);
  return RegisterWindow(address, bytes);
}

RegisterWindow::~RegisterWindow() {
  if (bytes_ != 0) munmap(reinterpret_cast<void*>(address_), bytes_);
}

}  // namespace tandem::bus
