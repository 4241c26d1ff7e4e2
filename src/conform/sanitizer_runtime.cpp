#include "conform/sanitizer_runtime.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/personality.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "conform/in_child.h"

namespace tandem::conform {
namespace {

struct Sanitizer {
  const char* name;
  std::string_view mark;    // prefix of the undefined symbols that reveal the sanitizer
  const char* present;      // a symbol of the runtime
  std::string_view gcc;     // prefix of gcc's runtime file names
  std::string_view clang;   // prefix of clang's; they end in -ARCHITECTURE.so
  const char* gcc_pattern;  // searched for gcc's runtime if the file does not name it
};

// The first two runtimes include the third.
constexpr Sanitizer kSanitizers[] = {
    {"AddressSanitizer", "__asan_init", "__asan_init", "libasan.so", "libclang_rt.asan", "/usr/lib/*/libasan.so.*"},
    {"ThreadSanitizer", "__tsan_init", "__tsan_init", "libtsan.so", "libclang_rt.tsan", "/usr/lib/*/libtsan.so.*"},
    {"UndefinedBehaviorSanitizer", "__ubsan_handle_", "__ubsan_handle_add_overflow", "libubsan.so",
     "libclang_rt.ubsan_standalone", "/usr/lib/*/libubsan.so.*"},
};

// Symbols and libraries that a shared object imports.
struct Imports {
  std::vector<std::string_view> symbols;    // undefined ones
  std::vector<std::string_view> libraries;  // DT_NEEDED
};

template <class T>
std::optional<T> At(std::string_view file, std::size_t offset) {
  T value;
  if (offset > file.size() || file.size() - offset < sizeof(value)) return std::nullopt;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

std::string_view Contents(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset) {
    return {};
  }
  return file.substr(section.sh_offset, section.sh_size);
}

std::string_view Name(std::string_view strings, std::size_t offset) {
  if (offset >= strings.size()) return {};
  return strings.substr(offset, strings.find('\0', offset) - offset);
}

// Empty if the file is no shared object for this machine; the loader's message is better.
Imports ImportsOf(std::string_view file) {
  Imports imports;
  const auto header = At<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) return imports;
  std::vector<Elf64_Shdr> sections;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto section = At<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return imports;
    sections.push_back(*section);
  }
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_link >= sections.size()) continue;
    const std::string_view strings = Contents(file, sections[section.sh_link]);
    const std::string_view bytes = Contents(file, section);
    for (std::size_t at = 0; section.sh_type == SHT_DYNSYM && at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = At<Elf64_Sym>(bytes, at);
      if (symbol->st_shndx == SHN_UNDEF) imports.symbols.push_back(Name(strings, symbol->st_name));
    }
    for (std::size_t at = 0; section.sh_type == SHT_DYNAMIC && at + sizeof(Elf64_Dyn) <= bytes.size(); at += sizeof(Elf64_Dyn)) {
      const auto entry = At<Elf64_Dyn>(bytes, at);
      if (entry->d_tag == DT_NEEDED) imports.libraries.push_back(Name(strings, entry->d_un.d_val));
    }
  }
  return imports;
}

bool AnyBeginsWith(const std::vector<std::string_view>& names, std::string_view begin) {
  for (const std::string_view name : names) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

// The last matching file, which is the newest version; empty when there is none.
std::string Find(const std::string& pattern) {
  glob_t found{};
  std::string last;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) last = found.gl_pathv[found.gl_pathc - 1];
  globfree(&found);
  return last;
}

// The loader finds a library that the file itself names; clang leaves its runtime to the program. Either compiler's serves.
std::vector<std::string> RuntimesOf(const Sanitizer& sanitizer, const Imports& imports) {
  for (const std::string_view library : imports.libraries) {
    if (library.starts_with(sanitizer.gcc)) return {std::string(library)};
  }
  utsname machine{};
  uname(&machine);
  std::vector<std::string> runtimes;
  for (const char* const folder : {"/usr/lib/llvm-*/lib/clang/*/lib/linux", "/usr/lib/clang/*/lib/linux"})
    runtimes.push_back(Find(fmt::format("{}/{}-{}.so", folder, sanitizer.clang, machine.machine)));
  runtimes.push_back(Find(sanitizer.gcc_pattern));
  std::erase(runtimes, "");
  return runtimes;
}

// Some runtimes crash when they are preloaded: clang 14's of ThreadSanitizer does.
bool Starts(const std::string& runtime) {
  const auto ended = RunInChild([&runtime] {
    setenv("LD_PRELOAD", runtime.c_str(), 1);
    if (const int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    execl("/bin/true", "true", nullptr);
    return EXIT_FAILURE;
  });
  return ended.ok() && *ended == EXIT_SUCCESS;
}

// A runtime that finds its part of the address space taken may find it free where addresses are not random. Processes that this
// one begins afterwards have such addresses then.
std::string FirstThatStarts(const std::vector<std::string>& runtimes) {
  const auto starts = [&] { return std::find_if(runtimes.begin(), runtimes.end(), &Starts); };
  auto found = starts();
  if (found == runtimes.end() && personality(ADDR_NO_RANDOMIZE) >= 0) found = starts();
  return found == runtimes.end() ? std::string() : *found;
}

}  // namespace

Result<std::string> RuntimeToPreload(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const Imports imports = ImportsOf(bytes);
  for (const Sanitizer& sanitizer : kSanitizers) {
    if (!AnyBeginsWith(imports.symbols, sanitizer.mark)) continue;
    if (dlsym(RTLD_DEFAULT, sanitizer.present) != nullptr) return std::string();
    const std::vector<std::string> runtimes = RuntimesOf(sanitizer, imports);
    if (runtimes.empty()) {
      return Fail(ErrorKind::kNotFound, "{} was built with {}, whose runtime is not here; LD_PRELOAD may name it.", file,
                  sanitizer.name);
    }
    std::string runtime = FirstThatStarts(runtimes);
    if (!runtime.empty()) return runtime;
    return Fail(ErrorKind::kUnsupported, "{} was built with {}, and no program starts with its runtime {}.", file, sanitizer.name,
                runtimes.front());
  }
  return std::string();
}

}  // namespace tandem::conform
