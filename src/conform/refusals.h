// The kernel's refusals during a trial: why it refused a request or a driver's answer.
#pragma once

#include <string>

namespace tandem::conform {

// Listens from construction to destruction. Only one instance may exist at a time.
class Refusals {
 public:
  Refusals();
  ~Refusals();
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;

  // The latest refusal, a sentence; empty when there was none.
  [[nodiscard]] static std::string Last();
};

}  // namespace tandem::conform
