// Runs `tandem run` for tests: drivers that render and show, and the results.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace tandem::test {

// An installed Vulkan driver.
struct VulkanDriver {
  std::string name;      // "lavapipe"
  std::string selector;  // value of --render and --display
  std::string manifest;
};

// Mesa's lavapipe (that of TANDEM_TEST_MESA_ICD where it names a manifest), then SwiftShader if TANDEM_TEST_SWIFTSHADER_ICD names
// its manifest. Missing drivers are left out.
[[nodiscard]] std::vector<VulkanDriver> VulkanDrivers();
// An environment in which only these drivers exist.
[[nodiscard]] Environment WithDrivers(const std::vector<VulkanDriver>& drivers);

[[nodiscard]] std::string Program(const std::string& name);  // path of a program of tests/programs

// A test's own folder, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A folder for the sockets of compositors: it is XDG_RUNTIME_DIR while it lives.
class RuntimeFolder {
 public:
  RuntimeFolder();
  ~RuntimeFolder();
  RuntimeFolder(const RuntimeFolder&) = delete;
  RuntimeFolder& operator=(const RuntimeFolder&) = delete;
  [[nodiscard]] std::string path() const { return folder_.File(""); }

 private:
  const ScratchFolder folder_;
  const std::optional<std::string> before_;
};

// For `env`: Mesa writes its shaders into a file and ends with a signal where no file may grow.
inline constexpr char kNoMesaCache[] = "MESA_SHADER_CACHE_DISABLE=true";

struct TandemRun {
  std::vector<std::string> options;  // options of `tandem run`
  std::vector<std::string> program;
  Environment environment;
  int limit_ms = 120000;
};

struct TandemResult {
  ProcessResult process;
  nlohmann::json stats;  // null if the file was not written
};

[[nodiscard]] TandemResult RunTandem(const TandemRun& run);

struct RawFrame {
  std::uint64_t index = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t format = 0;  // DXGI
  std::vector<std::byte> pixels;
};

// Calls `use` for each frame of the raw stream in `file`; returns a sentence if the stream is broken.
[[nodiscard]] std::optional<std::string> ForEachRawFrame(const std::string& file,
                                                         const std::function<void(const RawFrame&)>& use);

// The picture's fault, or nothing; `number` gets the frame's number.
[[nodiscard]] std::optional<std::string> CheckPattern(const RawFrame& frame, std::uint32_t& number);

// The driver that lies (tests/programs/lying_driver.cpp), first in the list of adapters.
[[nodiscard]] VulkanDriver Liar();
// `drivers`, with the liar inserted before lavapipe's library.
[[nodiscard]] TandemRun WithLie(const std::string& lie, const std::vector<VulkanDriver>& drivers);

}  // namespace tandem::test
