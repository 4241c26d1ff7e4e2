/* The contract's structures have the layout that programs of Linux are compiled with; checked at compile time. */
#include <d3dkmthk.h>
#include <stddef.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type);
#define OFFSET(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member);
#include "linux_layout.inc"
#undef SIZE
#undef OFFSET

_Static_assert(sizeof(D3DKMT_ENUMPROCESSES) == 24 && offsetof(D3DKMT_ENUMPROCESSES, Buffer) == 8, "as the Linux driver has it");
