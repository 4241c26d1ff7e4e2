// Built with AddressSanitizer: Present writes past a block of the heap, Escape through a null pointer.
#include <cstdio>
#include <vector>

#include "tests/modules/spoil.h"

namespace tandem::soft {
namespace {

__attribute__((noinline)) void WriteAt(char* bytes, std::size_t offset) { *static_cast<volatile char*>(bytes + offset) = 1; }

}  // namespace

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  table.DxgkDdiPresent = [](HANDLE, DXGKARG_PRESENT*) -> NTSTATUS {
    std::puts("The driver is about to write too far.");
    std::vector<char> block(4);
    WriteAt(block.data(), block.size());
    return STATUS_SUCCESS;
  };
  table.DxgkDdiEscape = [](HANDLE, CONST DXGKARG_ESCAPE*) -> NTSTATUS {
    WriteAt(nullptr, 0);
    return STATUS_SUCCESS;
  };
}

}  // namespace tandem::soft
