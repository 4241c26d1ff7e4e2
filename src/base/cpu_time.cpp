#include "base/cpu_time.h"

#include <sys/resource.h>

namespace tandem {
namespace {

std::int64_t ToNs(const timeval& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1000; }

}  // namespace

std::int64_t ProcessCpuNs() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return ToNs(usage.ru_utime) + ToNs(usage.ru_stime);
}

}  // namespace tandem
