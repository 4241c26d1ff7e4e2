// The printf family of the NT kernel: 8-bit and 16-bit formats; `long` has 32 bits; %ws, %S, %Z, %wZ, %I64.
#pragma once

#include <ntddk.h>

#include <cstdarg>
#include <cstddef>

namespace tandem::drivers::host {

// A text in 8-bit or 16-bit characters. Characters past the end are counted and not written.
class TextBuffer {
 public:
  TextBuffer(char* text, std::size_t capacity) : narrow_(text), capacity_(capacity) {}
  TextBuffer(WCHAR* text, std::size_t capacity) : wide_(text), capacity_(capacity) {}

  void Put(unsigned character);
  // Ends the text with a null character. False: it was cut.
  bool End();
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  char* narrow_ = nullptr;
  WCHAR* wide_ = nullptr;
  std::size_t capacity_ = 0;  // With the null character.
  std::size_t count_ = 0;
};

// Passes a va_list on by reference.
struct Arguments {
  va_list list;
};

void Format(TextBuffer& text, const char* format, Arguments& arguments);
void Format(TextBuffer& text, const WCHAR* format, Arguments& arguments);

}  // namespace tandem::drivers::host
