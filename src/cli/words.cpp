#include "cli/words.h"

#include <algorithm>
#include <cstdlib>

#include <sys/stat.h>
#include <unistd.h>

namespace tandem::cli {
namespace {

// Letters to insert, leave out, replace or swap with their neighbour (optimal string alignment).
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

bool IsExecutable(const std::string& path) {
  struct stat file {};
  return stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string Nearest(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongest = 64;  // of a word that is worth the work
  if (word.size() > kLongest) return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& one : known) {
    const std::size_t distance = Distance(word, one);
    if (distance >= least) continue;
    least = distance;
    nearest = one;
  }
  return nearest;
}

std::string FindProgram(const std::string& word) {
  if (word.find('/') != std::string::npos) return IsExecutable(word) ? word : std::string();
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/bin:/usr/bin" : path;
  while (!folders.empty()) {
    const std::size_t end = std::min(folders.find(':'), folders.size());
    const std::string file = std::string(folders.substr(0, end)) + "/" + word;
    if (IsExecutable(file)) return file;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

std::vector<std::string> Understood(std::vector<std::string> arguments, std::span<const std::string> commands) {
  if (arguments.empty() || arguments.front().starts_with('-')) return arguments;
  if (arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
    return arguments;
  }
  if (std::ranges::find(commands, arguments.front()) == commands.end() && !FindProgram(arguments.front()).empty()) {
    arguments.insert(arguments.begin(), {"run", "--"});
  }
  return arguments;
}

}  // namespace tandem::cli
