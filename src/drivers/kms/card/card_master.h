// The master of a card, for the sentence of a refusal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::kms {

struct CardMaster {
  std::string command;  // at most 15 bytes of the program's name
  std::uint32_t pid = 0;
};

// The master out of the text of /sys/kernel/debug/dri/N/clients. Takes any bytes.
[[nodiscard]] std::optional<CardMaster> MasterOf(std::string_view clients);

// Reads that file; nothing where debugfs is not mounted or the user may not read it.
[[nodiscard]] std::optional<CardMaster> FindMaster(std::uint32_t card_minor);

}  // namespace tandem::kms
