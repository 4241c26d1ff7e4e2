// Escape believes the count in its data's first word.
#include "tests/modules/spoil.h"

namespace tandem::soft {

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiEscape = [](HANDLE, CONST DXGKARG_ESCAPE* args) -> NTSTATUS {
    if (args->PrivateDriverDataSize < sizeof(UINT)) return STATUS_INVALID_PARAMETER;
    const auto* const words = static_cast<const volatile UINT*>(args->pPrivateDriverData);
    UINT sum = 0;
    for (UINT word = 1; word <= words[0]; ++word) sum += words[word];
    return sum == 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
  };
}

}  // namespace tandem::soft
