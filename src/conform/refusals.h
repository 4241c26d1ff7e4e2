// The kernel's refusals while a trial ran: why it refused a request or an answer of the driver.
#pragma once

#include <string>

namespace tandem::conform {

// Listens from its construction to its destruction; one at a time.
class Refusals {
 public:
  Refusals();
  ~Refusals();
  Refusals(const Refusals&) = delete;
  Refusals& operator=(const Refusals&) = delete;

  // The latest, a sentence; empty when there was none.
  [[nodiscard]] static std::string Last();
};

}  // namespace tandem::conform
