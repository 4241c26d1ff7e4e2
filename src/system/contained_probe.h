// Questions to libraries and servers that may crash or hang, each in a process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tandem::system {

struct ProbeAnswer {
  bool works = false;
  std::string sentence;            // the reason for a failure; may be empty for a success
  std::vector<std::string> facts;  // in the order that the question documents
};

// Forks, asks, and kills the process after `limit_ms`; what it prints is lost. A crash and a hang are answers, too. Precondition:
// this process has one thread.
[[nodiscard]] ProbeAnswer AskContained(std::int64_t limit_ms, const std::function<ProbeAnswer()>& question);

}  // namespace tandem::system
