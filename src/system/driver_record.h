// Answers that a Vulkan driver gave about itself and its devices when it was last open. Programs get them again while its GPU
// sleeps.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <vulkan/vulkan_core.h>

namespace tandem::system {

enum class Question : std::uint32_t {
  kInstanceVersion,     // uint32_t
  kInstanceExtensions,  // VkExtensionProperties[]
  kInstanceCommands,    // names with a zero after each
  kExtensions,          // VkExtensionProperties[]
  kProperties,          // this and all below: structures
  kFeatures,
  kMemory,
  kQueueFamily,  // the index is the family
  kFormat,       // the index is the VkFormat
};

struct AnswerKey {
  Question question = Question::kInstanceVersion;
  std::uint32_t index = 0;
  std::uint32_t type = 0;  // VkStructureType; 0 for lists
  auto operator<=>(const AnswerKey&) const = default;
};

// Bytes of a list, or of a structure behind sType and pNext. The driver wrote them over zeros, and over ones.
struct KeptAnswer {
  std::vector<std::byte> over_zeros;
  std::vector<std::byte> over_ones;  // empty: as over_zeros
  bool operator==(const KeptAnswer&) const = default;
};

// Bytes before the content of a structure that may stand in a chain.
inline constexpr std::size_t kHeaderBytes = offsetof(VkPhysicalDeviceFeatures2, features);

// Bytes of a structure's content; nothing if a record never keeps this one for the question.
[[nodiscard]] std::optional<std::size_t> KeptBytes(Question question, std::uint32_t type);
// The structures that a record keeps for the question of a device with this version of Vulkan (at least 1.1) and these
// extensions. The first is the question's own, which heads a chain.
[[nodiscard]] std::vector<VkStructureType> KeptTypes(Question question, std::uint32_t version,
                                                     std::span<const VkExtensionProperties> extensions);

// The answers about one device, or about the driver.
class KeptAnswers {
 public:
  void Keep(const AnswerKey& key, KeptAnswer answer) { answers_[key] = std::move(answer); }
  [[nodiscard]] const KeptAnswer* Find(const AnswerKey& key) const;
  [[nodiscard]] const std::map<AnswerKey, KeptAnswer>& all() const { return answers_; }

  // Does to `content` what the driver did: bits that it leaves alone keep their value. False if no answer is kept, or a shorter
  // one.
  bool Write(const AnswerKey& key, std::span<std::byte> content) const;
  // Chains of structures are answered whole; one begins with the question's own structure. False, and nothing is written,
  // unless all structures are kept.
  bool WriteChain(Question question, std::uint32_t index, void* chain) const;

  [[nodiscard]] std::vector<VkExtensionProperties> Extensions(Question question) const;
  [[nodiscard]] std::uint32_t QueueFamilies() const;
  bool operator==(const KeptAnswers&) const = default;

 private:
  std::map<AnswerKey, KeptAnswer> answers_;
};

struct DriverRecord {
  KeptAnswers driver;
  std::vector<KeptAnswers> devices;  // in the driver's order, each a group of its own

  [[nodiscard]] std::uint32_t InstanceVersion() const;
  // True if the driver had the command in an instance of its newest version without extensions but those of surfaces.
  [[nodiscard]] bool HasCommand(std::string_view name) const;
  bool operator==(const DriverRecord&) const = default;
};

}  // namespace tandem::system
