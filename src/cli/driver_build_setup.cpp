#include "cli/driver_build_setup.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUtf16 = "\xFF\xFE";
constexpr std::size_t kNameField = 2, kValueField = 4;  // HKR, key, name, flags, value

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

// Without blanks and quotation marks.
std::string Bare(std::string_view field) {
  std::string bare;
  for (const char letter : field) {
    if (std::isspace(static_cast<unsigned char>(letter)) == 0 && letter != '"' && letter != '\0') bare.push_back(letter);
  }
  return bare;
}

std::vector<std::string> FieldsOf(std::string_view line) {
  line = line.substr(0, line.find(';'));
  std::vector<std::string> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(Bare(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

void AddSaid(std::string text, std::set<bool>& said) {
  if (text.starts_with(kUtf16)) {
    text.erase(0, kUtf16.size());
    std::erase(text, '\0');
  }
  for (std::string_view rest = text; !rest.empty();) {
    const std::vector<std::string> fields = FieldsOf(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), rest.find('\n') == std::string_view::npos ? rest.size() : rest.find('\n') + 1));
    if (fields.size() <= kValueField || Lower(fields[kNameField]) != "msisupported") continue;
    said.insert(std::strtoul(fields[kValueField].c_str(), nullptr, 0) != 0);
  }
}

std::optional<bool> OnlyOf(const std::set<bool>& said) {
  return said.size() == 1 ? std::optional<bool>(*said.begin()) : std::nullopt;
}

}  // namespace

std::optional<bool> MessageInterruptsIn(const std::string& setup) {
  std::set<bool> said;
  AddSaid(setup, said);
  return OnlyOf(said);
}

std::optional<bool> MessageInterruptsOf(const fs::path& folder) {
  std::set<bool> said;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string suffix = Lower(entry.path().extension().string());
    if (suffix != ".inf" && suffix != ".inx") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    AddSaid(std::string{std::istreambuf_iterator<char>(stream), {}}, said);
  }
  return OnlyOf(said);
}

}  // namespace tandem::cli
