// Builds the example driver with the command, loads it and calls it as a kernel does.
#include <dispmprt.h>
#include <dlfcn.h>
#include <tandem_driver_host.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/integration/process.h"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr UINT kWidth = 16, kHeight = 8, kPitch = kWidth * 4;

// The kernel that the driver sees: a frame buffer, and a list of reports.
struct Seen {
  KIRQL irql = PASSIVE_LEVEL;
  Words reports;
  KMDDOD_INITIALIZATION_DATA table{};
  bool registered = false;
  std::vector<UINT> pixels = std::vector<UINT>(kWidth * kHeight, 0x11111111);
  int mapped = 0;
} seen;

TANDEM_DRIVER_KERNEL Kernel() {
  TANDEM_DRIVER_KERNEL kernel{};
  kernel.Size = sizeof(kernel);
  kernel.GetIrql = [] { return seen.irql; };
  kernel.SetIrql = [](KIRQL irql) { seen.irql = irql; };
  kernel.Report = [](const char* rule, const char* text) { seen.reports.push_back(std::string(rule) + ": " + text); };
  kernel.InitializeDisplayOnlyDriver = [](PDRIVER_OBJECT, PUNICODE_STRING, KMDDOD_INITIALIZATION_DATA* table) {
    seen.table = *table;
    seen.registered = true;
    return STATUS_SUCCESS;
  };
  return kernel;
}

DXGKRNL_INTERFACE Interface() {
  DXGKRNL_INTERFACE interface {};
  interface.Size = sizeof(interface);
  interface.DxgkCbAcquirePostDisplayOwnership = [](HANDLE, PDXGK_DISPLAY_INFORMATION display) {
    *display = DXGK_DISPLAY_INFORMATION{kWidth, kHeight, kPitch, D3DDDIFMT_A8R8G8B8, {}, 0, 0};
    display->PhysicAddress.QuadPart = reinterpret_cast<LONGLONG>(seen.pixels.data());
    return STATUS_SUCCESS;
  };
  interface.DxgkCbMapMemory = [](HANDLE, PHYSICAL_ADDRESS address, ULONG, BOOLEAN, BOOLEAN, MEMORY_CACHING_TYPE, PVOID* mapped) {
    *mapped = reinterpret_cast<PVOID>(address.QuadPart);
    ++seen.mapped;
    return STATUS_SUCCESS;
  };
  interface.DxgkCbUnmapMemory = [](HANDLE, PVOID) {
    --seen.mapped;
    return STATUS_SUCCESS;
  };
  return interface;
}

class DriverBuild : public testing::Test {
 protected:
  DriverBuild() {
    fs::create_directories(folder_);
    seen = Seen();
  }
  ~DriverBuild() override { fs::remove_all(folder_); }

  // Runs the command on the example with further options.
  ProcessResult Build(const Words& options, const std::string& place = std::string(TANDEM_EXAMPLES) + "/display_only") {
    Words words = {TANDEM_COMMAND, "driver", "build", place, "-o", (folder_ / "driver.so").string()};
    words.insert(words.end(), options.begin(), options.end());
    return RunProcess(words, {}, 120'000);
  }

  // Loads the driver and enters it.
  void Load() {
    library_ = dlopen((folder_ / "driver.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
    attach_ = reinterpret_cast<PFNTANDEM_ATTACH_KERNEL>(dlsym(library_, TANDEM_ATTACH_KERNEL));
    const auto entry = reinterpret_cast<PDRIVER_INITIALIZE>(dlsym(library_, "DriverEntry"));
    ASSERT_NE(attach_, nullptr);
    ASSERT_NE(entry, nullptr);
    attach_(&kernel_);
    UNICODE_STRING path{};
    ASSERT_EQ(entry(&driver_, &path), STATUS_SUCCESS);
    ASSERT_TRUE(seen.registered);
  }
  void Unload() {
    seen.table.DxgkDdiUnload();
    attach_(nullptr);
    dlclose(library_);
  }
  static bool Reported(const std::string& rule, const std::string& words) {
    return std::ranges::any_of(seen.reports, [&](const std::string& report) {
      return report.starts_with(rule + ": ") && report.find(words) != std::string::npos;
    });
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("driver_build_" + std::to_string(getpid()));
  void* library_ = nullptr;
  PFNTANDEM_ATTACH_KERNEL attach_ = nullptr;
  TANDEM_DRIVER_KERNEL kernel_ = Kernel();
  DRIVER_OBJECT driver_{};
};

TEST_F(DriverBuild, Example_StartsPresentsAndStops_WithoutAReport) {
  const ProcessResult built = Build({});
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  Load();
  DEVICE_OBJECT object{};
  PVOID device = nullptr;
  ASSERT_EQ(seen.table.DxgkDdiAddDevice(&object, &device), STATUS_SUCCESS);
  DXGK_START_INFO start{};
  DXGKRNL_INTERFACE interface = Interface();
  ULONG sources = 0, children = 0;
  ASSERT_EQ(seen.table.DxgkDdiStartDevice(device, &start, &interface, &sources, &children), STATUS_SUCCESS);
  EXPECT_EQ(sources, 1u);
  EXPECT_EQ(children, 1u);
  DXGK_CHILD_DESCRIPTOR relations[2] = {};
  EXPECT_EQ(seen.table.DxgkDdiQueryChildRelations(device, relations, sizeof(relations)), STATUS_SUCCESS);
  EXPECT_EQ(relations[0].ChildDeviceType, TypeVideoOutput);

  const DXGKARG_SETVIDPNSOURCEVISIBILITY visible{0, TRUE};
  EXPECT_EQ(seen.table.DxgkDdiSetVidPnSourceVisibility(device, &visible), STATUS_SUCCESS);
  std::vector<UINT> frame(kWidth * kHeight, 0x22222222);
  RECT dirty{2, 1, 40, 3};  // Wider than the screen.
  D3DKMT_MOVE_RECT move{{0, 0}, {0, 7, 4, 8}};
  DXGKARG_PRESENT_DISPLAYONLY present{};
  present.pSource = frame.data();
  present.BytesPerPixel = 4;
  present.Pitch = kPitch;
  present.NumMoves = 1;
  present.pMoves = &move;
  present.NumDirtyRects = 1;
  present.pDirtyRect = &dirty;
  EXPECT_EQ(seen.table.DxgkDdiPresentDisplayOnly(device, &present), STATUS_SUCCESS);
  EXPECT_EQ(seen.pixels[kWidth + 1], 0x11111111u);
  EXPECT_EQ(seen.pixels[kWidth + 2], 0x22222222u);
  EXPECT_EQ(seen.pixels[2 * kWidth + 15], 0x22222222u);
  EXPECT_EQ(seen.pixels[3 * kWidth + 2], 0x11111111u);

  // A source that cannot be read is an answer of the driver, by its __except.
  present.pSource = reinterpret_cast<VOID*>(0x1000);
  EXPECT_EQ(seen.table.DxgkDdiPresentDisplayOnly(device, &present), STATUS_ACCESS_VIOLATION);
  EXPECT_EQ(seen.irql, PASSIVE_LEVEL);

  EXPECT_EQ(seen.table.DxgkDdiStopDevice(device), STATUS_SUCCESS);
  EXPECT_EQ(seen.mapped, 0);
  EXPECT_EQ(seen.table.DxgkDdiRemoveDevice(device), STATUS_SUCCESS);
  Unload();
  EXPECT_EQ(seen.reports, Words());
}

TEST_F(DriverBuild, PoolThatIsLeft_IsNamedByItsTagAtUnload) {
  const ProcessResult built = Build({"-D", "LEAK"});
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  Load();
  EXPECT_EQ(seen.reports, Words());
  Unload();
  EXPECT_TRUE(Reported("Nt.PoolLeak", "Tag 'Leak': 1 allocation, 100 bytes")) << testing::PrintToString(seen.reports);
  EXPECT_TRUE(Reported("Nt.PoolLeak", "driver.so+0x")) << testing::PrintToString(seen.reports);
}

TEST_F(DriverBuild, CallAtAWrongLevel_IsNamed) {
  const ProcessResult built = Build({"-D", "WRONG_LEVEL"});
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  Load();
  EXPECT_TRUE(Reported("Nt.Irql", "ExAllocatePool2 is called at DISPATCH_LEVEL")) << testing::PrintToString(seen.reports);
  Unload();
}

TEST_F(DriverBuild, MissingNames_AreListed) {
  const fs::path sources = folder_ / "sources_of_it";
  fs::create_directories(sources);
  std::ofstream(sources / "a.c") << "#include <ntddk.h>\n#include <Ntnew.h>\n";
  std::ofstream(sources / "b.c") << "#include <NTDDK.H>\nvoid f(void) { KeFrobnicate(); }\nDXGKARG_NEW g;\n";
  const ProcessResult built = Build({"--json"}, sources.string());
  EXPECT_EQ(built.exit_code, 125);
  const auto json = nlohmann::json::parse(built.out);
  EXPECT_EQ(json["missing"]["headers"][0]["name"], "Ntnew.h") << built.out;
  EXPECT_EQ(json["missing"]["nt_functions"][0]["name"], "KeFrobnicate") << built.out;
  EXPECT_EQ(json["missing"]["contract_names"][0]["name"], "DXGKARG_NEW") << built.out;
}

// Microsoft's compiler, linker and headers take more than the standards: variables that headers define, libraries by pragma,
// intrinsics, 32-bit limits and formats, functions with arrays, a type of function that is declared first.
TEST_F(DriverBuild, WhatWindowsDriversTake_IsTaken) {
  const fs::path sources = folder_ / "dialect", headers = folder_ / "dialect_headers";
  fs::create_directories(sources);
  fs::create_directories(headers);
  std::ofstream(headers / "shared.h") << "#include <ntddk.h>\n#include <intrin.h>\n#pragma comment(lib, \"displib.lib\")\n"
                                         "PVOID shared_by_header;\nDRIVER_UNLOAD Unload;\n";
  std::ofstream(sources / "a.c") << "#include <shared.h>\n#include <stdlib.h>\nint bits = CHAR_BIT;\n"
                                    "VOID Unload(PDRIVER_OBJECT driver) { driver->DriverUnload = NULL; }\n";
  std::ofstream(sources / "b.c") << "#include <shared.h>\nunsigned long Lowest(unsigned long mask) {\n"
                                    "  unsigned long index = 0;\n  _BitScanForward(&index, mask);\n  return index;\n}\n";
  std::ofstream(sources / "c.cpp")
      << "#include <ntddk.h>\n#include <intrin.h>\n#include <ntstrsafe.h>\n#include <stdlib.h>\n"
         "C_ASSERT(ULONG_MAX == 0xffffffff && _MSC_VER >= 1900 && _WIN32 == 1);\n"
         "extern \"C\" unsigned long Lowest(unsigned long mask);\n"
         "extern \"C\" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING) {\n"
         "  char text[20];\n  wchar_t wide[20];\n  volatile long count = 0;\n  int registers[4];\n"
         "  __cpuid(registers, 0);\n  _InterlockedIncrement(&count);\n  UINT64 filled[3] = {};\n  __stosq(filled, 7, 2);\n"
         "  sprintf_s(text, \"%ld %d\", count, (int)Lowest(8));\n  swprintf_s(wide, L\"%S\", text);\n"
         "  size_t length = 0;\n  SIZE_T same = 0;\n  RtlStringCbLengthA(text, 20, &length);\n"
         "  RtlStringCbLengthA(text, 20, &same);\n  RtlStringCchCopyExA(text, 20, \"a\", NULL, NULL, 0);\n"
         "  driver->MajorFunction[0] = nullptr;\n"
         "  return wcscmp(wide, L\"1 3\") == 0 && filled[1] == 7 && filled[2] == 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;\n}\n";
  const ProcessResult built = Build({"-I", headers.string()}, sources.string());
  ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  const std::string driver = (folder_ / "driver.so").string();
  void* const module = dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(module, nullptr) << dlerror();
  const auto entry = reinterpret_cast<NTSTATUS (*)(DRIVER_OBJECT*, UNICODE_STRING*)>(dlsym(module, "DriverEntry"));
  DRIVER_OBJECT object{};
  EXPECT_EQ(entry(&object, nullptr), STATUS_SUCCESS);
  dlclose(module);
}

// The caps of a driver are as large as the version that its project names has them.
TEST_F(DriverBuild, ProjectWithANewerLanguageAndAnOlderInterface_HasBoth) {
  const fs::path sources = folder_ / "project";
  fs::create_directories(sources);
  std::ofstream(sources / "newer.vcxproj")
      << "<ItemGroup><ClCompile Include=\"a.cpp\" /></ItemGroup>\n<ItemDefinitionGroup><ClCompile>\n"
         "<PreprocessorDefinitions>DXGKDDI_INTERFACE_VERSION=DXGKDDI_INTERFACE_VERSION_WIN8</PreprocessorDefinitions>\n"
         "<LanguageStandard>stdcpp20</LanguageStandard>\n</ClCompile></ItemDefinitionGroup>\n";
  std::ofstream(sources / "a.cpp")
      << "#include <stddef.h>\n#include <stdlib.h>\n#include <ntddk.h>\n#include <ntintsafe.h>\n#include <dispmprt.h>\n"
         "consteval USHORT Least(_In_range_(0, USHORT_MAX) USHORT value) { return value; }\n"
         "const int numbers[] = {1, 2, 3};\nC_ASSERT(_countof(numbers) == 3 && SIZE_T_MAX == MAXSIZE_T && Least(3) == 3);\n"
         "C_ASSERT(sizeof(DXGK_DRIVERCAPS) == 0x220);\n"
         "extern \"C\" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) { return STATUS_SUCCESS; }\n";
  const ProcessResult built = Build({}, sources.string());
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
}

TEST_F(DriverBuild, DriverWithoutEntry_IsSaid) {
  const fs::path sources = folder_ / "no_entry";
  fs::create_directories(sources);
  std::ofstream(sources / "a.c") << "#include <ntddk.h>\nvoid f(void) { ZwClose(0); }\n";
  const ProcessResult built = Build({}, sources.string());
  EXPECT_EQ(built.exit_code, 125);
  EXPECT_NE(built.out.find("No source defines DriverEntry."), std::string::npos) << built.out;
}

TEST_F(DriverBuild, FolderWithoutSources_IsSaid) {
  const ProcessResult built = Build({}, folder_.string());
  EXPECT_EQ(built.exit_code, 125);
  EXPECT_NE(built.err.find("has no sources"), std::string::npos) << built.err;
}

}  // namespace
}  // namespace tandem::test
