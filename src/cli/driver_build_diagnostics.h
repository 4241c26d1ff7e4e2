// The messages of a compiler and a linker become a list of the names that are missing.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cli {

enum class MissingKind { kHeader, kNtFunction, kContractName, kOtherName, kMember, kError };

struct Missing {
  MissingKind kind = MissingKind::kError;
  std::string name;  // of a header, function, type or member; kError: the compiler's message
  std::size_t count = 0;
  std::string first;  // "file.cpp:12" of the first; empty: unknown
};

class Diagnostics {
 public:
  // Output of clang, and of a linker (lld or GNU ld).
  void AddCompiler(std::string_view output);
  void AddLinker(std::string_view output);

  // By kind, then by count, highest first.
  [[nodiscard]] std::vector<Missing> Sorted() const;
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] bool Lacks(std::string_view name) const;

 private:
  void Add(MissingKind kind, std::string_view name, std::string first, std::size_t count = 1);

  std::map<std::pair<MissingKind, std::string>, Missing> found_;
};

// NT function, name of the driver contract, or another; by its prefix.
[[nodiscard]] MissingKind KindOfName(std::string_view name);
[[nodiscard]] std::string_view TitleOf(MissingKind kind);
[[nodiscard]] std::string_view KeyOf(MissingKind kind);  // of the JSON form

}  // namespace tandem::cli
