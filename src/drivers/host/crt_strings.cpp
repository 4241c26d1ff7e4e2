// Functions on strings that the C library of the NT kernel has beyond those of the standard.
#include <ntddk.h>

#include <cerrno>
#include <cstring>

namespace {

template <class Unit>
SIZE_T LengthOf(const Unit* string, SIZE_T limit) {
  SIZE_T length = 0;
  while (length < limit && string[length] != 0) ++length;
  return length;
}

template <class Unit>
errno_t Refuse(Unit* destination, errno_t error) {
  destination[0] = 0;
  return error;
}

// Puts up to `count` characters of the source behind the first `start` of the destination.
template <class Unit>
errno_t Put(Unit* destination, SIZE_T size, SIZE_T start, const Unit* source, SIZE_T count) {
  if (destination == nullptr || size == 0) return EINVAL;
  if (source == nullptr) return count == 0 ? (destination[start] = 0) : Refuse(destination, EINVAL);
  if (start >= size) return Refuse(destination, EINVAL);
  const SIZE_T room = size - start;
  const SIZE_T length = LengthOf(source, count == _TRUNCATE ? room : count);
  const SIZE_T copied = length < room ? length : room - 1;
  if (copied < length && count != _TRUNCATE) return Refuse(destination, ERANGE);
  std::memmove(destination + start, source, copied * sizeof(Unit));
  destination[start + copied] = 0;
  return copied < length ? STRUNCATE : 0;
}

template <class Unit>
errno_t Append(Unit* destination, SIZE_T size, const Unit* source, SIZE_T count) {
  return Put(destination, size, destination == nullptr ? 0 : LengthOf(destination, size), source, count);
}

constexpr SIZE_T kWhole = _TRUNCATE - 1;

template <class Unit>
Unit Lower(Unit unit) {
  return unit >= 'A' && unit <= 'Z' ? static_cast<Unit>(unit + 32) : unit;
}

template <class Unit>
Unit Upper(Unit unit) {
  return unit >= 'a' && unit <= 'z' ? static_cast<Unit>(unit - 32) : unit;
}

template <class Unit>
int Compare(const Unit* left, const Unit* right, SIZE_T count) {
  for (; count != 0; --count, ++left, ++right) {
    const int difference = Lower(*left) - Lower(*right);
    if (difference != 0 || *left == 0) return difference;
  }
  return 0;
}

template <class Unit>
Unit* Change(Unit* string, Unit (*letter)(Unit)) {
  for (Unit* at = string; *at != 0; ++at) *at = letter(*at);
  return string;
}

}  // namespace

EXTERN_C errno_t strcpy_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source) {
  return Put(Destination, Size, 0, Source, kWhole);
}
EXTERN_C errno_t strcat_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source) {
  return Append(Destination, Size, Source, kWhole);
}
EXTERN_C errno_t strncpy_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source, rsize_t Count) {
  return Put(Destination, Size, 0, Source, Count);
}
EXTERN_C errno_t strncat_s(CHAR* Destination, rsize_t Size, CONST CHAR* Source, rsize_t Count) {
  return Append(Destination, Size, Source, Count);
}
EXTERN_C errno_t wcscpy_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source) {
  return Put(Destination, Size, 0, Source, kWhole);
}
EXTERN_C errno_t wcscat_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source) {
  return Append(Destination, Size, Source, kWhole);
}
EXTERN_C errno_t wcsncpy_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source, rsize_t Count) {
  return Put(Destination, Size, 0, Source, Count);
}
EXTERN_C errno_t wcsncat_s(WCHAR* Destination, rsize_t Size, CONST WCHAR* Source, rsize_t Count) {
  return Append(Destination, Size, Source, Count);
}

// The destination is zeroed where the source cannot be copied.
EXTERN_C errno_t memcpy_s(VOID* Destination, rsize_t Size, CONST VOID* Source, rsize_t Count) {
  if (Count == 0) return 0;
  if (Destination == nullptr) return EINVAL;
  if (Source != nullptr && Count <= Size) return std::memmove(Destination, Source, Count), 0;
  std::memset(Destination, 0, Size);
  return Source == nullptr ? EINVAL : ERANGE;
}

// The destination keeps its bytes where the source cannot be copied.
EXTERN_C errno_t memmove_s(VOID* Destination, rsize_t Size, CONST VOID* Source, rsize_t Count) {
  if (Count == 0) return 0;
  if (Destination == nullptr || Source == nullptr) return EINVAL;
  if (Count > Size) return ERANGE;
  std::memmove(Destination, Source, Count);
  return 0;
}

EXTERN_C int _stricmp(CONST CHAR* Left, CONST CHAR* Right) { return Compare(Left, Right, ~SIZE_T{0}); }
EXTERN_C int _strnicmp(CONST CHAR* Left, CONST CHAR* Right, SIZE_T Count) { return Compare(Left, Right, Count); }
EXTERN_C int _wcsicmp(CONST WCHAR* Left, CONST WCHAR* Right) { return Compare(Left, Right, ~SIZE_T{0}); }
EXTERN_C int _wcsnicmp(CONST WCHAR* Left, CONST WCHAR* Right, SIZE_T Count) { return Compare(Left, Right, Count); }
EXTERN_C CHAR* _strupr(CHAR* String) { return Change(String, Upper<CHAR>); }
EXTERN_C CHAR* _strlwr(CHAR* String) { return Change(String, Lower<CHAR>); }
EXTERN_C WCHAR* _wcsupr(WCHAR* String) { return Change(String, Upper<WCHAR>); }
EXTERN_C WCHAR* _wcslwr(WCHAR* String) { return Change(String, Lower<WCHAR>); }
EXTERN_C int _wtoi(CONST WCHAR* String) { return _wtol(String); }

// Spaces, a sign, digits. A value that does not fit is the nearest that does.
EXTERN_C LONG _wtol(CONST WCHAR* String) {
  while (*String == ' ' || (*String >= '\t' && *String <= '\r')) ++String;
  const bool negative = *String == '-';
  if (*String == '-' || *String == '+') ++String;
  LONGLONG value = 0;
  for (; *String >= '0' && *String <= '9' && value <= MAXLONG; ++String) value = value * 10 + (*String - '0');
  if (negative) return value > MAXLONG ? MINLONG : static_cast<LONG>(-value);
  return value > MAXLONG ? MAXLONG : static_cast<LONG>(value);
}
