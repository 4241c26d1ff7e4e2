// Built with UndefinedBehaviorSanitizer: an arithmetic overflow, after which the driver continues.
#include <climits>

#include "tests/modules/spoil.h"

namespace tandem::soft {
namespace {

decltype(DRIVER_INITIALIZATION_DATA::DxgkDdiPresent) present;
volatile int count = INT_MAX;

}  // namespace

void Spoil(DRIVER_INITIALIZATION_DATA& table) {
  present = table.DxgkDdiPresent;
  table.DxgkDdiPresent = [](HANDLE context, DXGKARG_PRESENT* args) -> NTSTATUS {
    count = count + 1;
    return present(context, args);
  };
}

}  // namespace tandem::soft
