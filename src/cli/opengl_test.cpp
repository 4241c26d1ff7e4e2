// Which programs draw with zink. The programs and libraries are ELF files that the tests write.
#include "cli/opengl.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/linked_libraries.h"

namespace tandem::cli {
namespace {
namespace fs = std::filesystem;

constexpr std::uint64_t kLoadedAt = 0x400000;

template <class T>
void Append(std::string& file, const T& value) {
  file.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A file with nothing but what a reader of its libraries looks at.
std::string Elf(const std::vector<std::string>& needed, const std::string& runpath) {
  constexpr std::size_t kHeads = sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr));
  std::string texts(1, '\0');
  std::vector<ElfW(Dyn)> entries;
  const auto add = [&](auto tag, std::uint64_t value) {
    ElfW(Dyn) entry{};
    entry.d_tag = tag;
    entry.d_un.d_val = value;
    entries.push_back(entry);
  };
  const auto add_text = [&](auto tag, const std::string& text) {
    add(tag, texts.size());
    texts += text + '\0';
  };
  for (const std::string& library : needed) add_text(DT_NEEDED, library);
  if (!runpath.empty()) add_text(DT_RUNPATH, runpath);
  add(DT_STRTAB, kLoadedAt + kHeads + (entries.size() + 2) * sizeof(ElfW(Dyn)));
  add(DT_NULL, 0);
  ElfW(Ehdr) head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  head.e_ident[EI_DATA] = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  head.e_phoff = sizeof head;
  head.e_phentsize = sizeof(ElfW(Phdr));
  head.e_phnum = 2;
  ElfW(Phdr) load{}, dynamic{};
  load.p_type = PT_LOAD;
  load.p_vaddr = kLoadedAt;
  load.p_filesz = kHeads + entries.size() * sizeof(ElfW(Dyn)) + texts.size();
  dynamic.p_type = PT_DYNAMIC;
  dynamic.p_offset = kHeads;
  dynamic.p_filesz = entries.size() * sizeof(ElfW(Dyn));
  std::string file;
  Append(file, head);
  Append(file, load);
  Append(file, dynamic);
  for (const auto& entry : entries) Append(file, entry);
  return file + texts;
}

class OpenGl : public testing::Test {
 protected:
  OpenGl() : folder_(fs::temp_directory_path() / ("tandem-opengl-" + std::to_string(getpid()))) {
    fs::create_directories(folder_ / "lib/dri");
  }
  ~OpenGl() override { fs::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) const {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), 0755);
    return path;
  }
  void WriteZink(const std::string& bytes) const { Write("lib/dri/zink_dri.so", bytes); }

  // The choice for a program that links these.
  [[nodiscard]] OpenGlChoice Choice(const std::vector<std::string>& needed) const {
    const auto choice = ChooseOpenGl(config::OpenGl::kAuto, Write("program", Elf(needed, "")), Places());
    EXPECT_TRUE(choice.ok());
    return choice.ok() ? *choice : OpenGlChoice{};
  }
  [[nodiscard]] OpenGlPlaces Places() const {
    const auto variable = [this](std::string_view name) -> std::optional<std::string> {
      const auto found = variables_.find(std::string(name));
      if (found == variables_.end()) return std::nullopt;
      return found->second;
    };
    return {variable, {(folder_ / "lib").string()}};
  }

  const fs::path folder_;
  std::map<std::string, std::string> variables_;
};

TEST_F(OpenGl, ProgramThatLinksOpenGl_GetsZink) {
  WriteZink("… DRI_Kopper …");
  for (const char* const library : {"libGL.so.1", "libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1", "libGLESv2.so.2"}) {
    const OpenGlChoice choice = Choice({"libm.so.6", library, "libc.so.6"});
    EXPECT_TRUE(choice.zink) << library;
    EXPECT_EQ(choice.reason, std::string("It links ") + library + " and not Vulkan.");
  }
}

TEST_F(OpenGl, ProgramThatLinksVulkan_IsLeftAlone) {
  WriteZink("DRI_Kopper");
  EXPECT_EQ(Choice({"libvulkan.so.1", "libc.so.6"}).reason, "It links libvulkan.so.1.");
  for (const auto& libraries : {std::vector<std::string>{"libGL.so.1", "libvulkan.so.1"}, {"libvulkan.so.1", "libEGL.so.1"}}) {
    EXPECT_FALSE(Choice(libraries).zink);
  }
}

TEST_F(OpenGl, LibrariesOfItsLibraries_CountToo) {
  WriteZink("DRI_Kopper");
  Write("lib/libtoolkit.so.1", Elf({"libEGL.so.1"}, ""));
  Write("lib/libengine.so.1", Elf({"libvulkan.so.1"}, ""));
  EXPECT_EQ(Choice({"libtoolkit.so.1"}).reason, "It links libEGL.so.1 (of libtoolkit.so.1) and not Vulkan.");
  EXPECT_TRUE(Choice({"libtoolkit.so.1"}).zink);
  EXPECT_EQ(Choice({"libGL.so.1", "libengine.so.1"}).reason, "It links libvulkan.so.1 (of libengine.so.1).");
  fs::create_directories(folder_ / "own");
  Write("own/libprivate.so", Elf({"libvulkan.so.1"}, ""));
  const auto choice = ChooseOpenGl(config::OpenGl::kAuto,
                                   Write("program", Elf({"libGL.so.1", "libprivate.so"}, "/nowhere:$ORIGIN/own")), Places());
  EXPECT_FALSE(choice.value().zink);
}

TEST_F(OpenGl, ProgramWithoutEither_IsLeftAlone) {
  WriteZink("DRI_Kopper");
  const OpenGlChoice choice = Choice({"libSDL2-2.0.so.0", "libc.so.6"});
  EXPECT_FALSE(choice.zink);
  EXPECT_NE(choice.reason.find("needs --gl"), std::string::npos) << choice.reason;
}

TEST_F(OpenGl, ScriptOrBrokenFile_IsLeftAlone) {
  WriteZink("DRI_Kopper");
  const std::string whole = Elf({"libGL.so.1"}, "");
  std::vector<std::string> files{"#!/bin/sh\nexec glxgears\n", ""};
  for (std::size_t size = 1; size < whole.size() - 1; size += 7) files.push_back(whole.substr(0, size));
  for (const std::string& file : files) {
    const auto choice = ChooseOpenGl(config::OpenGl::kAuto, Write("program", file), Places());
    ASSERT_TRUE(choice.ok());
    EXPECT_FALSE(choice->zink) << file.size();
  }
  EXPECT_FALSE(ChooseOpenGl(config::OpenGl::kAuto, "no-such-program", Places()).value().zink);
}

TEST_F(OpenGl, DriverThatTheUserChose_Stays) {
  WriteZink("DRI_Kopper");
  for (const char* const name :
       {"MESA_LOADER_DRIVER_OVERRIDE", "GALLIUM_DRIVER", "LIBGL_ALWAYS_SOFTWARE", "__GLX_VENDOR_LIBRARY_NAME"}) {
    variables_ = {{name, "llvmpipe"}};
    EXPECT_FALSE(Choice({"libGL.so.1"}).zink) << name;
    EXPECT_FALSE(Choice({"libGL.so.1"}).missing) << name;
    EXPECT_TRUE(ChooseOpenGl(config::OpenGl::kOn, "program", Places()).value().zink) << name;
  }
}

TEST_F(OpenGl, ZinkThatIsMissingOrTooOld_IsSaidWithThePackage) {
  for (const char* const zink : {"", "of Mesa 20"}) {
    if (*zink != '\0') WriteZink(zink);
    const OpenGlChoice choice = Choice({"libGL.so.1"});
    EXPECT_FALSE(choice.zink);
    EXPECT_TRUE(choice.missing);
    EXPECT_NE(choice.reason.find(*zink == '\0' ? "is missing" : "is too old"), std::string::npos) << choice.reason;
    const auto asked = ChooseOpenGl(config::OpenGl::kOn, "program", Places());
    ASSERT_FALSE(asked.ok());
    EXPECT_TRUE(asked.error().message.ends_with("in Debian the package libgl1-mesa-dri.")) << asked.error().message;
    EXPECT_FALSE(Choice({"libvulkan.so.1"}).missing);
    EXPECT_TRUE(ChooseOpenGl(config::OpenGl::kOff, "program", Places()).ok());
  }
}

TEST_F(OpenGl, NameAcrossTheBlocksOfALargeFile_IsFound) {
  for (const std::size_t offset : {(std::size_t{1} << 20) - 5, std::size_t{1} << 20, (std::size_t{1} << 21) - 1}) {
    WriteZink(std::string(offset, ' ') + "DRI_Kopper");
    EXPECT_TRUE(Choice({"libGL.so.1"}).zink) << offset;
  }
}

TEST_F(OpenGl, ZinkOfOneLibraryOrANamedFolder_IsFound) {
  variables_ = {{"LIBGL_DRIVERS_PATH", (folder_ / "own").string()}};
  WriteZink("DRI_Kopper");
  EXPECT_TRUE(Choice({"libGL.so.1"}).missing);
  fs::create_directories(folder_ / "own");
  Write("own/zink_dri.so", "DRI_Kopper");
  EXPECT_TRUE(Choice({"libGL.so.1"}).zink);
  fs::remove_all(folder_ / "own");
  Write("lib/libgallium-25.0.7.so", "");
  EXPECT_TRUE(Choice({"libGL.so.1"}).zink);
}

TEST_F(OpenGl, Environment_FollowsTheRenderAdapter) {
  const auto has = [](const std::vector<std::string>& pairs, const char* pair) { return std::ranges::count(pairs, pair) == 1; };
  EXPECT_TRUE(has(ZinkEnvironment(true), "LIBGL_ALWAYS_SOFTWARE=1"));
  EXPECT_TRUE(has(ZinkEnvironment(false), "LIBGL_ALWAYS_SOFTWARE=0"));
  EXPECT_TRUE(has(ZinkEnvironment(false), "MESA_LOADER_DRIVER_OVERRIDE=zink"));
  EXPECT_TRUE(has(ZinkEnvironment(false), "allow_rgb10_configs=false"));
  setenv("allow_rgb10_configs", "true", 1);
  EXPECT_FALSE(has(ZinkEnvironment(false), "allow_rgb10_configs=false"));
  unsetenv("allow_rgb10_configs");
  EXPECT_TRUE(has(ZinkEnvironment(false), "MESA_DEBUG=silent"));
  setenv("MESA_DEBUG", "context", 1);
  EXPECT_FALSE(has(ZinkEnvironment(false), "MESA_DEBUG=silent"));
  unsetenv("MESA_DEBUG");
}

TEST(LinkedLibraries, ThisTest_LinksTheCLibrary_FromAFolderOfTheLoader) {
  const auto own = ReadLinkedLibraries("/proc/self/exe");
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_EQ(std::ranges::count(own->needed, "libc.so.6"), 1);
  EXPECT_TRUE(std::ranges::any_of(LoaderFolders(), [](const std::string& folder) { return fs::exists(folder + "/libc.so.6"); }));
}

}  // namespace
}  // namespace tandem::cli
