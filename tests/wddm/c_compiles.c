// The contract is C first: every header must compile as C11, in one translation unit.
#include <d3d10umddi.h>
#include <d3dkmddi.h>
#include <d3dkmdt.h>
#include <d3dkmthk.h>
#include <d3dukmdt.h>
#include <d3dumddi.h>
#include <dispmprt.h>
#include <dxgiddi.h>
#include <dxgiformat.h>
#include <tandem_bus.h>
#include <wddm_kernel.h>
#include <wddm_status.h>
#include <wddm_types.h>

_Static_assert(sizeof(DXGKARG_PRESENT) == 168, "C and C++ see one layout");
_Static_assert(sizeof(DXGK_DRIVERCAPS) == 592, "C and C++ see one layout");
_Static_assert(sizeof(DRIVER_INITIALIZATION_DATA) == 0x608, "C and C++ see one layout");
_Static_assert(sizeof(DXGKRNL_INTERFACE) == 0x240, "C and C++ see one layout");
_Static_assert(D3DKMDT_VSS_EIA_861B == 27 && D3DKMDT_VSS_PAL_M == 31, "signal standards in the order of their values");
_Static_assert(D3DKMDT_VPPI_DENARY == 10, "importances of paths");
_Static_assert(sizeof(enum _DXGK_FEATURE_ID) == 4, "enumerations are 32 bits wide");
