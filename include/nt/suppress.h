// Names of warnings that a driver suppresses; there is nothing to name.
#pragma once

#include "sal.h"
