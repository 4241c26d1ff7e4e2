// Compiler and linker hardening of the files that are loaded into programs, and what they load.
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "tests/integration/tandem_run.h"

namespace tandem::test {
namespace {

std::string OutputOf(const std::vector<std::string>& command) {
  const ProcessResult result = RunProcess(command, {{"LC_ALL", "C"}}, 60000);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

bool Holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class BuiltFile : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
#ifndef TANDEM_HARDENED
    GTEST_SKIP() << "This build is not hardened.";
#endif
  }
};

// Every Vulkan program of a session loads the layer, whether it is served or not.
TEST(Layer, Load_BringsNoLibraryThatIsNeededLater) {
  const std::string needed = OutputOf({"readelf", "--dynamic", "--wide", TANDEM_LAYER});
  ASSERT_TRUE(Holds(needed, "libc.so.6")) << needed;
  for (const char* library : {"libwayland", "libpng", "libvulkan"}) EXPECT_FALSE(Holds(needed, library)) << needed;
}

TEST(Layer, Load_LeavesNoErrorForTheProgram) {
  dlerror();
  void* const layer = dlopen(TANDEM_LAYER, RTLD_NOW | RTLD_LOCAL);
  const char* const error = dlerror();
  EXPECT_EQ(error, nullptr) << error;
  ASSERT_NE(layer, nullptr);
  dlclose(layer);
}

TEST_P(BuiltFile, Memory_IsNeitherWritableAndExecutableNorRelocatedLate) {
  const std::string headers = OutputOf({"readelf", "--program-headers", "--dynamic", "--wide", GetParam()});
  EXPECT_TRUE(Holds(headers, "GNU_RELRO"));
  EXPECT_TRUE(Holds(headers, "BIND_NOW") || Holds(headers, " NOW")) << headers;
  std::istringstream lines(headers);
  for (std::string line; std::getline(lines, line);) {
    if (Holds(line, "GNU_STACK") || Holds(line, "LOAD")) {
      EXPECT_FALSE(Holds(line, "RWE")) << line;
    }
  }
}

TEST_P(BuiltFile, Calls_AreThoseThatCheck) {
  const std::string symbols = OutputOf({"nm", "--dynamic", "--undefined-only", "--demangle", GetParam()});
  EXPECT_TRUE(Holds(symbols, "__stack_chk_fail")) << symbols;
  EXPECT_TRUE(Holds(symbols, "__memcpy_chk")) << symbols;
  EXPECT_TRUE(Holds(symbols, "std::__glibcxx_assert_fail")) << symbols;
}

#ifdef __x86_64__
// A stack frame of more than a page is probed page by page, so that no guard page is skipped. Functions begin with a branch
// target.
TEST_P(BuiltFile, Code_ProbesLargeFramesAndMarksTargetsOfBranches) {
  std::istringstream code(OutputOf({"objdump", "--disassemble", "--no-show-raw-insn", "--section=.text", GetParam()}));
  int functions = 0;
  int marked = 0;
  int probes = 0;
  bool at_begin = false;
  std::string function;
  for (std::string line; std::getline(code, line);) {
    if (line.ends_with(">:")) {
      function = line;
      at_begin = true;
      ++functions;
      continue;
    }
    if (std::exchange(at_begin, false) && Holds(line, "endbr64")) ++marked;
    const std::size_t frame = line.find("$0x");
    if (frame == std::string::npos || !Holds(line, "sub ") || !line.ends_with(",%rsp")) continue;
    // In two's complement, because a subtraction may also release a frame.
    const auto bytes = static_cast<std::int64_t>(std::stoull(line.substr(frame + 1), nullptr, 16));
    EXPECT_LE(bytes, 0x1000) << function << line;
    if (bytes == 0x1000) ++probes;
  }
  EXPECT_GT(probes, 0);
  EXPECT_GT(functions, 0);
  EXPECT_GT(marked, 0);
}
#endif

INSTANTIATE_TEST_SUITE_P(Release, BuiltFile, testing::Values(TANDEM_LAYER, TANDEM_COMMAND),
                         [](const auto& file) { return std::string(file.index == 0 ? "Layer" : "Command"); });

#ifdef __x86_64__
// The linker marks a file if all its objects are marked. Objects of an unmarked C library, such as Debian's crti.o, remove the
// file's mark. Our objects are therefore checked before linking.
TEST(Hardening, EveryObjectOfTheLayer_IsMarkedForControlFlowEnforcement) {
#ifndef TANDEM_HARDENED
  GTEST_SKIP() << "This build is not hardened.";
#endif
  const std::string folder = std::string(TANDEM_LAYER).substr(0, std::string(TANDEM_LAYER).rfind('/'));
  for (const char* module : {"layer", "system", "link", "config", "status", "kernel", "drivers_processor", "drivers_soft",
                             "drivers_vulkan", "swapchain", "outputs", "base"}) {
    std::istringstream notes(OutputOf({"readelf", "--notes", folder + "/modules/lib" + module + ".a"}));
    int objects = 0;
    int marked = 0;
    for (std::string line; std::getline(notes, line);) {
      if (Holds(line, "File: ")) ++objects;
      if (Holds(line, "x86 feature: IBT, SHSTK")) ++marked;
    }
    EXPECT_GT(objects, 0) << module;
    EXPECT_EQ(marked, objects) << module;
  }
}
#endif

// The level of the checks leaves no trace in a file.
TEST(Hardening, EveryFileOfTheLayer_IsCompiledWithIt) {
#ifndef TANDEM_HARDENED
  GTEST_SKIP() << "This build is not hardened.";
#endif
  std::ifstream file(TANDEM_COMPILE_COMMANDS);
  const auto commands = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(commands.is_array());
  int seen = 0;
  for (const auto& entry : commands) {
    const std::string command = entry["command"].get<std::string>();
    // Excludes its tests, and its headers, which a tree test compiles alone.
    if (!Holds(command, "/layer.dir/") && !Holds(command, "/VkLayer_tandem.dir/") && !Holds(command, "/vulkan_tandem.dir/")) {
      continue;
    }
    for (const char* flag :
         {"-D_FORTIFY_SOURCE=3", "-D_GLIBCXX_ASSERTIONS", "-fstack-clash-protection", "-fstack-protector-strong"}) {
      EXPECT_TRUE(Holds(command, flag)) << flag << " is missing in " << command;
    }
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace tandem::test
