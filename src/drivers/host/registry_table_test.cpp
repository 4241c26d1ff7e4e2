#include <ntddk.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "drivers/host/testing/fake_kernel.h"

namespace tandem::drivers::host {
namespace {

WCHAR kPath[] = u"\\Registry\\Machine\\Sample";
WCHAR kCount[] = u"Count", kName[] = u"Name", kList[] = u"List", kNone[] = u"None", kBlob[] = u"Blob";

class RegistryTable : public testing::Test {
 protected:
  RegistryTable() {
    Write(kCount, REG_DWORD, &count_, sizeof(count_));
    Write(kName, REG_SZ, name_, sizeof(name_));
    Write(kList, REG_MULTI_SZ, list_, sizeof(list_));
    Write(kBlob, REG_BINARY, blob_, sizeof(blob_));
  }
  static void Write(PCWSTR name, ULONG type, PVOID data, ULONG bytes) {
    ASSERT_EQ(RtlWriteRegistryValue(RTL_REGISTRY_ABSOLUTE, kPath, name, type, data, bytes), STATUS_SUCCESS);
  }
  static NTSTATUS Query(RTL_QUERY_REGISTRY_TABLE entry, PVOID context = nullptr) {
    RTL_QUERY_REGISTRY_TABLE table[2] = {entry, {}};
    return RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, kPath, table, context, nullptr);
  }
  static RTL_QUERY_REGISTRY_TABLE Direct(PWSTR name, PVOID place, ULONG type, ULONG flags = 0) {
    return {nullptr,
            RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK | flags,
            name,
            place,
            type << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT,
            nullptr,
            0};
  }

  FakeKernel kernel_;
  ULONG count_ = 5;
  WCHAR name_[6] = u"hello";
  WCHAR list_[7] = u"ab\0cd\0";
  unsigned char blob_[12] = {1, 2, 3};
};

TEST_F(RegistryTable, Direct_StoresNumbersStringsAndBytes) {
  ULONG number = 0;
  EXPECT_EQ(Query(Direct(kCount, &number, REG_DWORD)), STATUS_SUCCESS);
  EXPECT_EQ(number, 5u);
  UNICODE_STRING text{};
  EXPECT_EQ(Query(Direct(kName, &text, REG_SZ)), STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(text.Buffer, text.Length / 2), u"hello");
  ExFreePool(text.Buffer);
  ULONG sized[5] = {20};
  EXPECT_EQ(Query(Direct(kBlob, sized, REG_BINARY)), STATUS_SUCCESS);
  EXPECT_EQ(sized[0], 12u);
  EXPECT_EQ(sized[1], ULONG{REG_BINARY});
  EXPECT_EQ(sized[2], 0x00030201u);
  LONG raw[3] = {-12};
  EXPECT_EQ(Query(Direct(kBlob, raw, REG_BINARY)), STATUS_SUCCESS);
  EXPECT_EQ(raw[0], 0x00030201);
  LONG small[2] = {-8};
  EXPECT_EQ(Query(Direct(kBlob, small, REG_BINARY)), STATUS_BUFFER_TOO_SMALL);
}

TEST_F(RegistryTable, WrongTypeAndMissingValue_AreToldAsAsked) {
  ULONG number = 7;
  EXPECT_EQ(Query(Direct(kName, &number, REG_DWORD)), STATUS_OBJECT_TYPE_MISMATCH);
  EXPECT_EQ(Query(Direct(kNone, &number, REG_DWORD)), STATUS_SUCCESS);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(Query(Direct(kNone, &number, REG_DWORD, RTL_QUERY_REGISTRY_REQUIRED)), STATUS_OBJECT_NAME_NOT_FOUND);
  ULONG usual = 9;
  RTL_QUERY_REGISTRY_TABLE entry = Direct(kNone, &number, REG_DWORD);
  entry.DefaultType |= REG_DWORD;
  entry.DefaultData = &usual;
  entry.DefaultLength = sizeof(usual);
  EXPECT_EQ(Query(entry), STATUS_SUCCESS);
  EXPECT_EQ(number, 9u);
}

TEST_F(RegistryTable, Routine_GetsEachStringOfAList) {
  std::vector<std::u16string> seen;
  RTL_QUERY_REGISTRY_TABLE entry{};
  entry.Name = kList;
  entry.QueryRoutine = [](PWSTR, ULONG type, PVOID data, ULONG bytes, PVOID context, PVOID) {
    EXPECT_EQ(type, ULONG{REG_SZ});
    static_cast<std::vector<std::u16string>*>(context)->emplace_back(static_cast<PWSTR>(data), bytes / 2 - 1);
    return STATUS_SUCCESS;
  };
  EXPECT_EQ(Query(entry, &seen), STATUS_SUCCESS);
  EXPECT_EQ(seen, (std::vector<std::u16string>{u"ab", u"cd"}));
}

struct SeenValue {
  std::u16string name;
  ULONG type, bytes;
  friend bool operator==(const SeenValue&, const SeenValue&) = default;
};

NTSTATUS See(PWSTR name, ULONG type, PVOID, ULONG bytes, PVOID context, PVOID) {
  static_cast<std::vector<SeenValue>*>(context)->push_back({name, type, bytes});
  return STATUS_SUCCESS;
}

TEST_F(RegistryTable, RoutineWithoutAName_GetsEachValueOfTheKey) {
  std::vector<SeenValue> seen;
  const std::vector<SeenValue> all{
      {u"Count", REG_DWORD, 4}, {u"Name", REG_SZ, 12}, {u"List", REG_MULTI_SZ, 14}, {u"Blob", REG_BINARY, 12}};
  EXPECT_EQ(Query({See, RTL_QUERY_REGISTRY_NOEXPAND, nullptr, nullptr, 0, nullptr, 0}, &seen), STATUS_SUCCESS);
  EXPECT_EQ(seen, all);
  seen.clear();
  WCHAR machine[] = u"\\Registry\\Machine", sample[] = u"Sample";
  RTL_QUERY_REGISTRY_TABLE table[2] = {
      {See, RTL_QUERY_REGISTRY_SUBKEY | RTL_QUERY_REGISTRY_NOEXPAND, sample, nullptr, 0, nullptr, 0}, {}};
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, machine, table, &seen, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(seen, all);
}

TEST_F(RegistryTable, RoutineWithoutAName_DeletesAndRequiresValues) {
  std::vector<SeenValue> seen;
  EXPECT_EQ(Query({See, RTL_QUERY_REGISTRY_DELETE | RTL_QUERY_REGISTRY_NOEXPAND, nullptr, nullptr, 0, nullptr, 0}, &seen),
            STATUS_SUCCESS);
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(Query({See, RTL_QUERY_REGISTRY_REQUIRED, nullptr, nullptr, 0, nullptr, 0}, &seen), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(Query({See, 0, nullptr, nullptr, 0, nullptr, 0}, &seen), STATUS_SUCCESS);
  EXPECT_EQ(seen.size(), 4u);
}

// Wine and ReactOS end the query so.
TEST_F(RegistryTable, MissingSubkey_EndsTheQueryAndNoOtherKeyIsRead) {
  WCHAR below[] = u"\\Registry\\Machine\\Sample\\Below", here[] = u"Below", missing[] = u"Missing";
  ULONG deeper = 6, number = 0;
  ASSERT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_ABSOLUTE, below), STATUS_SUCCESS);
  ASSERT_EQ(RtlWriteRegistryValue(RTL_REGISTRY_ABSOLUTE, below, kCount, REG_DWORD, &deeper, sizeof(deeper)), STATUS_SUCCESS);
  RTL_QUERY_REGISTRY_TABLE table[4] = {
      {nullptr, RTL_QUERY_REGISTRY_SUBKEY, here, nullptr, 0, nullptr, 0}, Direct(kCount, &number, REG_DWORD), {}, {}};
  const auto query = [&] { return RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, kPath, table, nullptr, nullptr); };
  EXPECT_EQ(query(), STATUS_SUCCESS);
  EXPECT_EQ(number, 6u);
  number = 7;
  table[2] = Direct(kCount, &number, REG_DWORD);
  table[1] = {nullptr, RTL_QUERY_REGISTRY_SUBKEY, missing, nullptr, 0, nullptr, 0};
  EXPECT_EQ(query(), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(number, 7u);
}

TEST_F(RegistryTable, Keys_AreCheckedAndValuesDeleted) {
  WCHAR other[] = u"\\Registry\\Machine\\Other";
  EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, other), STATUS_OBJECT_NAME_NOT_FOUND);
  RTL_QUERY_REGISTRY_TABLE table[2] = {};
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, other, table, nullptr, nullptr), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE | RTL_REGISTRY_OPTIONAL, other, table, nullptr, nullptr),
            STATUS_SUCCESS);
  EXPECT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_ABSOLUTE, other), STATUS_SUCCESS);
  EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, other), STATUS_SUCCESS);
  EXPECT_EQ(RtlDeleteRegistryValue(RTL_REGISTRY_ABSOLUTE, kPath, kCount), STATUS_SUCCESS);
  EXPECT_EQ(RtlDeleteRegistryValue(RTL_REGISTRY_ABSOLUTE, kPath, kCount), STATUS_OBJECT_NAME_NOT_FOUND);
  kernel_.Detach();
  EXPECT_TRUE(kernel_.Reports().empty()) << kernel_.Reports().front();
}

}  // namespace
}  // namespace tandem::drivers::host
