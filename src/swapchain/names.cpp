#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "swapchain/swap_chain.h"

namespace tandem::swapchain {
namespace {

constexpr std::array<std::pair<std::string_view, PathRequest>, 6> kPaths = {{{"auto", PathRequest::kAuto},
                                                                             {"direct", PathRequest::kDirect},
                                                                             {"one-copy", PathRequest::kOneCopy},
                                                                             {"two-copy", PathRequest::kTwoCopy},
                                                                             {"cpu", PathRequest::kCpuCopy},
                                                                             {"compressed", PathRequest::kCompressed}}};
constexpr std::array<std::pair<std::string_view, PresentMode>, 5> kModes = {
    {{"fifo", PresentMode::kFifo},
     {"fifo-relaxed", PresentMode::kFifoRelaxed},
     {"mailbox", PresentMode::kMailbox},
     {"immediate", PresentMode::kImmediate},
     {"fifo-latest-ready", PresentMode::kFifoLatestReady}}};

template <class Table>
auto Parse(const Table& table, std::string_view what, std::string_view text) -> Result<typename Table::value_type::second_type> {
  std::string allowed;
  for (const auto& [name, value] : table) {
    if (name == text) return value;
    if (!allowed.empty()) allowed += ", ";
    allowed += name;
  }
  return Fail(ErrorKind::kInvalidArgument, "{} '{}' is not one of {}.", what, text, allowed);
}

template <class Table, class Value>
std::string_view NameOf(const Table& table, Value wanted) {
  for (const auto& [name, value] : table) {
    if (value == wanted) return name;
  }
  return "unknown";
}

}  // namespace

std::string_view ToString(Path path) {
  switch (path) {
    case Path::kDirect: return "direct";
    case Path::kOneCopy: return "one-copy";
    case Path::kTwoCopy: return "two-copy";
    case Path::kCpuCopy: return "cpu";
    case Path::kCompressed: return "compressed";
  }
  return "unknown";
}

std::string_view ToString(ShownBy by) { return by == ShownBy::kScanOut ? "scan-out" : "composition"; }
std::string_view ToString(PathRequest request) { return NameOf(kPaths, request); }
std::string_view ToString(PresentMode mode) { return NameOf(kModes, mode); }

Result<PathRequest> ParsePathRequest(std::string_view text) { return Parse(kPaths, "Path", text); }
Result<PresentMode> ParsePresentMode(std::string_view text) { return Parse(kModes, "Present mode", text); }

}  // namespace tandem::swapchain
