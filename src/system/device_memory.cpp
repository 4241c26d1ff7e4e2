#include "system/device_memory.h"

#include <utility>

#include "base/log.h"
#include "config/device_file.h"

namespace tandem::system {
namespace {

class KeptInFile final : public vulkan::DeviceMemory {
 public:
  KeptInFile(std::string path, std::string device) : file_(std::move(path), std::move(device)) {}
  std::optional<std::string> Recall(const std::string& what) override { return file_.Recall(what); }
  void Keep(const std::string& what, const std::string& answer) override {
    if (const auto kept = file_.Keep(what, answer); !kept.ok()) Log(LogLevel::kInfo, "{}", kept.error().message);
  }

 private:
  config::DeviceFile file_;
};

}  // namespace

std::shared_ptr<vulkan::DeviceMemory> MakeDeviceMemory(const config::AdapterInfo& adapter) {
  auto path = config::CacheFilePath("link-engines");
  if (!path) return nullptr;
  return std::make_shared<KeptInFile>(*std::move(path), config::DeviceKey(adapter));
}

}  // namespace tandem::system
