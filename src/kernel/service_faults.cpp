#include "kernel/service_faults.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace tandem::kernel {
namespace {

std::atomic<std::uint64_t> failing{0};
std::atomic<std::uint64_t> called{0};
std::array<std::atomic<const char*>, kMostServices> names{};

std::string NameOf(std::uint64_t nth) {
  const char* const name = nth == 0 || nth > kMostServices ? nullptr : names[nth - 1].load();
  return name == nullptr ? "" : name;
}

}  // namespace

void FailService(std::uint64_t nth) {
  called = 0;
  for (auto& name : names) name = nullptr;
  failing = nth;
}

CalledServices ServicesSoFar() {
  CalledServices services;
  const std::uint64_t count = std::min(called.load(), kMostServices);
  for (std::uint64_t nth = 1; nth <= count; ++nth) services.names.push_back(NameOf(nth));
  services.failed = NameOf(failing);
  return services;
}

bool ServiceFails(const char* name) {
  const std::uint64_t nth = called.fetch_add(1, std::memory_order_relaxed) + 1;
  if (nth > kMostServices) return false;
  names[nth - 1].store(name, std::memory_order_relaxed);
  return nth == failing.load(std::memory_order_relaxed);
}

}  // namespace tandem::kernel
