// A kernel for tests of the driver host: remembers reports, and an IRQL for each thread.
#pragma once

#include <tandem_driver_host.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

extern "C" VOID TandemAttachKernel(CONST TANDEM_DRIVER_KERNEL* Kernel);

namespace tandem::drivers::host {

// One at a time: the host is attached to one kernel.
class FakeKernel {
 public:
  FakeKernel() {
    irql = PASSIVE_LEVEL;
    current = this;
    table_.Size = sizeof(table_);
    table_.GetIrql = [] { return irql; };
    table_.SetIrql = [](KIRQL level) { irql = level; };
    table_.Report = [](const char* rule, const char* text) {
      const std::lock_guard lock(current->mutex_);
      current->reports_.push_back(std::string(rule) + ": " + text);
    };
    table_.HasRegister = [](CONST volatile VOID* address) -> BOOLEAN { return address != nullptr && address == registers; };
    table_.ReadRegister = [](CONST volatile VOID* address, ULONG size, UINT64* value) -> BOOLEAN {
      *value = register_value + size;
      return address != nullptr && address == registers;
    };
    table_.WriteRegister = [](volatile VOID* address, ULONG size, UINT64 value) -> BOOLEAN {
      if (address == nullptr || address != registers) return FALSE;
      register_value = value * 256 + size;
      return TRUE;
    };
    table_.ReadPort = [](ULONG port, ULONG size, ULONG* value) -> BOOLEAN {
      if (!mode_registers.empty() && port == 0x1D0) {
        const bool tells_most = (mode_registers[4] & 2) != 0 && (mode_index == 1 || mode_index == 2);
        *value = tells_most ? (mode_index == 1 ? 1024 : 768) : mode_registers[mode_index];
        return TRUE;
      }
      *value = port_value + size;
      return port == kPort;
    };
    table_.WritePort = [](ULONG port, ULONG size, ULONG value) -> BOOLEAN {
      if (!mode_registers.empty() && (port == 0x1CE || port == 0x1D0)) {
        (port == 0x1CE ? mode_index : mode_registers[mode_index]) = value;
        return TRUE;
      }
      if (port == kPort) port_value = value * 256 + size;
      return port == kPort;
    };
    table_.Registry = registry.data();
    table_.RegistryCount = static_cast<ULONG>(registry.size());
    table_.GuardPages = guard_pages;
    TandemAttachKernel(&table_);
  }
  ~FakeKernel() {
    Detach();
    registers = nullptr;
    registry.clear();
    mode_registers.clear();
    guard_pages = FALSE;
  }
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;

  // The driver is unloaded.
  void Detach() {
    if (attached_) TandemAttachKernel(nullptr);
    attached_ = false;
  }
  std::vector<std::string> Reports() {
    const std::lock_guard lock(mutex_);
    return reports_;
  }
  // True when a report has both texts.
  bool Reported(const std::string& rule, const std::string& words) {
    return std::ranges::any_of(Reports(), [&](const std::string& report) {
      return report.starts_with(rule + ": ") && report.find(words) != std::string::npos;
    });
  }

  static inline thread_local KIRQL irql = PASSIVE_LEVEL;
  // A register at this address, and what was written last: the value in units of 256, and the size of the access.
  static inline PVOID registers = nullptr;
  static inline UINT64 register_value = 0;
  // The one port, and what was written last, as with the register.
  static constexpr ULONG kPort = 0xC010;
  static inline ULONG port_value = 0;
  // Mode registers of Bochs' display adapter with 1024 x 768 pixels; empty: there are none.
  static inline std::vector<ULONG> mode_registers;
  static inline ULONG mode_index = 0;
  // Set before the kernel is made.
  static inline std::vector<TANDEM_REGISTRY_VALUE> registry;
  static inline BOOLEAN guard_pages = FALSE;

 private:
  static inline FakeKernel* current = nullptr;
  TANDEM_DRIVER_KERNEL table_{};
  bool attached_ = true;
  std::mutex mutex_;
  std::vector<std::string> reports_;
};

}  // namespace tandem::drivers::host
