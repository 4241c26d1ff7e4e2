// Records of drivers of any content, with the checksum that a whole file has.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "system/driver_record_bytes.h"

namespace {

using namespace tandem::system;

const std::vector<std::string> kKey = {"kernel"};

// A structure as a program would ask for it.
template <class T>
void Ask(const KeptAnswers& answers, Question question, VkStructureType type) {
  T structure{};
  structure.sType = type;
  if (answers.WriteChain(question, 0, &structure) && structure.pNext != nullptr) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string content(reinterpret_cast<const char*>(data), size);
  static_cast<void>(ParseDriverRecord(content, kKey));
  const auto record = ParseDriverRecord(WithChecksum(content), kKey);
  if (!record.ok()) return 0;
  for (const KeptAnswers& device : record->devices) {
    Ask<VkPhysicalDeviceProperties2>(device, Question::kProperties, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
    Ask<VkPhysicalDeviceMemoryProperties2>(device, Question::kMemory, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2);
    static_cast<void>(device.Extensions(Question::kExtensions));
  }
  static_cast<void>(record->HasCommand("vkCreateDevice"));
  // A record that was taken is kept as it is.
  const auto again = ParseDriverRecord(DriverRecordBytes(*record, kKey), kKey);
  if (!again.ok() || !(*again == *record)) std::abort();
  return 0;
}
