// Bitmaps of the run-time library.
#include <ntddk.h>

#include <cstdint>

namespace {

constexpr ULONG kNone = 0xFFFFFFFF;

bool IsSet(const RTL_BITMAP& map, ULONG index) { return RtlCheckBit(&map, index) != 0; }

// Bits from `from` on that have the value `set`, up to `most`.
ULONG RunOf(const RTL_BITMAP& map, ULONG from, ULONG most, bool set) {
  ULONG length = 0;
  while (length < most && from + length < map.SizeOfBitMap && IsSet(map, from + length) == set) ++length;
  return length;
}

void Fill(const RTL_BITMAP& map, ULONG from, ULONG count, bool set) {
  for (ULONG index = from; index - from < count && index < map.SizeOfBitMap; ++index) {
    const ULONG bit = ULONG{1} << (index % 32);
    if (set) {
      map.Buffer[index / 32] |= bit;
    } else {
      map.Buffer[index / 32] &= ~bit;
    }
  }
}

bool AreAll(const RTL_BITMAP& map, ULONG from, ULONG count, bool set) {
  return count != 0 && from < map.SizeOfBitMap && RunOf(map, from, count, set) == count;
}

// The first run of `count` bits that begins at `first` to `last - 1`.
ULONG FindBetween(const RTL_BITMAP& map, ULONG first, ULONG last, ULONG count, bool set) {
  for (ULONG index = first; index < last && index < map.SizeOfBitMap;) {
    const ULONG run = RunOf(map, index, count, set);
    if (run == count) return index;
    index += run + 1;
  }
  return kNone;
}

ULONG FindRun(const RTL_BITMAP& map, ULONG count, ULONG hint, bool set) {
  if (hint >= map.SizeOfBitMap) hint = 0;
  if (count == 0) return hint & ~ULONG{7};
  const ULONG behind = FindBetween(map, hint, map.SizeOfBitMap, count, set);
  return behind != kNone ? behind : FindBetween(map, 0, hint, count, set);
}

ULONG Count(const RTL_BITMAP& map) {
  ULONG count = 0;
  for (ULONG index = 0; index < map.SizeOfBitMap; ++index) count += IsSet(map, index) ? 1 : 0;
  return count;
}

// Keeps the longest runs, longest first. `count` of `size` places are taken; returns the new count.
ULONG KeepLongest(RTL_BITMAP_RUN* runs, ULONG size, ULONG count, RTL_BITMAP_RUN run) {
  ULONG place = count;
  while (place > 0 && runs[place - 1].NumberOfBits < run.NumberOfBits) --place;
  if (place == size) return count;
  const ULONG kept = count < size ? count + 1 : size;
  for (ULONG i = kept - 1; i > place; --i) runs[i] = runs[i - 1];
  runs[place] = run;
  return kept;
}

}  // namespace

VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap) {
  *BitMapHeader = RTL_BITMAP{SizeOfBitMap, BitMapBuffer};
}

VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) { Fill(*BitMapHeader, BitNumber, 1, true); }
VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber) { Fill(*BitMapHeader, BitNumber, 1, false); }

BOOLEAN NTAPI RtlTestBit(RTL_BITMAP* BitMapHeader, ULONG BitNumber) { return IsSet(*BitMapHeader, BitNumber) ? TRUE : FALSE; }

// Windows writes the last word whole.
VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader) {
  RtlFillMemory(BitMapHeader->Buffer, (SIZE_T{BitMapHeader->SizeOfBitMap} + 31) / 32 * sizeof(ULONG), 0xFF);
}
VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader) {
  RtlZeroMemory(BitMapHeader->Buffer, (SIZE_T{BitMapHeader->SizeOfBitMap} + 31) / 32 * sizeof(ULONG));
}

VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet) {
  Fill(*BitMapHeader, StartingIndex, NumberToSet, true);
}
VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear) {
  Fill(*BitMapHeader, StartingIndex, NumberToClear, false);
}

BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  return AreAll(*BitMapHeader, StartingIndex, Length, true) ? TRUE : FALSE;
}
BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length) {
  return AreAll(*BitMapHeader, StartingIndex, Length, false) ? TRUE : FALSE;
}

ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader) { return Count(*BitMapHeader); }
ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader) { return BitMapHeader->SizeOfBitMap - Count(*BitMapHeader); }

ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  return FindRun(*BitMapHeader, NumberToFind, HintIndex, true);
}
ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  return FindRun(*BitMapHeader, NumberToFind, HintIndex, false);
}

ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  const ULONG found = FindRun(*BitMapHeader, NumberToFind, HintIndex, true);
  if (found != kNone) Fill(*BitMapHeader, found, NumberToFind, false);
  return found;
}
ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex) {
  const ULONG found = FindRun(*BitMapHeader, NumberToFind, HintIndex, false);
  if (found != kNone) Fill(*BitMapHeader, found, NumberToFind, true);
  return found;
}

ULONG NTAPI RtlFindNextForwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex, PULONG StartingRunIndex) {
  const ULONG size = BitMapHeader->SizeOfBitMap;
  const ULONG first = FindBetween(*BitMapHeader, FromIndex, size, 1, false);
  *StartingRunIndex = first == kNone ? FromIndex : first;
  return first == kNone ? 0 : RunOf(*BitMapHeader, first, size, false);
}

ULONG NTAPI RtlFindLastBackwardRunClear(PRTL_BITMAP BitMapHeader, ULONG FromIndex, PULONG StartingRunIndex) {
  const ULONG size = BitMapHeader->SizeOfBitMap;
  *StartingRunIndex = FromIndex;
  if (size == 0) return 0;
  ULONG behind = FromIndex < size ? FromIndex + 1 : size;
  while (behind > 0 && IsSet(*BitMapHeader, behind - 1)) --behind;
  ULONG first = behind;
  while (first > 0 && !IsSet(*BitMapHeader, first - 1)) --first;
  if (first < behind) *StartingRunIndex = first;
  return behind - first;
}

ULONG NTAPI RtlFindFirstRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex) {
  return RtlFindNextForwardRunClear(BitMapHeader, 0, StartingIndex);
}

ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex) {
  RTL_BITMAP_RUN run{};
  *StartingIndex = RtlFindClearRuns(BitMapHeader, &run, 1, TRUE) == 0 ? 0 : run.StartingIndex;
  return run.NumberOfBits;
}

ULONG NTAPI RtlFindClearRuns(PRTL_BITMAP BitMapHeader, PRTL_BITMAP_RUN RunArray, ULONG SizeOfRunArray,
                             BOOLEAN LocateLongestRuns) {
  ULONG count = 0;
  for (ULONG from = 0; from < BitMapHeader->SizeOfBitMap;) {
    RTL_BITMAP_RUN run{};
    run.NumberOfBits = RtlFindNextForwardRunClear(BitMapHeader, from, &run.StartingIndex);
    if (run.NumberOfBits == 0) break;
    from = run.StartingIndex + run.NumberOfBits;
    if (LocateLongestRuns != FALSE) {
      count = KeepLongest(RunArray, SizeOfRunArray, count, run);
    } else if (count < SizeOfRunArray) {
      RunArray[count++] = run;
    }
  }
  return count;
}

CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set) { return static_cast<CCHAR>(Set == 0 ? -1 : 63 - __builtin_clzll(Set)); }
CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set) { return static_cast<CCHAR>(Set == 0 ? -1 : __builtin_ctzll(Set)); }
