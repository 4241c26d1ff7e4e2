// The C library's functions on strings, for the 16-bit characters of a driver: tandem_prefix.h renames its calls.
#include <ntddk.h>

namespace {

using Text = const WCHAR*;

SIZE_T Length(Text string, SIZE_T limit) {
  SIZE_T length = 0;
  while (length < limit && string[length] != 0) ++length;
  return length;
}

int Compare(Text left, Text right, SIZE_T limit) {
  for (SIZE_T i = 0; i < limit; ++i) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    if (left[i] == 0) return 0;
  }
  return 0;
}

PWSTR Changeable(Text string) { return const_cast<PWSTR>(string); }

}  // namespace

EXTERN_C SIZE_T TandemNtWcslen(Text String) { return Length(String, ~SIZE_T{0}); }
EXTERN_C SIZE_T TandemNtWcsnlen(Text String, SIZE_T Limit) { return Length(String, Limit); }
EXTERN_C int TandemNtWcscmp(Text Left, Text Right) { return Compare(Left, Right, ~SIZE_T{0}); }
EXTERN_C int TandemNtWcsncmp(Text Left, Text Right, SIZE_T Limit) { return Compare(Left, Right, Limit); }

EXTERN_C PWSTR TandemNtWcsncpy(PWSTR Destination, Text Source, SIZE_T Count) {
  const SIZE_T length = Length(Source, Count);
  for (SIZE_T i = 0; i < Count; ++i) Destination[i] = i < length ? Source[i] : WCHAR{0};
  return Destination;
}

EXTERN_C PWSTR TandemNtWcscpy(PWSTR Destination, Text Source) {
  return TandemNtWcsncpy(Destination, Source, TandemNtWcslen(Source) + 1);
}

EXTERN_C PWSTR TandemNtWcscat(PWSTR Destination, Text Source) {
  TandemNtWcscpy(Destination + TandemNtWcslen(Destination), Source);
  return Destination;
}

EXTERN_C PWSTR TandemNtWcschr(Text String, WCHAR Character) {
  for (;; ++String) {
    if (*String == Character) return Changeable(String);
    if (*String == 0) return nullptr;
  }
}

EXTERN_C PWSTR TandemNtWcsrchr(Text String, WCHAR Character) {
  for (SIZE_T i = TandemNtWcslen(String) + 1; i-- > 0;) {
    if (String[i] == Character) return Changeable(String + i);
  }
  return nullptr;
}

EXTERN_C PWSTR TandemNtWcsstr(Text String, Text Sought) {
  const SIZE_T length = TandemNtWcslen(Sought);
  for (;; ++String) {
    if (Compare(String, Sought, length) == 0) return Changeable(String);
    if (*String == 0) return nullptr;
  }
}
