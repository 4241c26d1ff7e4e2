#include "system/driver_record_bytes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/printable.h"

namespace tandem::system {
namespace {

constexpr std::string_view kMagic = "TandemR1";
constexpr std::uint32_t kMaxKeyLines = 1024;
constexpr std::uint32_t kMaxAnswers = 4096;  // of one device

void Put(std::string& out, std::uint32_t number) { out.append(reinterpret_cast<const char*>(&number), sizeof number); }

void Put(std::string& out, std::string_view bytes) {
  Put(out, static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

void Put(std::string& out, const std::vector<std::byte>& bytes) {
  Put(out, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void Put(std::string& out, const KeptAnswers& answers) {
  Put(out, static_cast<std::uint32_t>(answers.all().size()));
  for (const auto& [key, answer] : answers.all()) {
    Put(out, static_cast<std::uint32_t>(key.question));
    Put(out, key.index);
    Put(out, key.type);
    Put(out, answer.over_zeros);
    Put(out, answer.over_ones);
  }
}

// FNV-1a.
std::string Checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return {reinterpret_cast<const char*>(&hash), sizeof hash};
}

// Takes values from the front. After the first that is not there, all are empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] bool at_end() const { return !broken_ && rest_.empty(); }

  std::string_view Bytes(std::size_t count) {
    if (broken_ || count > rest_.size()) {
      broken_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint32_t Number() {
    std::uint32_t number = 0;
    const std::string_view bytes = Bytes(sizeof number);
    if (!broken_) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  std::uint32_t Count(std::uint32_t limit) {
    const std::uint32_t count = Number();
    broken_ = broken_ || count > limit;
    return broken_ ? 0 : count;
  }
  std::string_view Text() { return Bytes(Number()); }
  std::vector<std::byte> Content() {
    const auto bytes = std::as_bytes(std::span(Text()));
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

bool Ends(std::span<const char> name) { return std::ranges::find(name, '\0') != name.end(); }

bool NamesEnd(const std::vector<VkExtensionProperties>& extensions) {
  return std::ranges::all_of(extensions, [](const VkExtensionProperties& item) { return Ends(item.extensionName); });
}

// True if the answer has the size of its kind.
bool Fits(const AnswerKey& key, const KeptAnswer& answer) {
  const std::size_t size = answer.over_zeros.size();
  if (!answer.over_ones.empty() && answer.over_ones.size() != size) return false;
  switch (key.question) {
    case Question::kInstanceVersion: return key.index == 0 && key.type == 0 && size == sizeof(std::uint32_t);
    case Question::kInstanceCommands: return key.index == 0 && key.type == 0;
    case Question::kInstanceExtensions:
    case Question::kExtensions: return key.index == 0 && key.type == 0 && size % sizeof(VkExtensionProperties) == 0;
    case Question::kProperties:
    case Question::kFeatures:
    case Question::kMemory:
    case Question::kQueueFamily:
    case Question::kFormat: return KeptBytes(key.question, key.type) == size;
  }
  return false;
}

// A structure as a program would get it that zeroed it before. Its size is the answer's.
template <class T>
T Structure(const KeptAnswers& answers, Question question, VkStructureType type) {
  T structure{};
  structure.sType = type;
  answers.WriteChain(question, 0, &structure);
  return structure;
}

bool IsSoundDriver(const KeptAnswers& driver) {
  return driver.Find({Question::kInstanceVersion, 0, 0}) != nullptr && NamesEnd(driver.Extensions(Question::kInstanceExtensions));
}

// True if the device has what every program asks for, and a program that follows its counts and names stays inside its arrays.
bool IsSoundDevice(const KeptAnswers& device) {
  for (const auto& [question, type] : {std::pair{Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2},
                                       std::pair{Question::kFeatures, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2},
                                       std::pair{Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2},
                                       std::pair{Question::kQueueFamily, VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2}}) {
    if (device.Find({question, 0, static_cast<std::uint32_t>(type)}) == nullptr) return false;
  }
  const auto properties =
      Structure<VkPhysicalDeviceProperties2>(device, Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  const auto driver = Structure<VkPhysicalDeviceDriverProperties>(device, Question::kProperties,
                                                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  const auto newer = Structure<VkPhysicalDeviceVulkan12Properties>(device, Question::kProperties,
                                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  const auto memory = Structure<VkPhysicalDeviceMemoryProperties2>(device, Question::kMemory,
                                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
  const bool names = Ends(properties.properties.deviceName) && Ends(driver.driverName) && Ends(driver.driverInfo) &&
                     Ends(newer.driverName) && Ends(newer.driverInfo) && NamesEnd(device.Extensions(Question::kExtensions));
  return names && memory.memoryProperties.memoryTypeCount <= VK_MAX_MEMORY_TYPES &&
         memory.memoryProperties.memoryHeapCount <= VK_MAX_MEMORY_HEAPS && device.QueueFamilies() <= kMaxRecordedFamilies;
}

std::optional<KeptAnswers> ReadAnswers(Reader& reader) {
  KeptAnswers answers;
  const std::uint32_t count = reader.Count(kMaxAnswers);
  for (std::uint32_t i = 0; i < count && !reader.broken(); ++i) {
    AnswerKey key;
    key.question = static_cast<Question>(reader.Count(static_cast<std::uint32_t>(Question::kFormat)));
    key.index = reader.Number();
    key.type = reader.Number();
    KeptAnswer answer{reader.Content(), {}};
    answer.over_ones = reader.Content();
    if (reader.broken() || !Fits(key, answer)) return std::nullopt;
    answers.Keep(key, std::move(answer));
  }
  if (reader.broken()) return std::nullopt;
  return answers;
}

}  // namespace

std::string WithChecksum(std::string content) { return content + Checksum(content); }

std::string DriverRecordBytes(const DriverRecord& record, std::span<const std::string> key) {
  std::string bytes(kMagic);
  Put(bytes, static_cast<std::uint32_t>(key.size()));
  for (const std::string& line : key) Put(bytes, line);
  Put(bytes, record.driver);
  Put(bytes, static_cast<std::uint32_t>(record.devices.size()));
  for (const KeptAnswers& device : record.devices) Put(bytes, device);
  return WithChecksum(std::move(bytes));
}

Result<DriverRecord> ParseDriverRecord(std::string_view bytes, std::span<const std::string> key) {
  const Error damaged = Fail(ErrorKind::kInvalidArgument, "The record of a driver is damaged.");
  const std::size_t sum_bytes = sizeof(std::uint64_t);
  if (bytes.size() > kMaxDriverRecordBytes || bytes.size() < kMagic.size() + sum_bytes || !bytes.starts_with(kMagic))
    return damaged;
  const std::string_view body = bytes.substr(0, bytes.size() - sum_bytes);
  if (bytes.substr(body.size()) != Checksum(body)) return damaged;
  Reader reader(body.substr(kMagic.size()));
  const std::uint32_t lines = reader.Count(kMaxKeyLines);
  for (std::uint32_t i = 0; i < lines && !reader.broken(); ++i) {
    const std::string_view line = reader.Text();
    if (std::ranges::find(key, line) == key.end())
      return Fail(ErrorKind::kNotFound, "The record was made with '{}'.", Printable(line));
  }
  if (reader.broken()) return damaged;
  if (lines != key.size()) return Fail(ErrorKind::kNotFound, "The record was made with {} of {} lines.", lines, key.size());
  DriverRecord record;
  auto driver = ReadAnswers(reader);
  if (!driver || !IsSoundDriver(*driver)) return damaged;
  record.driver = *std::move(driver);
  const std::uint32_t devices = reader.Count(kMaxRecordedDevices);
  for (std::uint32_t i = 0; i < devices; ++i) {
    auto device = ReadAnswers(reader);
    if (!device || !IsSoundDevice(*device)) return damaged;
    record.devices.push_back(*std::move(device));
  }
  if (!reader.at_end() || record.devices.empty()) return damaged;
  return record;
}

}  // namespace tandem::system
