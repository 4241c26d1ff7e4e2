// Clocks.
#include <ntddk.h>

#include "drivers/host/clock.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr ULONG kTickUnits = 156'250;        // 15.625 ms in units of 100 ns, as on Windows.
constexpr LONGLONG kFrequency = 10'000'000;  // Counts a second.
// Windows 10; the build number is that of Windows 11.
constexpr ULONG kMajorVersion = 10, kMinorVersion = 0, kBuildNumber = 22621;

LARGE_INTEGER Large(std::int64_t value) {
  LARGE_INTEGER large{};
  large.QuadPart = value;
  return large;
}

}  // namespace

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency) {
  if (PerformanceFrequency != nullptr) PerformanceFrequency->QuadPart = kFrequency;
  return Large(static_cast<std::int64_t>(NowNs() / 100));
}

ULONGLONG NTAPI KeQueryInterruptTime(VOID) { return NowNs() / 100; }

VOID NTAPI KeQuerySystemTimePrecise(PLARGE_INTEGER Time) { *Time = Large(SystemTime()); }

VOID NTAPI KeQueryTickCount(PLARGE_INTEGER Count) { *Count = Large(static_cast<std::int64_t>(NowNs() / 100 / kTickUnits)); }

ULONG NTAPI KeQueryTimeIncrement(VOID) { return kTickUnits; }

VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds) {
  const std::uint64_t end_ns = NowNs() + std::uint64_t{MicroSeconds} * 1000u;
  while (NowNs() < end_ns) {
  }
}

NTSTATUS NTAPI RtlGetVersion(PRTL_OSVERSIONINFOW lpVersionInformation) {
  CheckIrql("RtlGetVersion", PASSIVE_LEVEL);
  lpVersionInformation->dwMajorVersion = kMajorVersion;
  lpVersionInformation->dwMinorVersion = kMinorVersion;
  lpVersionInformation->dwBuildNumber = kBuildNumber;
  lpVersionInformation->dwPlatformId = 2;
  lpVersionInformation->szCSDVersion[0] = 0;
  return STATUS_SUCCESS;
}

BOOLEAN NTAPI PsGetVersion(PULONG MajorVersion, PULONG MinorVersion, PULONG BuildNumber, PUNICODE_STRING CSDVersion) {
  CheckIrql("PsGetVersion", PASSIVE_LEVEL);
  if (MajorVersion != nullptr) *MajorVersion = kMajorVersion;
  if (MinorVersion != nullptr) *MinorVersion = kMinorVersion;
  if (BuildNumber != nullptr) *BuildNumber = kBuildNumber;
  if (CSDVersion != nullptr) RtlInitUnicodeString(CSDVersion, nullptr);
  return FALSE;
}

// A linear congruential generator with the modulus 2^31 - 1.
ULONG NTAPI RtlRandomEx(PULONG Seed) {
  *Seed = static_cast<ULONG>((std::uint64_t{*Seed} * 0x7fffffedu + 0x7fffffc3u) % 0x7fffffffu);
  return *Seed;
}
