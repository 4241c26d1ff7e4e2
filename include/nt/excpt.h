// Structured exceptions. Public page: excpt.h.
#pragma once

#include "wdm/seh.h"
