// The kernel's messages about devices, and the events that a card's descriptor gives.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "drivers/kms/card/card_master.h"
#include "drivers/kms/card/event_bytes.h"
#include "drivers/kms/card/uevent.h"

namespace {

bool LiesWithin(std::string_view part, std::span<const char> whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const char> message(reinterpret_cast<const char*>(data), size);
  if (const auto event = tandem::kms::ParseUevent(message)) {
    TANDEM_CHECK(LiesWithin(event->subsystem, message) && LiesWithin(event->device_path, message));
    TANDEM_CHECK(LiesWithin(event->device_name, message) && LiesWithin(event->wedged, message));
  }
  std::span<const std::byte> bytes = std::as_bytes(message);
  for (std::size_t left = bytes.size(); tandem::kms::TakeEvent(bytes); left = bytes.size()) TANDEM_CHECK(bytes.size() < left);
  static_cast<void>(tandem::kms::MasterOf({message.data(), message.size()}));
  return 0;
}
