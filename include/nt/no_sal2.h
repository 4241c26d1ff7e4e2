// Annotations for compilers without the second version of SAL: all are empty in any case. Public page: no_sal2.h.
#pragma once

#include "sal.h"
