// The edges of a driver's code that were taken, for a fuzzer: a joint of drivers that `tandem driver build --coverage` built.
// Tandem's addition to the contract.
#pragma once

#include "wddm_types.h"

// A byte for each edge. The driver's code sets it to 1, on any thread, without a lock; the reader may clear it.
typedef struct _TANDEM_DRIVER_COVERAGE {
  UINT8* Edges;
  SIZE_T Count;
} TANDEM_DRIVER_COVERAGE;

// The function that such a driver exports beside DriverEntry. Any thread, any IRQL.
typedef TANDEM_DRIVER_COVERAGE (*PFNTANDEM_DRIVER_COVERAGE)(VOID);
#define TANDEM_DRIVER_COVERAGE_EXPORT "TandemDriverCoverage"
