// The printf family of the C library: a driver's formats have 16-bit characters, and `long` with 32 bits.
#include <ntddk.h>

#include "drivers/host/format.h"

using namespace tandem::drivers::host;

namespace {

// Length of the whole text. `room` characters are written at most, the null character with them.
template <class Unit>
SIZE_T Write(Unit* text, SIZE_T room, const Unit* format, va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  TextBuffer buffer(text, room);
  Format(buffer, format, arguments);
  va_end(arguments.list);
  buffer.End();
  return buffer.count();
}

// A text of `count` characters has no null character.
template <class Unit>
int WriteOpen(Unit* text, SIZE_T count, const Unit* format, va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  TextBuffer buffer(text, text == nullptr ? 0 : count + 1);  // Its last character is never written.
  Format(buffer, format, arguments);
  va_end(arguments.list);
  const SIZE_T length = buffer.count();
  if (text == nullptr) return static_cast<int>(length);
  if (length < count) text[length] = 0;
  return length <= count ? static_cast<int>(length) : -1;
}

template <class Unit>
int WriteSafe(Unit* text, SIZE_T size, SIZE_T count, const Unit* format, va_list list) {
  if (text == nullptr || size == 0 || format == nullptr) return -1;
  const bool cuts = count == _TRUNCATE || count < size;
  const SIZE_T room = count < size ? count + 1 : size;
  const SIZE_T length = Write(text, room, format, list);
  if (length < room) return static_cast<int>(length);
  if (!cuts) text[0] = 0;
  return -1;
}

}  // namespace

#define TANDEM_PRINT(function, list_function, Unit, Parameters, call, ...)                                             \
  EXTERN_C int list_function(Parameters, const Unit* Format, va_list List) { return call(__VA_ARGS__, Format, List); } \
  EXTERN_C int function(Parameters, const Unit* Format, ...) {                                                         \
    va_list list;                                                                                                      \
    va_start(list, Format);                                                                                            \
    const int count = list_function(__VA_ARGS__, Format, list);                                                        \
    va_end(list);                                                                                                      \
    return count;                                                                                                      \
  }
#define TANDEM_TEXT(Unit) Unit *Text, SIZE_T Size
#define TANDEM_COUNTED_TEXT(Unit) Unit *Text, SIZE_T Size, SIZE_T Count

namespace {

template <class Unit>
int WriteWhole(Unit* text, SIZE_T size, const Unit* format, va_list list) {
  return WriteSafe(text, size, size, format, list);
}

template <class Unit>
int WriteStandard(Unit* text, SIZE_T size, const Unit* format, va_list list) {
  return static_cast<int>(Write(text, size, format, list));
}

template <class Unit>
int WriteUnbounded(Unit* text, const Unit* format, va_list list) {
  return static_cast<int>(Write(text, ~SIZE_T{0}, format, list));
}

}  // namespace

TANDEM_PRINT(_snprintf, _vsnprintf, CHAR, TANDEM_TEXT(CHAR), WriteOpen, Text, Size)
TANDEM_PRINT(_snwprintf, _vsnwprintf, WCHAR, TANDEM_TEXT(WCHAR), WriteOpen, Text, Size)
TANDEM_PRINT(sprintf_s, vsprintf_s, CHAR, TANDEM_TEXT(CHAR), WriteWhole, Text, Size)
TANDEM_PRINT(swprintf_s, vswprintf_s, WCHAR, TANDEM_TEXT(WCHAR), WriteWhole, Text, Size)
TANDEM_PRINT(_snprintf_s, _vsnprintf_s, CHAR, TANDEM_COUNTED_TEXT(CHAR), WriteSafe, Text, Size, Count)
TANDEM_PRINT(_snwprintf_s, _vsnwprintf_s, WCHAR, TANDEM_COUNTED_TEXT(WCHAR), WriteSafe, Text, Size, Count)
TANDEM_PRINT(TandemNtSnprintf, TandemNtVsnprintf, CHAR, TANDEM_TEXT(CHAR), WriteStandard, Text, Size)
TANDEM_PRINT(TandemNtSprintf, TandemNtVsprintf, CHAR, CHAR* Text, WriteUnbounded, Text)
TANDEM_PRINT(TandemNtSwprintf, TandemNtVswprintf, WCHAR, TANDEM_TEXT(WCHAR), WriteWhole, Text, Size)
