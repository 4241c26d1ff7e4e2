#include "cli/driver_build_jobs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::cli {
namespace {

Result<pid_t> Start(Job& job) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  std::vector<char*> argv;
  for (std::string& word : job.words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return Fail(ErrorKind::kNotFound, "There is no program '{}'.", job.words[0]);
  if (error != 0) return Fail(ErrorKind::kIo, "Starting '{}' failed: {}.", job.words[0], std::strerror(error));
  return child;
}

}  // namespace

Result<void> RunJobs(std::vector<Job>& jobs, unsigned at_once, const std::function<void(const Job&)>& finished) {
  std::map<pid_t, Job*> running;
  Result<void> result;
  std::size_t next = 0;
  while (next < jobs.size() || !running.empty()) {
    if (next < jobs.size() && running.size() < std::max(at_once, 1u)) {
      Result<pid_t> child = Start(jobs[next]);
      if (child.ok()) {
        running.emplace(*child, &jobs[next++]);
        continue;
      }
      result = std::move(child).error();
      next = jobs.size();
      continue;
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return Fail(ErrorKind::kInternal, "Waiting for a program failed: {}.", std::strerror(errno));
    const auto found = running.find(ended);
    if (found == running.end()) continue;
    found->second->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    finished(*found->second);
    running.erase(found);
  }
  return result;
}

std::string OutputOf(const Job& job) {
  std::ifstream stream(job.output, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace tandem::cli
