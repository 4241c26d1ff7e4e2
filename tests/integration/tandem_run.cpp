#include "tests/integration/tandem_run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

#include "outputs/headless/raw_stream.h"
#include "tests/programs/pattern.h"

namespace tandem::test {
namespace fs = std::filesystem;

std::vector<VulkanDriver> VulkanDrivers() {
  std::vector<VulkanDriver> drivers;
  if (const char* mesa = std::getenv("TANDEM_TEST_MESA_ICD"); mesa != nullptr && fs::exists(mesa)) {
    drivers.push_back({"lavapipe", "llvmpipe", mesa});
  }
  for (const char* manifest : {"/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json"}) {
    if (drivers.empty() && fs::exists(manifest)) drivers.push_back({"lavapipe", "llvmpipe", manifest});
  }
  const char* swiftshader = std::getenv("TANDEM_TEST_SWIFTSHADER_ICD");
  if (swiftshader != nullptr && fs::exists(swiftshader))
    drivers.push_back({"SwiftShader", "SwiftShader", fs::absolute(swiftshader).string()});
  return drivers;
}

Environment WithDrivers(const std::vector<VulkanDriver>& drivers) {
  std::string manifests;
  for (const VulkanDriver& driver : drivers) manifests += (manifests.empty() ? "" : ":") + driver.manifest;
  // Mesa's own layer reorders devices, and files in a person's home folder must not affect a test. Nor may what another test kept
  // of a driver that lied.
  static const ScratchFolder caches;
  static int count = 0;
  return {{"VK_ICD_FILENAMES", manifests},
          {"VK_DRIVER_FILES", ""},
          {"NODEVICE_SELECT", "1"},
          {"XDG_CONFIG_HOME", "/nonexistent"},
          {"XDG_CACHE_HOME", caches.File(std::to_string(count++))}};
}

std::string Program(const std::string& name) { return std::string(TANDEM_PROGRAMS) + "/" + name; }

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "tandem-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

std::optional<std::string> Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

RuntimeFolder::RuntimeFolder() : before_(Variable("XDG_RUNTIME_DIR")) { setenv("XDG_RUNTIME_DIR", path().c_str(), 1); }

RuntimeFolder::~RuntimeFolder() {
  if (before_) {
    setenv("XDG_RUNTIME_DIR", before_->c_str(), 1);
  } else {
    unsetenv("XDG_RUNTIME_DIR");
  }
}

TandemResult RunTandem(const TandemRun& run) {
  const ScratchFolder scratch;
  std::vector<std::string> argv{TANDEM_COMMAND, "run", "--stats-json", scratch.File("stats.json")};
  argv.insert(argv.end(), run.options.begin(), run.options.end());
  argv.emplace_back("--");
  argv.insert(argv.end(), run.program.begin(), run.program.end());
  TandemResult result;
  result.process = RunProcess(argv, run.environment, run.limit_ms);
  std::ifstream file(scratch.File("stats.json"));
  if (file) result.stats = nlohmann::json::parse(file, nullptr, false);
  return result;
}

std::optional<std::string> ForEachRawFrame(const std::string& file, const std::function<void(const RawFrame&)>& use) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return "There is no " + file + ".";
  RawFrame frame;
  std::array<std::byte, outputs::kRawHeaderBytes> bytes;
  while (stream.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) {
    const auto header = outputs::DecodeRawHeader(bytes);
    if (!header.ok()) return header.error().message;
    frame.index = header->frame_index;
    frame.width = header->width;
    frame.height = header->height;
    frame.format = static_cast<std::uint32_t>(header->format);
    frame.pixels.resize(header->bytes);
    if (!stream.read(reinterpret_cast<char*>(frame.pixels.data()), static_cast<std::streamsize>(header->bytes))) {
      return "Frame " + std::to_string(frame.index) + " is cut off.";
    }
    use(frame);
  }
  if (stream.gcount() != 0) return "The last header is cut off.";
  return std::nullopt;
}

std::optional<std::string> CheckPattern(const RawFrame& frame, std::uint32_t& number) {
  if (frame.pixels.size() < sizeof number) return "The picture is empty.";
  std::memcpy(&number, frame.pixels.data(), sizeof number);
  std::vector<std::byte> expected(frame.pixels.size());
  const auto bytes_per_pixel = static_cast<std::uint32_t>(frame.pixels.size() / (std::size_t{frame.width} * frame.height));
  FillPattern(expected, frame.width, frame.height, bytes_per_pixel, number);
  if (std::memcmp(expected.data(), frame.pixels.data(), expected.size()) == 0) return std::nullopt;
  std::size_t at = 0;
  while (expected[at] == frame.pixels[at]) ++at;
  return "Shown frame " + std::to_string(frame.index) + " says it is number " + std::to_string(number) + ", but its byte " +
         std::to_string(at) + " of " + std::to_string(expected.size()) + " differs.";
}

namespace {

// The library named by a driver's manifest.
std::string LibraryOf(const VulkanDriver& driver) {
  std::ifstream file(driver.manifest);
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  const std::string path = manifest.value("/ICD/library_path"_json_pointer, "");
  if (path.starts_with("./")) return driver.manifest.substr(0, driver.manifest.rfind('/')) + path.substr(1);
  return path;
}

}  // namespace

VulkanDriver Liar() { return {"liar", "0", Program("lying_icd.json")}; }

TandemRun WithLie(const std::string& lie, const std::vector<VulkanDriver>& drivers) {
  TandemRun run;
  run.environment = WithDrivers(drivers);
  run.environment.emplace_back("TANDEM_TEST_LIE", lie);
  run.environment.emplace_back("TANDEM_TEST_REAL_DRIVER", LibraryOf(VulkanDrivers().front()));
  run.limit_ms = 60000;
  return run;
}

}  // namespace tandem::test
