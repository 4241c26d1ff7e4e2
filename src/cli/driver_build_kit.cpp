#include "cli/driver_build_kit.h"

#include <system_error>

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

bool IsC(const fs::path& source) { return source.extension() == ".c" || source.extension() == ".C"; }

const char* SanitizerOf(const DriverBuildCommand& command) {
  return command.asan ? "-fsanitize=address" : command.tsan ? "-fsanitize=thread" : nullptr;
}

}  // namespace

Result<DriverKit> FindDriverKit() {
  std::error_code error;
  const fs::path command = fs::read_symlink("/proc/self/exe", error).parent_path();
  constexpr const char* kArchive = "libtandem-driver-host.a";
  const std::pair<fs::path, fs::path> places[] = {
      {command / "include/tandem", command / "modules"},
      {command / ".." / TANDEM_HEADER_FOLDER, command / ".." / TANDEM_SHIM_FOLDER},
  };
  for (const auto& [headers, libraries] : places) {
    if (!fs::exists(headers / "nt/ntddk.h", error) || !fs::exists(libraries / kArchive, error)) continue;
    const fs::path include = fs::canonical(headers, error);
    // Canonical, since the overlay compares paths as text.
    return DriverKit{fs::canonical(include / "nt"), fs::canonical(include / "wddm"), fs::canonical(libraries / kArchive)};
  }
  return Fail(ErrorKind::kNotFound, "The headers for drivers, or {}, are not installed beside {}.", kArchive,
              (command / "tandem").string());
}

fs::path ObjectOf(const BuildFolder& build, std::size_t index) { return build.folder / (std::to_string(index) + ".o"); }

std::vector<std::string> CompileCommand(const DriverKit& kit, const DriverProject& project, const BuildFolder& build,
                                        const DriverBuildCommand& command, const fs::path& source, const fs::path& object) {
  const bool c = IsC(source);
  const std::string standard = project.cpp_standard.empty() ? "c++17" : project.cpp_standard;
  std::vector<std::string> words = {c ? "clang" : "clang++", "-std=" + (c ? std::string("gnu11") : standard)};
  // -fgnuc-version: the C library's headers want a compiler that calls itself GNU C.
  for (const char* const flag :
       {"-c", "-fPIC", "-O1", "-g", "-pthread", "-Wno-everything", "-Werror=implicit-function-declaration", "-fms-extensions",
        "-fms-compatibility", "-fms-compatibility-version=19.20", "-fgnuc-version=4.2.1", "-fshort-wchar", "-fno-strict-aliasing",
        "-fno-exceptions", "-fno-omit-frame-pointer", "-ferror-limit=0", "-fdiagnostics-absolute-paths",
        "-fno-caret-diagnostics"}) {
    words.emplace_back(flag);
  }
  // Headers define variables, which Microsoft's compiler for C merges.
  if (c) words.insert(words.end(), {"-D__STDC__=1", "-fcommon"});
  if (const char* const sanitizer = SanitizerOf(command)) words.emplace_back(sanitizer);
  if (command.tsan) words.insert(words.end(), {"-mllvm", "-tsan-distinguish-volatile", "-gdwarf-4"});
  if (command.coverage) words.emplace_back("-fsanitize-coverage=edge,inline-bool-flag");
  words.insert(words.end(), {"-ivfsoverlay", build.overlay().string(), "-include", (kit.nt / "tandem_prefix.h").string()});
  for (const std::string& definition : project.definitions) words.push_back("-D" + definition);
  for (const std::string& definition : command.definitions) words.push_back("-D" + definition);
  const auto include = [&](const fs::path& folder) { words.insert(words.end(), {"-I", folder.string()}); };
  include(build.traces());
  for (const std::string& folder : command.includes) include(fs::absolute(folder).lexically_normal());
  for (const fs::path& folder : project.includes) include(folder);
  include(kit.nt);
  include(kit.wddm);
  words.insert(words.end(), {"-x", c ? "c" : "c++", source.string(), "-o", object.string()});
  return words;
}

std::vector<std::string> LinkCommand(const DriverKit& kit, const BuildFolder& build, const DriverBuildCommand& command,
                                     const std::vector<fs::path>& objects, const fs::path& output) {
  std::vector<std::string> words = {"clang++",        "-shared",     "-pthread",
                                    "-Wl,-Bsymbolic", "-Wl,-z,defs", "-Wl,--version-script=" + build.exports().string()};
  std::error_code error;
  for (const char* const lld : {"/usr/bin/ld.lld", "/usr/local/bin/ld.lld"}) {
    if (!fs::exists(lld, error)) continue;
    // A driver names libraries of Windows by #pragma comment(lib).
    words.insert(words.end(), {"-fuse-ld=lld", "-Wl,--error-limit=0", "-Wl,--no-dependent-libraries"});
    break;
  }
  // Its runtime comes from the program that loads the driver, so its functions stay undefined.
  if (const char* const sanitizer = SanitizerOf(command)) {
    words.insert(words.end(), {sanitizer, "-Wl,--warn-unresolved-symbols"});
  }
  if (command.coverage) words.emplace_back("-Wl,-u,TandemDriverCoverage");
  for (const fs::path& object : objects) words.push_back(object.string());
  words.insert(words.end(), {kit.archive.string(), "-o", output.string()});
  return words;
}

}  // namespace tandem::cli
