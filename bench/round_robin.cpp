#include "bench/round_robin.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace tandem::bench {
namespace {

double CpuMilliseconds(CpuTime kind) {
  timespec time{};
  clock_gettime(kind == CpuTime::kThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<Figures> RunRoundRobin(const std::vector<Contender>& contenders, std::size_t rounds, CpuTime time) {
  std::vector<Figures> figures(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) figures[i].name = contenders[i].name;
  std::size_t turn = 0;
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double start = CpuMilliseconds(time);
      contenders[i].run(turn++);
      const double took = CpuMilliseconds(time) - start;
      if (round > 0) figures[i].round_ms.push_back(took);
    }
  }
  for (Figures& each : figures) {
    each.median_ms = MedianOf(each.round_ms);
    each.best_ms = *std::ranges::min_element(each.round_ms);
  }
  return figures;
}

double TimesFaster(const Figures& by, const Figures& of) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < by.round_ms.size(); ++i) ratios.push_back(of.round_ms[i] / by.round_ms[i]);
  return MedianOf(std::move(ratios));
}

Buffer::Buffer(std::uint64_t bytes) : size_(bytes) {
  constexpr std::uint64_t kHugePage = 2ULL << 20;
  const std::uint64_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, whole);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, whole, MADV_HUGEPAGE);
  std::memset(memory, 0x5A, whole);
  data_ = static_cast<std::byte*>(memory);
}

Buffer::~Buffer() { std::free(data_); }

Buffer::Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

}  // namespace tandem::bench
