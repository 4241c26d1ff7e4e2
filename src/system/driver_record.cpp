#include "system/driver_record.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tandem::system {
namespace {

struct KeptStructure {
  Question question;
  VkStructureType type;
  std::size_t bytes;
  std::uint32_t version;        // of the first Vulkan that has it
  std::string_view extensions;  // with spaces between
};

// The version of structures that are in no Vulkan without an extension.
constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

constexpr KeptStructure kKept[] = {
#define TANDEM_KEPT(question, type, structure, version, extensions) \
  {Question::question, type, sizeof(structure) - kHeaderBytes, version, extensions},
#include "system/kept_structures.inc"
#undef TANDEM_KEPT
};

bool HasOneOf(std::span<const VkExtensionProperties> extensions, std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string_view name = names.substr(0, end);
    if (std::ranges::any_of(extensions, [name](const VkExtensionProperties& item) { return name == item.extensionName; }))
      return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

std::optional<std::size_t> KeptBytes(Question question, std::uint32_t type) {
  const auto* const found = std::ranges::find_if(kKept, [&](const KeptStructure& kept) {
    return kept.question == question && static_cast<std::uint32_t>(kept.type) == type;
  });
  return found == std::end(kKept) ? std::nullopt : std::optional(found->bytes);
}

std::vector<VkStructureType> KeptTypes(Question question, std::uint32_t version,
                                       std::span<const VkExtensionProperties> extensions) {
  std::vector<VkStructureType> types;
  for (const KeptStructure& kept : kKept) {
    if (kept.question != question) continue;
    if (kept.version <= version || HasOneOf(extensions, kept.extensions)) types.push_back(kept.type);
  }
  return types;
}

const KeptAnswer* KeptAnswers::Find(const AnswerKey& key) const {
  const auto found = answers_.find(key);
  return found == answers_.end() ? nullptr : &found->second;
}

bool KeptAnswers::Write(const AnswerKey& key, std::span<std::byte> content) const {
  const KeptAnswer* const kept = Find(key);
  if (kept == nullptr || kept->over_zeros.size() < content.size()) return false;
  const std::vector<std::byte>& ones = kept->over_ones.empty() ? kept->over_zeros : kept->over_ones;
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = kept->over_zeros[i] | (content[i] & ones[i]);
  return true;
}

bool KeptAnswers::WriteChain(Question question, std::uint32_t index, void* chain) const {
  for (const auto* item = static_cast<const VkBaseInStructure*>(chain); item != nullptr; item = item->pNext) {
    if (Find({question, index, static_cast<std::uint32_t>(item->sType)}) == nullptr) return false;
  }
  for (auto* item = static_cast<VkBaseOutStructure*>(chain); item != nullptr; item = item->pNext) {
    const auto type = static_cast<std::uint32_t>(item->sType);
    auto* const content = reinterpret_cast<std::byte*>(item) + kHeaderBytes;
    Write({question, index, type}, {content, KeptBytes(question, type).value_or(0)});
  }
  return true;
}

std::vector<VkExtensionProperties> KeptAnswers::Extensions(Question question) const {
  const KeptAnswer* const kept = Find({question, 0, 0});
  if (kept == nullptr) return {};
  std::vector<VkExtensionProperties> list(kept->over_zeros.size() / sizeof(VkExtensionProperties));
  if (!list.empty()) std::memcpy(list.data(), kept->over_zeros.data(), list.size() * sizeof(VkExtensionProperties));
  return list;
}

std::uint32_t KeptAnswers::QueueFamilies() const {
  constexpr auto kType = static_cast<std::uint32_t>(VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2);
  std::uint32_t count = 0;
  while (Find({Question::kQueueFamily, count, kType}) != nullptr) ++count;
  return count;
}

std::uint32_t DriverRecord::InstanceVersion() const {
  std::uint32_t version = 0;
  driver.Write({Question::kInstanceVersion, 0, 0}, std::as_writable_bytes(std::span(&version, 1)));
  return version;
}

bool DriverRecord::HasCommand(std::string_view name) const {
  const KeptAnswer* const kept = driver.Find({Question::kInstanceCommands, 0, 0});
  if (kept == nullptr) return false;
  std::string_view names(reinterpret_cast<const char*>(kept->over_zeros.data()), kept->over_zeros.size());
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\0'), names.size() - 1);
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace tandem::system
