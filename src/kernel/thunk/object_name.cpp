#include "kernel/thunk/object_name.h"

#include <algorithm>

namespace tandem::kernel {

// Characters of four bytes, as a Linux program's wchar_t has them, are pairs of units here: the names of one program compare all
// the same.
NTSTATUS ReadObjectName(const OBJECT_ATTRIBUTES* attributes, std::u16string& name) {
  name.clear();
  if (attributes == nullptr || attributes->Length != sizeof(*attributes)) return STATUS_SUCCESS;
  if (attributes->ObjectName == nullptr || attributes->ObjectName->Length == 0) return STATUS_SUCCESS;
  if (attributes->RootDirectory != nullptr) return STATUS_INVALID_HANDLE;
  const UNICODE_STRING& string = *attributes->ObjectName;
  if (string.Buffer == nullptr || string.Length % sizeof(WCHAR) != 0) return STATUS_OBJECT_NAME_INVALID;
  if (string.Buffer[0] != u'\\') return STATUS_OBJECT_PATH_SYNTAX_BAD;
  name.resize(string.Length / sizeof(WCHAR));
  std::transform(string.Buffer, string.Buffer + name.size(), name.begin(),
                 [](WCHAR unit) { return static_cast<char16_t>(unit >= u'A' && unit <= u'Z' ? unit - u'A' + u'a' : unit); });
  return STATUS_SUCCESS;
}

}  // namespace tandem::kernel
