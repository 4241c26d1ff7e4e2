// Names of shared objects.
#pragma once

#include <string>

#include <d3dkmthk.h>

namespace tandem::kernel {

// The name in a form that does not tell upper from lower case of ASCII letters. Empty for attributes that name nothing, and for
// attributes of another size than the contract's: headers for Linux leave the structure to the program.
// STATUS_OBJECT_NAME_INVALID, STATUS_OBJECT_PATH_SYNTAX_BAD for a name that begins with no backslash, STATUS_INVALID_HANDLE for a
// root directory: there are none.
[[nodiscard]] NTSTATUS ReadObjectName(const OBJECT_ATTRIBUTES* attributes, std::u16string& name);

}  // namespace tandem::kernel
