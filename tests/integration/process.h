// Runs a program to its end within a time limit, and keeps its output.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace tandem::test {

using Environment = std::vector<std::pair<std::string, std::string>>;  // an empty value unsets the variable

struct ProcessResult {
  int exit_code = -1;      // 128 + n if signal n ended the program
  bool timed_out = false;  // the program was killed after the time limit
  std::string out;
  std::string err;
};

// A running program; the destructor kills it.
class Process {
 public:
  Process(const std::vector<std::string>& argv, const Environment& environment);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void Kill(int signal) const;
  // Waits until standard output contains `text`; false if the program ended or the limit passed first.
  bool WaitForOutput(const std::string& text, int limit_ms);
  ProcessResult Wait(int limit_ms);
  // Standard output so far.
  [[nodiscard]] const std::string& output() const { return result_.out; }

 private:
  void ReadAvailable(int wait_ms);

  pid_t pid_ = -1;
  int out_fd_ = -1;
  int err_fd_ = -1;
  ProcessResult result_;
};

[[nodiscard]] ProcessResult RunProcess(const std::vector<std::string>& argv, const Environment& environment, int limit_ms);

// False in root's home, where the tree of a user who is root may be. Needs root.
[[nodiscard]] bool OthersMayRead(const std::string& file);

}  // namespace tandem::test
