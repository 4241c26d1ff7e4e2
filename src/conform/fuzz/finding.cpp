#include "conform/fuzz/finding.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/ranges.h>

namespace tandem::conform {
namespace {

constexpr std::size_t kFramesOfIdentity = 3;

// Numbers differ between two runs, but those of a call stack ("driver.so+0x1234") do not.
std::string WithoutNumbers(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!digit || (i > 0 && std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0)) {
      result += text[i++];
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0) ++i;
    if (i == begin + 1 && i < text.size() && text[i] == 'x') {
      for (++i; i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;) ++i;
    }
    const bool frame = begin > 0 && text[begin - 1] == '+';
    result += frame ? text.substr(begin, i - begin) : std::string_view("#");
  }
  return result;
}

// Host: "Rule.Name: sentence". Kernel: "Driver x, adapter y: RuleName: sentence".
std::string RuleIn(std::string_view sentence) {
  if (sentence.starts_with("Driver ")) sentence.remove_prefix(std::min(sentence.find(": ") + 2, sentence.size()));
  return std::string(sentence.substr(0, sentence.find(": ")));
}

// The call stack in a sentence ("driver.so+0x12 < driver.so+0x34"), as Finding::stack.
std::vector<std::uint64_t> StackIn(std::string_view sentence) {
  constexpr std::string_view kMark = "+0x";
  std::vector<std::uint64_t> stack;
  for (std::size_t at = sentence.find(kMark); at != std::string_view::npos; at = sentence.find(kMark, at)) {
    at += kMark.size();
    std::uint64_t offset = 0;
    const auto parsed = std::from_chars(sentence.data() + at, sentence.data() + sentence.size(), offset, 16);
    if (parsed.ec == std::errc() && offset > 0) stack.push_back(offset - 1);
  }
  return stack;
}

Finding BrokenRule(const std::string& sentence) {
  Finding finding{RuleIn(sentence), sentence, StackIn(sentence), {}};
  // With a call stack ("driver.so+0x12 < ...") that alone counts.
  const std::size_t frame = sentence.find("+0x");
  const std::size_t stack = frame == std::string::npos ? 0 : sentence.rfind(' ', frame);
  finding.identity =
      finding.name + "|" + WithoutNumbers(std::string_view(sentence).substr(stack == std::string::npos ? 0 : stack));
  return finding;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

Finding Ended(const std::string& sentence, const RunNotes& notes) {
  Finding finding;
  finding.sentence = sentence;
  const bool hangs = sentence.starts_with("The driver hangs");
  const bool sanitizer = sentence.find("Sanitizer: ") != std::string::npos;
  finding.name = hangs ? "Hang" : sanitizer ? "Sanitizer" : "Crash";
  const std::uint32_t count = std::min<std::uint32_t>(notes.stack.count, static_cast<std::uint32_t>(notes.stack.frames.size()));
  // A return address is behind the call, and an interrupted one was kept as if it were.
  for (std::uint32_t i = 0; i < count; ++i) finding.stack.push_back(notes.stack.frames[i] - 1 - notes.stack.begin);
  // A loop is interrupted anywhere, and the time until then differs.
  finding.identity = sentence.substr(0, hangs ? sentence.find(':') : sentence.size());
  if (finding.name == "Crash" && count > 0) {
    const std::size_t frames = std::min<std::size_t>(count, kFramesOfIdentity);
    finding.identity = fmt::format(
        "Crash {:x}", fmt::join(finding.stack.begin(), finding.stack.begin() + static_cast<std::ptrdiff_t>(frames), " "));
  }
  return finding;
}

}  // namespace

std::vector<Finding> FindingsOf(const ContainedOutcome& outcome, const RunNotes& notes) {
  std::vector<Finding> findings;
  if (outcome.outcome.verdict != Verdict::kFail) return findings;
  if (notes.told == 0) return {Ended(outcome.outcome.seen, notes)};
  for (const std::string_view line : LinesOf(outcome.outcome.seen)) findings.push_back(BrokenRule(std::string(line)));
  return findings;
}

}  // namespace tandem::conform
