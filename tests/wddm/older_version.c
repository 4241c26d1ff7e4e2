// Structures of a driver that names an older version of the interface are as large as that version has them.
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WIN8
#include <dispmprt.h>

_Static_assert(sizeof(DXGK_DRIVERCAPS) == 0x220, "the caps of Windows 8");
