#include <ntddk.h>

#include <gtest/gtest.h>

namespace {

TEST(Calendar, FieldsOfATime_AndBack) {
  LARGE_INTEGER time{};
  RtlSecondsSince1970ToTime(1'709'210'096, &time);  // 2024-02-29 12:34:56, a Thursday.
  time.QuadPart += 789 * 10'000;
  TIME_FIELDS fields{};
  RtlTimeToTimeFields(&time, &fields);
  EXPECT_EQ(fields.Year, 2024);
  EXPECT_EQ(fields.Month, 2);
  EXPECT_EQ(fields.Day, 29);
  EXPECT_EQ(fields.Hour, 12);
  EXPECT_EQ(fields.Minute, 34);
  EXPECT_EQ(fields.Second, 56);
  EXPECT_EQ(fields.Milliseconds, 789);
  EXPECT_EQ(fields.Weekday, 4);
  LARGE_INTEGER back{};
  EXPECT_TRUE(RtlTimeFieldsToTime(&fields, &back));
  EXPECT_EQ(back.QuadPart, time.QuadPart);
  ULONG seconds = 0;
  EXPECT_TRUE(RtlTimeToSecondsSince1970(&back, &seconds));
  EXPECT_EQ(seconds, 1'709'210'096u);
}

TEST(Calendar, EveryDayOfFourCenturies_ComesBack) {
  for (LONGLONG day = 0; day < 146'097; day += 13) {
    LARGE_INTEGER time{}, back{};
    time.QuadPart = day * 864'000'000'000;
    TIME_FIELDS fields{};
    RtlTimeToTimeFields(&time, &fields);
    ASSERT_TRUE(RtlTimeFieldsToTime(&fields, &back)) << fields.Year << "-" << fields.Month << "-" << fields.Day;
    ASSERT_EQ(back.QuadPart, time.QuadPart);
  }
}

TEST(Calendar, DayThatDoesNotExist_IsRefused) {
  TIME_FIELDS fields{2023, 2, 29, 0, 0, 0, 0, 0};
  LARGE_INTEGER time{};
  EXPECT_FALSE(RtlTimeFieldsToTime(&fields, &time));
  fields.Year = 1600;
  fields.Day = 1;
  EXPECT_FALSE(RtlTimeFieldsToTime(&fields, &time));
}

TEST(Calendar, LocalTime_AndBack) {
  LARGE_INTEGER time{}, local{}, back{};
  RtlSecondsSince1970ToTime(1'709'210'096, &time);
  ExSystemTimeToLocalTime(&time, &local);
  ExLocalTimeToSystemTime(&local, &back);
  EXPECT_EQ(back.QuadPart, time.QuadPart);
}

TEST(TimerResolution, IsWithinWhatWindowsHas) {
  EXPECT_EQ(ExSetTimerResolution(10'000, TRUE), 10'000u);
  EXPECT_EQ(ExSetTimerResolution(1, TRUE), 5'000u);
  EXPECT_EQ(ExSetTimerResolution(0, FALSE), 156'250u);
}

}  // namespace
