// Calendar time and the timer's resolution. See wdm/clock.h.
#include <ntddk.h>
#include <time.h>

#include <cstdint>

#include "drivers/host/clock.h"
#include "drivers/host/kernel.h"

using namespace tandem::drivers::host;

namespace {

constexpr std::int64_t kSecond = 10'000'000;   // In units of 100 ns.
constexpr std::int64_t kDaysTo1970 = 134'774;  // From 1601.
constexpr std::int64_t kSecondsADay = 86'400;
constexpr ULONG kFinest = 5'000, kUsual = 156'250;  // Periods of the timer.

// Days from 1601-01-01 to the first of a month in the proleptic Gregorian calendar.
std::int64_t DaysTo(std::int64_t year, std::int64_t month) {
  static constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  const std::int64_t past = year - 1601;
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return past * 365 + past / 4 - past / 100 + past / 400 + kBefore[month - 1] + (leap && month > 2 ? 1 : 0);
}

std::int64_t DaysIn(std::int64_t year, std::int64_t month) {
  return (month == 12 ? DaysTo(year + 1, 1) : DaysTo(year, month + 1)) - DaysTo(year, month);
}

// Local time less UTC, in units of 100 ns.
std::int64_t Bias(std::int64_t time) {
  const auto seconds = static_cast<time_t>(time / kSecond - kDaysTo1970 * kSecondsADay);
  tm local{};
  return localtime_r(&seconds, &local) == nullptr ? 0 : local.tm_gmtoff * kSecond;
}

}  // namespace

VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields) {
  const std::int64_t seconds = Time->QuadPart / kSecond;
  const std::int64_t days = seconds / kSecondsADay, rest = seconds % kSecondsADay;
  std::int64_t year = 1601 + days / 366;
  while (DaysTo(year + 1, 1) <= days) ++year;
  std::int64_t month = 1;
  while (month < 12 && DaysTo(year, month + 1) <= days) ++month;
  TimeFields->Year = static_cast<CSHORT>(year);
  TimeFields->Month = static_cast<CSHORT>(month);
  TimeFields->Day = static_cast<CSHORT>(days - DaysTo(year, month) + 1);
  TimeFields->Hour = static_cast<CSHORT>(rest / 3600);
  TimeFields->Minute = static_cast<CSHORT>(rest / 60 % 60);
  TimeFields->Second = static_cast<CSHORT>(rest % 60);
  TimeFields->Milliseconds = static_cast<CSHORT>(Time->QuadPart % kSecond / 10'000);
  TimeFields->Weekday = static_cast<CSHORT>((days + 1) % 7);
}

BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time) {
  const TIME_FIELDS& at = *TimeFields;
  if (at.Year < 1601 || at.Month < 1 || at.Month > 12 || at.Day < 1 || at.Day > DaysIn(at.Year, at.Month)) return FALSE;
  if (at.Hour < 0 || at.Hour > 23 || at.Minute < 0 || at.Minute > 59 || at.Second < 0 || at.Second > 59) return FALSE;
  if (at.Milliseconds < 0 || at.Milliseconds > 999) return FALSE;
  const std::int64_t days = DaysTo(at.Year, at.Month) + at.Day - 1;
  const std::int64_t seconds = days * kSecondsADay + at.Hour * 3600 + at.Minute * 60 + at.Second;
  Time->QuadPart = seconds * kSecond + at.Milliseconds * 10'000;
  return TRUE;
}

BOOLEAN NTAPI RtlTimeToSecondsSince1970(PLARGE_INTEGER Time, PULONG ElapsedSeconds) {
  const std::int64_t seconds = Time->QuadPart / kSecond - kDaysTo1970 * kSecondsADay;
  if (seconds < 0 || seconds > MAXULONG) return FALSE;
  *ElapsedSeconds = static_cast<ULONG>(seconds);
  return TRUE;
}

VOID NTAPI RtlSecondsSince1970ToTime(ULONG ElapsedSeconds, PLARGE_INTEGER Time) {
  Time->QuadPart = (kDaysTo1970 * kSecondsADay + ElapsedSeconds) * kSecond;
}

VOID NTAPI ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime, PLARGE_INTEGER LocalTime) {
  LocalTime->QuadPart = SystemTime->QuadPart + Bias(SystemTime->QuadPart);
}

VOID NTAPI ExLocalTimeToSystemTime(PLARGE_INTEGER LocalTime, PLARGE_INTEGER SystemTime) {
  const LONGLONG local = LocalTime->QuadPart;
  SystemTime->QuadPart = local - Bias(local - Bias(local));
}

ULONG64 NTAPI KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp) {
  const std::uint64_t time = NowNs() / 100;
  *QpcTimeStamp = time;  // KeQueryPerformanceCounter counts in these units, too.
  return time;
}

ULONG NTAPI ExSetTimerResolution(ULONG DesiredTime, BOOLEAN SetResolution) {
  CheckIrql("ExSetTimerResolution", APC_LEVEL);
  if (SetResolution == FALSE) return kUsual;
  return DesiredTime < kFinest ? kFinest : DesiredTime > kUsual ? kUsual : DesiredTime;
}
