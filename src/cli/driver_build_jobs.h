// Programs that run side by side, each with its output in a file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace tandem::cli {

struct Job {
  std::vector<std::string> words;
  std::filesystem::path output;  // standard output and error
  int code = -1;                 // exit code; -1: ended by a signal
};

// Runs every job, at most `at_once` at a time. `finished` is called on the calling thread after each. kNotFound: a program is not
// installed.
[[nodiscard]] Result<void> RunJobs(std::vector<Job>& jobs, unsigned at_once, const std::function<void(const Job&)>& finished);

[[nodiscard]] std::string OutputOf(const Job& job);

}  // namespace tandem::cli
