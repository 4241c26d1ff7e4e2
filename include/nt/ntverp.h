// Version of the kit. Public page: ntverp.h.
#pragma once

#define VER_PRODUCTBUILD 22621
#define VER_PRODUCTVERSION 10, 0, VER_PRODUCTBUILD, 1
#define VER_PRODUCTMAJORVERSION 10
#define VER_PRODUCTMINORVERSION 0
