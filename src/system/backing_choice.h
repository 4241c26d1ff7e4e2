// Chooses the memory behind the resources that cross two adapters.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tandem::system {

// Ways to make that memory, in the order of their choice.
enum class BackingWay : std::uint8_t {
  kMemfd,          // a memfd, by a udmabuf over it or by its address
  kRenderDmaBuf,   // a linear dma-buf that the render adapter exports
  kDisplayDmaBuf,  // one that the display adapter exports
  kAnonymous,      // private pages, by their address
};
inline constexpr std::size_t kBackingWays = 4;

// The letter that documents and lists name a way by, 'a' to 'd'.
[[nodiscard]] char LetterOf(BackingWay way);
[[nodiscard]] const char* NameOf(BackingWay way);

// One adapter's ability with one kind of memory.
struct PageAbility {
  bool works = false;
  std::string reason;                        // a sentence
  std::uint64_t write_bytes_per_second = 0;  // measured; 0: not measured
  std::uint64_t read_bytes_per_second = 0;
};

struct PageAbilities {
  PageAbility memfd;
  PageAbility foreign_dma_buf;  // another device's
  PageAbility own_dma_buf;      // exported to others
  PageAbility anonymous;
};

// The abilities of an adapter whose engines are the processor.
[[nodiscard]] PageAbilities ProcessorAbilities();

struct BackingCandidate {
  PageAbility render;
  PageAbility display;
  [[nodiscard]] bool works() const { return render.works && display.works; }
};

struct BackingChoice {
  std::array<BackingCandidate, kBackingWays> candidates;  // by BackingWay
  std::optional<BackingWay> chosen;                       // the first that works; nothing: the processor copies
  std::string reason;                                     // a sentence for each way before it, and one for it
};
[[nodiscard]] BackingChoice ChooseBacking(const PageAbilities& render, const PageAbilities& display);

}  // namespace tandem::system
