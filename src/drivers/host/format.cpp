#include "drivers/host/format.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace tandem::drivers::host {
namespace {

enum class Length { kNone, kChar, kShort, kLong, kLongLong, kWide };

struct Directive {
  char flags[8] = {};
  int width = -1;
  int precision = -1;
  Length length = Length::kNone;
  unsigned conversion = 0;
};

bool IsFlag(unsigned unit) { return unit == '-' || unit == '+' || unit == ' ' || unit == '#' || unit == '0'; }

template <class Unit>
int ReadNumber(const Unit*& at, Arguments& arguments) {
  if (*at == '*') {
    ++at;
    return va_arg(arguments.list, int);
  }
  int number = 0;
  for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<int>(*at - '0');
  return number;
}

template <class Unit>
Length ReadLength(const Unit*& at) {
  if (at[0] == 'I' && at[1] == '6' && at[2] == '4') return at += 3, Length::kLongLong;
  if (at[0] == 'I' && at[1] == '3' && at[2] == '2') return at += 3, Length::kLong;
  if (at[0] == 'I' || at[0] == 'z' || at[0] == 't' || at[0] == 'j') return ++at, Length::kLongLong;
  if (at[0] == 'l' && at[1] == 'l') return at += 2, Length::kLongLong;
  if (at[0] == 'l') return ++at, Length::kLong;
  if (at[0] == 'h' && at[1] == 'h') return at += 2, Length::kChar;
  if (at[0] == 'h') return ++at, Length::kShort;
  if (at[0] == 'w') return ++at, Length::kWide;
  return Length::kNone;
}

// `at` is behind the percent sign, and then behind the directive.
template <class Unit>
Directive ReadDirective(const Unit*& at, Arguments& arguments) {
  Directive directive;
  for (std::size_t i = 0; IsFlag(static_cast<unsigned>(*at)); ++at) {
    if (i + 1 < sizeof(directive.flags)) directive.flags[i++] = static_cast<char>(*at);
  }
  if (*at == '*' || (*at >= '1' && *at <= '9')) directive.width = ReadNumber(at, arguments);
  if (*at == '.') {
    ++at;
    directive.precision = ReadNumber(at, arguments);
  }
  directive.length = ReadLength(at);
  directive.conversion = static_cast<unsigned>(*at);
  if (*at != 0) ++at;
  return directive;
}

template <class Unit>
void PutPadded(TextBuffer& text, const Directive& directive, const Unit* units, std::size_t count) {
  if (directive.precision >= 0 && count > static_cast<std::size_t>(directive.precision)) {
    count = static_cast<std::size_t>(directive.precision);
  }
  const std::size_t width = directive.width > 0 ? static_cast<std::size_t>(directive.width) : 0;
  const std::size_t padding = width > count ? width - count : 0;
  const bool left = std::strchr(directive.flags, '-') != nullptr;
  for (std::size_t i = 0; !left && i < padding; ++i) text.Put(' ');
  for (std::size_t i = 0; i < count; ++i) {
    text.Put(sizeof(Unit) == 1 ? static_cast<unsigned char>(units[i]) : static_cast<unsigned>(units[i]));
  }
  for (std::size_t i = 0; left && i < padding; ++i) text.Put(' ');
}

template <class Unit>
void PutString(TextBuffer& text, const Directive& directive, const Unit* string) {
  if (string == nullptr) return PutPadded(text, directive, "(null)", 6);
  const auto limit = directive.precision >= 0 ? static_cast<std::size_t>(directive.precision) : SIZE_MAX;
  std::size_t count = 0;
  while (count < limit && string[count] != 0) ++count;
  PutPadded(text, directive, string, count);
}

void PutCounted(TextBuffer& text, const Directive& directive, bool wide, const void* counted) {
  if (counted == nullptr) return PutPadded(text, directive, "(null)", 6);
  if (wide) {
    const auto* const string = static_cast<const UNICODE_STRING*>(counted);
    PutPadded(text, directive, string->Buffer, string->Length / sizeof(WCHAR));
  } else {
    const auto* const string = static_cast<const STRING*>(counted);
    PutPadded(text, directive, string->Buffer, string->Length);
  }
}

// The C library converts numbers.
template <class Number>
void PutNumber(TextBuffer& text, const Directive& directive, const char* suffix, Number number) {
  char format[32], digits[128];
  char precision[16] = "";
  if (directive.precision >= 0) std::snprintf(precision, sizeof(precision), ".%d", directive.precision % 100);
  char width[16] = "";
  if (directive.width >= 0) std::snprintf(width, sizeof(width), "%d", directive.width % 100);
  std::snprintf(format, sizeof(format), "%%%s%s%s%s", directive.flags, width, precision, suffix);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  std::snprintf(digits, sizeof(digits), format, number);
#pragma GCC diagnostic pop
  for (const char* at = digits; *at != '\0'; ++at) text.Put(static_cast<unsigned char>(*at));
}

void PutInteger(TextBuffer& text, const Directive& directive, Arguments& arguments) {
  const char conversion = directive.conversion == 'i' ? 'd' : static_cast<char>(directive.conversion);
  const char suffix[] = {'l', 'l', conversion, '\0'};
  if (directive.length == Length::kLongLong) return PutNumber(text, directive, suffix, va_arg(arguments.list, long long));
  const int value = va_arg(arguments.list, int);
  if (conversion != 'd') {
    const auto bits = static_cast<unsigned>(value);
    const unsigned cut = directive.length == Length::kChar    ? bits & 0xff
                         : directive.length == Length::kShort ? bits & 0xffff
                                                              : bits;
    return PutNumber(text, directive, suffix, static_cast<unsigned long long>(cut));
  }
  const int cut = directive.length == Length::kChar    ? static_cast<signed char>(value)
                  : directive.length == Length::kShort ? static_cast<short>(value)
                                                       : value;
  PutNumber(text, directive, suffix, static_cast<long long>(cut));
}

void PutDirective(TextBuffer& text, const Directive& directive, bool wide_format, Arguments& arguments) {
  const bool wide = directive.length == Length::kWide || directive.length == Length::kLong;
  switch (directive.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o': return PutInteger(text, directive, arguments);
    case 'p': return PutNumber(text, Directive{{}, 16, 16, {}, {}}, "llX", va_arg(arguments.list, unsigned long long));
    case 's':
    case 'S': {
      // %s is of the format's own width, %S of the other.
      const bool own = directive.conversion == 's';
      const bool is_wide = wide || (directive.length != Length::kShort && own == wide_format);
      if (is_wide) return PutString(text, directive, va_arg(arguments.list, const WCHAR*));
      return PutString(text, directive, va_arg(arguments.list, const char*));
    }
    case 'c':
    case 'C': return text.Put(static_cast<unsigned>(va_arg(arguments.list, int)) & 0xffff);
    case 'Z': return PutCounted(text, directive, wide, va_arg(arguments.list, const void*));
    case 'e':
    case 'f':
    case 'g':
    case 'G':
    case 'E': {
      const char suffix[] = {static_cast<char>(directive.conversion), '\0'};
      return PutNumber(text, directive, suffix, va_arg(arguments.list, double));
    }
    default: text.Put(directive.conversion);
  }
}

template <class Unit>
void FormatUnits(TextBuffer& text, const Unit* format, Arguments& arguments) {
  while (*format != 0) {
    if (*format != '%') {
      text.Put(sizeof(Unit) == 1 ? static_cast<unsigned char>(*format) : static_cast<unsigned>(*format));
      ++format;
      continue;
    }
    ++format;
    const Directive directive = ReadDirective(format, arguments);
    if (directive.conversion != 0) PutDirective(text, directive, sizeof(Unit) > 1, arguments);
  }
}

}  // namespace

void TextBuffer::Put(unsigned character) {
  if (count_ + 1 < capacity_) {
    if (narrow_ != nullptr) {
      narrow_[count_] = character < 0x100 ? static_cast<char>(character) : '?';
    } else {
      wide_[count_] = static_cast<WCHAR>(character);
    }
  }
  ++count_;
}

bool TextBuffer::End() {
  if (capacity_ == 0) return false;
  const std::size_t end = count_ < capacity_ ? count_ : capacity_ - 1;
  if (narrow_ != nullptr) {
    narrow_[end] = '\0';
  } else {
    wide_[end] = 0;
  }
  return count_ < capacity_;
}

void Format(TextBuffer& text, const char* format, Arguments& arguments) { FormatUnits(text, format, arguments); }
void Format(TextBuffer& text, const WCHAR* format, Arguments& arguments) { FormatUnits(text, format, arguments); }

}  // namespace tandem::drivers::host
