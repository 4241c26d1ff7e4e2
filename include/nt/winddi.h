// The parts of the GDI driver interface that display miniports name. Public page: winddi.h.
#pragma once

#include "wingdi.h"
