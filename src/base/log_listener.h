// One more reader of the log beside what TANDEM_LOG names.
#pragma once

#include <string_view>

namespace tandem {

// Hears each line of kWarn and worse, whatever TANDEM_LOG says, on the thread that logs. It must not log.
using LogListener = void (*)(std::string_view line) noexcept;
// Null: nobody listens any more.
void SetLogListener(LogListener listener) noexcept;

}  // namespace tandem
