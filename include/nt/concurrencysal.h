// Annotations of locks; see sal.h.
#pragma once

#include "sal.h"
