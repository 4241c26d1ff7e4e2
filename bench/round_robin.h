// Compares contenders on a shared machine: every round runs each of them once, and the result is the median of the rounds'
// ratios.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::bench {

struct Contender {
  std::string name;
  // Does the work once. `turn` grows by one with each call, so that each call can choose another frame.
  std::function<void(std::size_t turn)> run;
};

struct Figures {
  std::string name;
  double median_ms = 0;
  double best_ms = 0;
  std::vector<double> round_ms;
};

// Processor time instead of wall time excludes other users of the machine.
enum class CpuTime : std::uint8_t { kThread, kProcess };  // kProcess counts all threads, for work on other threads

// Runs `rounds` rounds after one that is not counted.
[[nodiscard]] std::vector<Figures> RunRoundRobin(const std::vector<Contender>& contenders, std::size_t rounds,
                                                 CpuTime time = CpuTime::kThread);

// Median over the rounds of time(of) / time(by): how many times faster `by` is.
[[nodiscard]] double TimesFaster(const Figures& by, const Figures& of);

// Touched memory on huge pages, if the system has them.
class Buffer {
 public:
  explicit Buffer(std::uint64_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  std::byte* data_;
  std::uint64_t size_;
};

}  // namespace tandem::bench
