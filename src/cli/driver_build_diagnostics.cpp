#include "cli/driver_build_diagnostics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace tandem::cli {
namespace {

std::string_view NextLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return line;
}

// The text between the first two quotes behind `begin`; nullopt: `message` does not begin so.
std::optional<std::string_view> Quoted(std::string_view message, std::string_view begin) {
  if (!message.starts_with(begin)) return std::nullopt;
  message.remove_prefix(begin.size());
  return message.substr(0, message.find('\''));
}

// "/folder/file.cpp:12:3" as "file.cpp:12".
std::string PlaceOf(std::string_view place) {
  const std::size_t slash = place.rfind('/');
  if (slash != std::string_view::npos) place.remove_prefix(slash + 1);
  const std::size_t column = place.rfind(':');
  return std::string(column == std::string_view::npos || column == place.find(':') ? place : place.substr(0, column));
}

bool BeginsAsFunction(std::string_view name, std::string_view prefix) {
  return name.size() > prefix.size() && name.starts_with(prefix) &&
         std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0;
}

// "referenced 12 more times" of lld.
std::size_t MoreTimes(std::string_view line) {
  constexpr std::string_view kBegin = "referenced ";
  const std::size_t at = line.find(kBegin);
  if (at == std::string_view::npos) return 0;
  std::size_t count = 0;
  const char* const first = line.data() + at + kBegin.size();
  return std::from_chars(first, line.data() + line.size(), count).ec == std::errc() ? count : 0;
}

}  // namespace

MissingKind KindOfName(std::string_view name) {
  for (const std::string_view prefix : {"DXGK", "_DXGK", "D3D", "_D3D", "Dxgk", "KMDDOD", "KMDT", "IN_", "OUT_", "INOUT_",
                                        "PDXGK", "DXGI", "PFND3D", "STATUS_GRAPHICS_"}) {
    if (name.starts_with(prefix)) return MissingKind::kContractName;
  }
  for (const std::string_view prefix : {"READ_", "WRITE_", "Interlocked", "Dbg", "vDbg", "Probe", "TandemNt"}) {
    if (name.starts_with(prefix)) return MissingKind::kNtFunction;
  }
  for (const std::string_view prefix : {"Ex",  "Exf",  "Ke", "Kei", "Kf", "Mm",  "Io", "Iof", "Ps", "Ob",  "Obf", "Zw", "Nt",
                                        "Rtl", "Rtlx", "Po", "Hal", "Se", "Etw", "Cc", "Cm",  "Fs", "Wdf", "Wpp", "Kd"}) {
    if (BeginsAsFunction(name, prefix)) return MissingKind::kNtFunction;
  }
  return MissingKind::kOtherName;
}

std::string_view TitleOf(MissingKind kind) {
  static constexpr std::array<std::string_view, 6> kTitles = {"Headers",     "NT functions", "Names of the driver contract",
                                                              "Other names", "Members",      "Other errors"};
  return kTitles[static_cast<std::size_t>(kind)];
}

std::string_view KeyOf(MissingKind kind) {
  static constexpr std::array<std::string_view, 6> kKeys = {"headers",     "nt_functions", "contract_names",
                                                            "other_names", "members",      "errors"};
  return kKeys[static_cast<std::size_t>(kind)];
}

void Diagnostics::Add(MissingKind kind, std::string_view name, std::string first, std::size_t count) {
  Missing& missing = found_[{kind, std::string(name)}];
  if (missing.count == 0) missing = {kind, std::string(name), 0, std::move(first)};
  missing.count += count;
}

void Diagnostics::AddCompiler(std::string_view output) {
  while (!output.empty()) {
    const std::string_view line = NextLine(output);
    std::size_t mark = line.find(": error: ");
    std::size_t begin = mark + 9;
    if (mark == std::string_view::npos) {
      mark = line.find(": fatal error: ");
      begin = mark + 15;
    }
    if (mark == std::string_view::npos) continue;
    const std::string place = PlaceOf(line.substr(0, mark));
    const std::string_view message = line.substr(begin);
    if (message.ends_with("' file not found")) {
      Add(MissingKind::kHeader, Quoted(message, "'").value_or(message), place);
      continue;
    }
    std::optional<std::string_view> name;
    for (const std::string_view start : {"use of undeclared identifier '", "unknown type name '", "no type named '",
                                         "no template named '", "use of undeclared label '"}) {
      if (!name) name = Quoted(message, start);
    }
    if (!name && message.starts_with("implicit declaration of function '")) {
      name = Quoted(message, "implicit declaration of function '");
    }
    if (!name && message.starts_with("call to undeclared function '")) name = Quoted(message, "call to undeclared function '");
    if (name) {
      Add(KindOfName(*name), *name, place);
    } else if (const auto member = Quoted(message, "no member named '")) {
      Add(MissingKind::kMember, *member, place);
    } else {
      Add(MissingKind::kError, message, place);
    }
  }
}

void Diagnostics::AddLinker(std::string_view output) {
  // The program that loads the driver brings a sanitizer's runtime.
  const auto is_sanitizers = [](std::string_view name) {
    return name.starts_with("__asan_") || name.starts_with("__tsan_") || name.starts_with("__sanitizer_");
  };
  std::string last;  // Symbol of lld's message, whose references follow.
  std::size_t references = 0;
  const auto finish = [&] {
    if (!last.empty() && !is_sanitizers(last)) Add(KindOfName(last), last, {}, std::max<std::size_t>(references, 1));
    last.clear();
    references = 0;
  };
  while (!output.empty()) {
    const std::string_view line = NextLine(output);
    constexpr std::string_view kLld = "undefined symbol: ", kGnu = "undefined reference to `";
    if (const std::size_t lld = line.find(kLld); lld != std::string_view::npos) {
      finish();
      last = line.substr(lld + kLld.size());
    } else if (const std::size_t gnu = line.find(kGnu); gnu != std::string_view::npos) {
      const std::string_view rest = line.substr(gnu + kGnu.size());
      const std::string_view name = rest.substr(0, rest.find('\''));
      if (!is_sanitizers(name)) Add(KindOfName(name), name, {});
    } else if (line.starts_with(">>> referenced by")) {
      ++references;
    } else if (line.starts_with(">>> referenced ")) {
      references += MoreTimes(line);
    } else if (!line.starts_with(">>>")) {
      finish();
      constexpr std::string_view kError = "error: ";
      const std::size_t error = line.find(kError);
      const bool summary = line.find("linker command failed") != std::string_view::npos;
      if (error != std::string_view::npos && !summary) Add(MissingKind::kError, line.substr(error + kError.size()), {});
    }
  }
  finish();
}

std::vector<Missing> Diagnostics::Sorted() const {
  std::vector<Missing> all;
  for (const auto& [key, missing] : found_) all.push_back(missing);
  std::ranges::stable_sort(all, [](const Missing& left, const Missing& right) {
    return left.kind != right.kind ? left.kind < right.kind : left.count > right.count;
  });
  return all;
}

bool Diagnostics::Lacks(std::string_view name) const {
  return std::ranges::any_of(found_, [&](const auto& entry) { return entry.second.name == name; });
}

}  // namespace tandem::cli
