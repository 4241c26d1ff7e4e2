#include "cli/linked_libraries.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/unique_fd.h"

namespace tandem::cli {
namespace {

constexpr std::size_t kMaxSegments = 256;
constexpr std::size_t kMaxDynamicEntries = 4096;
constexpr std::size_t kMaxNameBytes = 4096;

// Reads parts of an ELF file. The file's own numbers are not trusted: a part that is not there reads as nothing.
class ElfReader {
 public:
  explicit ElfReader(UniqueFd fd) : fd_(std::move(fd)) {}

  // False where the file is no ELF file of this word size and byte order.
  [[nodiscard]] bool ReadHead() {
    constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    constexpr unsigned char kOrder = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    ElfW(Ehdr) head{};
    if (!Read(0, std::span(&head, 1)) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (head.e_ident[EI_CLASS] != kClass || head.e_ident[EI_DATA] != kOrder || head.e_phnum > kMaxSegments) return false;
    segments_.resize(head.e_phnum);
    return head.e_phentsize == sizeof(ElfW(Phdr)) && Read(head.e_phoff, std::span(segments_));
  }

  // Empty for a static program.
  [[nodiscard]] std::vector<ElfW(Dyn)> ReadDynamic() const {
    const auto found = std::ranges::find(segments_, std::uint32_t{PT_DYNAMIC}, &ElfW(Phdr)::p_type);
    if (found == segments_.end()) return {};
    std::vector<ElfW(Dyn)> entries(std::min<std::size_t>(found->p_filesz / sizeof(ElfW(Dyn)), kMaxDynamicEntries));
    if (!Read(found->p_offset, std::span(entries))) return {};
    return entries;
  }

  // The text at an address of the loaded file; nothing where the file has none.
  [[nodiscard]] std::optional<std::string> ReadText(std::uint64_t address) const {
    for (const ElfW(Phdr) & segment : segments_) {
      const bool holds = segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
      if (!holds) continue;
      std::array<char, kMaxNameBytes> text{};
      const auto offset = static_cast<off_t>(segment.p_offset + (address - segment.p_vaddr));
      const ssize_t count = pread(fd_.get(), text.data(), text.size(), offset);
      if (count <= 0) return std::nullopt;
      const std::string_view read(text.data(), static_cast<std::size_t>(count));
      const std::size_t end = read.find('\0');
      if (end == std::string_view::npos) return std::nullopt;
      return std::string(read.substr(0, end));
    }
    return std::nullopt;
  }

 private:
  template <class T>
  [[nodiscard]] bool Read(std::uint64_t offset, std::span<T> into) const {
    const ssize_t count = pread(fd_.get(), into.data(), into.size_bytes(), static_cast<off_t>(offset));
    return count >= 0 && static_cast<std::size_t>(count) == into.size_bytes();
  }

  const UniqueFd fd_;
  std::vector<ElfW(Phdr)> segments_;
};

// Folders of DT_RUNPATH in the file at `path`, with its own folder in place of $ORIGIN.
void AddFolders(std::string_view list, const std::string& path, std::vector<std::string>& folders) {
  const std::string origin = std::filesystem::path(path).parent_path().string();
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    std::string folder(list.substr(0, end));
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
      if (const std::size_t at = folder.find(word); at != std::string::npos) folder.replace(at, word.size(), origin);
    }
    if (!folder.empty()) folders.push_back(std::move(folder));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

Result<LinkedLibraries> ReadLinkedLibraries(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    const ErrorKind kind = errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kIo;
    return Fail(kind, "{} cannot be read: {}.", path, std::strerror(errno));
  }
  ElfReader file(std::move(fd));
  const auto entries = file.ReadHead() ? file.ReadDynamic() : std::vector<ElfW(Dyn)>();
  const auto texts = std::ranges::find(entries, DT_STRTAB, &ElfW(Dyn)::d_tag);
  if (texts == entries.end()) return Fail(ErrorKind::kUnsupported, "{} is no dynamic ELF file of this machine.", path);
  LinkedLibraries libraries;
  for (const ElfW(Dyn) & entry : entries) {
    if (entry.d_tag == DT_NULL) break;
    const bool folders = entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH;
    if (entry.d_tag != DT_NEEDED && !folders) continue;
    const auto text = file.ReadText(texts->d_un.d_ptr + entry.d_un.d_val);
    if (!text) return Fail(ErrorKind::kUnsupported, "{} is a broken ELF file.", path);
    if (folders) {
      AddFolders(*text, path, libraries.folders);
    } else {
      libraries.needed.push_back(*text);
    }
  }
  return libraries;
}

std::vector<std::string> LoaderFolders() {
  std::vector<std::string> folders;
  void* const self = dlopen(nullptr, RTLD_LAZY);
  Dl_serinfo sizes{};
  if (self != nullptr && dlinfo(self, RTLD_DI_SERINFOSIZE, &sizes) == 0) {
    std::vector<std::max_align_t> storage(sizes.dls_size / sizeof(std::max_align_t) + 1);
    auto* const info = reinterpret_cast<Dl_serinfo*>(storage.data());
    info->dls_size = sizes.dls_size;
    info->dls_cnt = sizes.dls_cnt;
    if (dlinfo(self, RTLD_DI_SERINFO, info) == 0) {
      for (unsigned i = 0; i < info->dls_cnt; ++i) folders.emplace_back(info->dls_serpath[i].dls_name);
    }
  }
  if (self != nullptr) dlclose(self);
  return folders;
}

}  // namespace tandem::cli
