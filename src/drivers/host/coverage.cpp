// The place of the compiler's flags of taken edges (-fsanitize-coverage=inline-bool-flag).
#include <tandem_driver_coverage.h>

// The linker defines both around the section that the compiler fills.
EXTERN_C __attribute__((weak, visibility("hidden"))) UINT8 __start___sancov_bools[];
EXTERN_C __attribute__((weak, visibility("hidden"))) UINT8 __stop___sancov_bools[];

EXTERN_C __attribute__((visibility("default"))) TANDEM_DRIVER_COVERAGE TandemDriverCoverage(VOID) {
  return {__start___sancov_bools, static_cast<SIZE_T>(__stop___sancov_bools - __start___sancov_bools)};
}

// Each object's code passes the same section here, before DriverEntry.
EXTERN_C __attribute__((visibility("hidden"))) VOID __sanitizer_cov_bool_flag_init(bool*, bool*) {}
