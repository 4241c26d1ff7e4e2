// The driver's part of the registry: keys and values in the memory of the process. Names fold case. Not synchronized.
#pragma once

#include <ntddk.h>
#include <tandem_driver_host.h>

#include <cstddef>

namespace tandem::drivers::host {

inline constexpr std::size_t kLongestRegistryName = 256;

class Registry {
 public:
  struct Value {
    Value* next;
    ULONG type;  // REG_…
    ULONG bytes;
    unsigned char* data;
    char name[kLongestRegistryName];
  };

  [[nodiscard]] bool HasKey(const char* key) const;
  bool CreateKey(const char* key);
  // False: no memory. The key is created with its first value.
  bool Set(const char* key, const char* name, ULONG type, const void* data, ULONG bytes);
  [[nodiscard]] const Value* Find(const char* key, const char* name) const;
  bool Remove(const char* key, const char* name);
  void Clear();

 private:
  struct Key {
    Key* next;
    Value* values;
    char name[kLongestRegistryName];
  };
  [[nodiscard]] Key* FindKey(const char* key) const;

  Key* keys_ = nullptr;
};

// Lower-case ASCII of a path or a value's name; other characters become '?'. False: too long.
bool FoldName(const UNICODE_STRING& name, char (&folded)[kLongestRegistryName]);

// The values that the kernel's table names; `kernel` may be an older, smaller one. Before DriverEntry.
void BeginRegistry(const TANDEM_DRIVER_KERNEL& kernel);

}  // namespace tandem::drivers::host
