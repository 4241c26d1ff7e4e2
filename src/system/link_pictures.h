// Frame contents of a link trial.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tandem::system {

// A trial draws a few pictures in advance and presents them in turn.
enum class LinkContent : std::uint8_t {
  kGame,     // a moving scene that fills the frame
  kDesktop,  // a user interface with a small changing part
  kVideo,    // noise over gradients, which compresses badly
};
inline constexpr std::uint32_t kLinkContents = 3;
[[nodiscard]] std::string_view ToString(LinkContent content);  // "game", "desktop", "video"

// Pictures of each content.
inline constexpr std::uint32_t kLinkPictures = 4;

// Pictures shared by trials, because drawing them takes as long as a short trial. Keeps those of the latest extent, at most 12:
// 400 MB at 3840 x 2160. One thread at a time.
class LinkPictures {
 public:
  // width x height pixels of B8G8R8A8, opaque, rows without padding; `number` is below kLinkPictures. Drawn at the first
  // request and valid until another extent is requested.
  [[nodiscard]] const std::vector<std::byte>& At(LinkContent content, std::uint32_t width, std::uint32_t height,
                                                 std::uint32_t number);

 private:
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  std::array<std::array<std::vector<std::byte>, kLinkPictures>, kLinkContents> pictures_;  // empty: not drawn yet
};

}  // namespace tandem::system
