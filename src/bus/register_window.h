// Addresses of this process that no memory lies at: accesses to them are a device's registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/result.h"

namespace tandem::bus {

class RegisterWindow {
 public:
  RegisterWindow() = default;  // no addresses
  // `bytes` is a power of two of whole pages; the address is a multiple of it. kOutOfMemory.
  [[nodiscard]] static Result<RegisterWindow> Create(std::size_t bytes);
  RegisterWindow(RegisterWindow&& other) noexcept
      : address_(std::exchange(other.address_, 0)), bytes_(std::exchange(other.bytes_, 0)) {}
  RegisterWindow(const RegisterWindow&) = delete;
  RegisterWindow& operator=(const RegisterWindow&) = delete;
  ~RegisterWindow();

  [[nodiscard]] std::uintptr_t address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool Has(std::uintptr_t address) const { return address - address_ < bytes_; }

 private:
  RegisterWindow(std::uintptr_t address, std::size_t bytes) : address_(address), bytes_(bytes) {}

  std::uintptr_t address_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace tandem::bus
