// Calendar time, the timer's resolution and precise clocks. Part of wdm.h. Public page: wdm.h.
#pragma once

#include "ntdef.h"

typedef struct _TIME_FIELDS {
  CSHORT Year;  // 1601 and later.
  CSHORT Month;
  CSHORT Day;
  CSHORT Hour;
  CSHORT Minute;
  CSHORT Second;
  CSHORT Milliseconds;
  CSHORT Weekday;  // 0: Sunday.
} TIME_FIELDS;
typedef TIME_FIELDS* PTIME_FIELDS;

// Any IRQL. System times are UTC, in units of 100 ns since the year 1601.
EXTERN_C VOID NTAPI RtlTimeToTimeFields(PLARGE_INTEGER Time, PTIME_FIELDS TimeFields);
EXTERN_C BOOLEAN NTAPI RtlTimeFieldsToTime(PTIME_FIELDS TimeFields, PLARGE_INTEGER Time);
EXTERN_C BOOLEAN NTAPI RtlTimeToSecondsSince1970(PLARGE_INTEGER Time, PULONG ElapsedSeconds);
EXTERN_C VOID NTAPI RtlSecondsSince1970ToTime(ULONG ElapsedSeconds, PLARGE_INTEGER Time);
EXTERN_C VOID NTAPI ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime, PLARGE_INTEGER LocalTime);
EXTERN_C VOID NTAPI ExLocalTimeToSystemTime(PLARGE_INTEGER LocalTime, PLARGE_INTEGER SystemTime);
EXTERN_C ULONG64 NTAPI KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp);

// IRQL <= APC_LEVEL. Timers here are as exact as Linux's, whatever is set; the answer is the period in force on Windows.
EXTERN_C ULONG NTAPI ExSetTimerResolution(ULONG DesiredTime, BOOLEAN SetResolution);
