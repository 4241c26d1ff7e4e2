#include "conform/loaded_driver.h"

#include <cctype>

#include <dlfcn.h>

namespace tandem::conform {
namespace {

class NoExtension final : public BusDevice {
 public:
  void* extension() override { return nullptr; }
};

std::string NameOf(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace

Result<DriverUnderTest> LoadDriver(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Fail(ErrorKind::kNotFound, "The driver cannot be loaded: {}.", dlerror());
  DriverUnderTest driver;
  driver.entry = reinterpret_cast<DRIVER_INITIALIZE*>(dlsym(library, "DriverEntry"));
  if (driver.entry == nullptr) return Fail(ErrorKind::kNotFound, "{} exports no DriverEntry.", path);
  driver.name = NameOf(path);
  driver.make_device = [](const std::shared_ptr<outputs::Output>&) { return std::make_unique<NoExtension>(); };
  return driver;
}

}  // namespace tandem::conform
