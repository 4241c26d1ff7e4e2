// The functions of ntstrsafe.h on strings that end with a null character.
#include <ntddk.h>
#include <ntstrsafe.h>

#include <cstring>

#include "drivers/host/format.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr SIZE_T kNoLimit = ~SIZE_T{0};

template <class Unit>
SIZE_T LengthOf(const Unit* string, SIZE_T limit) {
  SIZE_T length = 0;
  while (length < limit && string[length] != 0) ++length;
  return length;
}

// Destination of a call, with all that the functions with Ex take.
template <class Unit>
struct Target {
  Unit* text;
  SIZE_T count;  // In units, with the null character.
  Unit** end = nullptr;
  SIZE_T* remaining = nullptr;
  SIZE_T unit_bytes = 1;  // of `remaining`
  ULONG flags = 0;
};

template <class Unit>
bool IsValid(const Target<Unit>& target) {
  constexpr ULONG kFlags = 0x1FFF;
  if (target.count > NTSTRSAFE_MAX_CCH || (target.flags & ~kFlags) != 0) return false;
  if ((target.flags & STRSAFE_IGNORE_NULLS) != 0) return target.text != nullptr || target.count == 0;
  return target.text != nullptr && target.count != 0;
}

// Does what the flags ask for. `at` is the place of the null character, `start` that of a text that a failure keeps.
template <class Unit>
NTSTATUS Finish(const Target<Unit>& target, SIZE_T at, SIZE_T start, NTSTATUS status) {
  const auto fill = static_cast<unsigned char>(target.flags & 0xFF);
  if (!NT_SUCCESS(status) && target.count != 0) {
    if ((target.flags & STRSAFE_FILL_ON_FAILURE) != 0) {
      std::memset(target.text, fill, target.count * sizeof(Unit));
      at = fill == 0 ? 0 : target.count - 1;
      start = 0;
    }
    if ((target.flags & STRSAFE_NO_TRUNCATION) != 0) at = start;
    if ((target.flags & STRSAFE_NULL_ON_FAILURE) != 0) at = 0;
    target.text[at] = 0;
  } else if (NT_SUCCESS(status) && (target.flags & STRSAFE_FILL_BEHIND_NULL) != 0 && at + 1 < target.count) {
    std::memset(target.text + at + 1, fill, (target.count - at - 1) * sizeof(Unit));
  }
  if (target.end != nullptr) *target.end = target.text == nullptr ? nullptr : target.text + at;
  if (target.remaining != nullptr) *target.remaining = (target.count - at) * target.unit_bytes;
  return status;
}

template <class Unit>
NTSTATUS Append(const Target<Unit>& target, SIZE_T start, const Unit* source, SIZE_T most) {
  static constexpr Unit kEmpty[] = {0};
  if (!IsValid(target) || (most > NTSTRSAFE_MAX_CCH && most != kNoLimit)) return STATUS_INVALID_PARAMETER;
  if (source == nullptr && (target.flags & STRSAFE_IGNORE_NULLS) != 0) source = kEmpty;
  if (target.count == 0) {
    const bool fits = most == 0 || *source == 0;
    return fits                     ? Finish(target, 0, 0, STATUS_SUCCESS)
           : target.text == nullptr ? STATUS_INVALID_PARAMETER
                                    : STATUS_BUFFER_OVERFLOW;
  }
  if (start >= target.count) return STATUS_INVALID_PARAMETER;
  SIZE_T at = start;
  for (; most != 0 && *source != 0 && at + 1 < target.count; --most) target.text[at++] = *source++;
  target.text[at] = 0;
  return Finish(target, at, start, most == 0 || *source == 0 ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW);
}

// Appends behind the text that the target has.
template <class Unit>
NTSTATUS Concatenate(const Target<Unit>& target, const Unit* source, SIZE_T most) {
  const SIZE_T start = IsValid(target) && target.count != 0 ? LengthOf(target.text, target.count) : 0;
  return Append(target, start, source, most);
}

template <class Unit>
NTSTATUS Print(const char* function, const Target<Unit>& target, const Unit* format, va_list list) {
  CheckIrql(function, PASSIVE_LEVEL);
  static constexpr Unit kEmpty[] = {0};
  if (!IsValid(target)) return STATUS_INVALID_PARAMETER;
  if (format == nullptr && (target.flags & STRSAFE_IGNORE_NULLS) != 0) format = kEmpty;
  if (target.count == 0) return *format == 0 ? Finish(target, 0, 0, STATUS_SUCCESS) : STATUS_INVALID_PARAMETER;
  Arguments arguments;
  va_copy(arguments.list, list);
  TextBuffer text(target.text, target.count);
  Format(text, format, arguments);
  va_end(arguments.list);
  const bool whole = text.End();
  return Finish(target, whole ? text.count() : target.count - 1, 0, whole ? STATUS_SUCCESS : STATUS_BUFFER_OVERFLOW);
}

template <class Unit>
NTSTATUS Measure(const Unit* string, SIZE_T limit, SIZE_T unit_bytes, SIZE_T* result) {
  const bool valid = string != nullptr && limit <= NTSTRSAFE_MAX_CCH;
  const SIZE_T length = valid ? LengthOf(string, limit) : limit;
  if (result != nullptr) *result = length < limit ? length * unit_bytes : 0;
  return length < limit ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

}  // namespace

// Scale: bytes of a unit in which the function counts.
#define TANDEM_STRSAFE(Kind, Width, Unit, Scale)                                                                                \
  NTSTATUS RtlString##Kind##Copy##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source) {                                   \
    return Append(Target<Unit>{Destination, Size / (Scale)}, 0, Source, kNoLimit);                                              \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CopyEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End, SIZE_T* Remaining,    \
                                          ULONG Flags) {                                                                        \
    return Append(Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, 0, Source, kNoLimit);                \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CopyN##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most) {                     \
    return Append(Target<Unit>{Destination, Size / (Scale)}, 0, Source, Most / (Scale));                                        \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CopyNEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most, Unit** End,         \
                                           SIZE_T* Remaining, ULONG Flags) {                                                    \
    return Append(Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, 0, Source, Most / (Scale));          \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##Cat##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source) {                                    \
    return Concatenate(Target<Unit>{Destination, Size / (Scale)}, Source, kNoLimit);                                            \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CatEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, Unit** End, SIZE_T* Remaining,     \
                                         ULONG Flags) {                                                                         \
    return Concatenate(Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, Source, kNoLimit);              \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CatN##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most) {                      \
    return Concatenate(Target<Unit>{Destination, Size / (Scale)}, Source, Most / (Scale));                                      \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##CatNEx##Width(Unit* Destination, SIZE_T Size, CONST Unit* Source, SIZE_T Most, Unit** End,          \
                                          SIZE_T* Remaining, ULONG Flags) {                                                     \
    return Concatenate(Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, Source, Most / (Scale));        \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##VPrintf##Width(Unit* Destination, SIZE_T Size, CONST Unit* Format, va_list Arguments) {             \
    return Print("RtlString" #Kind "VPrintf" #Width, Target<Unit>{Destination, Size / (Scale)}, Format, Arguments);             \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##VPrintfEx##Width(Unit* Destination, SIZE_T Size, Unit** End, SIZE_T* Remaining, ULONG Flags,        \
                                             CONST Unit* Format, va_list Arguments) {                                           \
    return Print("RtlString" #Kind "VPrintfEx" #Width, Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, \
                 Format, Arguments);                                                                                            \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##Printf##Width(Unit* Destination, SIZE_T Size, CONST Unit* Format, ...) {                            \
    va_list arguments;                                                                                                          \
    va_start(arguments, Format);                                                                                                \
    const NTSTATUS status =                                                                                                     \
        Print("RtlString" #Kind "Printf" #Width, Target<Unit>{Destination, Size / (Scale)}, Format, arguments);                 \
    va_end(arguments);                                                                                                          \
    return status;                                                                                                              \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##PrintfEx##Width(Unit* Destination, SIZE_T Size, Unit** End, SIZE_T* Remaining, ULONG Flags,         \
                                            CONST Unit* Format, ...) {                                                          \
    va_list arguments;                                                                                                          \
    va_start(arguments, Format);                                                                                                \
    const NTSTATUS status = Print("RtlString" #Kind "PrintfEx" #Width,                                                          \
                                  Target<Unit>{Destination, Size / (Scale), End, Remaining, Scale, Flags}, Format, arguments);  \
    va_end(arguments);                                                                                                          \
    return status;                                                                                                              \
  }                                                                                                                             \
  NTSTATUS RtlString##Kind##Length##Width(CONST Unit* String, SIZE_T Maximum, SIZE_T* Length) {                                 \
    return Measure(String, Maximum / (Scale), Scale, Length);                                                                   \
  }
TANDEM_STRSAFE(Cb, A, CHAR, sizeof(CHAR))
TANDEM_STRSAFE(Cb, W, WCHAR, sizeof(WCHAR))
TANDEM_STRSAFE(Cch, A, CHAR, 1)
TANDEM_STRSAFE(Cch, W, WCHAR, 1)
#undef TANDEM_STRSAFE
