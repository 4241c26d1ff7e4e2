// The parts of tandem driver build that need no compiler.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/driver_build_diagnostics.h"
#include "cli/driver_build_dialect.h"
#include "cli/driver_build_project.h"
#include "cli/driver_build_report.h"
#include "cli/driver_build_setup.h"
#include "cli/driver_build_vcxproj.h"
#include "cli/driver_build_wpp.h"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class DriverFolder {
 public:
  DriverFolder() { fs::create_directories(path_); }
  ~DriverFolder() { fs::remove_all(path_); }
  void Write(const std::string& name, const std::string& text = "") const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] Words NamesOf(const std::vector<fs::path>& files) const {
    Words names;
    for (const fs::path& file : files) names.push_back(fs::relative(file, path_).string());
    return names;
  }

 private:
  fs::path path_ = fs::path(testing::TempDir()) / ("driver_folder_" + std::to_string(getpid()));
};

TEST(DriverProject, FolderWithoutProject_GivesEverySourceButTests) {
  const DriverFolder folder;
  for (const char* const name : {"a.c", "b.cpp", "sub/c.CXX", "tests/d.cpp", "e_test.cc", "f.h"}) folder.Write(name);
  const auto project = FindDriverProject(folder.path());
  ASSERT_TRUE(project.ok()) << project.error().message;
  EXPECT_EQ(folder.NamesOf(project->sources), (Words{"a.c", "b.cpp", "sub/c.CXX"}));
}

TEST(DriverProject, ProjectOneLevelBelow_NamesSourcesInAnyCase) {
  const DriverFolder folder;
  folder.Write("main.cxx");
  folder.Write("Display.sln");
  folder.Write("other.cxx");
  folder.Write("Common/util.h");
  folder.Write("Sample/Display.vcxproj",
               R"(<Project><ItemDefinitionGroup Condition="'$(Configuration)|$(Platform)'=='Release|x64'"><ClCompile>
    <AdditionalIncludeDirectories>%(AdditionalIncludeDirectories);$(SolutionDir)COMMON;$(DDK_INC_PATH)</AdditionalIncludeDirectories>
    <PreprocessorDefinitions>ONE=1;%(PreprocessorDefinitions)</PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>
    <ItemGroup><ClCompile Include="..\MAIN.cxx" /></ItemGroup></Project>)");
  const auto project = FindDriverProject(folder.path());
  ASSERT_TRUE(project.ok()) << project.error().message;
  EXPECT_EQ(project->name, "Display");
  EXPECT_EQ(folder.NamesOf(project->sources), Words{"main.cxx"});
  EXPECT_EQ(folder.NamesOf(project->includes), (Words{"Sample", "Common", "."}));
  EXPECT_EQ(project->definitions, Words{"ONE=1"});
}

TEST(DriverProject, Mistakes_AreNamed) {
  const DriverFolder folder;
  EXPECT_NE(FindDriverProject(folder.path() / "none").error().message.find("There is no"), std::string::npos);
  EXPECT_NE(FindDriverProject(folder.path()).error().message.find("has no sources"), std::string::npos);
  folder.Write("a.vcxproj", "<ClCompile Include=\"gone.c\" />");
  EXPECT_NE(FindDriverProject(folder.path()).error().message.find("gone.c"), std::string::npos);
  folder.Write("b.vcxproj");
  EXPECT_NE(FindDriverProject(folder.path()).error().message.find("a.vcxproj, b.vcxproj"), std::string::npos);
}

TEST(VcxProject, Configuration_IsReleaseForX64_AndCommentsAreNone) {
  const VcxProject project = ReadVcxProject(R"(<!-- <ClCompile Include="old.c" /> -->
    <ItemDefinitionGroup><ClCompile><PreprocessorDefinitions>ALL</PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>
    <ItemDefinitionGroup Condition="'a'=='Debug|x64'"><ClCompile><PreprocessorDefinitions>DEBUG</PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>
    <ItemDefinitionGroup Condition="'a'=='Win10Release|x64'"><ClCompile><PreprocessorDefinitions>RELEASE</PreprocessorDefinitions></ClCompile></ItemDefinitionGroup>
    <ClCompile Include="a.c"><ExcludedFromBuild Condition="x">true</ExcludedFromBuild></ClCompile>
    <ClCompile Include="b.c"><ExcludedFromBuild>true</ExcludedFromBuild></ClCompile>)");
  EXPECT_EQ(project.definitions, (Words{"ALL", "RELEASE"}));
  EXPECT_EQ(project.sources, Words{"a.c"});
}

TEST(VcxProject, LanguageStandard_IsThatOfTheConfiguration_AndTheNewerOfTwoProjects) {
  constexpr std::string_view kProject = R"(
    <ItemDefinitionGroup Condition="'a'=='Debug|x64'"><ClCompile><LanguageStandard>stdcpplatest</LanguageStandard></ClCompile></ItemDefinitionGroup>
    <ItemDefinitionGroup Condition="'a'=='Release|x64'"><ClCompile><LanguageStandard>stdcpp20</LanguageStandard></ClCompile></ItemDefinitionGroup>)";
  EXPECT_EQ(ReadVcxProject(kProject).cpp_standard, "c++20");
  EXPECT_EQ(
      ReadVcxProject("<ItemDefinitionGroup><LanguageStandard>stdcpp14</LanguageStandard></ItemDefinitionGroup>").cpp_standard,
      "");
  DriverProject older;
  DriverProject newer;
  newer.cpp_standard = "c++20";
  Merge(older, newer);
  EXPECT_EQ(older.cpp_standard, "c++20");
  Merge(newer, DriverProject());
  EXPECT_EQ(newer.cpp_standard, "c++20");
}

TEST(SetupFile, MsiSupported_IsReadInEachEncoding) {
  const std::string off =
      "[Sample_MSI]\r\nHKR, \"Interrupt Management\\MessageSignaledInterruptProperties\", MSISupported, 0x10001, 0\r\n";
  EXPECT_EQ(MessageInterruptsIn(off), false);
  std::string wide = "\xFF\xFE";
  for (const char letter : off) wide.append({letter, '\0'});
  EXPECT_EQ(MessageInterruptsIn(wide), false);
  EXPECT_EQ(MessageInterruptsIn("HKR,,\"msisupported\",%REG_DWORD%, 1 ; yes"), true);
  EXPECT_EQ(MessageInterruptsIn("; HKR,,MSISupported,,1\n"), std::nullopt);
  EXPECT_EQ(MessageInterruptsIn(off + "HKR,,MSISupported,,1"), std::nullopt);
}

TEST(SetupFile, BesideTheProject_IsRead) {
  const DriverFolder folder;
  folder.Write("a.c");
  folder.Write("sample.INX", "HKR,,MSISupported,0x00010001,0");
  const auto project = FindDriverProject(folder.path());
  ASSERT_TRUE(project.ok()) << project.error().message;
  EXPECT_EQ(project->message_interrupts, false);
}

TEST(SourcesFile, ContinuedLines_GiveTheirWords) {
  EXPECT_EQ(ReadSourcesFile("TARGETNAME=x\nSOURCES= a.c \\\n  b.c c.rc\nINCLUDES=y\n"), (Words{"a.c", "b.c", "c.rc"}));
}

TEST(Wpp, FunctionsOfTheConfigBlock_BecomeMacros) {
  const auto functions = TraceFunctionsOf(
      "// begin_wpp config\r\n// FUNC Trace{LEVEL=1}(MSG, ...);\r\n// USEPREFIX (Trace, \"x\");\r\n"
      "// Print{FLAG = ALL}(LEVEL, (MSG, ...));\r\n// FUNC Events(LEVEL, FLAGS, MSG, ...);\r\n// end_wpp\n// FUNC No(MSG);\n");
  EXPECT_EQ(functions, (std::set<std::string>{"Events", "Print", "Trace"}));
  EXPECT_NE(TraceStub(functions).find("#define Trace(...) ((void)0)"), std::string::npos);
}

TEST(Longs, Long_IsInt_ButNotInCommentsLiteralsAndLongerTypes) {
  EXPECT_EQ(WithWindowsLongs("unsigned long *p; // a long way"), "unsigned int *p; // a long way");
  EXPECT_EQ(WithWindowsLongs("long int a; unsigned long int b;"), " int a; unsigned  int b;");
  EXPECT_EQ(WithWindowsLongs("long long a; long double b; long c;"), "long long a; long double b; int c;");
  EXPECT_EQ(WithWindowsLongs("f(\"long\", 'l'); longer = 1; /* long */"), std::nullopt);
}

TEST(CheckedNew, Declarations_AreNoexcept_ButNotCallsAndThoseThatSay) {
  EXPECT_EQ(WithCheckedNew("void* __cdecl operator new(size_t, int k = f(1));"),
            "void* __cdecl operator new(size_t, int k = f(1)) noexcept;");
  EXPECT_EQ(WithCheckedNew("void * A::operator new[] (size_t size /* ) */)\n{"),
            "void * A::operator new[] (size_t size /* ) */) noexcept\n{");
  EXPECT_EQ(WithCheckedNew("void* operator new(size_t, void*) throw ();"), std::nullopt);
  EXPECT_EQ(WithCheckedNew("return ::operator new(3); // void* operator new(4);"), std::nullopt);
  EXPECT_EQ(WithCheckedNew("void operator delete(void*); x = a * operator new"), std::nullopt);
}

TEST(Leave, GuardedBodies_AreLeftAtTheirEnds) {
  EXPECT_EQ(WithLeave("__try { for (;;) { if (a) __leave; } b(); } __except (1) { c(); }"),
            "__try {{ for (;;) { if (a) goto tandem_leave_1; } b(); } tandem_leave_1:;} __except (1) { c(); }");
  // A handler leaves the body around it; its own body has no label of its own.
  EXPECT_EQ(WithLeave("__try { __try { a(); } __except (1) { __leave; } __leave; }"),
            "__try {{ __try { a(); } __except (1) { goto tandem_leave_1; } goto tandem_leave_1; } tandem_leave_1:;}");
  EXPECT_EQ(
      WithLeave("__try { __try { __leave; } __except (1) {} __leave; }"),
      "__try {{ __try {{ goto tandem_leave_1; } tandem_leave_1:;} __except (1) {} goto tandem_leave_2; } tandem_leave_2:;}");
  EXPECT_EQ(WithLeave("#define FAIL __leave\n// __try { __leave; }\nf(\"{ __leave\"); __leave_it();"), std::nullopt);
  EXPECT_EQ(WithLeave("} __try { a(); }"), std::nullopt);
}

TEST(Diagnostics, NamesAreCountedByKind) {
  Diagnostics diagnostics;
  diagnostics.AddCompiler(
      "/d/a.cpp:12:3: error: use of undeclared identifier 'KeFrob'\n/d/b.cpp:1:1: error: use of undeclared identifier 'KeFrob'\n"
      "/d/a.cpp:2:3: error: unknown type name 'DXGKARG_NEW'; did you mean 'DXGKARG_OLD'?\n"
      "/d/a.cpp:1:10: fatal error: 'ntnew.h' file not found\n/d/a.cpp:9:1: error: no member named 'Flag' in '_CAPS'\n"
      "/d/a.cpp:9:1: error: expected ';'\n1 error generated.\n");
  const std::vector<Missing> all = diagnostics.Sorted();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].name, "ntnew.h");
  EXPECT_EQ(all[1].name, "KeFrob");
  EXPECT_EQ(all[1].count, 2u);
  EXPECT_EQ(all[1].first, "a.cpp:12");
  EXPECT_EQ(all[1].kind, MissingKind::kNtFunction);
  EXPECT_EQ(all[2].kind, MissingKind::kContractName);
  EXPECT_EQ(all[3].kind, MissingKind::kMember);
  EXPECT_EQ(all[4].name, "expected ';'");
}

TEST(Diagnostics, BothLinkers_AreRead_AndSanitizersFunctionsAreNot) {
  Diagnostics diagnostics;
  diagnostics.AddLinker(
      "ld.lld: error: undefined symbol: ZwFrob\n>>> referenced by a.cpp:1\n>>>               a.o:(f())\n>>> referenced 4 more "
      "times\n"
      "\nld.lld: warning: undefined symbol: __asan_load8\n>>> referenced by a.cpp:1\nclang: error: linker command failed\n"
      "/usr/bin/ld: a.o: in function `f': undefined reference to `DriverEntry'\n");
  const std::vector<Missing> all = diagnostics.Sorted();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "ZwFrob");
  EXPECT_EQ(all[0].count, 5u);
  EXPECT_TRUE(diagnostics.Lacks("DriverEntry"));
}

TEST(DriverBuildReport, HeaderOfAnotherFramework_IsNamedAsSuch) {
  DriverBuildResult result{"", 2, 0, {}};
  result.missing.AddCompiler("/d/a.c:1:10: fatal error: 'Wdf.h' file not found\n");
  const std::string text = DriverBuildText(result, TextStyle{});
  EXPECT_NE(text.find("This is no display miniport: Wdf.h belongs to the Windows Driver Frameworks"), std::string::npos) << text;
  DriverBuildResult other{"", 2, 0, {}};
  other.missing.AddCompiler("/d/a.c:1:10: fatal error: 'other.h' file not found\n");
  EXPECT_EQ(DriverBuildText(other, TextStyle{}).find("no display miniport"), std::string::npos);
}

TEST(DriverBuildReport, MissingNames_AreInTextAndJson) {
  DriverBuildResult result;
  result.sources = 2;
  result.compiled = 1;
  result.missing.AddCompiler("/d/a.cpp:12:3: error: use of undeclared identifier 'KeFrob'\n");
  const std::string text = DriverBuildText(result, TextStyle{});
  EXPECT_NE(text.find("NT functions (1):\n  KeFrob (1)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1 of 2 sources compiled; no driver was made.\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(DriverBuildJson(result));
  EXPECT_TRUE(json["driver"].is_null());
  EXPECT_EQ(json["missing"]["nt_functions"][0]["name"], "KeFrob");
  EXPECT_EQ(json["missing"]["nt_functions"][0]["first"], "a.cpp:12");
}

}  // namespace
}  // namespace tandem::cli
