// The driver's part of the registry: keys and values in the memory of the process. Names are ASCII, compared without case, and
// kept as they were first given. Not synchronized.
#pragma once

#include <ntddk.h>
#include <tandem_driver_host.h>

#include <cstddef>

namespace tandem::drivers::host {

inline constexpr std::size_t kLongestRegistryName = 256;

class Registry {
 public:
  struct Value {
    Value* next;  // in the order that values were set in
    ULONG type;   // REG_…
    ULONG bytes;
    unsigned char* data;
    char name[kLongestRegistryName];
  };

  // A key exists with those below it.
  [[nodiscard]] bool HasKey(const char* key) const;
  bool CreateKey(const char* key);
  // False: no memory. The key is created with its first value.
  bool Set(const char* key, const char* name, ULONG type, const void* data, ULONG bytes);
  [[nodiscard]] const Value* Find(const char* key, const char* name) const;
  // The first value; null: the key has none.
  [[nodiscard]] const Value* First(const char* key) const;
  bool Remove(const char* key, const char* name);
  // The key right below `key` whose name follows `after` in the alphabet, without what lies below that; an empty `after` asks for
  // the first. False: there is none.
  bool NextSubkey(const char* key, const char* after, char (&name)[kLongestRegistryName]) const;
  // When the key or a value of it was set or removed, in units of 100 ns since the year 1601; 0: the key has no values.
  [[nodiscard]] LONGLONG LastWrite(const char* key) const;
  void Clear();

 private:
  struct Key {
    Key* next;
    Value* values;
    LARGE_INTEGER written;
    char name[kLongestRegistryName];
  };
  [[nodiscard]] Key* FindKey(const char* key) const;

  Key* keys_ = nullptr;
};

// ASCII of a path or a value's name; other characters become '?'. False: too long.
bool ToAscii(const UNICODE_STRING& name, char (&ascii)[kLongestRegistryName]);

// The values that the kernel's table names; `kernel` may be an older, smaller one. Before DriverEntry.
void BeginRegistry(const TANDEM_DRIVER_KERNEL& kernel);

}  // namespace tandem::drivers::host
