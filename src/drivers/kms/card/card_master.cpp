#include "drivers/kms/card/card_master.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/core.h>

#include "base/printable.h"

namespace tandem::kms {
namespace {

// "%20s %5d %3d   %c    %c %5d %10u": command, tgid, dev, master, authenticated, uid, magic.
constexpr std::size_t kCommandColumns = 20;

std::optional<CardMaster> MasterOfLine(std::string_view line) {
  if (line.size() <= kCommandColumns) return std::nullopt;
  const std::string_view command = line.substr(0, kCommandColumns);
  std::istringstream columns{std::string(line.substr(kCommandColumns))};
  CardMaster master;
  std::uint32_t device = 0;
  char is_master = 'n';
  if (!(columns >> master.pid >> device >> is_master) || is_master != 'y') return std::nullopt;
  const std::size_t begin = command.find_first_not_of(' ');
  if (begin != std::string_view::npos) master.command = Printable(command.substr(begin));
  return master;
}

}  // namespace

std::optional<CardMaster> MasterOf(std::string_view clients) {
  while (!clients.empty()) {
    const std::size_t end = std::min(clients.find('\n'), clients.size());
    if (auto master = MasterOfLine(clients.substr(0, end))) return master;
    clients.remove_prefix(std::min(end + 1, clients.size()));
  }
  return std::nullopt;
}

std::optional<CardMaster> FindMaster(std::uint32_t card_minor) {
  std::ifstream file(fmt::format("/sys/kernel/debug/dri/{}/clients", card_minor));
  if (!file) return std::nullopt;
  return MasterOf(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace tandem::kms
