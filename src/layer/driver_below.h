// The driver form: the driver below, which is opened when it is needed if a record of it is kept.
#pragma once

#include "base/result.h"
#include "config/settings.h"
#include "system/render_driver.h"
#include "system/render_losses.h"

namespace tandem::layer {

// The render adapter's driver, once per process and once more after each render adapter that is gone. Threads that ask first at
// once open the same library; a failure is tried again. Errors: those of the settings, of the choice of adapters and of the
// library.
[[nodiscard]] Result<const system::RenderDriver*> DriverBelow(const Result<config::Settings>& settings,
                                                              const system::RenderLosses& losses);

// DriverBelow() before an instance exists, when the program has no name yet; null if Tandem does not serve it.
[[nodiscard]] const system::RenderDriver* DriverBelow();

// The driver in Tandem's place, once per process, for a program that Tandem does not serve: the one that the session shows
// (TANDEM_SHOW_ASLEEP), or one where the program would have no other. Null: neither is so, or the driver cannot be opened.
[[nodiscard]] const system::RenderDriver* PlainDriver();

}  // namespace tandem::layer
